// Operations of the tlx dialect. Elementwise arithmetic is `arith`/`math` on tensors, control flow is `scf`.
#ifndef TLX_OPS
#define TLX_OPS

include "tlx/Dialect/TLXDialect.td"
include "tlx/Dialect/TLXInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class TLX_Op<string mnem, list<Trait> traits = []> : Op<TLX_Dialect, mnem, traits>;
class TLX_Cheap<string mnem, list<Trait> traits = []> : TLX_Op<mnem, !listconcat([Pure], traits)>;

//===-- program and indices ------------------------------------------------===//
def TLX_ProgramIdOp : TLX_Cheap<"program_id"> {
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}
def TLX_NumProgramsOp : TLX_Cheap<"num_programs"> {
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}
def TLX_ClusterRankOp : TLX_Cheap<"cluster_rank"> {
  let summary = "rank of this CTA in its cluster, over all axes";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def TLX_ThreadIdOp : TLX_Cheap<"thread_id"> {
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}
def TLX_RangeOp : TLX_Cheap<"range"> {
  let summary = "start, start+1, …, end-1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
}

//===-- views of tiles -------------------------------------------------------===//
def TLX_SplatOp : TLX_Cheap<"splat"> {
  let arguments = (ins AnyType:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}
def TLX_UndefinedOp : TLX_Cheap<"undefined"> {
  let summary = "a tile whose elements nobody reads before they are replaced";
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def TLX_ExpandDimsOp : TLX_Cheap<"expand_dims"> {
  let arguments = (ins AnyRankedTensor:$source, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `at` $axis attr-dict `:` type($source) `->` type($result)";
}
def TLX_BroadcastOp : TLX_Cheap<"broadcast"> {
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}
def TLX_ReshapeOp : TLX_Cheap<"reshape"> {
  let summary = "row-major order is kept";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}
def TLX_PermuteOp : TLX_Cheap<"permute"> {
  let arguments = (ins AnyRankedTensor:$source, DenseI32ArrayAttr:$order);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `order` $order attr-dict `:` type($source) `->` type($result)";
}
def TLX_SplitOp : TLX_Cheap<"split"> {
  let summary = "the two halves along a last axis of extent 2";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$first, AnyRankedTensor:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first) `,` type($second)";
}
def TLX_JoinOp : TLX_Cheap<"join"> {
  let summary = "a new last axis of extent 2";
  let arguments = (ins AnyRankedTensor:$first, AnyRankedTensor:$second);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `,` type($second) `->` type($result)";
}
def TLX_ConvertLayoutOp : TLX_Cheap<"convert_layout"> {
  let summary = "the same tile, held by other registers and threads";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def TLX_Combine : I32EnumAttr<"Combine", "how two elements become one", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"UMax", 3, "umax">, I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">]> {
  let cppNamespace = "::tlx";
}
def TLX_ReduceOp : TLX_Cheap<"reduce"> {
  let summary = "combines the elements along one axis";
  let arguments = (ins TLX_Combine:$combine, AnyRankedTensor:$source, I32Attr:$axis);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$combine $source `along` $axis attr-dict `:` type($source) `->` type($result)";
}

//===-- approximate functions --------------------------------------------------===//
def TLX_ApproxFunction : I32EnumAttr<"ApproxFunction", "fast unary functions of the special-function unit", [
    I32EnumAttrCase<"Exp2", 0, "exp2">, I32EnumAttrCase<"Log2", 1, "log2">, I32EnumAttrCase<"Rsqrt", 2, "rsqrt">,
    I32EnumAttrCase<"Sin", 3, "sin">, I32EnumAttrCase<"Cos", 4, "cos">, I32EnumAttrCase<"Tanh", 5, "tanh">,
    I32EnumAttrCase<"Rcp", 6, "rcp">]> {
  let cppNamespace = "::tlx";
}
def TLX_ApproxOp : TLX_Cheap<"approx", [SameOperandsAndResultType, Elementwise]> {
  let arguments = (ins TLX_ApproxFunction:$function, AnyType:$source);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$function $source attr-dict `:` type($result)";
}

//===-- global memory ------------------------------------------------------------===//
def TLX_AddPtrOp : TLX_Cheap<"addptr"> {
  let arguments = (ins TLX_PointerLike:$pointer, AnyType:$offset);
  let results = (outs TLX_PointerLike:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset) `->` type($result)";
}
// A volatile load is an event of its own: it may wait for another thread's store.
def TLX_LoadOp : TLX_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins TLX_PointerLike:$pointer, Optional<TLX_Mask>:$mask, Optional<AnyType>:$other,
                       DefaultValuedAttr<StrAttr, "\"\"">:$cache, DefaultValuedAttr<StrAttr, "\"\"">:$eviction,
                       UnitAttr:$is_volatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{$pointer (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?
                         attr-dict `:` type($pointer) `->` type($result)}];
}
def TLX_StoreOp : TLX_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins TLX_PointerLike:$pointer, AnyType:$value, Optional<TLX_Mask>:$mask,
                       DefaultValuedAttr<StrAttr, "\"\"">:$cache, DefaultValuedAttr<StrAttr, "\"\"">:$eviction);
  let assemblyFormat = [{$pointer `,` $value (`mask` $mask^ `:` type($mask))?
                         attr-dict `:` type($pointer) `,` type($value)}];
}
def TLX_AtomicKind : I32EnumAttr<"AtomicKind", "read-modify-write", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
    I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">, I32EnumAttrCase<"Xor", 8, "xor">,
    I32EnumAttrCase<"Exch", 9, "xchg">, I32EnumAttrCase<"FMax", 10, "fmax">, I32EnumAttrCase<"FMin", 11, "fmin">]> {
  let cppNamespace = "::tlx";
}
def TLX_AtomicOp : TLX_Op<"atomic", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins TLX_AtomicKind:$kind, TLX_PointerLike:$pointer, AnyType:$value, Optional<TLX_Mask>:$mask,
                       StrAttr:$semantics, StrAttr:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{$kind $pointer `,` $value (`mask` $mask^ `:` type($mask))? `order` $semantics `scope` $scope
                         attr-dict `:` type($pointer) `,` type($value) `->` type($result)}];
}

