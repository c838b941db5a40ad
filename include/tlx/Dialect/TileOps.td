// Operations on tiles beyond those of TLXOps.td: exchanges along an axis, lookups, products of any size, output, and the
// rarer ways to move data. A file of its own, so that a change rebuilds only what uses it.
#ifndef TLX_TILE_OPS
#define TLX_TILE_OPS

include "tlx/Dialect/TLXDialect.td"
include "tlx/Dialect/TLXInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Tile_Op<string mnem, list<Trait> traits = []> : Op<TLX_Dialect, mnem, traits>;
class Tile_Cheap<string mnem, list<Trait> traits = []> : Tile_Op<mnem, !listconcat([Pure], traits)>;

//===-- along an axis ------------------------------------------------------------------------===//
def TLX_PairOp : Tile_Cheap<"pair", [AllTypesMatch<["source", "low", "high"]>]> {
  let summary = "of the two elements whose coordinates along `axis` differ in bit `bit` only: the one without and the one with it";
  let description = [{Both elements of a pair get the same `low` and `high`: sums, scans and sorting networks are made of it.}];
  let arguments = (ins AnyRankedTensor:$source, I32Attr:$axis, I32Attr:$bit);
  let results = (outs AnyRankedTensor:$low, AnyRankedTensor:$high);
  let assemblyFormat = "$source `along` $axis `bit` $bit attr-dict `:` type($source)";
}
def TLX_DropAxisOp : Tile_Cheap<"drop_axis"> {
  let summary = "a tile without an axis along which all its elements are equal";
  let arguments = (ins AnyRankedTensor:$source, I32Attr:$axis);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `along` $axis attr-dict `:` type($source) `->` type($result)";
}
def TLX_GatherOp : Tile_Cheap<"gather"> {
  let summary = "result[.., i, ..] = source[.., indices[.., i, ..], ..]";
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$indices, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `at` $indices `along` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)";
}
def TLX_HistogramOp : Tile_Cheap<"histogram"> {
  let summary = "how often each of 0, 1, … occurs in the source where `mask` holds";
  let arguments = (ins AnyRankedTensor:$source, Optional<AnyRankedTensor>:$mask);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`mask` $mask^ `:` type($mask))? attr-dict `:` type($source) `->` type($result)";
}
def TLX_InlineAssemblyOp : Tile_Op<"inline_assembly", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "PTX for each group of `pack` elements of the operands";
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, Variadic<AnyType>:$operands, I32Attr:$pack, BoolAttr:$pure);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$text $constraints `(` $operands `)` `pack` $pack `pure` $pure attr-dict `:` functional-type($operands, $results)";
}

//===-- parts of tiles -------------------------------------------------------------------------===//
def TLX_ExtractSliceOp : Tile_Cheap<"extract_slice"> {
  let summary = "the part of a tile that begins at `offsets`, which are multiples of the part's extents";
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `at` $offsets attr-dict `:` type($source) `->` type($result)";
}

//===-- matrix products ------------------------------------------------------------------------===//
def TLX_DotOp : Tile_Cheap<"dot"> {
  let summary = "acc + a·b of tiles in registers; a pass decides how";
  let description = [{`precision`: `tf32`, `tf32x3` or `ieee` for 32-bit floats.}];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$acc, StrAttr:$precision);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$a `,` $b `acc` $acc `precision` $precision attr-dict `:` type($a) `,` type($b) `,` type($acc) `->` type($result)";
}
def TLX_FmaDotOp : Tile_Op<"fma_dot", [AllTypesMatch<["acc", "result"]>, DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "acc + a·b, each thread multiplying for its own elements of the result, in order of K";
  let arguments = (ins TLX_BufferType:$a, TLX_BufferType:$b, AnyRankedTensor:$acc);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$a `,` $b `acc` $acc attr-dict `:` type($a) `,` type($b) `,` type($result)";
}

//===-- global memory ----------------------------------------------------------------------------===//
def TLX_AtomicCasOp : Tile_Op<"atomic_cas", [AllTypesMatch<["compare", "value", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "writes `value` where memory holds `compare`; gives what it held";
  let arguments = (ins TLX_PointerLike:$pointer, AnyType:$compare, AnyType:$value, StrAttr:$semantics, StrAttr:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{$pointer `,` $compare `,` $value `order` $semantics `scope` $scope
                         attr-dict `:` type($pointer) `,` type($compare)}];
}
def TLX_PrefetchOp : Tile_Op<"prefetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "brings the lines that pointers name into the cache `level`";
  let arguments = (ins TLX_PointerLike:$pointer, Optional<TLX_Mask>:$mask, StrAttr:$level);
  let assemblyFormat = "$pointer (`mask` $mask^ `:` type($mask))? `to` $level attr-dict `:` type($pointer)";
}
def TLX_PrefetchDescriptorOp : Tile_Op<"prefetch_descriptor", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "brings the tensor map itself into the cache";
  let arguments = (ins TLX_DescriptorType:$descriptor);
  let assemblyFormat = "$descriptor attr-dict `:` type($descriptor)";
}

