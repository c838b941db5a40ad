// In a loop whose halves take turns a meeting says of the other half only what was before the meeting before: what one
// stage writes the next but one may read. Where less lies between, all meet twice.
// RUN: tlx-opt %s -tlx-insert-barriers | FileCheck %s

module attributes {tlx.target = "gfx950"} {
  // CHECK-LABEL: @next_stage
  // CHECK: tlx.local_store
  // CHECK: tlx.stage "read" priority 0 {tlx.meets}
  // CHECK-NEXT: tlx.task_barrier
  // CHECK-NEXT: tlx.task_barrier
  // CHECK-NEXT: tlx.local_load
  func.func @next_stage(%n: i32, %v: tensor<64xf32>) attributes {tlx.num_warps = 8 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
    scf.for %i = %c0 to %n step %c1 : i32 {
      tlx.stage "write" priority 0 {tlx.meets}
      tlx.local_store %q, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
      tlx.stage "read" priority 0 {tlx.meets}
      %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
    } {tlx.skewed}
    return
  }

  // CHECK-LABEL: @next_but_one
  // CHECK-NOT: tlx.task_barrier
  // CHECK: return
  func.func @next_but_one(%n: i32, %v: tensor<64xf32>) attributes {tlx.num_warps = 8 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
    scf.for %i = %c0 to %n step %c1 : i32 {
      tlx.stage "write" priority 0 {tlx.meets}
      tlx.local_store %q, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
      tlx.stage "compute" priority 0 {tlx.meets}
      tlx.stage "read" priority 0 {tlx.meets}
      %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
      tlx.stage "compute" priority 0 {tlx.meets}
    } {tlx.skewed}
    return
  }
}
