// A product with its accumulator in registers goes to tensor memory and back; in a loop that only adds up it stays there.
// RUN: tlx-opt %s -tlx-accumulate-in-tensor-memory -split-input-file -verify-diagnostics | FileCheck %s

!a = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!b = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>

// CHECK-LABEL: func @there_and_back
// CHECK: %[[BARRIERS:.*]] = tlx.alloc_barriers "products" arrivals 1
// CHECK: %[[D:.*]] = tmem.alloc "sums"
// CHECK: tmem.store %[[D]], %[[ACC:.*]] :
// CHECK: tmem.parity
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tmem.dot %{{.*}}, %{{.*}} into %[[D]] signal
// CHECK-NEXT: tlx.barrier_wait
// CHECK-NEXT: %[[SUM:.*]] = tmem.load %[[D]]
// CHECK-NOT: async_dot
// CHECK: arith.addf %[[SUM]], %[[SUM]]
func.func @there_and_back(%a: !a, %b: !b, %acc: tensor<128x128xf32>) -> tensor<128x128xf32> attributes {tlx.num_warps = 4 : i32} {
  %s = tlx.async_dot %a, %b acc %acc : tensor<128x128xf32> : !a, !b -> tensor<128x128xf32>
  %w = tlx.async_dot_wait 0, %s : tensor<128x128xf32>
  %t = arith.addf %w, %w : tensor<128x128xf32>
  return %t : tensor<128x128xf32>
}

// -----

!a = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!b = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>

// CHECK-LABEL: func @loop
// CHECK: tmem.store
// CHECK: scf.for
// CHECK-NOT: tmem.store
// CHECK: tmem.dot
// CHECK-NOT: tmem.load
// CHECK: scf.yield
// CHECK: tmem.load
func.func @loop(%a: !a, %b: !b, %acc: tensor<128x128xf32>, %n: i32) -> tensor<128x128xf32> attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %acc) -> tensor<128x128xf32> : i32 {
    %s = tlx.async_dot %a, %b acc %x : tensor<128x128xf32> : !a, !b -> tensor<128x128xf32>
    %w = tlx.async_dot_wait 1, %s : tensor<128x128xf32>
    scf.yield %w : tensor<128x128xf32>
  }
  return %r : tensor<128x128xf32>
}

// -----

!a = !tlx.buffer<192x32xf16, 0, <swizzle = 64, rows = 192>>
!b = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>

func.func @rows(%a: !a, %b: !b) -> tensor<192x128xf32> attributes {tlx.num_warps = 4 : i32} {
  // expected-error@+1 {{the product has 192 rows; with accumulators in registers 64 and 128 are supported [dot-shape]}}
  %s = tlx.async_dot %a, %b : !a, !b -> tensor<192x128xf32>
  return %s : tensor<192x128xf32>
}