//===-- shared memory ----------------------------------------------------------------===//
def TLX_LocalAllocOp : TLX_Op<"local_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "tiles in shared memory that live as long as the kernel";
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$offset, Optional<TLX_BufferType>:$reuse);
  let results = (outs TLX_BufferType:$result);
  let assemblyFormat = "$name (`at` $offset^)? (`reuse` $reuse^ `:` type($reuse))? attr-dict `:` type($result)";
}
def TLX_LocalViewOp : TLX_Cheap<"local_view"> {
  let arguments = (ins TLX_BufferType:$buffer, I32:$index);
  let results = (outs TLX_BufferType:$result);
  let assemblyFormat = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($result)";
}
def TLX_LocalSliceOp : TLX_Cheap<"local_slice"> {
  let arguments = (ins TLX_BufferType:$buffer, DenseI64ArrayAttr:$offsets);
  let results = (outs TLX_BufferType:$result);
  let assemblyFormat = "$buffer $offsets attr-dict `:` type($buffer) `->` type($result)";
}
def TLX_LocalTransOp : TLX_Cheap<"local_trans"> {
  let arguments = (ins TLX_BufferType:$buffer);
  let results = (outs TLX_BufferType:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
}
def TLX_LocalReshapeOp : TLX_Cheap<"local_reshape"> {
  let summary = "adds or drops leading axes of extent 1, or reinterprets the bytes of an unswizzled tile";
  let arguments = (ins TLX_BufferType:$buffer);
  let results = (outs TLX_BufferType:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
}
def TLX_LocalLoadOp : TLX_Op<"local_load", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let arguments = (ins TLX_BufferType:$buffer);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
}
def TLX_LocalStoreOp : TLX_Op<"local_store", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let arguments = (ins TLX_BufferType:$buffer, AnyRankedTensor:$value);
  let assemblyFormat = "$buffer `,` $value attr-dict `:` type($buffer) `,` type($value)";
}

