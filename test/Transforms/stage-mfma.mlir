// Products of tiles become mfma where the machine has an instruction for them; what was loaded goes through a buffer.
// RUN: tlx-opt %s -tlx-stage-mfma -split-input-file | FileCheck %s

module attributes {tlx.target = "gfx942"} {
  // CHECK-LABEL: @halves
  // CHECK: tlx.local_store {{.*}} : <64x32xf16
  // CHECK: %[[A:.*]] = tlx.local_load {{.*}} -> tensor<64x32xf16>
  // CHECK: tlx.mfma_dot %[[A]], {{.*}} tile 32 depth 8 run 8 warps 2 x 2
  func.func @halves(%p: tensor<64x32x!tlx.ptr<f16>>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %a = tlx.load %p : tensor<64x32x!tlx.ptr<f16>> -> tensor<64x32xf16>
    %d = tlx.dot %a, %b acc %acc precision "ieee" : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %d : tensor<64x64xf32>
  }
}

// -----

module attributes {tlx.target = "gfx950"} {
  // CHECK-LABEL: @deep
  // CHECK: tlx.mfma_dot {{.*}} tile 32 depth 16 run 8 warps 2 x 2
  func.func @deep(%a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>) -> tensor<128x128xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "ieee" : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32> -> tensor<128x128xf32>
    return %d : tensor<128x128xf32>
  }

  // What a product gave is multiplied again as it is: runs of 4, and each wave has whole rows.
  // CHECK-LABEL: @chain
  // CHECK: tlx.mfma_dot {{.*}} run 8 warps 2 x 1
  // CHECK: tlx.mfma_dot {{.*}} run 4 warps 2 x 1
  func.func @chain(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {tlx.num_warps = 2 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "ieee" : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    %p = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %e = tlx.dot %p, %p acc %acc precision "ieee" : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %e : tensor<64x64xf32>
  }

  // No instruction multiplies these: left for threads.
  // CHECK-LABEL: @other
  // CHECK-NOT: tlx.mfma_dot
  // CHECK: tlx.dot
  func.func @other(%a: tensor<8x32xf16>, %b: tensor<32x64xf16>, %acc: tensor<8x64xf32>) -> tensor<8x64xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "ieee" : tensor<8x32xf16>, tensor<32x64xf16>, tensor<8x64xf32> -> tensor<8x64xf32>
    return %d : tensor<8x64xf32>
  }
}

// -----

// `gfx942` multiplies floats without minus zero by itself; those of OCP become f16, which holds them exactly.
module attributes {tlx.target = "gfx942"} {
  // CHECK-LABEL: @own
  // CHECK: tlx.mfma_dot %arg0, %arg1 {{.*}} tile 32 depth 16 run 16 {{.*}} : tensor<64x32xf8E4M3FNUZ>, tensor<32x64xf8E5M2FNUZ>
  func.func @own(%a: tensor<64x32xf8E4M3FNUZ>, %b: tensor<32x64xf8E5M2FNUZ>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "ieee" : tensor<64x32xf8E4M3FNUZ>, tensor<32x64xf8E5M2FNUZ>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %d : tensor<64x64xf32>
  }

  // CHECK-LABEL: @others
  // CHECK: %[[A:.*]] = arith.extf %arg0 : tensor<64x32xf8E4M3FN> to tensor<64x32xf16>
  // CHECK: %[[B:.*]] = arith.extf %arg1 : tensor<32x64xf8E4M3FN> to tensor<32x64xf16>
  // CHECK: tlx.mfma_dot %[[A]], %[[B]] {{.*}} tile 32 depth 8
  func.func @others(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E4M3FN>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "ieee" : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %d : tensor<64x64xf32>
  }

  // Bytes without a sign are 128 more than what the instruction takes them for: three products instead of one.
  // CHECK-LABEL: @bytes
  // CHECK: %[[A:.*]] = arith.xori
  // CHECK: %[[FIRST:.*]] = tlx.mfma_dot %[[A]], %[[B:.*]] acc
  // CHECK: %[[SECOND:.*]] = tlx.mfma_dot %{{cst.*}}, %[[B]] acc %[[FIRST]]
  // CHECK: tlx.mfma_dot %{{cst.*}}, %[[B]] acc %[[SECOND]]
  func.func @bytes(%a: !tlx.buffer<64x32xi8, 0, <swizzle = 32, rows = 64>>, %b: !tlx.buffer<32x64xi8, 0, <swizzle = 64, rows = 32>>) -> tensor<64x64xi32>
      attributes {tlx.num_warps = 4 : i32} {
    %d = tlx.async_dot %a, %b {tlx.unsigned_a} : !tlx.buffer<64x32xi8, 0, <swizzle = 32, rows = 64>>, !tlx.buffer<32x64xi8, 0, <swizzle = 64, rows = 32>> -> tensor<64x64xi32>
    return %d : tensor<64x64xi32>
  }
}

// -----

// NVIDIA's machines have other products.
module attributes {tlx.target = "sm_90a"} {
  // CHECK-LABEL: @elsewhere
  // CHECK-NOT: tlx.mfma_dot
  func.func @elsewhere(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {tlx.num_warps = 4 : i32} {
    %d = tlx.dot %a, %b acc %acc precision "ieee" : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %d : tensor<64x64xf32>
  }
}
