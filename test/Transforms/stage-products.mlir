// Products of tiles in registers: by warp groups where those fit, else by single warps, else by threads.
// RUN: tlx-opt %s -tlx-stage-products -split-input-file | FileCheck %s

module attributes {tlx.target = "sm_90a"} {
  // CHECK-LABEL: @group
  // CHECK: tlx.async_dot
  func.func @group(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "tf32" : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %d : tensor<64x64xf32>
  }

  // Two warps are no warp group. What was loaded goes through a buffer, what was not is multiplied from registers.
  // CHECK-LABEL: @warps
  // CHECK: tlx.local_store %[[B:.*]], %{{.*}} : <32x64xf16
  // CHECK: tlx.mma_dot %arg1, %[[B]] acc %{{.*}} warps 2 x 1 : tensor<64x32xf16>, !tlx.buffer<32x64xf16
  func.func @warps(%p: tensor<32x64x!tlx.ptr<f16>>, %a: tensor<64x32xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {tlx.num_warps = 2 : i32} {
    %b = tlx.load %p : tensor<32x64x!tlx.ptr<f16>> -> tensor<32x64xf16>
    %d = tlx.dot %a, %b acc %acc precision "tf32" : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %d : tensor<64x64xf32>
  }

  // Neighbours in memory lie along the first axis: loaded along rows, turned when it is read.
  // CHECK-LABEL: @across
  // CHECK: %[[P:.*]] = tlx.permute %{{.*}} order [1, 0] : tensor<64x32x!tlx.ptr<f16>> -> tensor<32x64x!tlx.ptr<f16>>
  // CHECK: tlx.load %[[P]] : tensor<32x64x!tlx.ptr<f16>> -> tensor<32x64xf16>
  // CHECK: tlx.local_store
  // CHECK: %[[B:.*]] = tlx.local_trans
  // CHECK: tlx.mma_dot %{{.*}}, %[[B]]
  func.func @across(%p: !tlx.ptr<f16> {tlx.divisibility = 16 : i32}, %a: tensor<16x64xf16>, %acc: tensor<16x32xf32>) -> tensor<16x32xf32>
      attributes {tlx.num_warps = 2 : i32} {
    %k = tlx.range 0 to 64 : tensor<64xi32>
    %rows = tlx.expand_dims %k at 1 : tensor<64xi32> -> tensor<64x1xi32>
    %base = tlx.splat %p : !tlx.ptr<f16> -> tensor<64x1x!tlx.ptr<f16>>
    %column = tlx.addptr %base, %rows : tensor<64x1x!tlx.ptr<f16>>, tensor<64x1xi32> -> tensor<64x1x!tlx.ptr<f16>>
    %all = tlx.broadcast %column : tensor<64x1x!tlx.ptr<f16>> -> tensor<64x32x!tlx.ptr<f16>>
    %b = tlx.load %all : tensor<64x32x!tlx.ptr<f16>> -> tensor<64x32xf16>
    %d = tlx.dot %a, %b acc %acc precision "tf32" : tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x32xf32> -> tensor<16x32xf32>
    return %d : tensor<16x32xf32>
  }

  // Where one product's sums are multiplied again warps have whole rows.
  // CHECK-LABEL: @chain
  // CHECK: tlx.mma_dot {{.*}} warps 2 x 1
  // CHECK: %[[P:.*]] = arith.truncf
  // CHECK: tlx.mma_dot %[[P]], {{.*}} warps 2 x 1
  func.func @chain(%a: tensor<32x64xf16>, %b: tensor<64x64xf16>, %acc: tensor<32x64xf32>) -> tensor<32x64xf32>
      attributes {tlx.num_warps = 2 : i32} {
    %s = tlx.dot %a, %b acc %acc precision "tf32" : tensor<32x64xf16>, tensor<64x64xf16>, tensor<32x64xf32> -> tensor<32x64xf32>
    %p = arith.truncf %s : tensor<32x64xf32> to tensor<32x64xf16>
    %d = tlx.dot %p, %b acc %acc precision "tf32" : tensor<32x64xf16>, tensor<64x64xf16>, tensor<32x64xf32> -> tensor<32x64xf32>
    return %d : tensor<32x64xf32>
  }

  // Fewer rows or less of K than an instruction has, sums that no instruction makes, and exact 32-bit floats.
  // CHECK-LABEL: @threads
  // CHECK-NOT: mma_dot
  // CHECK-COUNT-3: tlx.fma_dot
  func.func @threads(%a: tensor<8x16xf16>, %b: tensor<16x16xf16>, %acc: tensor<8x16xf32>, %c: tensor<16x8xf16>, %d: tensor<8x16xf16>,
                     %sum: tensor<16x16xf32>, %e: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>)
      attributes {tlx.num_warps = 4 : i32} {
    %x = tlx.dot %a, %b acc %acc precision "tf32" : tensor<8x16xf16>, tensor<16x16xf16>, tensor<8x16xf32> -> tensor<8x16xf32>
    %y = tlx.dot %c, %d acc %sum precision "tf32" : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32> -> tensor<16x16xf32>
    %z = tlx.dot %e, %e acc %sum precision "ieee" : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %x, %y, %z : tensor<8x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  }

  // What a loop does not change is read in front of it.
  // CHECK-LABEL: @invariant
  // CHECK: %[[A:.*]] = tlx.local_load
  // CHECK: scf.for
  // CHECK: tlx.mma_dot %[[A]], %{{.*}} : tensor<16x32xf16>, !tlx.buffer<32x64xf16
  func.func @invariant(%p: tensor<16x32x!tlx.ptr<f16>>, %q: tensor<32x64x!tlx.ptr<f16>>, %zero: tensor<16x64xf32>, %n: index) -> tensor<16x64xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = tlx.load %p : tensor<16x32x!tlx.ptr<f16>> -> tensor<16x32xf16>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<16x64xf32> {
      %b = tlx.load %q : tensor<32x64x!tlx.ptr<f16>> -> tensor<32x64xf16>
      %d = tlx.dot %a, %b acc %acc precision "tf32" : tensor<16x32xf16>, tensor<32x64xf16>, tensor<16x64xf32> -> tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    return %r : tensor<16x64xf32>
  }
}

// -----

// Machines of another vendor have their own.
module attributes {tlx.target = "gfx942"} {
  // CHECK-LABEL: @waves
  // CHECK-NOT: mma_dot
  // CHECK: tlx.fma_dot
  func.func @waves(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32>
      attributes {tlx.num_warps = 2 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "tf32" : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %d : tensor<16x16xf32>
  }
}
