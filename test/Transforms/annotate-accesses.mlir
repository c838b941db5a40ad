// How many consecutive elements an access may move, from what is known of its addresses and its mask.
// RUN: tlx-opt %s -tlx-annotate-accesses -split-input-file | FileCheck %s

// An aligned pointer and consecutive offsets: 16 bytes.
// CHECK-LABEL: func @aligned
// CHECK: tlx.load {{.*}} {tlx.axis = 0 : i32, tlx.vector = 4 : i32}
func.func @aligned(%p: !tlx.ptr<f32> {tlx.divisibility = 16 : i32}) -> tensor<1024xf32> {
  %r = tlx.range 0 to 1024 : tensor<1024xi32>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<1024x!tlx.ptr<f32>>
  %a = tlx.addptr %s, %r : tensor<1024x!tlx.ptr<f32>>, tensor<1024xi32> -> tensor<1024x!tlx.ptr<f32>>
  %v = tlx.load %a : tensor<1024x!tlx.ptr<f32>> -> tensor<1024xf32>
  return %v : tensor<1024xf32>
}

// -----

// Nothing is known of the pointer: one element.
// CHECK-LABEL: func @unaligned
// CHECK: tlx.load {{.*}} {tlx.axis = 0 : i32, tlx.vector = 1 : i32}
func.func @unaligned(%p: !tlx.ptr<f32>) -> tensor<1024xf32> {
  %r = tlx.range 0 to 1024 : tensor<1024xi32>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<1024x!tlx.ptr<f32>>
  %a = tlx.addptr %s, %r : tensor<1024x!tlx.ptr<f32>>, tensor<1024xi32> -> tensor<1024x!tlx.ptr<f32>>
  %v = tlx.load %a : tensor<1024x!tlx.ptr<f32>> -> tensor<1024xf32>
  return %v : tensor<1024xf32>
}

// -----

// A mask that may end anywhere cuts vectors; one that ends at a multiple of 16 does not.
// CHECK-LABEL: func @masked
// CHECK: tlx.load {{.*}} {tlx.axis = 0 : i32, tlx.vector = 1 : i32}
// CHECK: tlx.load {{.*}} {tlx.axis = 0 : i32, tlx.vector = 8 : i32}
func.func @masked(%p: !tlx.ptr<f16> {tlx.divisibility = 16 : i32}, %n: i32, %m: i32 {tlx.divisibility = 16 : i32}) -> (tensor<1024xf16>, tensor<1024xf16>) {
  %pid = tlx.program_id 0
  %c1024 = arith.constant 1024 : i32
  %first = arith.muli %pid, %c1024 : i32
  %fs = tlx.splat %first : i32 -> tensor<1024xi32>
  %r = tlx.range 0 to 1024 : tensor<1024xi32>
  %o = arith.addi %fs, %r : tensor<1024xi32>
  %s = tlx.splat %p : !tlx.ptr<f16> -> tensor<1024x!tlx.ptr<f16>>
  %a = tlx.addptr %s, %o : tensor<1024x!tlx.ptr<f16>>, tensor<1024xi32> -> tensor<1024x!tlx.ptr<f16>>
  %ns = tlx.splat %n : i32 -> tensor<1024xi32>
  %k = arith.cmpi slt, %o, %ns : tensor<1024xi32>
  %v = tlx.load %a mask %k : tensor<1024xi1> : tensor<1024x!tlx.ptr<f16>> -> tensor<1024xf16>
  %ms = tlx.splat %m : i32 -> tensor<1024xi32>
  %l = arith.cmpi slt, %o, %ms : tensor<1024xi32>
  %w = tlx.load %a mask %l : tensor<1024xi1> : tensor<1024x!tlx.ptr<f16>> -> tensor<1024xf16>
  return %v, %w : tensor<1024xf16>, tensor<1024xf16>
}

// -----

// The contiguous axis need not be the last; a pointer that a loop advances keeps its alignment.
// CHECK-LABEL: func @columns
// CHECK: tlx.load {{.*}} {tlx.axis = 0 : i32, tlx.vector = 8 : i32}
func.func @columns(%p: !tlx.ptr<f16> {tlx.divisibility = 16 : i32}, %stride: i32 {tlx.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tlx.range 0 to 64 : tensor<64xi32>
  %re = tlx.expand_dims %r at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rb = tlx.broadcast %re : tensor<64x1xi32> -> tensor<64x32xi32>
  %c = tlx.range 0 to 32 : tensor<32xi32>
  %ss = tlx.splat %stride : i32 -> tensor<32xi32>
  %cs = arith.muli %c, %ss : tensor<32xi32>
  %ce = tlx.expand_dims %cs at 0 : tensor<32xi32> -> tensor<1x32xi32>
  %cb = tlx.broadcast %ce : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %rb, %cb : tensor<64x32xi32>
  %s = tlx.splat %p : !tlx.ptr<f16> -> tensor<64x32x!tlx.ptr<f16>>
  %a = tlx.addptr %s, %o : tensor<64x32x!tlx.ptr<f16>>, tensor<64x32xi32> -> tensor<64x32x!tlx.ptr<f16>>
  %step = arith.constant dense<64> : tensor<64x32xi32>
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<64x32x!tlx.ptr<f16>>) : i32 {
    %v = tlx.load %q : tensor<64x32x!tlx.ptr<f16>> -> tensor<64x32xf16>
    tlx.store %q, %v : tensor<64x32x!tlx.ptr<f16>>, tensor<64x32xf16>
    %next = tlx.addptr %q, %step : tensor<64x32x!tlx.ptr<f16>>, tensor<64x32xi32> -> tensor<64x32x!tlx.ptr<f16>>
    scf.yield %next : tensor<64x32x!tlx.ptr<f16>>
  }
  return
}

// -----

// Scalar accesses are left alone.
// CHECK-LABEL: func @scalar
// CHECK-NOT: tlx.vector
func.func @scalar(%p: !tlx.ptr<f32>) -> f32 {
  %v = tlx.load %p : !tlx.ptr<f32> -> f32
  return %v : f32
}
