// Between an access and an arrival stands a fence, between a wait and an access too; a commit needs none.
// RUN: tlx-opt %s -tlx-insert-tensor-memory-fences -split-input-file | FileCheck %s

// CHECK-LABEL: func @epilogue
// CHECK: tlx.barrier_wait
// CHECK-NEXT: tmem.fence "after"
// CHECK-NEXT: tmem.load
// CHECK-NEXT: tmem.load
// CHECK-NEXT: tmem.fence "before"
// CHECK-NEXT: tlx.barrier_arrive
// CHECK-NEXT: tlx.barrier_arrive
func.func @epilogue(%full: !tlx.barrier<0>, %empty: !tlx.barrier<0>, %p: i32) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x32xf32, 1>
  %c0 = arith.constant 0 : i32
  %one = tmem.view %acc[%c0] : !tmem.buffer<128x32xf32, 1> -> !tmem.buffer<128x32xf32, 0>
  tlx.barrier_wait %full phase %p : !tlx.barrier<0>
  %a = tmem.load %one : !tmem.buffer<128x32xf32, 0> -> tensor<128x32xf32>
  %b = tmem.load %one : !tmem.buffer<128x32xf32, 0> -> tensor<128x32xf32>
  tlx.barrier_arrive %empty count 1 : !tlx.barrier<0>
  tlx.barrier_arrive %empty count 1 : !tlx.barrier<0>
  return
}

// -----

// The product waits in front of the loop and in it; what signals is the product itself.
// CHECK-LABEL: func @product
// CHECK: tlx.barrier_wait
// CHECK: scf.for
// CHECK-NEXT: tlx.barrier_wait
// CHECK-NEXT: tmem.fence "after"
// CHECK-NEXT: tmem.dot
// CHECK-NEXT: }
// CHECK-NEXT: tmem.commit
// CHECK-NOT: tmem.fence
!a = !tlx.buffer<128x64xf16, 0, <swizzle = 128, rows = 128>>
!b = !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>
!d = !tmem.buffer<128x128xf32, 0>
func.func @product(%full: !tlx.barrier<0>, %empty: !tlx.barrier<0>, %p: i32, %n: i32, %a: !a, %b: !b)
    attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tmem.view %acc[%c0] : !tmem.buffer<128x128xf32, 1> -> !d
  tlx.barrier_wait %empty phase %p : !tlx.barrier<0>
  scf.for %k = %c0 to %n step %c1 : i32 {
    tlx.barrier_wait %full phase %p : !tlx.barrier<0>
    tmem.dot %a, %b into %d signal %empty : !tlx.barrier<0> : !a, !b, !d
  }
  tmem.commit %full : !tlx.barrier<0>
  tlx.barrier_arrive %empty count 1 : !tlx.barrier<0>
  return
}

// -----

// A load in one round of a loop is an access in front of the next round's arrival.
// CHECK-LABEL: func @around
// CHECK: scf.for
// CHECK-NEXT: tmem.fence "before"
// CHECK-NEXT: tlx.barrier_arrive
// CHECK-NEXT: tmem.load
func.func @around(%empty: !tlx.barrier<0>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x32xf32, 1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = tmem.view %acc[%c0] : !tmem.buffer<128x32xf32, 1> -> !tmem.buffer<128x32xf32, 0>
  scf.for %k = %c0 to %n step %c1 : i32 {
    tlx.barrier_arrive %empty count 1 : !tlx.barrier<0>
    %a = tmem.load %one : !tmem.buffer<128x32xf32, 0> -> tensor<128x32xf32>
  }
  return
}