//===-- asynchronous copies -------------------------------------------------------------===//
def TLX_AsyncLoadOp : TLX_Op<"async_load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "cp.async: elements at `pointer` to `buffer`; masked elements become `other` or zero";
  let arguments = (ins TLX_PointerLike:$pointer, TLX_BufferType:$buffer, Optional<TLX_Mask>:$mask, Optional<AnyType>:$other);
  let results = (outs TLX_TokenType:$token);
  let assemblyFormat = [{$pointer `,` $buffer (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?
                         attr-dict `:` type($pointer) `,` type($buffer)}];
}
def TLX_AsyncCommitOp : TLX_Op<"async_commit"> {
  let arguments = (ins Variadic<TLX_TokenType>:$tokens);
  let results = (outs TLX_TokenType:$token);
  let assemblyFormat = "(`after` $tokens^)? attr-dict";
}
def TLX_AsyncWaitOp : TLX_Op<"async_wait", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let arguments = (ins I32Attr:$pendings, Variadic<TLX_TokenType>:$tokens);
  let results = (outs TLX_TokenType:$token);
  let assemblyFormat = "$pendings (`after` $tokens^)? attr-dict";
}
def TLX_TMALoadOp : TLX_Op<"tma_load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "tensor-map load of one block; its bytes complete on `barrier`";
  let description = [{Offsets are in elements, slowest axis first. With `multicast` (16-bit mask of CTA ranks) data and
                      signal go to the same place in each CTA named.}];
  let arguments = (ins TLX_DescriptorType:$descriptor, TLX_BufferType:$buffer, Variadic<I32>:$offsets,
                       TLX_BarrierType:$barrier, Optional<I1>:$predicate, Optional<I32>:$multicast,
                       DefaultValuedAttr<StrAttr, "\"\"">:$eviction);
  let assemblyFormat = [{$descriptor `[` $offsets `]` `to` $buffer `signal` $barrier (`if` $predicate^)?
      (`multicast` $multicast^)? attr-dict `:` type($descriptor) `,` type($buffer) `,` type($barrier)}];
}
def TLX_TMAStoreOp : TLX_Op<"tma_store", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "tensor-map store of one block (or reduction when `reduce` names one)";
  let arguments = (ins TLX_DescriptorType:$descriptor, TLX_BufferType:$buffer, Variadic<I32>:$offsets,
                       DefaultValuedAttr<StrAttr, "\"\"">:$reduce, DefaultValuedAttr<StrAttr, "\"\"">:$eviction);
  let assemblyFormat = "$buffer `to` $descriptor `[` $offsets `]` attr-dict `:` type($buffer) `,` type($descriptor)";
}
def TLX_TMAStoreWaitOp : TLX_Op<"tma_store_wait", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "until at most `pendings` stores of this task still read shared memory (`complete`: still write)";
  let arguments = (ins I32Attr:$pendings, UnitAttr:$complete);
  let assemblyFormat = "$pendings attr-dict";
}
def TLX_DescriptorStoreOp : TLX_Op<"descriptor_store"> {
  let summary = "a tile in registers to global memory by tensor map; the compiler supplies the staging buffer";
  let arguments = (ins TLX_DescriptorType:$descriptor, AnyRankedTensor:$value, Variadic<I32>:$offsets);
  let assemblyFormat = "$value `to` $descriptor `[` $offsets `]` attr-dict `:` type($value) `,` type($descriptor)";
}
def TLX_DescriptorLoadOp : TLX_Op<"descriptor_load"> {
  let summary = "a tile from global memory to registers by tensor map; the compiler supplies buffer and barrier";
  let arguments = (ins TLX_DescriptorType:$descriptor, Variadic<I32>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$descriptor `[` $offsets `]` attr-dict `:` type($descriptor) `->` type($result)";
}
def TLX_TMAPrefetchOp : TLX_Op<"tma_prefetch"> {
  let arguments = (ins TLX_DescriptorType:$descriptor, Variadic<I32>:$offsets);
  let assemblyFormat = "$descriptor `[` $offsets `]` attr-dict `:` type($descriptor)";
}

//===-- barriers ------------------------------------------------------------------------===//
def TLX_AllocBarriersOp : TLX_Op<"alloc_barriers", [MemoryEffects<[MemAlloc]>]> {
  let summary = "initialised mbarriers; each phase needs `arrivals` arrivals";
  let arguments = (ins StrAttr:$name, I32Attr:$arrivals, OptionalAttr<I64Attr>:$offset);
  let results = (outs TLX_BarrierType:$result);
  let assemblyFormat = "$name `arrivals` $arrivals (`at` $offset^)? attr-dict `:` type($result)";
}
def TLX_BarrierViewOp : TLX_Cheap<"barrier_view"> {
  let arguments = (ins TLX_BarrierType:$barrier, I32:$index);
  let results = (outs TLX_BarrierType:$result);
  let assemblyFormat = "$barrier `[` $index `]` attr-dict `:` type($barrier) `->` type($result)";
}
def TLX_BarrierExpectOp : TLX_Op<"barrier_expect", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "arms `bytes` and arrives once";
  let arguments = (ins TLX_BarrierType:$barrier, I32Attr:$bytes, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier `bytes` $bytes (`if` $predicate^)? attr-dict `:` type($barrier)";
}
def TLX_BarrierWaitOp : TLX_Op<"barrier_wait", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "until the phase of parity `phase` has completed";
  let arguments = (ins TLX_BarrierType:$barrier, I32:$phase, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier `phase` $phase (`if` $predicate^)? attr-dict `:` type($barrier)";
}
def TLX_BarrierArriveOp : TLX_Op<"barrier_arrive", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "one arrival of the whole task (of each thread for a per-thread barrier)";
  let arguments = (ins TLX_BarrierType:$barrier, I32Attr:$count, Optional<I32>:$rank, Optional<I1>:$predicate,
                       UnitAttr:$converged);
  let assemblyFormat = [{$barrier `count` $count (`rank` $rank^)? (`if` $predicate^)? attr-dict `:` type($barrier)}];
}
def TLX_NamedBarrierArriveOp : TLX_Op<"named_barrier_arrive", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let arguments = (ins I32Attr:$id, I32Attr:$threads);
  let assemblyFormat = "$id `threads` $threads attr-dict";
}
def TLX_NamedBarrierWaitOp : TLX_Op<"named_barrier_wait", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let arguments = (ins I32Attr:$id, I32Attr:$threads);
  let assemblyFormat = "$id `threads` $threads attr-dict";
}
def TLX_TaskBarrierOp : TLX_Op<"task_barrier", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "all threads of the enclosing task (of the kernel outside tasks) meet";
  let assemblyFormat = "attr-dict";
}
def TLX_ClusterBarrierOp : TLX_Op<"cluster_barrier", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "all threads of all CTAs of the cluster meet";
  let assemblyFormat = "attr-dict";
}
def TLX_FenceOp : TLX_Op<"fence", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "`async_shared`: generic accesses before asynchronous ones; `gpu`, `sys`: acquire-release at that scope; `mbarrier_init`";
  let arguments = (ins StrAttr:$scope);
  let assemblyFormat = "$scope attr-dict";
}

