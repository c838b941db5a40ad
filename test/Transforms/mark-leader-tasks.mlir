// Tasks that only wait, arm barriers and start copies are work for one thread.
// RUN: tlx-opt %s -tlx-mark-leader-tasks | FileCheck %s

// The producer; a task with tiles; one that meets a named barrier; one that arrives thread by thread.
// CHECK: tlx.leader = array<i32: 1, 0, 0, 0>
func.func @tasks(%a: !tlx.desc<64x64xf16>, %t: !tlx.barrier<0, per_thread = true>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<0>
  tlx.async_tasks warps [4, 4, 4, 1] registers [0, 0, 0, 0] first_warp [0, 4, 8, 12] names ["default", "task1", "task2", "task3"] replicas [0, 0, 0, 0] {
    scf.for %i = %c0 to %n step %c1 : i32 {
      tlx.barrier_wait %f phase %c1 : !tlx.barrier<0>
      tlx.barrier_expect %f bytes 8192 : !tlx.barrier<0>
      tlx.tma_load %a[%i, %c0] to %q signal %f : !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>, !tlx.barrier<0>
    }
    tlx.task_end
  }, {
    tlx.barrier_wait %f phase %c1 : !tlx.barrier<0>
    %w = tlx.local_load %q : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf16>
    tlx.task_end
  }, {
    tlx.barrier_arrive %f count 1 : !tlx.barrier<0>
    tlx.named_barrier_wait 9 threads 256
    tlx.task_end
  }, {
    tlx.barrier_arrive %t count 1 : !tlx.barrier<0, per_thread = true>
    tlx.task_end
  }
  return
}
