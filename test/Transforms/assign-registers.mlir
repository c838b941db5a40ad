// Warp groups get what their tasks ask for; the others share the rest of what the kernel starts with.
// RUN: tlx-opt %s -tlx-assign-registers -split-input-file | FileCheck %s

// CHECK-LABEL: func @rest
// CHECK-SAME: tlx.entry_registers = 168
// CHECK: registers [40, 232, 232]
func.func @rest() attributes {tlx.num_warps = 4 : i32} {
  tlx.async_tasks warps [4, 4, 4] registers [0, 232, 232] first_warp [0, 4, 8] names ["default", "task1", "task1"] replicas [0, 0, 1] {
    tlx.task_end
  }, {
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}

// -----

// Tasks of one warp group get the largest of their requests.
// CHECK-LABEL: func @shared_group
// CHECK-SAME: tlx.entry_registers = 248
// CHECK: registers [240, 120, 120]
func.func @shared_group() attributes {tlx.num_warps = 4 : i32} {
  tlx.async_tasks warps [4, 2, 1] registers [0, 64, 120] first_warp [0, 4, 6] names ["default", "task1", "task2"] replicas [0, 0, 0] {
    tlx.task_end
  }, {
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}

// -----

// Nobody asks: nothing is done.
// CHECK-LABEL: func @no_requests
// CHECK-NOT: entry_registers
// CHECK: registers [0, 0]
func.func @no_requests() attributes {tlx.num_warps = 4 : i32} {
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}
