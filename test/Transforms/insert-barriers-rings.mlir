// A slot of a ring may be filled again without a meeting while another one is read, when their numbers say in every trip that
// they differ.
// RUN: tlx-opt %s -split-input-file -tlx-insert-barriers | FileCheck %s

!ring = !tlx.buffer<64x64xf32, 3, <swizzle = 0, rows = 64>>
!slot = !tlx.buffer<64x64xf32, 0, <swizzle = 0, rows = 64>>

// One meeting in each trip, after the store and before the read; the slot that is filled was read a trip ago.
// CHECK-LABEL: func @apart
// CHECK: scf.for
// CHECK: tlx.task_barrier
// CHECK: tlx.local_load
// CHECK-NOT: tlx.task_barrier
// CHECK: tlx.local_store
// CHECK: scf.yield
func.func @apart(%v: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %x = tlx.local_alloc "x" : !ring
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %v, %now = %c0) -> (tensor<64x64xf32>, i32) : i32 {
    %read = tlx.local_view %x[%now] : !ring -> !slot
    %e = tlx.local_load %read : !slot -> tensor<64x64xf32>
    %more = arith.addf %sum, %e : tensor<64x64xf32>
    %ahead = arith.addi %k, %c2 : i32
    %free = arith.remsi %ahead, %c3 : i32
    %filled = tlx.local_view %x[%free] : !ring -> !slot
    tlx.local_store %filled, %more : !slot, tensor<64x64xf32>
    %up = arith.addi %now, %c1 : i32
    %next = arith.remsi %up, %c3 : i32
    scf.yield %more, %next : tensor<64x64xf32>, i32
  }
  return %r#0 : tensor<64x64xf32>
}

// -----

!ring = !tlx.buffer<64x64xf32, 3, <swizzle = 0, rows = 64>>
!slot = !tlx.buffer<64x64xf32, 0, <swizzle = 0, rows = 64>>

// Three further is the same slot.
// CHECK-LABEL: func @same
// CHECK: tlx.local_load
// CHECK: tlx.task_barrier
// CHECK-NEXT: tlx.local_store
func.func @same(%v: tensor<64x64xf32>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %x = tlx.local_alloc "x" : !ring
  scf.for %k = %c0 to %n step %c1 : i32 {
    %now = arith.remsi %k, %c3 : i32
    %read = tlx.local_view %x[%now] : !ring -> !slot
    %e = tlx.local_load %read : !slot -> tensor<64x64xf32>
    %ahead = arith.addi %k, %c3 : i32
    %free = arith.remsi %ahead, %c3 : i32
    %filled = tlx.local_view %x[%free] : !ring -> !slot
    tlx.local_store %filled, %e : !slot, tensor<64x64xf32>
  }
  return
}

// -----

!ring = !tlx.buffer<64x64xf32, 3, <swizzle = 0, rows = 64>>
!slot = !tlx.buffer<64x64xf32, 0, <swizzle = 0, rows = 64>>

// Two reads, one of which is of the slot that is filled.
// CHECK-LABEL: func @one_of_two
// CHECK: tlx.local_load
// CHECK: tlx.local_load
// CHECK: tlx.task_barrier
// CHECK-NEXT: tlx.local_store
func.func @one_of_two(%v: tensor<64x64xf32>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %x = tlx.local_alloc "x" : !ring
  scf.for %k = %c0 to %n step %c1 : i32 {
    %now = arith.remsi %k, %c3 : i32
    %after = arith.addi %k, %c1 : i32
    %other = arith.remsi %after, %c3 : i32
    %read = tlx.local_view %x[%now] : !ring -> !slot
    %read2 = tlx.local_view %x[%other] : !ring -> !slot
    %e = tlx.local_load %read : !slot -> tensor<64x64xf32>
    %f = tlx.local_load %read2 : !slot -> tensor<64x64xf32>
    %filled = tlx.local_view %x[%other] : !ring -> !slot
    tlx.local_store %filled, %f : !slot, tensor<64x64xf32>
  }
  return
}

// -----

!ring = !tlx.buffer<64x64xf32, 3, <swizzle = 0, rows = 64>>
!slot = !tlx.buffer<64x64xf32, 0, <swizzle = 0, rows = 64>>

// The threads do not meet in a trip: the slot may be one that others still read in the trip before.
// CHECK-LABEL: func @never_met
// CHECK: scf.for
// CHECK: tlx.local_load
// CHECK: tlx.task_barrier
// CHECK-NEXT: tlx.async_load
func.func @never_met(%p: tensor<64x64x!tlx.ptr<f32>>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %x = tlx.local_alloc "x" : !ring
  scf.for %k = %c0 to %n step %c1 : i32 {
    %now = arith.remsi %k, %c3 : i32
    %read = tlx.local_view %x[%now] : !ring -> !slot
    %e = tlx.local_load %read : !slot -> tensor<64x64xf32>
    %ahead = arith.addi %k, %c2 : i32
    %free = arith.remsi %ahead, %c3 : i32
    %filled = tlx.local_view %x[%free] : !ring -> !slot
    %t = tlx.async_load %p, %filled : tensor<64x64x!tlx.ptr<f32>>, !slot
  }
  return
}
