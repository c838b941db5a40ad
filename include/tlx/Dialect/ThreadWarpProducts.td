// Products of one warp on the thread level. NVVM's operation lacks 8-bit floats, and has its operands in other types for each format.
#ifndef TLX_THREAD_WARP_PRODUCTS
#define TLX_THREAD_WARP_PRODUCTS

include "tlx/Dialect/ThreadDialect.td"

def Thread_MmaSyncOp : Thread_Op<"mma_sync", [Pure, AttrSizedOperandSegments]> {
  let summary = "mma.sync.aligned.m16n8kK.row.col of one warp: 32 bytes of K";
  let description = [{
    `a` are four and `b` two words of 32 bits, `acc` four f32 (or i32, for integers) of this thread (PTX ISA, mma.sync, fragments). All lanes
    of the warp execute it together. Types: `f16`, `bf16`, `tf32`, `e4m3`, `e5m2`, `s8`, `u8`.
  }];
  let arguments = (ins Variadic<AnyType>:$acc, Variadic<I32>:$a, Variadic<I32>:$b, StrAttr:$a_type, StrAttr:$b_type);
  let results = (outs Variadic<AnyType>:$result);
  let assemblyFormat = [{$a_type $b_type `acc` `(` $acc `)` `a` `(` $a `)` `b` `(` $b `)` attr-dict `:` type($acc) `->` type($result)}];
}

#endif
