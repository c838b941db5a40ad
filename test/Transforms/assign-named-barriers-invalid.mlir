// RUN: tlx-opt %s -tlx-assign-named-barriers -split-input-file -verify-diagnostics

func.func @kernel_id() attributes {tlx.num_warps = 4 : i32} {
  tlx.async_tasks warps [4] registers [0] first_warp [0] names ["default"] replicas [0] {
    // expected-error @below {{named barrier 0 is not one of the 15 that a kernel may name, 1 to 15 [named-barrier-id]}}
    tlx.named_barrier_wait 0 threads 128
    tlx.task_end
  }
  return
}

// -----

func.func @exhausted() attributes {tlx.num_warps = 4 : i32} {
  // expected-error @below {{the tasks need 2 named barriers beside the 14 that the source names; there are 16, one of them the kernel's [named-barriers-exhausted]}}
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.named_barrier_wait 1 threads 128
    tlx.named_barrier_wait 2 threads 128
    tlx.named_barrier_wait 3 threads 128
    tlx.named_barrier_wait 4 threads 128
    tlx.named_barrier_wait 5 threads 128
    tlx.named_barrier_wait 6 threads 128
    tlx.named_barrier_wait 7 threads 128
    tlx.named_barrier_wait 8 threads 128
    tlx.named_barrier_wait 9 threads 128
    tlx.named_barrier_wait 10 threads 128
    tlx.named_barrier_wait 11 threads 128
    tlx.named_barrier_wait 12 threads 128
    tlx.named_barrier_wait 13 threads 128
    tlx.named_barrier_wait 14 threads 128
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}
