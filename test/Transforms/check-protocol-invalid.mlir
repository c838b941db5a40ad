// RUN: tlx-opt %s -tlx-check-protocol -split-input-file -verify-diagnostics

func.func @never_arrived() attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<2>
  %v = tlx.barrier_view %f[%c0] : !tlx.barrier<2> -> !tlx.barrier<0>
  // expected-error @below {{wait on `full` that no task arrives on [wait-without-arrive]}}
  tlx.barrier_wait %v phase %c0 : !tlx.barrier<0>
  return
}

// -----

func.func @bytes(%a: !tlx.desc<64x64xf16>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<0>
  // expected-error @below {{`full` expects 16384 bytes; the loads that signal it bring 8192 [expect-bytes]}}
  tlx.barrier_expect %f bytes 16384 : !tlx.barrier<0>
  // expected-note @below {{a load of 8192 bytes}}
  tlx.tma_load %a[%c0, %c0] to %q signal %f : !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>, !tlx.barrier<0>
  return
}

// -----

// Two consumers, one arrival expected: the slot is released when the first of them is done.
func.func @arrivals() attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-warning @below {{`empty` needs 1 arrivals for each phase; its tasks make 2 [arrive-count]}}
  %e = tlx.alloc_barriers "empty" arrivals 1 : !tlx.barrier<0>
  tlx.async_tasks warps [4, 4, 4] registers [0, 0, 0] first_warp [0, 4, 8] names ["default", "task1", "task1"] replicas [0, 0, 1] {
    tlx.barrier_wait %e phase %c0 : !tlx.barrier<0>
    tlx.task_end
  }, {
    tlx.barrier_arrive %e count 1 : !tlx.barrier<0>
    tlx.task_end
  }, {
    tlx.barrier_arrive %e count 1 : !tlx.barrier<0>
    tlx.task_end
  }
  return
}
