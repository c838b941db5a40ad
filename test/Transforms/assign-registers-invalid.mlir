// RUN: tlx-opt %s -tlx-assign-registers -split-input-file -verify-diagnostics

func.func @budget() attributes {tlx.num_warps = 4 : i32} {
  // expected-error @below {{the tasks need 67584 registers; 384 threads start with 64512 [register-budget]}}
  tlx.async_tasks warps [4, 4, 4] registers [48, 240, 240] first_warp [0, 4, 8] names ["default", "task1", "task1"] replicas [0, 0, 1] {
    tlx.task_end
  }, {
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}

// -----

func.func @odd() attributes {tlx.num_warps = 4 : i32} {
  // expected-error @below {{task `task1` asks for 100 registers per thread; a request is a multiple of 8 from 24 to 240 [register-request]}}
  tlx.async_tasks warps [4, 4] registers [0, 100] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}
