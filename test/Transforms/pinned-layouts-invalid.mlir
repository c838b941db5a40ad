// Layouts for other threads than the task's, and tiles that are not held alike.
// RUN: tlx-opt %s -tlx-annotate-accesses -tlx-assign-layouts -split-input-file -verify-diagnostics

func.func @threads(%p: tensor<128x!tlx.ptr<f32>>, %v: tensor<128xf32>) attributes {tlx.num_warps = 4 : i32} {
  // expected-error @below {{the layout is for 64 threads; `threads` has 128 [pinned-layout]}}
  %pin = tlx.require_layout %v threads [1, 2, 4, 8, 16, 32] values [64] : tensor<128xf32>
  tlx.store %p, %pin : tensor<128x!tlx.ptr<f32>>, tensor<128xf32>
  return
}

// -----

func.func @alike(%q: !tlx.buffer<128xf32, 0, <swizzle = 0, rows = 1>>) attributes {tlx.num_warps = 4 : i32} {
  %v = tlx.local_load %q : !tlx.buffer<128xf32, 0, <swizzle = 0, rows = 1>> -> tensor<128xf32>
  %a = tlx.require_layout %v threads [1, 2, 4, 8, 16, 32, 64] values [] : tensor<128xf32>
  %b = tlx.require_layout %v threads [64, 2, 4, 8, 16, 32, 1] values [] : tensor<128xf32>
  // expected-error @below {{one tile is held as ((_128),(_1)):((_1),(_0)), the other as ((_2,_32,_2),(_1)):((_64,_2,_1),(_0)) [layout-mismatch]}}
  tlx.same_layout %a, %b : tensor<128xf32>, tensor<128xf32>
  return
}
