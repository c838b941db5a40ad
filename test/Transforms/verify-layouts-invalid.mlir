// Layouts that lowering could not use.
// RUN: tlx-opt %s -tlx-verify-layouts -split-input-file -verify-diagnostics

func.func @none() attributes {tlx.num_warps = 4 : i32} {
  // expected-error @below {{a tile without a layout for 4 warps}}
  %r = tlx.range 0 to 128 : tensor<128xi32>
  return
}

// -----

// Two warps in a task of four.
#two = #tlx.layout<registers = [[64]], lanes = [[1], [2], [4], [8], [16]], warps = [[32]]>
func.func @warps() attributes {tlx.num_warps = 4 : i32} {
  // expected-error @below {{a tile without a layout for 4 warps}}
  %r = tlx.range 0 to 128 : tensor<128xi32, #two>
  return
}

// -----

#rows = #tlx.layout<registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#other = #tlx.layout<registers = [], lanes = [[4], [8], [16], [32], [64]], warps = [[1], [2]]>
func.func @broadcast() attributes {tlx.num_warps = 4 : i32} {
  %r = tlx.range 0 to 128 : tensor<128xi32, #rows>
  // expected-error @below {{the operand's layout does not give the result's}}
  %e = tlx.expand_dims %r at 0 : tensor<128xi32, #rows> -> tensor<1x128xi32, #tlx.layout<registers = [], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warps = [[0, 1], [0, 2]]>>
  return
}

// -----

#rows = #tlx.layout<registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#other = #tlx.layout<registers = [], lanes = [[4], [8], [16], [32], [64]], warps = [[1], [2]]>
func.func @elementwise(%p: !tlx.ptr<i32>) attributes {tlx.num_warps = 4 : i32} {
  %r = tlx.range 0 to 128 : tensor<128xi32, #other>
  %s = tlx.splat %p : !tlx.ptr<i32> -> tensor<128x!tlx.ptr<i32>, #rows>
  // expected-error @below {{elementwise on tiles of different layouts}}
  tlx.store %s, %r : tensor<128x!tlx.ptr<i32>, #rows>, tensor<128xi32, #other>
  return
}

// -----

#rows = #tlx.layout<registers = [[16, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], warps = [[32, 0], [0, 0]]>
func.func @fragment() attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  // expected-error @below {{a product on fragments that the tensor cores do not have}}
  %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32, #rows>
  return
}

// -----

// The accumulator is held along rows, not as mma.sync leaves it.
#rows = #tlx.layout<registers = [[0, 1], [0, 2]], lanes = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warps = []>
func.func @warp_product(%a: !tlx.buffer<16x16xf16, 0, <swizzle = 32, rows = 16>>, %b: !tlx.buffer<16x8xf16, 0, <swizzle = 0, rows = 16>>, %acc: tensor<16x8xf32, #rows>) attributes {tlx.num_warps = 1 : i32} {
  // expected-error @below {{a product on tiles that are not held as its instruction wants them}}
  %d = tlx.mma_dot %a, %b acc %acc warps 1 x 1 : !tlx.buffer<16x16xf16, 0, <swizzle = 32, rows = 16>>, !tlx.buffer<16x8xf16, 0, <swizzle = 0, rows = 16>>, tensor<16x8xf32, #rows>
  return
}
