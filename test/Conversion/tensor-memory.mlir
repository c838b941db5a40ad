// Tensor memory on threads: allocation at entry and release at exit, the lanes of each warp, products by one thread.
// RUN: tlx-opt %s -tlx-allocate-tensor-memory -tlx-allocate-shared -tlx-lower-to-threads -split-input-file | FileCheck %s

// 128 rows: a lane each; eight warps share the columns, 32 each.
// CHECK-LABEL: llvm.func @load_full
// CHECK: thread.tmem_alloc %[[PLACE:.*]] columns 64
// CHECK: thread.tmem_relinquish
// CHECK: nvvm.barrier0
// CHECK: %[[BASE:.*]] = llvm.load %[[PLACE]]
// CHECK: %[[LANES:.*]] = llvm.shl %{{.*}}, %{{.*}} : i32
// CHECK: llvm.add %{{.*}}, %[[LANES]]
// CHECK: thread.tmem_load lanes32 %{{.*}} distance 0 : i32, {{.*}}i32
// CHECK: thread.tmem_wait_load
// CHECK: nvvm.barrier0
// CHECK: thread.tmem_dealloc %[[BASE]] columns 64
#full = #tlx.layout<registers = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warps = [[32, 0], [64, 0], [0, 32]]>
func.func @load_full() attributes {tlx.num_warps = 8 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x64xf32, 1>
  %c0 = arith.constant 0 : i32
  %one = tmem.view %acc[%c0] : !tmem.buffer<128x64xf32, 1> -> !tmem.buffer<128x64xf32, 0>
  %v = tmem.load %one : !tmem.buffer<128x64xf32, 0> -> tensor<128x64xf32, #full>
  return
}

// -----

// 64 rows: 16 lanes twice. 16-bit elements travel in pairs.
// CHECK-LABEL: llvm.func @store_half
// CHECK: thread.tmem_store lanes16_twice %{{.*}} distance 8, %{{.*}} : i32, i32, i32, i32, i32, i32, i32, i32{{$}}
// CHECK: thread.tmem_wait_store
#half = #tlx.layout<registers = [[0, 1], [0, 2], [0, 4], [0, 8]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 16]], warps = [[16, 0], [32, 0]]>
func.func @store_half() attributes {tlx.num_warps = 4 : i32} {
  %p = tmem.alloc "p" : !tmem.buffer<64x32xf16, 1>
  %c0 = arith.constant 0 : i32
  %one = tmem.view %p[%c0] : !tmem.buffer<64x32xf16, 1> -> !tmem.buffer<64x32xf16, 0>
  %v = arith.constant dense<1.0> : tensor<64x32xf16, #half>
  tmem.store %one, %v : !tmem.buffer<64x32xf16, 0>, tensor<64x32xf16, #half>
  return
}

// -----

// K of 32 in two steps of 16; the first adds to what `use_acc` says, the second always; then the commit. 136380432 is
// f16 times f16 into f32, M 128, N 128, B along its rows (bit 16).
// CHECK-LABEL: llvm.func @product
// CHECK: llvm.cond_br
// CHECK: llvm.mlir.constant(136380432 : i32)
// CHECK: thread.tcgen05_mma f16 %[[D:.*]], %{{.*}}, %{{.*}}, %{{.*}} accumulate %[[FIRST:.*]] : i64
// CHECK: %[[YES:.*]] = llvm.mlir.constant(true)
// CHECK: thread.tcgen05_mma f16 %[[D]], %{{.*}}, %{{.*}}, %{{.*}} accumulate %[[YES]] : i64
// CHECK-NEXT: thread.tcgen05_commit
!a = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!b = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>
func.func @product(%p: i1) attributes {tlx.num_warps = 4 : i32} {
  %a = tlx.local_alloc "a" : !a
  %b = tlx.local_alloc "b" : !b
  %bars = tlx.alloc_barriers "done" arrivals 1 : !tlx.barrier<1>
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 1>
  %c0 = arith.constant 0 : i32
  %bar = tlx.barrier_view %bars[%c0] : !tlx.barrier<1> -> !tlx.barrier<0>
  %d = tmem.view %acc[%c0] : !tmem.buffer<128x128xf32, 1> -> !tmem.buffer<128x128xf32, 0>
  tmem.dot %a, %b into %d use_acc %p signal %bar : !tlx.barrier<0> : !a, !b, !tmem.buffer<128x128xf32, 0>
  return
}

// -----

// A in tensor memory: its address, 8 columns further for each step of 16.
// CHECK-LABEL: llvm.func @from_tensor_memory
// CHECK: thread.tcgen05_mma f16 %{{.*}}, %[[A:.*]], %{{.*}}, %{{.*}} accumulate %{{.*}} : i32
// CHECK: %[[STEP:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[NEXT:.*]] = llvm.add %[[A]], %[[STEP]]
// CHECK: thread.tcgen05_mma f16 %{{.*}}, %[[NEXT]], %{{.*}}, %{{.*}} accumulate %{{.*}} : i32
!b = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>
func.func @from_tensor_memory() attributes {tlx.num_warps = 4 : i32} {
  %b = tlx.local_alloc "b" : !b
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 1>
  %p = tmem.alloc "p" : !tmem.buffer<128x32xf16, 1>
  %c0 = arith.constant 0 : i32
  %d = tmem.view %acc[%c0] : !tmem.buffer<128x128xf32, 1> -> !tmem.buffer<128x128xf32, 0>
  %a = tmem.view %p[%c0] : !tmem.buffer<128x32xf16, 1> -> !tmem.buffer<128x32xf16, 0>
  tmem.dot %a, %b into %d : !tmem.buffer<128x32xf16, 0>, !b, !tmem.buffer<128x128xf32, 0>
  return
}
