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