def TLX_DependentWaitOp : TLX_Op<"dependent_wait", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "until the kernels that this launch depends on are done and their writes are visible";
  let assemblyFormat = "attr-dict";
}
def TLX_DependentLaunchOp : TLX_Op<"dependent_launch", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "kernels that depend on this one may start; they see its writes only after their own dependent_wait";
  let assemblyFormat = "attr-dict";
}

//===-- matrix products -------------------------------------------------------------------===//
def TLX_AsyncDotOp : TLX_Op<"async_dot", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "acc + a·b started on the tensor cores; the result may be read after async_dot_wait";
  let description = [{Without `acc` the product alone; `use_acc` false ignores `acc`. One commit group.}];
  let arguments = (ins AnyTypeOf<[TLX_BufferType, AnyRankedTensor]>:$a, TLX_BufferType:$b,
                       Optional<AnyRankedTensor>:$acc, Optional<I1>:$use_acc);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{$a `,` $b (`acc` $acc^ `:` type($acc))? (`use_acc` $use_acc^)? attr-dict `:` type($a) `,` type($b) `->` type($result)}];
}
def TLX_AsyncDotWaitOp : TLX_Op<"async_dot_wait", [AllTypesMatch<["source", "result"]>, DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "until at most `pendings` products of this warp group are in flight";
  let arguments = (ins I32Attr:$pendings, AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$pendings `,` $source attr-dict `:` type($result)";
}

//===-- tasks --------------------------------------------------------------------------------===//
def TLX_AsyncTasksOp : TLX_Op<"async_tasks", [NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "tasks that run at the same time on different warps";
  let description = [{
    Region i runs on `warps[i]` warps from `first_warp[i]` on. `registers[i]` 0: no request. Region 0 is the default
    task, whose warps also run what stands around this operation.
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers, DenseI32ArrayAttr:$first_warp,
                       StrArrayAttr:$names, DenseI32ArrayAttr:$replicas);
  let regions = (region VariadicRegion<SizedRegion<1>>:$tasks);
  let hasVerifier = 1;
  let assemblyFormat = "`warps` $warps `registers` $registers `first_warp` $first_warp `names` $names `replicas` $replicas attr-dict-with-keyword $tasks";
}
def TLX_TaskEndOp : TLX_Op<"task_end", [Pure, Terminator, ParentOneOf<["AsyncTasksOp"]>]> {
  let assemblyFormat = "attr-dict";
}

//===-- channels: the shorthand's barriers ------------------------------------------------------===//
def TLX_AllocChannelOp : TLX_Op<"alloc_channel", [MemoryEffects<[MemAlloc]>]> {
  let summary = "`count` slots, each filled by the loads of one task and released by others";
  let arguments = (ins StrAttr:$name);
  let results = (outs TLX_ChannelType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}
def TLX_ChannelLoadOp : TLX_Op<"channel_load", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "a tensor-map load that fills part of a slot";
  let arguments = (ins TLX_ChannelType:$channel, I32:$slot, TLX_DescriptorType:$descriptor, TLX_BufferType:$buffer,
                       Variadic<I32>:$offsets);
  let assemblyFormat = [{$channel `[` $slot `]` `,` $descriptor `[` $offsets `]` `to` $buffer attr-dict
                         `:` type($channel) `,` type($descriptor) `,` type($buffer)}];
}
def TLX_ChannelWaitOp : TLX_Op<"channel_wait", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "until the slot is full";
  let arguments = (ins TLX_ChannelType:$channel, I32:$slot);
  let assemblyFormat = "$channel `[` $slot `]` attr-dict `:` type($channel)";
}
def TLX_ChannelReleaseOp : TLX_Op<"channel_release", [DeclareOpInterfaceMethods<TLX_Synchronizes>]> {
  let summary = "the slot may be filled again";
  let arguments = (ins TLX_ChannelType:$channel, I32:$slot);
  let assemblyFormat = "$channel `[` $slot `]` attr-dict `:` type($channel)";
}

#endif
