// RUN: tlx-opt %s -tlx-allocate-shared="capacity=20000" -split-input-file -verify-diagnostics

// expected-error @below {{the kernel needs 24584 bytes of shared memory; there are 20000 [shared-memory-overfull]}}
func.func @overfull() attributes {tlx.num_warps = 4 : i32} {
  // expected-note @below {{`tile`: 3 x 8192 bytes, 24576 in all}}
  %t = tlx.local_alloc "tile" : !tlx.buffer<64x64xf16, 3, <swizzle = 128, rows = 64>>
  // expected-note @below {{`full`: 1 barriers x 8 bytes, 8 in all}}
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<1>
  return
}

// -----

func.func @small_reuse() attributes {tlx.num_warps = 4 : i32} {
  %t = tlx.local_alloc "tile" : !tlx.buffer<32x64xf16, 1, <swizzle = 128, rows = 32>>
  // expected-error @below {{`wide` needs 8192 bytes and reuses `tile`, which has 4096 [reuse-too-small]}}
  %u = tlx.local_alloc "wide" reuse %t : !tlx.buffer<32x64xf16, 1, <swizzle = 128, rows = 32>> : !tlx.buffer<64x64xf16, 1, <swizzle = 128, rows = 64>>
  return
}
