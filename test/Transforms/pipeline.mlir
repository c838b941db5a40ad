// A kernel in the shorthand, through all passes: what lowering finds.
// RUN: tlx-opt %s -tlx-to-laid-out -tlx-verify-layouts | FileCheck %s --check-prefix=TILES
// RUN: tlx-opt %s -tlx-to-allocated | FileCheck %s

// Only the matrix that leaves through pointers is converted.
// TILES-COUNT-1: tlx.convert_layout
// TILES-NOT: tlx.convert_layout

// CHECK-LABEL: func @gemm
// CHECK-SAME: pointer = "A_ptr"
// CHECK-SAME: tlx.shared_bytes = 163904
// CHECK: tlx.local_alloc "smem_a" at 0
// CHECK: tlx.local_alloc "smem_b" at 65536
// CHECK: tlx.alloc_barriers "barriers.full" arrivals 1 at 163840
// CHECK: tlx.alloc_barriers "barriers.empty" arrivals 2 at 163872
// CHECK: attributes {tlx.barrier_ids = array<i32: -1, 1>, tlx.leader = array<i32: 1, 0>}
// CHECK: tlx.barrier_expect %{{.*}} bytes 32768
// CHECK: }, {
// CHECK: tlx.async_dot
// CHECK: tlx.async_dot_wait 0
// Two warp groups: each says so when it is done.
// CHECK: tlx.barrier_arrive %{{.*}} count 1 {converged, tlx.each_group} : <0>
// CHECK: tlx.convert_layout {{.*}} {tlx.scratch = 131072 : i64}
// CHECK: tlx.store {{.*}} {tlx.vector = 8 : i32}
func.func @gemm(%a: !tlx.desc<128x64xf16> {tlx.tensor_map = {pointer = "A_ptr"}}, %b: !tlx.desc<64x128xf16>, %p: !tlx.ptr<f16> {tlx.divisibility = 16 : i32}) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %sa = tlx.local_alloc "smem_a" : !tlx.buffer<128x64xf16, 4, <swizzle = 128, rows = 128>>
  %sb = tlx.local_alloc "smem_b" : !tlx.buffer<64x128xf16, 4, <swizzle = 128, rows = 64>>
  %ch = tlx.alloc_channel "barriers" : !tlx.channel<4>
  tlx.async_tasks warps [4, 8] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    scf.for %s = %c0 to %c4 step %c1 : i32 {
      %k = arith.muli %s, %c64 : i32
      %va = tlx.local_view %sa[%s] : !tlx.buffer<128x64xf16, 4, <swizzle = 128, rows = 128>> -> !tlx.buffer<128x64xf16, 0, <swizzle = 128, rows = 128>>
      tlx.channel_load %ch[%s], %a[%c0, %k] to %va : !tlx.channel<4>, !tlx.desc<128x64xf16>, !tlx.buffer<128x64xf16, 0, <swizzle = 128, rows = 128>>
      %vb = tlx.local_view %sb[%s] : !tlx.buffer<64x128xf16, 4, <swizzle = 128, rows = 64>> -> !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>
      tlx.channel_load %ch[%s], %b[%k, %c0] to %vb : !tlx.channel<4>, !tlx.desc<64x128xf16>, !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>
    }
    tlx.task_end
  }, {
    %z = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %s = %c0 to %c4 step %c1 iter_args(%x = %z) -> (tensor<128x128xf32>) : i32 {
      tlx.channel_wait %ch[%s] : !tlx.channel<4>
      %va = tlx.local_view %sa[%s] : !tlx.buffer<128x64xf16, 4, <swizzle = 128, rows = 128>> -> !tlx.buffer<128x64xf16, 0, <swizzle = 128, rows = 128>>
      %vb = tlx.local_view %sb[%s] : !tlx.buffer<64x128xf16, 4, <swizzle = 128, rows = 64>> -> !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>
      %d = tlx.async_dot %va, %vb acc %x : tensor<128x128xf32> : !tlx.buffer<128x64xf16, 0, <swizzle = 128, rows = 128>>, !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>> -> tensor<128x128xf32>
      %w = tlx.async_dot_wait 0, %d : tensor<128x128xf32>
      tlx.channel_release %ch[%s] : !tlx.channel<4>
      scf.yield %w : tensor<128x128xf32>
    }
    %h = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    %r = tlx.range 0 to 128 : tensor<128xi32>
    %width = arith.constant dense<128> : tensor<128x1xi32>
    %re = tlx.expand_dims %r at 1 : tensor<128xi32> -> tensor<128x1xi32>
    %ro = arith.muli %re, %width : tensor<128x1xi32>
    %ce = tlx.expand_dims %r at 0 : tensor<128xi32> -> tensor<1x128xi32>
    %rb = tlx.broadcast %ro : tensor<128x1xi32> -> tensor<128x128xi32>
    %cb = tlx.broadcast %ce : tensor<1x128xi32> -> tensor<128x128xi32>
    %o = arith.addi %rb, %cb : tensor<128x128xi32>
    %ps = tlx.splat %p : !tlx.ptr<f16> -> tensor<128x128x!tlx.ptr<f16>>
    %pp = tlx.addptr %ps, %o : tensor<128x128x!tlx.ptr<f16>>, tensor<128x128xi32> -> tensor<128x128x!tlx.ptr<f16>>
    tlx.store %pp, %h : tensor<128x128x!tlx.ptr<f16>>, tensor<128x128xf16>
    tlx.task_end
  }
  return
}
