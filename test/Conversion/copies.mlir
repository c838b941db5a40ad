// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// Copies by tensor map go box by box; cp.async by thread.

// A block of 128-byte-wide boxes: two messages, 8192 bytes apart in memory and 64 elements apart in the tensor. Innermost
// coordinate first.
// CHECK-LABEL: llvm.func @boxes
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %{{.*}}[8192]
// CHECK-NOT: tma_load
// CHECK: %[[STEP:.*]] = llvm.mlir.constant(64 : i32)
// CHECK: %[[INNER:.*]] = llvm.add %{{.*}}, %[[STEP]]
func.func @boxes(%d: !tlx.desc<1x64x128xf16> {tlx.tensor_map = {box = array<i64: 1, 64, 64>}}, %x: i32, %y: i32, %z: i32) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %b = tlx.local_alloc "b" at 0 : !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>
  %bar = tlx.alloc_barriers "bar" arrivals 1 at 16384 : !tlx.barrier<1>
  tlx.tma_load %d[%z, %y, %x] to %b signal %bar : !tlx.desc<1x64x128xf16>, !tlx.buffer<64x128xf16, 0, <swizzle = 128, rows = 64>>, !tlx.barrier<1>
  return
}

// -----

#rows = #tlx.layout<registers = [[0,1],[0,2],[0,4]], lanes = [[0,8],[0,16],[1,0],[2,0],[4,0]], warps = []>

// Eight 16-bit elements at a time; masked-out ones are read as zero bytes.
// CHECK-LABEL: llvm.func @cp_async
// CHECK: thread.cp_async %{{.*}}, %{{.*}} bytes 16 valid %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK-NOT: thread.cp_async
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
func.func @cp_async(%p: !tlx.ptr<f16>, %m: i1) attributes {tlx.kernel, tlx.num_warps = 1 : i32} {
  %b = tlx.local_alloc "b" at 0 : !tlx.buffer<8x32xf16, 0, <swizzle = 64, rows = 8>>
  %ps = tlx.splat %p : !tlx.ptr<f16> -> tensor<8x32x!tlx.ptr<f16>, #rows>
  %ms = tlx.splat %m : i1 -> tensor<8x32xi1, #rows>
  %t = tlx.async_load %ps, %b mask %ms : tensor<8x32xi1, #rows> {tlx.vector = 8 : i32} : tensor<8x32x!tlx.ptr<f16>, #rows>, !tlx.buffer<8x32xf16, 0, <swizzle = 64, rows = 8>>
  %g = tlx.async_commit after %t
  %w = tlx.async_wait 1 after %g
  return
}
