// The tmem dialect: tensor memory and the matrix products that accumulate in it (tcgen05), on tiles. It stands beside the
// tlx dialect because only one family of targets has such a memory.
#ifndef TLX_TENSOR_MEMORY
#define TLX_TENSOR_MEMORY

include "tlx/Dialect/TLXDialect.td"
include "tlx/Dialect/TLXInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TMem_Dialect : Dialect {
  let name = "tmem";
  let cppNamespace = "::tlx::tmem";
  let summary = "tensor memory: tiles of lanes and columns, and matrix products that accumulate there";
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::tlx::TLXDialect"];
}

def TMem_BufferType : TypeDef<TMem_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "`count` tiles in tensor memory (count 0: one selected tile)";
  let description = [{
    Rows are lanes, columns are 32 bits wide: elements of fewer bits lie packed, the first in the low bits. `rows` is the
    tile's number of rows: 128, or 64 in the first 16 of every 32 lanes (PTX ISA, tcgen05 data paths, layouts D and F).

    `scales`: factors of a block-scaled product, a byte for each row of an operand (here the tile's row) and each block
    of K (its column), as tcgen05.mma.block_scale reads them: lane r mod 32, repeated in every 32 lanes; four blocks of K
    to a column, 128 rows in four columns; all rows of four blocks of K before the next four.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$count,
                        "bool":$scales);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                   "int64_t":$count), [{
    return $_get($_ctxt, shape, elementType, count, /*scales=*/false);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    unsigned elementBits() const { return getElementType().getIntOrFloatBitWidth(); }
    /// 32-bit columns of one tile.
    int64_t columns() const;
    /// The 32-bit column in which the tile's column `element` begins.
    int64_t columnOf(int64_t element) const;
    /// Of scales: how many times 128 rows, and how many times four blocks of K, of 512 bytes each.
    int64_t rowAtoms() const { return (getShape()[0] + 127) / 128; }
    int64_t depthAtoms() const { return (getShape()[1] + 3) / 4; }
  }];
}

class TMem_Op<string mnem, list<Trait> traits = []> : Op<TMem_Dialect, mnem, traits>;

def TMem_AllocOp : TMem_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "tiles in tensor memory that live as long as the kernel; `column` counts from the kernel's first";
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$column, Optional<TMem_BufferType>:$reuse);
  let results = (outs TMem_BufferType:$result);
  let assemblyFormat = "$name (`at` $column^)? (`reuse` $reuse^ `:` type($reuse))? attr-dict `:` type($result)";
}
def TMem_ViewOp : TMem_Op<"view", [Pure]> {
  let arguments = (ins TMem_BufferType:$buffer, I32:$index);
  let results = (outs TMem_BufferType:$result);
  let assemblyFormat = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($result)";
}
def TMem_SubsliceOp : TMem_Op<"subslice", [Pure]> {
  let summary = "the columns from element `offset` on";
  let arguments = (ins TMem_BufferType:$buffer, I64Attr:$offset);
  let results = (outs TMem_BufferType:$result);
  let assemblyFormat = "$buffer `from` $offset attr-dict `:` type($buffer) `->` type($result)";
}
def TMem_ReinterpretOp : TMem_Op<"reinterpret", [Pure]> {
  let summary = "the same columns with elements of another type";
  let arguments = (ins TMem_BufferType:$buffer);
  let results = (outs TMem_BufferType:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
}
def TMem_LoadOp : TMem_Op<"load"> {
  let summary = "a tile to registers; they may be used at once";
  let arguments = (ins TMem_BufferType:$buffer);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
}
def TMem_StoreOp : TMem_Op<"store"> {
  let summary = "a tile from registers; it is in tensor memory when the operation is done";
  let arguments = (ins TMem_BufferType:$buffer, AnyRankedTensor:$value);
  let assemblyFormat = "$buffer `,` $value attr-dict `:` type($buffer) `,` type($value)";
}
def TMem_DotOp : TMem_Op<"dot", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "d + a·b into d, started by one thread; d·0 when `use_acc` is false";
  let description = [{
    A and B in shared memory, or A in tensor memory. Each of `barriers` gets one arrival when this and every earlier
    product of the thread is done. `two_ctas`: for the pair of CTAs together, by the even one; each has half of the rows of
    A and D and half of the columns of B.
  }];
  let arguments = (ins AnyTypeOf<[TLX_BufferType, TMem_BufferType]>:$a, TLX_BufferType:$b, TMem_BufferType:$d,
                       Optional<I1>:$use_acc, Optional<I1>:$predicate, Variadic<TLX_BarrierType>:$barriers,
                       UnitAttr:$two_ctas);
  let assemblyFormat = [{$a `,` $b `into` $d (`use_acc` $use_acc^)? (`if` $predicate^)?
                         (`signal` $barriers^ `:` type($barriers))? (`two_ctas` $two_ctas^)? attr-dict
                         `:` type($a) `,` type($b) `,` type($d)}];
}
def TMem_ScaledDotOp : TMem_Op<"scaled_dot", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "`dot` whose operands have a factor for each row (of B: column) and each block of K";
  let description = [{
    `a_scale` has the rows of A, `b_scale` the columns of B as its rows; both lie in tensor memory. `a_format` and
    `b_format` say what a byte of an operand holds: "e4m3", "e5m2", or two elements "e2m1".
  }];
  let arguments = (ins TLX_BufferType:$a, TLX_BufferType:$b, TMem_BufferType:$d, TMem_BufferType:$a_scale,
                       TMem_BufferType:$b_scale, StrAttr:$a_format, StrAttr:$b_format, Optional<I1>:$use_acc,
                       Optional<I1>:$predicate, Variadic<TLX_BarrierType>:$barriers);
  let assemblyFormat = [{$a $a_format `scale` $a_scale `,` $b $b_format `scale` $b_scale `into` $d
                         (`use_acc` $use_acc^)? (`if` $predicate^)? (`signal` $barriers^ `:` type($barriers))? attr-dict
                         `:` type($a) `,` type($a_scale) `,` type($b) `,` type($b_scale) `,` type($d)}];
}
def TMem_CopyScalesOp : TMem_Op<"copy_scales", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "scales from shared to tensor memory, started by one thread, in order with its products";
  let description = [{
    The source holds blocks of 512 bytes side by side, each 128 rows times four blocks of K: byte 16 (r mod 32) +
    4 (r / 32) + k. All blocks along K of 128 rows come before the next rows.
  }];
  let arguments = (ins TLX_BufferType:$source, TMem_BufferType:$destination, Optional<I1>:$predicate);
  let assemblyFormat = [{$source `into` $destination (`if` $predicate^)? attr-dict
                         `:` type($source) `,` type($destination)}];
}
def TMem_CommitOp : TMem_Op<"commit"> {
  let summary = "one arrival when all products that the thread started so far are done";
  let arguments = (ins TLX_BarrierType:$barrier, Optional<I1>:$predicate, UnitAttr:$two_ctas);
  let assemblyFormat = "$barrier (`if` $predicate^)? (`two_ctas` $two_ctas^)? attr-dict `:` type($barrier)";
}
def TMem_ParityOp : TMem_Op<"parity"> {
  let summary = "parity of the phase that is going on, of a barrier on which only this task's products arrive";
  let arguments = (ins TLX_BarrierType:$barrier);
  let results = (outs I32:$result);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
}
def TMem_FenceOp : TMem_Op<"fence"> {
  let summary = "`before`: accesses of this thread come before its arrivals; `after`: they come after its waits";
  let arguments = (ins StrAttr:$side);
  let assemblyFormat = "$side attr-dict";
}

#endif
