// RUN: tlx-opt %s -tlx-allocate-tensor-memory -tlx-allocate-shared -tlx-lower-to-threads -split-input-file -verify-diagnostics

!a = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!b = !tlx.buffer<32x128xbf16, 0, <swizzle = 128, rows = 32>>
func.func @kinds(%a: !a, %b: !b) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 0>
  // bf16 and f16 are of one kind and mix; 64-bit floats are of none.
  tmem.dot %a, %b into %acc : !a, !b, !tmem.buffer<128x128xf32, 0>
  return
}

// -----

!a = !tlx.buffer<128x32xf64, 0, <swizzle = 128, rows = 128>>
!b = !tlx.buffer<32x128xf64, 0, <swizzle = 128, rows = 32>>
func.func @no_kind(%a: !a, %b: !b) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 0>
  // expected-error@+1 {{the tensor cores have no product of elements of types 'f64' and 'f64' [unsupported-dot-type]}}
  tmem.dot %a, %b into %acc : !a, !b, !tmem.buffer<128x128xf32, 0>
  return
}

// -----

!a = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!b = !tlx.buffer<32x72xf16, 0, <swizzle = 128, rows = 32>>
func.func @columns(%a: !a, %b: !b) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x72xf32, 0>
  // expected-error@+1 {{the product has 72 columns; with 128 rows the tensor cores take multiples of 16 up to 256 [dot-shape]}}
  tmem.dot %a, %b into %acc : !a, !b, !tmem.buffer<128x72xf32, 0>
  return
}

// -----

!a = !tlx.buffer<128x24xf16, 0, <swizzle = 0, rows = 128>>
!b = !tlx.buffer<24x128xf16, 0, <swizzle = 128, rows = 24>>
func.func @inner(%a: !a, %b: !b) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 0>
  // expected-error@+1 {{the product sums over 24 elements; the tensor cores need a multiple of 16 for this type [dot-shape]}}
  tmem.dot %a, %b into %acc : !a, !b, !tmem.buffer<128x128xf32, 0>
  return
}

// -----

!a = !tlx.buffer<128x32xf32, 0, <swizzle = 128, rows = 128>>
!b = !tlx.buffer<32x128xf32, 0, <swizzle = 128, rows = 32>>
func.func @order(%a: !a, %b: !b) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 0>
  // expected-error@+1 {{the right operand has K across its rows, which 32-bit elements cannot have here [dot-operand-layout]}}
  tmem.dot %a, %b into %acc : !a, !b, !tmem.buffer<128x128xf32, 0>
  return
}

// -----

!a = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!b = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>
func.func @accumulator(%a: !a, %b: !b) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf16, 0>
  // expected-error@+1 {{the accumulator has type 'f16'; supported is a 32-bit float [unsupported-dot-accumulator]}}
  tmem.dot %a, %b into %acc : !a, !b, !tmem.buffer<128x128xf16, 0>
  return
}

// -----

// A kernel's tensor memory is allocated by a pair or by one CTA.
!a = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!b = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>
func.func @mixed(%a: !a, %b: !b, %bar: !tlx.barrier<0>) attributes {tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 2, 1, 1>} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 0>
  // expected-error@+1 {{products of one CTA and of a pair do not mix in a kernel; give all of them `two_ctas` [unsupported-dot-operand]}}
  tmem.dot %a, %b into %acc : !a, !b, !tmem.buffer<128x128xf32, 0>
  tmem.commit %bar two_ctas : !tlx.barrier<0>
  return
}

// -----

// One column of 32 bits is the least that a thread can move.
#half = #tlx.layout<registers = [], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], warps = [[16, 0], [32, 0]]>
func.func @narrow() attributes {tlx.num_warps = 4 : i32} {
  %p = tmem.alloc "p" : !tmem.buffer<64x2xf16, 0>
  // expected-error@+1 {{each thread would move 1 elements of 16 bits; tensor memory moves whole columns of 32 [tensor-memory-shape]}}
  %v = tmem.load %p : !tmem.buffer<64x2xf16, 0> -> tensor<64x2xf16, #half>
  return
}
