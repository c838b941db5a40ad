// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// Masked accesses with a known range are buffer instructions: a masked element lies beyond the range, and nothing branches.

#rows = #tlx.layout<registers = [[1], [2]], lanes = [[4], [8], [16], [32], [64], [128]], warps = []>

module attributes {tlx.target = "gfx942"} {
  // CHECK-LABEL: llvm.func @masked
  // CHECK-NOT: llvm.cond_br
  // CHECK-DAG: %[[BEYOND:.*]] = llvm.mlir.constant(-2147483648 : i32) : i32
  // CHECK: %[[OFFSET:.*]] = llvm.select %{{.*}}, %{{.*}}, %[[BEYOND]] : i1, i32
  // CHECK: %[[RANGE:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <1> to <8>
  // CHECK: %[[WORDS:.*]] = rocdl.raw.ptr.buffer.load %[[RANGE]], %[[OFFSET]], %{{.*}}, %{{.*}} : vector<4xi32>
  // CHECK: llvm.bitcast %[[WORDS]] : vector<4xi32> to vector<4xf32>
  // CHECK: rocdl.raw.ptr.buffer.store %{{.*}} : vector<4xi32>
  // CHECK-NOT: llvm.store
  func.func @masked(%p: !tlx.ptr<f32>, %flag: i1) attributes {tlx.kernel, tlx.num_warps = 1 : i32} {
    %mask = tlx.splat %flag : i1 -> tensor<256xi1, #rows>
    %r = tlx.range 0 to 256 : tensor<256xi32, #rows>
    %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<256x!tlx.ptr<f32>, #rows>
    %a = tlx.addptr %s, %r : tensor<256x!tlx.ptr<f32>, #rows>, tensor<256xi32, #rows> -> tensor<256x!tlx.ptr<f32>, #rows>
    %v = tlx.load %a mask %mask : tensor<256xi1, #rows> {tlx.range = 1024 : i64, tlx.vector = 4 : i32} : tensor<256x!tlx.ptr<f32>, #rows> -> tensor<256xf32, #rows>
    tlx.store %a, %v mask %mask : tensor<256xi1, #rows> {tlx.range = 1024 : i64, tlx.vector = 4 : i32} : tensor<256x!tlx.ptr<f32>, #rows>, tensor<256xf32, #rows>
    return
  }
}

// -----

#rows = #tlx.layout<registers = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = []>

// Machines without them branch.
// CHECK-LABEL: llvm.func @elsewhere
// CHECK: llvm.cond_br
// CHECK: llvm.load
module attributes {tlx.target = "sm_90a"} {
  func.func @elsewhere(%p: !tlx.ptr<f32>, %flag: i1) attributes {tlx.kernel, tlx.num_warps = 1 : i32} {
    %mask = tlx.splat %flag : i1 -> tensor<128xi1, #rows>
    %r = tlx.range 0 to 128 : tensor<128xi32, #rows>
    %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<128x!tlx.ptr<f32>, #rows>
    %a = tlx.addptr %s, %r : tensor<128x!tlx.ptr<f32>, #rows>, tensor<128xi32, #rows> -> tensor<128x!tlx.ptr<f32>, #rows>
    %v = tlx.load %a mask %mask : tensor<128xi1, #rows> {tlx.range = 512 : i64, tlx.vector = 4 : i32} : tensor<128x!tlx.ptr<f32>, #rows> -> tensor<128xf32, #rows>
    tlx.store %a, %v mask %mask : tensor<128xi1, #rows> {tlx.vector = 4 : i32} : tensor<128x!tlx.ptr<f32>, #rows>, tensor<128xf32, #rows>
    return
  }
}
