// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// How wgmma operands are addressed: descriptors of K-major and MN-major tiles, A from registers, the first scale.

#acc = #tlx.layout<registers = [[0,1],[8,0]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>

// Both operands K-major in 128-byte swizzle: 8 rows apart 1024 bytes (64 << 32), mode 1; two K steps, 32 bytes (2) apart.
// CHECK-LABEL: llvm.func @k_major
// The CTA's rank in a cluster stands above the address and is cut off.
// CHECK: %[[MASK:.*]] = llvm.mlir.constant(262143 : i32) : i32
// CHECK: llvm.and %{{.*}}, %[[MASK]]
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: llvm.mlir.constant(4611686293305294848 : i64) : i64
// CHECK: thread.wgmma n 8 k 16 f32 f16 f16 trans false false
// CHECK-SAME: -> f32, f32, f32, f32
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.add %{{.*}}, %[[TWO]] : i32
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(true) : i1
// CHECK: thread.wgmma n 8 k 16 {{.*}} scale_d(%[[ONE]])
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: thread.wgmma_wait 0
func.func @k_major(%acc: f32) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %a = tlx.local_alloc "a" at 0 : !tlx.buffer<64x32xf16, 0, <swizzle = 128, rows = 64>>
  %b = tlx.local_alloc "b" at 8192 : !tlx.buffer<8x32xf16, 0, <swizzle = 128, rows = 8>>
  %t = tlx.local_trans %b : !tlx.buffer<8x32xf16, 0, <swizzle = 128, rows = 8>> -> !tlx.buffer<32x8xf16, 0, <swizzle = 128, rows = 8, transposed = true>>
  %c = tlx.splat %acc : f32 -> tensor<64x8xf32, #acc>
  %d = tlx.async_dot %a, %t acc %c : tensor<64x8xf32, #acc> : !tlx.buffer<64x32xf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<32x8xf16, 0, <swizzle = 128, rows = 8, transposed = true>> -> tensor<64x8xf32, #acc>
  %w = tlx.async_dot_wait 0, %d : tensor<64x8xf32, #acc>
  return
}

// -----

#acc = #tlx.layout<registers = [[0,1],[8,0],[0,8],[0,16],[0,32],[0,64]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>

// B is K x N as it lies: N-major in two panels of 64 columns, 32 rows * 128 bytes = 4096 (256 << 16) apart; a K step of
// 16 rows is 2048 bytes (128). No accumulator: the first product replaces what the registers hold.
// CHECK-LABEL: llvm.func @n_major
// CHECK: llvm.mlir.constant(false) : i1
// CHECK: llvm.mlir.constant(16777216 : i32) : i32
// CHECK: thread.wgmma n 128 k 16 f32 bf16 bf16 trans false true
// CHECK: llvm.mlir.constant(128 : i32) : i32
// CHECK: thread.wgmma n 128 k 16
func.func @n_major() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %a = tlx.local_alloc "a" at 0 : !tlx.buffer<64x32xbf16, 0, <swizzle = 64, rows = 64>>
  %b = tlx.local_alloc "b" at 8192 : !tlx.buffer<32x128xbf16, 0, <swizzle = 128, rows = 32>>
  %d = tlx.async_dot %a, %b : !tlx.buffer<64x32xbf16, 0, <swizzle = 64, rows = 64>>, !tlx.buffer<32x128xbf16, 0, <swizzle = 128, rows = 32>> -> tensor<64x128xf32, #acc>
  %w = tlx.async_dot_wait 0, %d : tensor<64x128xf32, #acc>
  return
}

// -----

#acc = #tlx.layout<registers = [[0,1],[8,0],[0,8]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>

// A from registers: four words of two elements each.
// CHECK-LABEL: llvm.func @from_registers
// CHECK: %[[W:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: thread.wgmma n 16 k 16 f32 f16 f16 {{.*}} a(%[[W]], %{{.*}}, %{{.*}}, %{{.*}}) {{.*}} a(i32, i32, i32, i32)
func.func @from_registers(%v: f16) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %b = tlx.local_alloc "b" at 0 : !tlx.buffer<16x16xf16, 0, <swizzle = 32, rows = 16>>
  %a = tlx.splat %v : f16 -> tensor<64x16xf16, #acc>
  %d = tlx.async_dot %a, %b : tensor<64x16xf16, #acc>, !tlx.buffer<16x16xf16, 0, <swizzle = 32, rows = 16>> -> tensor<64x16xf32, #acc>
  %w = tlx.async_dot_wait 0, %d : tensor<64x16xf32, #acc>
  return
}
