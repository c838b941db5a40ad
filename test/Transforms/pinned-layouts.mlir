// A pinned layout is what the tile gets; it spreads like any other, and a conversion stands where it meets one.
// RUN: tlx-opt %s -tlx-annotate-accesses -tlx-assign-layouts -tlx-verify-layouts -cse -split-input-file 2>&1 | FileCheck %s

// What is computed from the pinned tile is held so; the load is, too, and nothing is left of the pin.
// CHECK: remark: the tile is held as {{.*}}; cute: ((_2,_16,_4),(_1)):((_64,_4,_1),(_0))
// CHECK-LABEL: func @spreads
// CHECK: tlx.load {{.*}} -> tensor<128xf32, #tlx.layout<registers = [], lanes = {{\[\[}}64], [4], [8], [16], [32]], warps = {{\[\[}}1], [2]]>>
// CHECK-NOT: require_layout
// CHECK: arith.addf {{.*}} : tensor<128xf32, #tlx.layout<registers = [], lanes = {{\[\[}}64], [4], [8], [16], [32]], warps = {{\[\[}}1], [2]]>>
func.func @spreads(%p: !tlx.ptr<f32> {tlx.divisibility = 16 : i32}) attributes {tlx.num_warps = 4 : i32} {
  %r = tlx.range 0 to 128 : tensor<128xi32>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<128x!tlx.ptr<f32>>
  %a = tlx.addptr %s, %r : tensor<128x!tlx.ptr<f32>>, tensor<128xi32> -> tensor<128x!tlx.ptr<f32>>
  %v = tlx.load %a : tensor<128x!tlx.ptr<f32>> -> tensor<128xf32>
  %pin = tlx.require_layout %v threads [64, 4, 8, 16, 32, 1, 2] values [] : tensor<128xf32>
  %w = arith.addf %pin, %pin : tensor<128xf32>
  tlx.dump_layout %w : tensor<128xf32>
  tlx.same_layout %w, %pin : tensor<128xf32>, tensor<128xf32>
  tlx.store %a, %w : tensor<128x!tlx.ptr<f32>>, tensor<128xf32>
  return
}

// -----

// Behind a release the users choose.
// CHECK-LABEL: func @released
// CHECK: tlx.convert_layout
// CHECK-NOT: release_layout
func.func @released(%p: !tlx.ptr<f32>, %q: !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>) attributes {tlx.num_warps = 4 : i32} {
  %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
  %w = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  %pin = tlx.require_layout %w threads [64, 128, 256, 512, 1024, 2048, 32] values [1, 2, 4, 8, 16] : tensor<64x64xf32>
  %free = tlx.release_layout %pin : tensor<64x64xf32>
  %sum = tlx.reduce add %free along 0 : tensor<64x64xf32> -> tensor<64xf32>
  %r = tlx.range 0 to 64 : tensor<64xi32>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<64x!tlx.ptr<f32>>
  %a = tlx.addptr %s, %r : tensor<64x!tlx.ptr<f32>>, tensor<64xi32> -> tensor<64x!tlx.ptr<f32>>
  tlx.store %a, %sum : tensor<64x!tlx.ptr<f32>>, tensor<64xf32>
  return
}
