// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// Warps go to their task; each warp group sets its registers before its warps part.

// CHECK-LABEL: llvm.func @groups
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 256>
// CHECK-SAME: tlx.tasks = [{first_warp = 0 : i64, name = "default", registers = 40 : i64, replica = 0 : i64, warps = 4 : i64},
// CHECK: nvvm.setmaxregister decrease 40
// A task of one thread's work runs on that thread; the rest of its warp waits.
// CHECK: thread.mbarrier_expect
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.setmaxregister increase 232
// CHECK: thread.named_barrier 2 threads 128
func.func @groups() attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.entry_registers = 168 : i32} {
  %bars = tlx.alloc_barriers "bars" arrivals 1 at 0 : !tlx.barrier<1>
  tlx.async_tasks warps [4, 4] registers [40, 232] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] attributes {tlx.barrier_ids = array<i32: 1, 2>, tlx.leader = array<i32: 1, 0>} {
    tlx.barrier_expect %bars bytes 16 : !tlx.barrier<1>
    tlx.task_end
  }, {
    tlx.task_barrier
    tlx.task_end
  }
  return
}

// -----

// Tasks smaller than a warp group share one. Without exchange of registers there are no warps beyond those of the tasks.
// CHECK-LABEL: llvm.func @small
// CHECK-SAME: nvvm.reqntid = array<i32: 224>
// CHECK: nvvm.bar.warp.sync
// CHECK: thread.named_barrier 3 threads 64
func.func @small() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  tlx.async_tasks warps [4, 1, 2] registers [0, 0, 0] first_warp [0, 6, 4] names ["default", "task1", "task2"] replicas [0, 0, 0] attributes {tlx.barrier_ids = array<i32: 1, -1, 3>} {
    tlx.task_end
  }, {
    tlx.task_barrier
    tlx.task_end
  }, {
    tlx.task_barrier
    tlx.task_end
  }
  return
}
