// Tiles stand side by side; the kernel takes a power of two of columns, at least 32, and a place for their address.
// RUN: tlx-opt %s -tlx-allocate-tensor-memory -split-input-file | FileCheck %s

// CHECK-LABEL: func @side_by_side
// CHECK-SAME: tlx.tmem_columns = 512 : i64
// CHECK: tlx.local_alloc "address of tensor memory" {tlx.tmem_address}
// CHECK: tmem.alloc "acc" at 0
// CHECK: tmem.alloc "p" at 256
// CHECK: tmem.alloc "again" at 0 reuse
func.func @side_by_side() attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 2>
  // 16-bit elements lie in pairs: 128 of them are 64 columns.
  %p = tmem.alloc "p" : !tmem.buffer<128x128xf16, 1>
  %again = tmem.alloc "again" reuse %acc : !tmem.buffer<128x128xf32, 2> : !tmem.buffer<128x64xf32, 4>
  return
}

// -----

// CHECK-LABEL: func @least
// CHECK-SAME: tlx.tmem_columns = 32 : i64
func.func @least() attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<64x16xf32, 1>
  return
}

// -----

// CHECK-LABEL: func @nothing
// CHECK-NOT: tlx.tmem_columns
// CHECK-NOT: local_alloc
func.func @nothing() attributes {tlx.num_warps = 4 : i32} {
  return
}

// -----

// CHECK-LABEL: func @pair
// CHECK-SAME: tlx.tmem_pair
func.func @pair(%b: !tlx.barrier<0>) attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 1>
  tmem.commit %b two_ctas : !tlx.barrier<0>
  return
}
