// RUN: tlx-opt %s -tlx-shape-tensor-maps -split-input-file -verify-diagnostics

func.func @transposed(%a: !tlx.desc<64x64xf16>, %f: !tlx.barrier<0>) {
  %c0 = arith.constant 0 : i32
  %b = tlx.local_alloc "b" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  %t = tlx.local_trans %b : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>> -> !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64, transposed = true>>
  // expected-error @below {{this buffer is a transposed view [tensor-map-transposed]}}
  tlx.tma_load %a[%c0, %c0] to %t signal %f : !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64, transposed = true>>, !tlx.barrier<0>
  return
}

// -----

func.func @shape(%a: !tlx.desc<64x64xf16>, %f: !tlx.barrier<0>) {
  %c0 = arith.constant 0 : i32
  %b = tlx.local_alloc "b" : !tlx.buffer<64x32xf16, 0, <swizzle = 64, rows = 64>>
  // expected-error @below {{the buffer is [64, 32] of 'f16'; the descriptor's block is [64, 64] of 'f16' [tensor-map-shape]}}
  tlx.tma_load %a[%c0, %c0] to %b signal %f : !tlx.desc<64x64xf16>, !tlx.buffer<64x32xf16, 0, <swizzle = 64, rows = 64>>, !tlx.barrier<0>
  return
}

// -----

func.func @two_swizzles(%a: !tlx.desc<64x64xf16> {tlx.name = "a_desc"}, %f: !tlx.barrier<0>) {
  %c0 = arith.constant 0 : i32
  %b = tlx.local_alloc "b" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  %c = tlx.local_alloc "c" : !tlx.buffer<64x64xf16, 0, <swizzle = 64, rows = 64>>
  // expected-error-re @below {{`a_desc` is used here with a buffer of swizzle {{(64|128)}} and elsewhere with one of swizzle {{(64|128)}}; one tensor map has one swizzle [tensor-map-swizzle]}}
  tlx.tma_load %a[%c0, %c0] to %b signal %f : !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>, !tlx.barrier<0>
  // expected-note @below {{the other use}}
  tlx.tma_load %a[%c0, %c0] to %c signal %f : !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 64, rows = 64>>, !tlx.barrier<0>
  return
}

// -----

// expected-error @below {{the block of `a_desc` has rows of 24 bytes; a tensor map moves multiples of 16 [tensor-map-box]}}
func.func @narrow(%a: !tlx.desc<64x12xf16> {tlx.name = "a_desc"}) {
  return
}

// -----

// expected-error @below {{the block of `argument 0` has 512 elements along one axis of a message; a tensor map moves at most 256 [tensor-map-box]}}
func.func @tall(%a: !tlx.desc<512x64xf16>) {
  return
}

// -----

// expected-error @below {{the block of `argument 0` has 6 axes; a tensor map has at most 5 [tensor-map-box]}}
func.func @deep(%a: !tlx.desc<1x1x1x1x64x64xf16>) {
  return
}
