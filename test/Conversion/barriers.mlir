// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// Who arrives, who waits, and what stands in front.

// One thread initialises all barriers, the fence publishes them, everyone meets.
// CHECK-LABEL: llvm.func @whole_task
// CHECK: llvm.cond_br
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0
// An arrival of the task: everyone meets, one thread arrives.
// CHECK: nvvm.barrier0
// CHECK: llvm.cond_br
// CHECK: thread.mbarrier_arrive %{{.*}} count 1
// Nothing to wait for in front of a converged one.
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.cond_br
// CHECK: thread.mbarrier_arrive %{{.*}} count 2
// Every thread waits for itself.
// CHECK-NOT: llvm.cond_br
// CHECK: thread.mbarrier_wait
func.func @whole_task() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %bars = tlx.alloc_barriers "bars" arrivals 3 at 0 : !tlx.barrier<2>
  %b = tlx.barrier_view %bars[%c0] : !tlx.barrier<2> -> !tlx.barrier<0>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  tlx.barrier_arrive %b count 2 {converged} : !tlx.barrier<0>
  tlx.barrier_wait %b phase %c0 : !tlx.barrier<0>
  return
}

// -----

// In a cluster the peers meet before any of them can reach a barrier, and again before any of them leaves.
// CHECK-LABEL: llvm.func @cluster
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: thread.mbarrier_arrive %{{.*}} count 1 rank %{{.*}}
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK-NEXT: llvm.return
func.func @cluster() attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 2, 1, 1>} {
  %bars = tlx.alloc_barriers "bars" arrivals 1 at 0 : !tlx.barrier<1>
  %rank = tlx.cluster_rank
  tlx.barrier_arrive %bars count 1 rank %rank {converged} : !tlx.barrier<1>
  return
}

// -----

// A per-thread barrier: everyone arrives, nobody meets.
// CHECK-LABEL: llvm.func @per_thread
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK-NOT: llvm.cond_br
// CHECK: thread.mbarrier_arrive
func.func @per_thread() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %bars = tlx.alloc_barriers "bars" arrivals 128 at 0 : !tlx.barrier<1, per_thread = true>
  tlx.barrier_arrive %bars count 1 : !tlx.barrier<1, per_thread = true>
  return
}

// -----

// Unless the source takes it upon itself that nobody reaches a CTA that has left.
// CHECK-LABEL: llvm.func @no_ending_sync
// CHECK: nvvm.cluster.wait
// CHECK-NOT: nvvm.cluster.arrive
// CHECK: llvm.return
func.func @no_ending_sync() attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 2, 1, 1>} {
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] attributes {tlx.no_ending_cluster_sync = true} {
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}

// -----

// CHECK-LABEL: llvm.func @fences
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>
func.func @fences() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  tlx.fence "async_shared"
  tlx.fence "async_global"
  return
}
