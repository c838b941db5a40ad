// Loops of stages in which the halves of a block take turns: with two warps on each scheduler, and nothing in them that
// meets by itself.
// RUN: tlx-opt %s -tlx-skew-stages -split-input-file | FileCheck %s

module attributes {tlx.target = "gfx942"} {
  // CHECK-LABEL: @turns
  // CHECK: tlx.stage "move" priority 0 {tlx.meets}
  // CHECK: tlx.stage "multiply" priority 1 {tlx.meets}
  // CHECK: tlx.stage "" priority 0{{$}}
  // CHECK: } {tlx.skewed}
  func.func @turns(%n: i32) attributes {tlx.num_warps = 8 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tlx.stage "move" priority 0
      tlx.stage "multiply" priority 1
      tlx.stage "" priority 0
    }
    return
  }

  // CHECK-LABEL: @four_warps
  // CHECK-NOT: tlx.skewed
  // CHECK-LABEL: @meets_itself
  func.func @four_warps(%n: i32) attributes {tlx.num_warps = 4 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tlx.stage "move" priority 0
      tlx.stage "multiply" priority 1
    }
    return
  }

  // CHECK-NOT: tlx.skewed
  func.func @meets_itself(%n: i32) attributes {tlx.num_warps = 8 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tlx.stage "move" priority 0
      tlx.task_barrier
      tlx.stage "multiply" priority 1
    }
    return
  }
}

// -----

module attributes {tlx.target = "sm_90a"} {
  // CHECK-LABEL: @elsewhere
  // CHECK-NOT: tlx.skewed
  func.func @elsewhere(%n: i32) attributes {tlx.num_warps = 8 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tlx.stage "move" priority 0
      tlx.stage "multiply" priority 1
    }
    return
  }
}
