// What the source language never lets through, asked of the dialect: lowering refuses it by name all the same.

// RUN: split-file %s %t
// RUN: not tlxc %t/fence.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: fence.mlir:3:{{[0-9]+}}: error: fence scope `block`; known are async_shared, async_global, gpu, sys [unknown-fence-scope]
// RUN: not tlxc %t/order.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: order.mlir:4:{{[0-9]+}}: error: memory order `weak`; known are relaxed, acquire, release, acq_rel [unknown-memory-order]
// RUN: not tlxc %t/approx.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=APPROX
// APPROX: approx.mlir:4:{{[0-9]+}}: error: this function needs 32-bit floats [unsupported-approx-type]
// RUN: not tlxc %t/constant.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: constant.mlir:3:{{[0-9]+}}: error: only constant tiles of one value are supported [unsupported-constant]
// RUN: not tlxc %t/operation.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=OPERATION
// OPERATION: operation.mlir:3:{{[0-9]+}}: error: this operation has no lowering for this target [unsupported-operation]
// RUN: not tlxc %t/scalar.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: scalar.mlir:5:{{[0-9]+}}: error: async_load copies a tile; the pointer is a scalar [async-load-scalar]

//--- fence.mlir
module attributes {tlx.gate = "built"} {
  func.func @k() attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 1, 1, 1>} {
    tlx.fence "block"
    return
  }
}
//--- order.mlir
module attributes {tlx.gate = "built"} {
  func.func @k(%p: !tlx.ptr<i32>) attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 1, 1, 1>} {
    %one = arith.constant 1 : i32
    %old = tlx.atomic add %p, %one order "weak" scope "gpu" : !tlx.ptr<i32>, i32 -> i32
    return
  }
}
//--- approx.mlir
module attributes {tlx.gate = "built"} {
  func.func @k(%p: !tlx.ptr<f64>) attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 1, 1, 1>} {
    %x = tlx.load %p : !tlx.ptr<f64> -> f64
    %y = tlx.approx exp2 %x : f64
    tlx.store %p, %y : !tlx.ptr<f64>, f64
    return
  }
}
//--- constant.mlir
module attributes {tlx.gate = "built"} {
  func.func @k(%p: !tlx.ptr<f32>) attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 1, 1, 1>} {
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %r = tlx.range 0 to 2 : tensor<2xi32>
    %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<2x!tlx.ptr<f32>>
    %a = tlx.addptr %s, %r : tensor<2x!tlx.ptr<f32>>, tensor<2xi32> -> tensor<2x!tlx.ptr<f32>>
    tlx.store %a, %c : tensor<2x!tlx.ptr<f32>>, tensor<2xf32>
    return
  }
}
//--- operation.mlir
module attributes {tlx.gate = "built"} {
  func.func @k() attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 1, 1, 1>} {
    func.call @k() : () -> ()
    return
  }
}
//--- scalar.mlir
module attributes {tlx.gate = "built"} {
  func.func @k(%p: !tlx.ptr<f16>) attributes {tlx.kernel, tlx.num_warps = 4 : i32, tlx.cluster = array<i32: 1, 1, 1>} {
    %a = tlx.local_alloc "a" : !tlx.buffer<128xf16, 1, #tlx.shared<swizzle = 0, rows = 128>>
    %zero = arith.constant 0 : i32
    %t = tlx.async_load %p, %a : !tlx.ptr<f16>, !tlx.buffer<128xf16, 1, #tlx.shared<swizzle = 0, rows = 128>>
    return
  }
}
