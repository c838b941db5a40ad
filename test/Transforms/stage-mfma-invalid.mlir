// A product that the kernel starts itself needs an instruction.
// RUN: tlx-opt %s -tlx-stage-mfma -split-input-file -verify-diagnostics

module attributes {tlx.target = "gfx942"} {
  func.func @rows(%a: !tlx.buffer<24x32xf16, 0, <swizzle = 64, rows = 24>>, %b: !tlx.buffer<32x64xf16, 0, <swizzle = 128, rows = 32>>)
      attributes {tlx.num_warps = 4 : i32} {
    // expected-error @below {{threads share the axes of a tile of [24, 64] by halves here, which takes powers of two}}
    %d = tlx.async_dot %a, %b : !tlx.buffer<24x32xf16, 0, <swizzle = 64, rows = 24>>, !tlx.buffer<32x64xf16, 0, <swizzle = 128, rows = 32>> -> tensor<24x64xf32>
    return
  }

  func.func @few(%a: !tlx.buffer<8x32xf16, 0, <swizzle = 64, rows = 8>>, %b: !tlx.buffer<32x64xf16, 0, <swizzle = 128, rows = 32>>)
      attributes {tlx.num_warps = 4 : i32} {
    // expected-error @below {{`gfx942` has no matrix instruction for a product of 8x32 'f16' and 32x64 'f16' elements [dot-shape]}}
    %d = tlx.async_dot %a, %b : !tlx.buffer<8x32xf16, 0, <swizzle = 64, rows = 8>>, !tlx.buffer<32x64xf16, 0, <swizzle = 128, rows = 32>> -> tensor<8x64xf32>
    return
  }
}
