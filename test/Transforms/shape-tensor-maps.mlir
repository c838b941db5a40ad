// Box and swizzle of a tensor map follow from the buffers that it is used with.
// RUN: tlx-opt %s -tlx-shape-tensor-maps -split-input-file | FileCheck %s

// Rows wider than the swizzle go in several messages; what Specialize wrote stays.
// CHECK-LABEL: func @wide
// CHECK-SAME: tlx.tensor_map = {block = array<i64: 64, 128>, box = array<i64: 64, 64>, dtype = "fp16", pointer = "A", rank = 2 : i32, swizzle = 128 : i32}
func.func @wide(%a: !tlx.desc<64x128xf16> {tlx.tensor_map = {pointer = "A"}}, %f: !tlx.barrier<0>) {
  %c0 = arith.constant 0 : i32
  %b = tlx.local_alloc "b" : !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>
  tlx.tma_load %a[%c0, %c0] to %b signal %f : !tlx.desc<64x128xf16>, !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>, !tlx.barrier<0>
  return
}

// -----

// Leading axes of extent 1 are the map's only.
// CHECK-LABEL: func @leading
// CHECK-SAME: block = array<i64: 1, 1, 256>, box = array<i64: 1, 1, 256>, dtype = "fp32", rank = 3 : i32, swizzle = 0
func.func @leading(%a: !tlx.desc<1x1x256xf32>) {
  %c0 = arith.constant 0 : i32
  %b = tlx.local_alloc "b" : !tlx.buffer<256xf32, 0, <swizzle = 0, rows = 1>>
  tlx.tma_store %b to %a[%c0, %c0, %c0] : !tlx.buffer<256xf32, 0, <swizzle = 0, rows = 1>>, !tlx.desc<1x1x256xf32>
  return
}

// -----

// A map that is only prefetched gets the swizzle that its block would have by default.
// CHECK-LABEL: func @prefetched
// CHECK-SAME: box = array<i64: 64, 32>, dtype = "bf16", rank = 2 : i32, swizzle = 64
func.func @prefetched(%a: !tlx.desc<64x32xbf16>) {
  %c0 = arith.constant 0 : i32
  tlx.tma_prefetch %a[%c0, %c0] : !tlx.desc<64x32xbf16>
  return
}
