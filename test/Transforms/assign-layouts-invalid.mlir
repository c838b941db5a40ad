// RUN: tlx-opt %s -tlx-annotate-accesses -tlx-assign-layouts -split-input-file -verify-diagnostics

func.func @captured(%p: tensor<64x!tlx.ptr<f32>>) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  %v = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.task_end
  }, {
    // expected-error @below {{a tile computed outside the task is used in it; compute it in the task [tile-captured]}}
    tlx.local_store %q, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
    tlx.task_end
  }
  return
}

// -----

func.func @three_warps() attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  // expected-error @below {{`task1` works on tiles with 3 warps; tiles need a power of two [unsupported-task-size]}}
  tlx.async_tasks warps [4, 3] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.task_end
  }, {
    %v = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
    tlx.task_end
  }
  return
}

// -----

func.func @two_warps() attributes {tlx.num_warps = 2 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  // expected-error @below {{a matrix product takes whole groups of 4 warps; `two_warps` has 2 [dot-warps]}}
  %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
  return
}

// -----

func.func @rows() attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<32x64xbf16, 0, <swizzle = 128, rows = 32>>
  %k = tlx.local_alloc "k" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  // expected-error @below {{a matrix product has a multiple of 64 rows; this one has 32 [dot-shape]}}
  %d = tlx.async_dot %q, %k : !tlx.buffer<32x64xbf16, 0, <swizzle = 128, rows = 32>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<32x64xf32>
  return
}

// -----

func.func @columns() attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %k = tlx.local_alloc "k" : !tlx.buffer<64x12xbf16, 0, <swizzle = 0, rows = 64>>
  // expected-error @below {{a matrix product has a multiple of 8 columns; this one has 12 [dot-shape]}}
  %d = tlx.async_dot %q, %k : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x12xbf16, 0, <swizzle = 0, rows = 64>> -> tensor<64x12xf32>
  return
}

// -----

func.func @depth() attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x40xbf16, 0, <swizzle = 0, rows = 64>>
  %k = tlx.local_alloc "k" : !tlx.buffer<40x64xbf16, 0, <swizzle = 128, rows = 40>>
  // expected-error @below {{a matrix product takes K in steps of 16 for this element type; this one has 40 [dot-shape]}}
  %d = tlx.async_dot %q, %k : !tlx.buffer<64x40xbf16, 0, <swizzle = 0, rows = 64>>, !tlx.buffer<40x64xbf16, 0, <swizzle = 128, rows = 40>> -> tensor<64x64xf32>
  return
}

// -----

func.func @odd_reshape(%x: f32) attributes {tlx.num_warps = 4 : i32} {
  %t = tlx.splat %x : f32 -> tensor<24xf32>
  // expected-error @below {{a tile whose extents are not powers of two keeps its axes [unsupported-reshape]}}
  %r = tlx.reshape %t : tensor<24xf32> -> tensor<3x8xf32>
  return
}
