// Protocols that work, or that cannot be judged, pass.
// RUN: tlx-opt %s -tlx-check-protocol -split-input-file -verify-diagnostics

func.func @works(%a: !tlx.desc<64x64xf16>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<0>
  %e = tlx.alloc_barriers "empty" arrivals 1 : !tlx.barrier<0>
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.barrier_wait %e phase %c1 : !tlx.barrier<0>
    tlx.barrier_expect %f bytes 8192 : !tlx.barrier<0>
    tlx.tma_load %a[%c0, %c0] to %q signal %f : !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>, !tlx.barrier<0>
    tlx.task_end
  }, {
    tlx.barrier_wait %f phase %c0 : !tlx.barrier<0>
    tlx.barrier_arrive %e count 1 : !tlx.barrier<0>
    tlx.task_end
  }
  return
}

// -----

// Bytes of a multicast come from other CTAs too.
func.func @multicast(%a: !tlx.desc<64x64xf16>, %mask: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<0>
  tlx.barrier_expect %f bytes 16384 : !tlx.barrier<0>
  tlx.tma_load %a[%c0, %c0] to %q signal %f multicast %mask : !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>, !tlx.barrier<0>
  tlx.barrier_wait %f phase %c0 : !tlx.barrier<0>
  return
}

// -----

// Each of two tasks has a slot of its own.
func.func @own_slots() attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %e = tlx.alloc_barriers "empty" arrivals 1 : !tlx.barrier<2>
  %e0 = tlx.barrier_view %e[%c0] : !tlx.barrier<2> -> !tlx.barrier<0>
  %e1 = tlx.barrier_view %e[%c1] : !tlx.barrier<2> -> !tlx.barrier<0>
  tlx.async_tasks warps [4, 4, 4] registers [0, 0, 0] first_warp [0, 4, 8] names ["default", "task1", "task1"] replicas [0, 0, 1] {
    tlx.barrier_wait %e0 phase %c0 : !tlx.barrier<0>
    tlx.barrier_wait %e1 phase %c0 : !tlx.barrier<0>
    tlx.task_end
  }, {
    tlx.barrier_arrive %e0 count 1 : !tlx.barrier<0>
    tlx.task_end
  }, {
    tlx.barrier_arrive %e1 count 1 : !tlx.barrier<0>
    tlx.task_end
  }
  return
}
