// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// The memory order of an atomic operation is fences around a relaxed one: the NVPTX backend writes none of its own.

// CHECK-LABEL: llvm.func @orders
// CHECK-NOT: llvm.fence
// CHECK: llvm.atomicrmw add %{{.*}} syncscope("device") monotonic
// CHECK-NOT: llvm.fence
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK-NEXT: llvm.atomicrmw xchg %{{.*}} syncscope("device") monotonic
// CHECK: llvm.atomicrmw _or %{{.*}} syncscope("block") monotonic
// CHECK-NEXT: llvm.fence syncscope("block") acq_rel
// CHECK: llvm.fence acq_rel
// CHECK-NEXT: llvm.atomicrmw max %{{.*}} monotonic
// CHECK-NEXT: llvm.fence acq_rel
func.func @orders(%p: !tlx.ptr<i32>, %one: i32) attributes {tlx.kernel, tlx.num_warps = 1 : i32} {
  %a = tlx.atomic add %p, %one order "relaxed" scope "gpu" : !tlx.ptr<i32>, i32 -> i32
  %b = tlx.atomic xchg %p, %one order "release" scope "gpu" : !tlx.ptr<i32>, i32 -> i32
  %c = tlx.atomic or %p, %one order "acquire" scope "cta" : !tlx.ptr<i32>, i32 -> i32
  %d = tlx.atomic max %p, %one order "acq_rel" scope "sys" : !tlx.ptr<i32>, i32 -> i32
  return
}
