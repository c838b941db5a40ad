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
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$count);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    unsigned elementBits() const { return getElementType().getIntOrFloatBitWidth(); }
    /// 32-bit columns of one tile.
    int64_t columns() const { return (getShape()[1] * elementBits() + 31) / 32; }
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
def TMem_CommitOp : TMem_Op<"commit"> {
  let summary = "one arrival when all products that the thread started so far are done";
  let arguments = (ins TLX_BarrierType:$barrier, Optional<I1>:$predicate, UnitAttr:$two_ctas);
  let assemblyFormat = "$barrier (`if` $predicate^)? (`two_ctas` $two_ctas^)? attr-dict `:` type($barrier)";
}
def TMem_FenceOp : TMem_Op<"fence"> {
  let summary = "`before`: accesses of this thread come before its arrivals; `after`: they come after its waits";
  let arguments = (ins StrAttr:$side);
  let assemblyFormat = "$side attr-dict";
}

#endif
