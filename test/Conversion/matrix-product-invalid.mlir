// RUN: tlx-opt %s -split-input-file -verify-diagnostics -tlx-lower-to-threads
// What wgmma cannot do is an error that names the rule.

#acc = #tlx.layout<registers = [[0,1],[8,0]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>
func.func @short_k() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %a = tlx.local_alloc "a" at 0 : !tlx.buffer<64x8xf32, 0, <swizzle = 32, rows = 64>>
  %b = tlx.local_alloc "b" at 8192 : !tlx.buffer<8x8xf32, 0, <swizzle = 32, rows = 8>>
  // expected-error @+1 {{the right operand has K across its rows, which the hardware does for 16-bit elements only [dot-operand-layout]}}
  %d = tlx.async_dot %a, %b : !tlx.buffer<64x8xf32, 0, <swizzle = 32, rows = 64>>, !tlx.buffer<8x8xf32, 0, <swizzle = 32, rows = 8>> -> tensor<64x8xf32, #acc>
  return
}

// -----

#acc = #tlx.layout<registers = [[0,1],[8,0]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0]]>
func.func @rows() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %a = tlx.local_alloc "a" at 0 : !tlx.buffer<32x16xf16, 0, <swizzle = 32, rows = 32>>
  %b = tlx.local_alloc "b" at 8192 : !tlx.buffer<16x8xf16, 0, <swizzle = 32, rows = 16>>
  // expected-error @+1 {{the product has 32 rows; wgmma needs a multiple of 64 [dot-shape]}}
  %d = tlx.async_dot %a, %b : !tlx.buffer<32x16xf16, 0, <swizzle = 32, rows = 32>>, !tlx.buffer<16x8xf16, 0, <swizzle = 32, rows = 16>> -> tensor<32x8xf32, #acc>
  return
}

// -----

#acc = #tlx.layout<registers = [[0,1],[8,0]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>
func.func @unswizzled() attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %a = tlx.local_alloc "a" at 0 : !tlx.buffer<64x16xf16, 0, <swizzle = 32, rows = 64>>
  %b = tlx.local_alloc "b" at 8192 : !tlx.buffer<16x8xf16, 0, <swizzle = 0, rows = 16>>
  // expected-error @+1 {{the right operand has rows that are not a multiple of 32 bytes [dot-operand-layout]}}
  %d = tlx.async_dot %a, %b : !tlx.buffer<64x16xf16, 0, <swizzle = 32, rows = 64>>, !tlx.buffer<16x8xf16, 0, <swizzle = 0, rows = 16>> -> tensor<64x8xf32, #acc>
  return
}

// -----

#acc = #tlx.layout<registers = [[0,1],[8,0]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>
func.func @one_warp() attributes {tlx.kernel, tlx.num_warps = 2 : i32} {
  %a = tlx.local_alloc "a" at 0 : !tlx.buffer<64x16xf16, 0, <swizzle = 32, rows = 64>>
  %b = tlx.local_alloc "b" at 8192 : !tlx.buffer<16x16xf16, 0, <swizzle = 32, rows = 16>>
  // expected-error @+1 {{wgmma is issued by whole warp groups; this task has 2 warps from warp 0 on [dot-warp-group]}}
  %d = tlx.async_dot %a, %b : !tlx.buffer<64x16xf16, 0, <swizzle = 32, rows = 64>>, !tlx.buffer<16x16xf16, 0, <swizzle = 32, rows = 16>> -> tensor<64x16xf32, #tlx.layout<registers = [[0,1],[8,0],[0,8]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>>
  return
}
