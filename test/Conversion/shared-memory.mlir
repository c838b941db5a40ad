// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// Tiles to and from shared memory.

#acc = #tlx.layout<registers = [[0,1],[8,0],[0,8]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>

// A 16-bit matrix fragment goes out by stmatrix; row addresses come from the lane number, swizzled.
// CHECK-LABEL: llvm.func @matrix_store
// CHECK: thread.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<3>
// CHECK-NOT: llvm.store
func.func @matrix_store(%v: bf16) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %b = tlx.local_alloc "b" at 0 : !tlx.buffer<64x16xbf16, 0, <swizzle = 32, rows = 64>>
  %t = tlx.splat %v : bf16 -> tensor<64x16xbf16, #acc>
  tlx.local_store %b, %t : !tlx.buffer<64x16xbf16, 0, <swizzle = 32, rows = 64>>, tensor<64x16xbf16, #acc>
  return
}

// -----

#rows = #tlx.layout<registers = [[0,1],[0,2]], lanes = [[0,4],[0,8],[1,0],[2,0],[4,0]], warps = []>

// Four consecutive elements are one 16-byte access; the swizzle of 64-byte rows XORs bits 4-5 with row bits 1-2.
// CHECK-LABEL: llvm.func @vector_load
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load
func.func @vector_load(%p: !tlx.ptr<f32>) attributes {tlx.kernel, tlx.num_warps = 1 : i32} {
  %b = tlx.local_alloc "b" at 0 : !tlx.buffer<8x16xf32, 0, <swizzle = 64, rows = 8>>
  %t = tlx.local_load %b : !tlx.buffer<8x16xf32, 0, <swizzle = 64, rows = 8>> -> tensor<8x16xf32, #rows>
  %ps = tlx.splat %p : !tlx.ptr<f32> -> tensor<8x16x!tlx.ptr<f32>, #rows>
  tlx.store %ps, %t : tensor<8x16x!tlx.ptr<f32>, #rows>, tensor<8x16xf32, #rows>
  return
}

// -----

#one = #tlx.layout<registers = [], lanes = [[1],[2],[4],[0],[0]], warps = [[0],[0]]>

// Of the threads that hold copies (lane bits 3 and 4, all warps but the first) none stores.
// CHECK-LABEL: llvm.func @copies
// CHECK: llvm.mlir.constant(24 : i32)
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.cond_br
// CHECK: llvm.store
func.func @copies(%v: f32) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %b = tlx.local_alloc "b" at 0 : !tlx.buffer<8xf32, 0, <swizzle = 0, rows = 1>>
  %t = tlx.splat %v : f32 -> tensor<8xf32, #one>
  tlx.local_store %b, %t : !tlx.buffer<8xf32, 0, <swizzle = 0, rows = 1>>, tensor<8xf32, #one>
  return
}
