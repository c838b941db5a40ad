// What is printed parses again, whatever stands behind it.
// RUN: tlx-opt %s | tlx-opt | FileCheck %s

// A list of tokens that may be empty ends before the next line's result.
// CHECK-LABEL: func.func @tokens
func.func @tokens(%p: tensor<128x!tlx.ptr<f32>>) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %s = tlx.local_alloc "s" : !tlx.buffer<128xf32, 1, <swizzle = 0, rows = 1>>
  %zero = arith.constant 0 : i32
  %v = tlx.local_view %s[%zero] : !tlx.buffer<128xf32, 1, <swizzle = 0, rows = 1>> -> !tlx.buffer<128xf32, 0, <swizzle = 0, rows = 1>>
  // CHECK: %[[T:.*]] = tlx.async_load
  %t = tlx.async_load %p, %v : tensor<128x!tlx.ptr<f32>>, !tlx.buffer<128xf32, 0, <swizzle = 0, rows = 1>>
  // CHECK: tlx.async_commit{{$}}
  %a = tlx.async_commit
  // CHECK: %[[G:.*]] = tlx.async_commit after %[[T]]
  %g = tlx.async_commit after %t
  // CHECK: tlx.async_wait 0{{$}}
  %b = tlx.async_wait 0
  // CHECK: tlx.async_wait 1 after %[[G]], %[[T]]
  %c = tlx.async_wait 1 after %g, %t
  %x = arith.constant 1 : i32
  return
}

// CHECK-LABEL: func.func @along_axis
func.func @along_axis(%x: tensor<8x64xf32>, %i: tensor<8x64xi32>) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  // CHECK: tlx.pair %{{.*}} along 1 bit 3 : tensor<8x64xf32>
  %low, %high = tlx.pair %x along 1 bit 3 : tensor<8x64xf32>
  // CHECK: tlx.drop_axis %{{.*}} along 0 : tensor<8x64xf32> -> tensor<64xf32>
  %d = tlx.drop_axis %low along 0 : tensor<8x64xf32> -> tensor<64xf32>
  // CHECK: tlx.gather %{{.*}} at %{{.*}} along 1
  %g = tlx.gather %x at %i along 1 : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<8x64xf32>
  return
}
