// An arrival needs no meeting in front of it when the task accessed nothing since it last met.
// RUN: tlx-opt %s -tlx-mark-converged -split-input-file | FileCheck %s

// CHECK-LABEL: func @nothing_accessed
// CHECK: tlx.barrier_arrive %{{.*}} count 1 {converged}
func.func @nothing_accessed(%b: !tlx.barrier<0>) attributes {tlx.num_warps = 4 : i32} {
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}

// -----

// The first arrival meets; the second follows a meeting.
// CHECK-LABEL: func @after_access
// CHECK: tlx.barrier_arrive %{{.*}} count 1 :
// CHECK: tlx.barrier_arrive %{{.*}} count 1 {converged}
func.func @after_access(%b: !tlx.barrier<0>) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}

// -----

// An access on one path, or in the iteration before, is an access.
// CHECK-LABEL: func @paths
// CHECK: scf.for
// CHECK-NEXT: tlx.barrier_arrive %{{.*}} count 1 :
// CHECK: scf.if
func.func @paths(%b: !tlx.barrier<0>, %p: i1, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
    scf.if %p {
      %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
    }
  }
  return
}

// -----

// One warp group waits for its product as one; two do not.
// CHECK-LABEL: func @one_group
// CHECK: tlx.barrier_arrive %{{.*}} count 1 {converged}
func.func @one_group(%b: !tlx.barrier<0>, %d: tensor<64x64xf32>) attributes {tlx.num_warps = 4 : i32} {
  %w = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}

// -----

// CHECK-LABEL: func @two_groups
// CHECK: tlx.barrier_arrive %{{.*}} count 1 :
func.func @two_groups(%b: !tlx.barrier<0>, %d: tensor<64x64xf32>) attributes {tlx.num_warps = 8 : i32} {
  %w = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}

// -----

// A predicated arrival may be skipped, and its meeting with it; each thread's own arrival never meets.
// CHECK-LABEL: func @no_meeting
// CHECK: tlx.barrier_arrive %{{.*}} count 1 if
// CHECK: tlx.barrier_arrive %{{.*}} count 1 : <0, per_thread = true>
// CHECK: tlx.barrier_arrive %{{.*}} count 1 : <0>
func.func @no_meeting(%b: !tlx.barrier<0>, %t: !tlx.barrier<0, per_thread = true>, %p: i1) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  tlx.barrier_arrive %b count 1 if %p : !tlx.barrier<0>
  tlx.barrier_arrive %t count 1 : !tlx.barrier<0, per_thread = true>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}

// -----

// A task that waited since it last met has warps that still wait; a product of its one group shows that all are past it.
// CHECK-LABEL: func @waited
// CHECK: tlx.barrier_arrive %{{.*}} count 1 :
// CHECK: tlx.barrier_arrive %{{.*}} count 1 {converged}
func.func @waited(%b: !tlx.barrier<0>, %d: tensor<64x64xf32>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  tlx.barrier_wait %b phase %c0 : !tlx.barrier<0>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  tlx.barrier_wait %b phase %c0 : !tlx.barrier<0>
  %w = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}

// -----

// The threads of one warp wait together.
// CHECK-LABEL: func @one_warp
// CHECK: tlx.barrier_arrive %{{.*}} count 1 {converged}
func.func @one_warp(%b: !tlx.barrier<0>) attributes {tlx.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  tlx.barrier_wait %b phase %c0 : !tlx.barrier<0>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}

// -----

// Of two groups, each is past its own waits once its own product is done; the task as a whole is not, and what threads
// read themselves needs a meeting all the same.
// CHECK-LABEL: func @each_group
// CHECK: tlx.async_dot_wait
// CHECK-NEXT: tlx.barrier_arrive %{{.*}} count 1 {converged, tlx.each_group}
// CHECK: tlx.async_dot_wait
// CHECK-NEXT: tlx.barrier_arrive %{{.*}} count 1 :
// CHECK: tlx.local_load
// CHECK-NEXT: tlx.barrier_arrive %{{.*}} count 1 {tlx.each_group}
func.func @each_group(%b: !tlx.barrier<0>, %acc: tensor<128x64xf32>, %phase: i32) attributes {tlx.num_warps = 8 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  tlx.barrier_wait %b phase %phase : !tlx.barrier<0>
  %one = tlx.async_dot_wait 0, %acc : tensor<128x64xf32>
  tlx.barrier_arrive %b count 1 {tlx.each_group} : !tlx.barrier<0>
  tlx.barrier_wait %b phase %phase : !tlx.barrier<0>
  %two = tlx.async_dot_wait 0, %one : tensor<128x64xf32>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  tlx.barrier_arrive %b count 1 {tlx.each_group} : !tlx.barrier<0>
  return
}

// -----

// Whatever reads shared memory by threads is an access, products by threads too.
// CHECK-LABEL: func @by_threads
// CHECK: tlx.fma_dot
// CHECK-NEXT: tlx.barrier_arrive %{{.*}} count 1 :
func.func @by_threads(%b: !tlx.barrier<0>, %acc: tensor<16x16xf32>) attributes {tlx.num_warps = 1 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<16x16xf32, 0, <swizzle = 0, rows = 16>>
  %c = tlx.fma_dot %q, %q acc %acc : !tlx.buffer<16x16xf32, 0, <swizzle = 0, rows = 16>>, !tlx.buffer<16x16xf32, 0, <swizzle = 0, rows = 16>>, tensor<16x16xf32>
  tlx.barrier_arrive %b count 1 : !tlx.barrier<0>
  return
}
