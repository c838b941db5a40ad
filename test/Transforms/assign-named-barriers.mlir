// Tasks get the hardware barriers that the source does not name; a task of one warp or one thread needs none.
// RUN: tlx-opt %s -tlx-mark-leader-tasks -tlx-assign-named-barriers | FileCheck %s

// CHECK: tlx.barrier_ids = array<i32: -1, 1, 3, -1>
func.func @tasks() attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<0>
  tlx.async_tasks warps [4, 4, 4, 1] registers [0, 0, 0, 0] first_warp [0, 4, 8, 12] names ["default", "task1", "task2", "task3"] replicas [0, 0, 0, 0] {
    tlx.barrier_wait %f phase %c0 : !tlx.barrier<0>
    tlx.task_end
  }, {
    tlx.named_barrier_wait 2 threads 256
    tlx.task_end
  }, {
    tlx.named_barrier_arrive 2 threads 256
    tlx.task_end
  }, {
    tlx.task_barrier
    tlx.task_end
  }
  return
}
