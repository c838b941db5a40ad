// Operations of the thread dialect on tensor memory (PTX ISA 8.7, tcgen05). Addresses in tensor memory are i32: lane in the
// upper, 32-bit column in the lower half. `pair`: cta_group::2, else cta_group::1.
#ifndef TLX_THREAD_TENSOR_MEMORY
#define TLX_THREAD_TENSOR_MEMORY

include "tlx/Dialect/ThreadDialect.td"

def Thread_TmemAllocOp : Thread_Op<"tmem_alloc"> {
  let summary = "tcgen05.alloc of `columns` by one warp; writes the address to shared memory";
  let arguments = (ins AnyType:$destination, I32Attr:$columns, UnitAttr:$pair);
  let assemblyFormat = "$destination `columns` $columns (`pair` $pair^)? attr-dict `:` type($destination)";
}
def Thread_TmemRelinquishOp : Thread_Op<"tmem_relinquish"> {
  let summary = "tcgen05.relinquish_alloc_permit: this CTA allocates no more";
  let arguments = (ins UnitAttr:$pair);
  let assemblyFormat = "(`pair` $pair^)? attr-dict";
}
def Thread_TmemDeallocOp : Thread_Op<"tmem_dealloc"> {
  let summary = "tcgen05.dealloc by one warp";
  let arguments = (ins I32:$address, I32Attr:$columns, UnitAttr:$pair);
  let assemblyFormat = "$address `columns` $columns (`pair` $pair^)? attr-dict";
}
def Thread_TmemShape : I32EnumAttr<"TmemShape", "which lanes the threads of a warp reach: 32x32b or 16x32bx2 of PTX", [
    I32EnumAttrCase<"Lanes32", 0, "lanes32">, I32EnumAttrCase<"Lanes16Twice", 1, "lanes16_twice">]> {
  let cppNamespace = "::tlx::thread";
}
def Thread_TmemLoadOp : Thread_Op<"tmem_load"> {
  let summary = "tcgen05.ld of one warp; the registers are in flight until `tmem_wait_load`";
  let description = "`distance`: columns from the first to the second 16 threads' part of 16x32bx2.";
  let arguments = (ins Thread_TmemShape:$shape, I32:$address, I32Attr:$distance);
  let results = (outs Variadic<I32>:$result);
  let assemblyFormat = "$shape $address `distance` $distance attr-dict `:` type($result)";
}
def Thread_TmemWaitLoadOp : Thread_Op<"tmem_wait_load"> {
  let summary = "tcgen05.wait::ld; `source` may be used afterwards, as `result`";
  let arguments = (ins Variadic<I32>:$source);
  let results = (outs Variadic<I32>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}
def Thread_TmemStoreOp : Thread_Op<"tmem_store"> {
  let summary = "tcgen05.st of one warp";
  let arguments = (ins Thread_TmemShape:$shape, I32:$address, I32Attr:$distance, Variadic<I32>:$source);
  let assemblyFormat = "$shape $address `distance` $distance `,` $source attr-dict `:` type($source)";
}
def Thread_TmemWaitStoreOp : Thread_Op<"tmem_wait_store"> {
  let summary = "tcgen05.wait::st";
  let assemblyFormat = "attr-dict";
}
def Thread_Tcgen05FenceOp : Thread_Op<"tcgen05_fence"> {
  let summary = "tcgen05.fence::after_thread_sync, or before_thread_sync";
  let arguments = (ins UnitAttr:$after);
  let assemblyFormat = "(`after` $after^)? attr-dict";
}
def Thread_Tcgen05Kind : I32EnumAttr<"Tcgen05Kind", "kinds of tcgen05.mma", [
    I32EnumAttrCase<"F16", 0, "f16">, I32EnumAttrCase<"TF32", 1, "tf32">, I32EnumAttrCase<"F8F6F4", 2, "f8f6f4">,
    I32EnumAttrCase<"I8", 3, "i8">]> {
  let cppNamespace = "::tlx::thread";
}
def Thread_Tcgen05MmaOp : Thread_Op<"tcgen05_mma"> {
  let summary = "one tcgen05.mma, issued by this thread";
  let description = [{`a` is an i64 matrix descriptor, or an i32 address in tensor memory; `b` a matrix descriptor;
                      `instruction` the 32-bit instruction descriptor; `accumulate` false: D = A*B.}];
  let arguments = (ins Thread_Tcgen05Kind:$kind, I32:$d, AnyTypeOf<[I32, I64]>:$a, I64:$b, I32:$instruction,
                       I1:$accumulate, UnitAttr:$pair);
  let assemblyFormat = [{$kind $d `,` $a `,` $b `,` $instruction `accumulate` $accumulate (`pair` $pair^)? attr-dict
                         `:` type($a)}];
}
def Thread_Tcgen05ScaledKind : I32EnumAttr<"Tcgen05ScaledKind", "kinds of tcgen05.mma with block scales", [
    I32EnumAttrCase<"MXF8F6F4", 0, "mxf8f6f4">, I32EnumAttrCase<"MXF4", 1, "mxf4">,
    I32EnumAttrCase<"MXF4NVF4", 2, "mxf4nvf4">]> {
  let cppNamespace = "::tlx::thread";
}
def Thread_Tcgen05ScaledMmaOp : Thread_Op<"tcgen05_scaled_mma"> {
  let summary = "one tcgen05.mma.block_scale, issued by this thread";
  let description = [{As `tcgen05_mma`; `block` elements of K share a scale (32 or 16); `aScale` and `bScale` are addresses
                      in tensor memory.}];
  let arguments = (ins Thread_Tcgen05ScaledKind:$kind, I32Attr:$block, I32:$d, I64:$a, I64:$b, I32:$instruction,
                       I32:$aScale, I32:$bScale, I1:$accumulate);
  let assemblyFormat = [{$kind `block` $block $d `,` $a `,` $b `,` $instruction `scales` $aScale `,` $bScale
                         `accumulate` $accumulate attr-dict}];
}
def Thread_Tcgen05CopyOp : Thread_Op<"tcgen05_copy"> {
  let summary = "tcgen05.cp.32x128b.warpx4: 512 bytes of shared memory to four columns, repeated in every 32 lanes";
  let description = "`source` is a matrix descriptor.";
  let arguments = (ins I32:$address, I64:$source);
  let assemblyFormat = "$address `,` $source attr-dict";
}
def Thread_Tcgen05CommitOp : Thread_Op<"tcgen05_commit"> {
  let summary = "tcgen05.commit: one arrival on `barrier` when this thread's products so far are done";
  let description = "`mask` (i16): on the barrier at that address in each CTA whose bit is set.";
  let arguments = (ins AnyType:$barrier, Optional<I16>:$mask, UnitAttr:$pair);
  let assemblyFormat = "$barrier (`mask` $mask^)? (`pair` $pair^)? attr-dict `:` type($barrier)";
}

#endif