def TLX_AddressLike : AnyTypeOf<[TLX_PointerLike, I64, RankedTensorOf<[I64]>], "pointers or 64-bit numbers">;
def TLX_PointerCastOp : Tile_Cheap<"pointer_cast", []> {
  let summary = "the same address, of elements of another type or as a number; one side is a pointer";
  let arguments = (ins TLX_AddressLike:$source);
  let results = (outs TLX_AddressLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

//===-- shared memory ------------------------------------------------------------------------------===//
def TLX_LocalReinterpretOp : Tile_Cheap<"local_reinterpret"> {
  let summary = "the same bytes as tiles of another element type";
  let arguments = (ins TLX_BufferType:$buffer);
  let results = (outs TLX_BufferType:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
}
def TLX_LocalGatherOp : Tile_Op<"local_gather", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "result[.., i, ..] = buffer[.., indices[.., i, ..], ..]";
  let arguments = (ins TLX_BufferType:$buffer, AnyRankedTensor:$indices, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$buffer `at` $indices `along` $axis attr-dict `:` type($buffer) `,` type($indices) `->` type($result)";
}
def TLX_LocalScatterOp : Tile_Op<"local_scatter", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "buffer[.., indices[.., i, ..], ..] = value[.., i, ..]";
  let arguments = (ins TLX_BufferType:$buffer, AnyRankedTensor:$value, AnyRankedTensor:$indices, I32Attr:$axis);
  let assemblyFormat = "$buffer `,` $value `at` $indices `along` $axis attr-dict `:` type($buffer) `,` type($value) `,` type($indices)";
}

//===-- copies in one piece ----------------------------------------------------------------------------===//
def TLX_BulkLoadOp : Tile_Op<"bulk_load", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "consecutive bytes of global memory to a buffer; they complete on `barrier`";
  let arguments = (ins TLX_PointerType:$pointer, TLX_BufferType:$buffer, I32:$bytes, TLX_BarrierType:$barrier);
  let assemblyFormat = "$pointer `to` $buffer `bytes` $bytes `signal` $barrier attr-dict `:` type($pointer) `,` type($buffer) `,` type($barrier)";
}
def TLX_BulkStoreOp : Tile_Op<"bulk_store", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "consecutive bytes of a buffer to global memory, waited for as a tensor-map store is";
  let arguments = (ins TLX_BufferType:$buffer, TLX_PointerType:$pointer, I32:$bytes);
  let assemblyFormat = "$buffer `to` $pointer `bytes` $bytes attr-dict `:` type($buffer) `,` type($pointer)";
}
def TLX_RemoteStoreOp : Tile_Op<"remote_store", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "registers to the buffer at the same place in another CTA; with `barrier` asynchronously, completing there";
  let arguments = (ins TLX_BufferType:$buffer, AnyRankedTensor:$value, I32:$rank, Optional<TLX_BarrierType>:$barrier);
  let assemblyFormat = [{$buffer `rank` $rank `,` $value (`signal` $barrier^ `:` type($barrier))?
                         attr-dict `:` type($buffer) `,` type($value)}];
}
def TLX_RemoteCopyOp : Tile_Op<"remote_copy", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "a buffer to the place of another buffer in another CTA; its bytes complete on that CTA's `barrier`";
  let arguments = (ins TLX_BufferType:$source, TLX_BufferType:$destination, I32:$rank, TLX_BarrierType:$barrier);
  let assemblyFormat = [{$source `to` $destination `rank` $rank `signal` $barrier attr-dict
                         `:` type($source) `,` type($destination) `,` type($barrier)}];
}

//===-- tensor maps made by the kernel -------------------------------------------------------------------===//
def TLX_MakeDescriptorOp : Tile_Op<"make_descriptor", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "writes a tensor map to memory of the kernel and gives it";
  let description = [{`memory`: where, else a place of the scratch that the launch supplies. Sizes and strides slowest axis first,
                      strides in elements without the innermost, which is 1.}];
  let arguments = (ins Optional<TLX_PointerType>:$memory, TLX_PointerType:$base, Variadic<I32>:$sizes, Variadic<I64>:$strides,
                       StrAttr:$padding, DefaultValuedAttr<I64Attr, "-1">:$scratch);
  let results = (outs TLX_DescriptorType:$result);
  let assemblyFormat = [{(`in` $memory^ `:` type($memory))? $base `sizes` `(` $sizes `)` `strides` `(` $strides `)` `padding` $padding
                         attr-dict `:` type($base) `->` type($result)}];
}
def TLX_DescriptorMemoryOp : Tile_Op<"descriptor_memory", [MemoryEffects<[MemAlloc]>]> {
  let summary = "room for `count` tensor maps in the scratch that the launch supplies to this CTA";
  let arguments = (ins I32Attr:$count, DefaultValuedAttr<I64Attr, "-1">:$scratch);
  let results = (outs TLX_PointerType:$result);
  let assemblyFormat = "$count attr-dict `:` type($result)";
}
def TLX_ReadDescriptorOp : Tile_Cheap<"read_descriptor"> {
  let summary = "memory of the kernel as a tensor map";
  let arguments = (ins TLX_PointerType:$memory);
  let results = (outs TLX_DescriptorType:$result);
  let assemblyFormat = "$memory attr-dict `:` type($memory) `->` type($result)";
}

//===-- observing ------------------------------------------------------------------------------------------===//
def TLX_PrintOp : Tile_Op<"print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prints `prefix` and the operands, element by element, with their places";
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, DenseI32ArrayAttr:$isSigned, Variadic<AnyType>:$operands);
  let assemblyFormat = "$prefix `hex` $hex `signed` $isSigned `(` $operands `)` attr-dict `:` type($operands)";
}
def TLX_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stops the launch with `message` where the condition is false";
  let arguments = (ins TLX_Mask:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}
def TLX_ClockOp : Tile_Op<"clock", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the cycle counter of the multiprocessor";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}
def TLX_BallotOp : Tile_Op<"ballot", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a bit for each lane of the warp whose predicate (any of its elements) holds";
  let arguments = (ins I32Attr:$lanes, TLX_Mask:$predicate);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lanes `,` $predicate attr-dict `:` type($predicate) `->` type($result)";
}
def TLX_DumpLayoutOp : Tile_Op<"dump_layout", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "makes the compiler say how the tile is held";
  let arguments = (ins AnyRankedTensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

#endif
