// The thread dialect: NVIDIA hardware operations of one thread (or of one warp group together) for which NVVM has no
// operation, or one that costs speed. `ExpandThreadOps` turns them into inline PTX as the last step; the emulator executes them.
//
// Shared-memory addresses are 32-bit `!llvm.ptr<3>`; the same address names the same place in a peer CTA of a cluster.
#ifndef TLX_THREAD_OPS
#define TLX_THREAD_OPS

include "tlx/Dialect/ThreadDialect.td"

def Thread_MmaType : I32EnumAttr<"MmaType", "element types of wgmma", [
    I32EnumAttrCase<"F16", 0, "f16">, I32EnumAttrCase<"BF16", 1, "bf16">, I32EnumAttrCase<"TF32", 2, "tf32">,
    I32EnumAttrCase<"E4M3", 3, "e4m3">, I32EnumAttrCase<"E5M2", 4, "e5m2">, I32EnumAttrCase<"S8", 5, "s8">,
    I32EnumAttrCase<"U8", 6, "u8">, I32EnumAttrCase<"F32", 7, "f32">, I32EnumAttrCase<"S32", 8, "s32">]> {
  let cppNamespace = "::tlx::thread";
}

def Thread_WgmmaOp : Thread_Op<"wgmma", [AttrSizedOperandSegments]> {
  let summary = "one wgmma.mma_async m64nNkK of the warp group that executes it";
  let description = [{
    `acc` are the N/2 f32 (or s32) registers, or N/4 i32 registers of packed f16, of this thread (PTX ISA, wgmma register
    fragments). `a` is one i64 matrix descriptor, or four i32 registers (A fragment). `b` is a matrix descriptor.
    `scale_d` false: the old accumulator is ignored. The registers are in flight until `wgmma_wait`.
  }];
  let arguments = (ins Variadic<AnyType>:$acc, Variadic<AnyType>:$a, I64:$b, I1:$scale_d, I32Attr:$n, I32Attr:$k,
                       Thread_MmaType:$d_type, Thread_MmaType:$a_type, Thread_MmaType:$b_type,
                       BoolAttr:$trans_a, BoolAttr:$trans_b);
  let results = (outs Variadic<AnyType>:$result);
  let assemblyFormat = [{`n` $n `k` $k $d_type $a_type $b_type `trans` $trans_a $trans_b `acc` `(` $acc `)` `a` `(` $a `)`
                         `b` `(` $b `)` `scale_d` `(` $scale_d `)` attr-dict `:` `a` `(` type($a) `)` `,` type($acc) `->` type($result)}];
}
def Thread_WgmmaWaitOp : Thread_Op<"wgmma_wait"> {
  let summary = "wgmma.wait_group: at most `pendings` groups of this warp group stay in flight";
  let description = "`source` are accumulator registers that may be read afterwards, as `result`.";
  let arguments = (ins I32Attr:$pendings, Variadic<AnyType>:$source);
  let results = (outs Variadic<AnyType>:$result);
  let assemblyFormat = "$pendings `(` $source `)` attr-dict `:` type($source) `->` type($result)";
}
def Thread_MbarrierWaitOp : Thread_Op<"mbarrier_wait"> {
  let summary = "spins on mbarrier.try_wait.parity until the phase of parity `phase` has completed";
  let arguments = (ins AnyType:$barrier, I32:$phase);
  let assemblyFormat = "$barrier `phase` $phase attr-dict `:` type($barrier)";
}
def Thread_MbarrierArriveOp : Thread_Op<"mbarrier_arrive"> {
  let summary = "mbarrier.arrive by this thread, `count` arrivals; with `rank` on the barrier at this address in that CTA of the cluster";
  let arguments = (ins AnyType:$barrier, I32Attr:$count, Optional<I32>:$rank);
  let assemblyFormat = "$barrier `count` $count (`rank` $rank^)? attr-dict `:` type($barrier)";
}
def Thread_MbarrierExpectOp : Thread_Op<"mbarrier_expect"> {
  let summary = "mbarrier.arrive.expect_tx: arms `bytes`, then one arrival by this thread";
  let arguments = (ins AnyType:$barrier, I32Attr:$bytes);
  let assemblyFormat = "$barrier `bytes` $bytes attr-dict `:` type($barrier)";
}
def Thread_TMALoadOp : Thread_Op<"tma_load", [AttrSizedOperandSegments]> {
  let summary = "cp.async.bulk.tensor global to shared memory, completing bytes on `barrier`";
  let description = [{Coordinates are in elements, innermost axis first. `mask` (i16): multicast to the CTAs whose bit is set,
                      same addresses in each. `policy` (i64): L2 cache policy.}];
  let arguments = (ins AnyType:$destination, AnyType:$map, Variadic<I32>:$coordinates, AnyType:$barrier,
                       Optional<I16>:$mask, Optional<I64>:$policy);
  let assemblyFormat = [{$destination `,` $map `[` $coordinates `]` `signal` $barrier (`mask` $mask^)? (`policy` $policy^)?
                         attr-dict `:` type($destination) `,` type($map) `,` type($barrier)}];
}
def Thread_TMAStoreOp : Thread_Op<"tma_store"> {
  let summary = "cp.async.bulk.tensor (or cp.reduce…) shared to global memory, in this thread's current bulk group";
  let arguments = (ins AnyType:$map, AnyType:$source, Variadic<I32>:$coordinates,
                       DefaultValuedAttr<StrAttr, "\"\"">:$reduce);
  let assemblyFormat = "$map `[` $coordinates `]` `,` $source attr-dict `:` type($map) `,` type($source)";
}
def Thread_BulkLoadOp : Thread_Op<"bulk_load"> {
  let summary = "cp.async.bulk global to shared memory, completing bytes on `barrier`; a multiple of 16 bytes";
  let arguments = (ins AnyType:$destination, AnyType:$source, I32:$bytes, AnyType:$barrier);
  let assemblyFormat = "$destination `,` $source `bytes` $bytes `signal` $barrier attr-dict `:` type($destination) `,` type($source) `,` type($barrier)";
}
def Thread_BulkStoreOp : Thread_Op<"bulk_store"> {
  let summary = "cp.async.bulk shared to global memory, in this thread's current bulk group; a multiple of 16 bytes";
  let arguments = (ins AnyType:$destination, AnyType:$source, I32:$bytes);
  let assemblyFormat = "$destination `,` $source `bytes` $bytes attr-dict `:` type($destination) `,` type($source)";
}
def Thread_BulkRemoteOp : Thread_Op<"bulk_remote"> {
  let summary = "cp.async.bulk to shared memory of the CTA `rank` of the cluster, at the same address as here; completes on its barrier";
  let arguments = (ins AnyType:$destination, AnyType:$source, I32:$bytes, I32:$rank, AnyType:$barrier);
  let assemblyFormat = "$destination `,` $source `bytes` $bytes `rank` $rank `signal` $barrier attr-dict `:` type($destination) `,` type($source) `,` type($barrier)";
}
def Thread_RemoteStoreOp : Thread_Op<"remote_store"> {
  let summary = "st.shared::cluster to this address in the CTA `rank`; with `barrier` st.async, completing the bytes on that CTA's barrier";
  let arguments = (ins AnyType:$destination, AnyType:$value, I32:$rank, Optional<AnyType>:$barrier);
  let assemblyFormat = "$destination `,` $value `rank` $rank (`signal` $barrier^ `:` type($barrier))? attr-dict `:` type($destination) `,` type($value)";
}
def Thread_PrintOp : Thread_Op<"print"> {
  let summary = "printf of this thread: C's conversions; floats are f64, integers i32 or i64";
  let arguments = (ins StrAttr:$format, Variadic<AnyType>:$operands);
  let assemblyFormat = "$format `(` $operands `)` attr-dict `:` type($operands)";
}
def Thread_AssertFailOp : Thread_Op<"assert_fail"> {
  let summary = "stops the launch and says why";
  let arguments = (ins StrAttr:$message, StrAttr:$file, I32Attr:$line);
  let assemblyFormat = "$message `at` $file $line attr-dict";
}
def Thread_MakeTensorMapOp : Thread_Op<"make_tensor_map", [AttrSizedOperandSegments]> {
  let summary = "writes a tensor map of 128 bytes to global memory and makes it visible to copies of this GPU";
  let description = [{Sizes (i32, elements) and strides (i64, bytes, without the innermost) innermost axis first, as is `box`.
                      PTX ISA, tensormap.replace. `type`: a name as launch manifests write it.}];
  let arguments = (ins AnyType:$destination, AnyType:$base, Variadic<I32>:$sizes, Variadic<I64>:$strides, StrAttr:$type,
                       DenseI32ArrayAttr:$box, I32Attr:$swizzle, BoolAttr:$fill_nan);
  let assemblyFormat = [{$destination `,` $base `sizes` `(` $sizes `)` `strides` `(` $strides `)` $type `box` $box `swizzle` $swizzle `nan` $fill_nan
                         attr-dict `:` type($destination) `,` type($base)}];
}
def Thread_AcquireTensorMapOp : Thread_Op<"acquire_tensor_map"> {
  let summary = "fence.proxy.tensormap::generic.acquire: this thread's copies see the map that was written there";
  let arguments = (ins AnyType:$map);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}
