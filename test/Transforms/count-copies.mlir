// Waits for groups become waits for all but the instructions that the youngest groups have on every path.
// RUN: tlx-opt %s -tlx-annotate-accesses -tlx-assign-layouts -tlx-count-copies | FileCheck %s

module attributes {tlx.target = "gfx950"} {
  // 64 x 64 elements of 2 bytes are 8192 bytes; a wave copies 1024 at once, so each of 4 waves issues 2 for a tile.
  // CHECK-LABEL: @ring
  // CHECK: tlx.async_load {{.*}}tlx.lane_bytes = 16 : i32
  // CHECK: tlx.async_wait 1 {{.*}}tlx.in_flight = 2 : i32
  // CHECK: scf.for
  // CHECK: tlx.async_wait 1 {{.*}}tlx.in_flight = 2 : i32
  // A loop that did not run leaves two groups.
  // CHECK: tlx.async_wait 2 {{.*}}tlx.in_flight = 4 : i32
  // CHECK: tlx.async_wait 3 {{.*}}tlx.in_flight = 4 : i32
  func.func @ring(%p: !tlx.ptr<f16> {tlx.divisibility = 16 : i32}, %n: i32) attributes {tlx.num_warps = 4 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant dense<64> : tensor<64x64xi32>
    %r = tlx.range 0 to 64 : tensor<64xi32>
    %rows = tlx.expand_dims %r at 1 : tensor<64xi32> -> tensor<64x1xi32>
    %columns = tlx.expand_dims %r at 0 : tensor<64xi32> -> tensor<1x64xi32>
    %allRows = tlx.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
    %allColumns = tlx.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
    %starts = arith.muli %allRows, %c64 : tensor<64x64xi32>
    %offsets = arith.addi %starts, %allColumns : tensor<64x64xi32>
    %base = tlx.splat %p : !tlx.ptr<f16> -> tensor<64x64x!tlx.ptr<f16>>
    %pointers = tlx.addptr %base, %offsets : tensor<64x64x!tlx.ptr<f16>>, tensor<64x64xi32> -> tensor<64x64x!tlx.ptr<f16>>
    %ring = tlx.local_alloc "ring" : !tlx.buffer<64x64xf16, 3, <swizzle = 128, rows = 64>>
    %slot = tlx.local_view %ring[%c0] : !tlx.buffer<64x64xf16, 3, <swizzle = 128, rows = 64>> -> !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
    %t0 = tlx.async_load %pointers, %slot : tensor<64x64x!tlx.ptr<f16>>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
    %g0 = tlx.async_commit after %t0
    %t1 = tlx.async_load %pointers, %slot : tensor<64x64x!tlx.ptr<f16>>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
    %g1 = tlx.async_commit after %t1
    %w0 = tlx.async_wait 1
    scf.for %i = %c0 to %n step %c1 : i32 {
      %w1 = tlx.async_wait 1
      %t2 = tlx.async_load %pointers, %slot : tensor<64x64x!tlx.ptr<f16>>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
      %g2 = tlx.async_commit after %t2
    }
    %w2 = tlx.async_wait 2
    %w3 = tlx.async_wait 3
    return
  }
}
