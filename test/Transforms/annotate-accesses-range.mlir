// Masked accesses near one address say how far they reach, where the machine checks ranges.
// RUN: tlx-opt %s -tlx-annotate-accesses -split-input-file | FileCheck %s

module attributes {tlx.target = "gfx942"} {
  // What is the same everywhere, first + 64 bits of it, goes to the base; 256 offsets of 4 bytes are left.
  // CHECK-LABEL: func @row
  // CHECK: %[[FIRST:.*]] = arith.muli
  // CHECK: %[[BASE:.*]] = tlx.addptr %arg0, %[[FIRST]] : !tlx.ptr<f32>, i32
  // CHECK: %[[SPLAT:.*]] = tlx.splat %[[BASE]]
  // CHECK: %[[PLACES:.*]] = tlx.addptr %[[SPLAT]], %{{.*}} : tensor<256x!tlx.ptr<f32>>, tensor<256xi32>
  // CHECK: tlx.load %[[PLACES]] mask {{.*}} tlx.range = 1024 : i64
  // CHECK: tlx.store {{.*}} tlx.range = 1024 : i64
  func.func @row(%p: !tlx.ptr<f32>, %mask: tensor<256xi1>) {
    %pid = tlx.program_id 0
    %c256 = arith.constant 256 : i32
    %first = arith.muli %pid, %c256 : i32
    %fs = tlx.splat %first : i32 -> tensor<256xi32>
    %r = tlx.range 0 to 256 : tensor<256xi32>
    %o = arith.addi %fs, %r : tensor<256xi32>
    %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<256x!tlx.ptr<f32>>
    %a = tlx.addptr %s, %o : tensor<256x!tlx.ptr<f32>>, tensor<256xi32> -> tensor<256x!tlx.ptr<f32>>
    %v = tlx.load %a mask %mask : tensor<256xi1> : tensor<256x!tlx.ptr<f32>> -> tensor<256xf32>
    tlx.store %a, %v mask %mask : tensor<256xi1> : tensor<256x!tlx.ptr<f32>>, tensor<256xf32>
    return
  }

  // The rows' distance is not known: they may be further apart than 31 bits count.
  // CHECK-LABEL: func @matrix
  // CHECK-NOT: tlx.range =
  func.func @matrix(%p: !tlx.ptr<f32>, %mask: tensor<16x16xi1>, %stride: i32) {
    %r = tlx.range 0 to 16 : tensor<16xi32>
    %rows = tlx.expand_dims %r at 1 : tensor<16xi32> -> tensor<16x1xi32>
    %columns = tlx.expand_dims %r at 0 : tensor<16xi32> -> tensor<1x16xi32>
    %ss = tlx.splat %stride : i32 -> tensor<16x1xi32>
    %scaled = arith.muli %rows, %ss : tensor<16x1xi32>
    %rb = tlx.broadcast %scaled : tensor<16x1xi32> -> tensor<16x16xi32>
    %cb = tlx.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
    %o = arith.addi %rb, %cb : tensor<16x16xi32>
    %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<16x16x!tlx.ptr<f32>>
    %a = tlx.addptr %s, %o : tensor<16x16x!tlx.ptr<f32>>, tensor<16x16xi32> -> tensor<16x16x!tlx.ptr<f32>>
    %v = tlx.load %a mask %mask : tensor<16x16xi1> : tensor<16x16x!tlx.ptr<f32>> -> tensor<16x16xf32>
    return
  }

  // Unless the source says so by the operation it uses. Offsets below zero are not in a range; accesses of all elements
  // need none.
  // CHECK-LABEL: func @promised
  // CHECK: tlx.load {{.*}} tlx.range = 2147483647 : i64
  // CHECK-NOT: tlx.range =
  func.func @promised(%p: !tlx.ptr<f32>, %mask: tensor<16xi1>, %o: tensor<16xi32>) {
    %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<16x!tlx.ptr<f32>>
    %a = tlx.addptr %s, %o : tensor<16x!tlx.ptr<f32>>, tensor<16xi32> -> tensor<16x!tlx.ptr<f32>>
    %v = tlx.load %a {tlx.buffer} : tensor<16x!tlx.ptr<f32>> -> tensor<16xf32>
    %below = tlx.range -16 to 0 : tensor<16xi32>
    %b = tlx.addptr %s, %below : tensor<16x!tlx.ptr<f32>>, tensor<16xi32> -> tensor<16x!tlx.ptr<f32>>
    %w = tlx.load %b mask %mask : tensor<16xi1> : tensor<16x!tlx.ptr<f32>> -> tensor<16xf32>
    %r = tlx.range 0 to 16 : tensor<16xi32>
    %c = tlx.addptr %s, %r : tensor<16x!tlx.ptr<f32>>, tensor<16xi32> -> tensor<16x!tlx.ptr<f32>>
    %x = tlx.load %c : tensor<16x!tlx.ptr<f32>> -> tensor<16xf32>
    return
  }
}

// -----

// Other machines branch.
// CHECK-LABEL: func @elsewhere
// CHECK-NOT: tlx.range =
module attributes {tlx.target = "sm_90a"} {
  func.func @elsewhere(%p: !tlx.ptr<f32>, %mask: tensor<16xi1>) {
    %r = tlx.range 0 to 16 : tensor<16xi32>
    %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<16x!tlx.ptr<f32>>
    %a = tlx.addptr %s, %r : tensor<16x!tlx.ptr<f32>>, tensor<16xi32> -> tensor<16x!tlx.ptr<f32>>
    %v = tlx.load %a mask %mask : tensor<16xi1> : tensor<16x!tlx.ptr<f32>> -> tensor<16xf32>
    return
  }
}