def Thread_TMAPrefetchOp : Thread_Op<"tma_prefetch"> {
  let summary = "cp.async.bulk.prefetch.tensor into L2";
  let arguments = (ins AnyType:$map, Variadic<I32>:$coordinates);
  let assemblyFormat = "$map `[` $coordinates `]` attr-dict `:` type($map)";
}
def Thread_CpAsyncOp : Thread_Op<"cp_async"> {
  let summary = "cp.async of 4, 8 or 16 bytes, global to shared; only the first `valid` bytes are read, the rest is zero";
  let arguments = (ins AnyType:$destination, AnyType:$source, I32Attr:$bytes, Optional<I32>:$valid);
  let assemblyFormat = "$destination `,` $source `bytes` $bytes (`valid` $valid^)? attr-dict `:` type($destination) `,` type($source)";
}
def Thread_NamedBarrierOp : Thread_Op<"named_barrier"> {
  let summary = "bar.sync (`arrive`: bar.arrive) `id`, `threads`";
  let arguments = (ins I32Attr:$id, I32Attr:$threads, UnitAttr:$arrive);
  let assemblyFormat = "$id `threads` $threads (`arrive` $arrive^)? attr-dict";
}
def Thread_StMatrixOp : Thread_Op<"stmatrix"> {
  let summary = "stmatrix.sync.aligned.m8n8.xN(.trans).shared.b16 of one warp";
  let arguments = (ins AnyType:$address, Variadic<I32>:$registers, UnitAttr:$transposed);
  let assemblyFormat = "$address `,` $registers (`transposed` $transposed^)? attr-dict `:` type($address)";
}
def Thread_LdMatrixOp : Thread_Op<"ldmatrix"> {
  let summary = "ldmatrix.sync.aligned.m8n8.xN(.trans).shared.b16 of one warp";
  let arguments = (ins AnyType:$address, UnitAttr:$transposed);
  let results = (outs Variadic<I32>:$registers);
  let assemblyFormat = "$address (`transposed` $transposed^)? attr-dict `:` type($address) `->` type($registers)";
}
def Thread_Approx : I32EnumAttr<"Approx", "special functions: f32, subnormals flushed to zero", [
    I32EnumAttrCase<"Ex2", 0, "ex2">, I32EnumAttrCase<"Lg2", 1, "lg2">, I32EnumAttrCase<"Rsqrt", 2, "rsqrt">,
    I32EnumAttrCase<"Sin", 3, "sin">, I32EnumAttrCase<"Cos", 4, "cos">, I32EnumAttrCase<"Tanh", 5, "tanh">,
    I32EnumAttrCase<"Rcp", 6, "rcp">]> {
  let cppNamespace = "::tlx::thread";
}
def Thread_ApproxOp : Thread_Op<"approx", [Pure]> {
  let summary = "ex2.approx.ftz.f32 and its kin";
  let arguments = (ins Thread_Approx:$function, F32:$source);
  let results = (outs F32:$result);
  let assemblyFormat = "$function $source attr-dict";
}
def Thread_PackOp : Thread_Op<"pack", [Pure]> {
  let summary = "cvt.rn.{f16x2,bf16x2}.f32: two f32 to one i32 of two 16-bit floats, `low` in the low half";
  let arguments = (ins Thread_MmaType:$type, F32:$low, F32:$high);
  let results = (outs I32:$result);
  let assemblyFormat = "$type $low `,` $high attr-dict";
}

#endif
