// Layouts spread from products and accesses; conversions stand where two demands meet.
// RUN: tlx-opt %s -tlx-annotate-accesses -tlx-assign-layouts -tlx-verify-layouts -cse -split-input-file | FileCheck %s

// Vectors of 16 bytes, lanes next to each other; the mask and the addresses follow.
// CHECK-LABEL: func @elementwise
// CHECK: tlx.load {{.*}}{tlx.vector = 4 : i32} : {{.*}} -> tensor<1024xf32, #tlx.layout<registers = {{\[\[}}1], [2], [512]], lanes = {{\[\[}}4], [8], [16], [32], [64]], warps = {{\[\[}}128], [256]]>>
// CHECK-NOT: convert_layout
// CHECK: tlx.store {{.*}}{tlx.vector = 4 : i32}
func.func @elementwise(%p: !tlx.ptr<f32> {tlx.divisibility = 16 : i32}) attributes {tlx.num_warps = 4 : i32} {
  %r = tlx.range 0 to 1024 : tensor<1024xi32>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<1024x!tlx.ptr<f32>>
  %a = tlx.addptr %s, %r : tensor<1024x!tlx.ptr<f32>>, tensor<1024xi32> -> tensor<1024x!tlx.ptr<f32>>
  %v = tlx.load %a : tensor<1024x!tlx.ptr<f32>> -> tensor<1024xf32>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tlx.store %a, %w : tensor<1024x!tlx.ptr<f32>>, tensor<1024xf32>
  return
}

// -----

// Products, their loop-carried accumulator, row maxima and the second product's operand fit without any conversion.
// CHECK-LABEL: func @attention
// CHECK-NOT: convert_layout
// CHECK: scf.for {{.*}} -> (tensor<64xf32, #tlx.layout<registers = {{\[\[}}8]], lanes = {{\[\[}}0], [0], [1], [2], [4]], warps = {{\[\[}}16], [32]]>>, tensor<64x64xf32, #[[ACC:.*]]>)
// CHECK: tlx.reduce max
// CHECK: arith.truncf {{.*}} to tensor<64x64xbf16, #tlx.layout<registers = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lanes = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = {{\[\[}}16, 0], [32, 0]]>>
// CHECK: tlx.async_dot
// CHECK-NOT: convert_layout
// CHECK: return
func.func @attention(%n: i32, %p: !tlx.ptr<f32>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest, %acc = %zero) -> (tensor<64xf32>, tensor<64x64xf32>) : i32 {
    %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
    %qk = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
    %top = tlx.reduce max %qk along 1 : tensor<64x64xf32> -> tensor<64xf32>
    %now = arith.maxnumf %m, %top : tensor<64xf32>
    %e = tlx.expand_dims %now at 1 : tensor<64xf32> -> tensor<64x1xf32>
    %b = tlx.broadcast %e : tensor<64x1xf32> -> tensor<64x64xf32>
    %s = arith.subf %qk, %b : tensor<64x64xf32>
    %w = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    %o = tlx.async_dot %w, %q acc %acc : tensor<64x64xf32> : tensor<64x64xbf16>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
    %next = tlx.async_dot_wait 0, %o : tensor<64x64xf32>
    scf.yield %now, %next : tensor<64xf32>, tensor<64x64xf32>
  }
  // A vector is stored in the layout that it has.
  %rg = tlx.range 0 to 64 : tensor<64xi32>
  %ps = tlx.splat %p : !tlx.ptr<f32> -> tensor<64x!tlx.ptr<f32>>
  %pp = tlx.addptr %ps, %rg : tensor<64x!tlx.ptr<f32>>, tensor<64xi32> -> tensor<64x!tlx.ptr<f32>>
  tlx.store %pp, %r#0 : tensor<64x!tlx.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// The idiom that halves a tile: registers change their names, nothing moves.
// CHECK-LABEL: func @halves
// CHECK-NOT: convert_layout
// CHECK: tlx.split {{.*}} -> tensor<64x32xf32, #[[HALF:.*]]>, tensor<64x32xf32, #[[HALF]]>
func.func @halves() attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %o = tlx.local_alloc "o" : !tlx.buffer<64x32xf32, 0, <swizzle = 128, rows = 64>>
  %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
  %acc = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  %r = tlx.reshape %acc : tensor<64x64xf32> -> tensor<64x2x32xf32>
  %p = tlx.permute %r order [0, 2, 1] : tensor<64x2x32xf32> -> tensor<64x32x2xf32>
  %a, %b = tlx.split %p : tensor<64x32x2xf32> -> tensor<64x32xf32>, tensor<64x32xf32>
  tlx.local_store %o, %a : !tlx.buffer<64x32xf32, 0, <swizzle = 128, rows = 64>>, tensor<64x32xf32>
  tlx.local_store %o, %b : !tlx.buffer<64x32xf32, 0, <swizzle = 128, rows = 64>>, tensor<64x32xf32>
  return
}

// -----

// A matrix leaves coalesced: converted first, its addresses computed in the new layout.
// CHECK-LABEL: func @stored_matrix
// CHECK: %[[MOVED:.*]] = tlx.convert_layout
// CHECK: tlx.store %{{.*}}, %[[MOVED]]
func.func @stored_matrix(%p: !tlx.ptr<f32> {tlx.divisibility = 16 : i32}) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
  %acc = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  %c = tlx.range 0 to 64 : tensor<64xi32>
  %ce = tlx.expand_dims %c at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %cb = tlx.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<64x64x!tlx.ptr<f32>>
  %a = tlx.addptr %s, %cb : tensor<64x64x!tlx.ptr<f32>>, tensor<64x64xi32> -> tensor<64x64x!tlx.ptr<f32>>
  tlx.store %a, %acc : tensor<64x64x!tlx.ptr<f32>>, tensor<64x64xf32>
  return
}

// -----

// No room in shared memory to rearrange it: it leaves as it is.
// CHECK-LABEL: func @stored_in_place
// CHECK-NOT: convert_layout
// CHECK: tlx.store
func.func @stored_in_place(%p: !tlx.ptr<f32> {tlx.divisibility = 16 : i32}) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 28, <swizzle = 128, rows = 64>>
  %c0 = arith.constant 0 : i32
  %q0 = tlx.local_view %q[%c0] : !tlx.buffer<64x64xbf16, 28, <swizzle = 128, rows = 64>> -> !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %d = tlx.async_dot %q0, %q0 : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
  %acc = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  %c = tlx.range 0 to 64 : tensor<64xi32>
  %ce = tlx.expand_dims %c at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %cb = tlx.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<64x64x!tlx.ptr<f32>>
  %a = tlx.addptr %s, %cb : tensor<64x64x!tlx.ptr<f32>>, tensor<64x64xi32> -> tensor<64x64x!tlx.ptr<f32>>
  tlx.store %a, %acc : tensor<64x64x!tlx.ptr<f32>>, tensor<64x64xf32>
  return
}

// -----

// What a loop does not change is converted once, in front of it.
// CHECK-LABEL: func @hoisted
// CHECK: tlx.load
// CHECK: tlx.convert_layout
// CHECK: scf.for
// CHECK-NOT: tlx.convert_layout
// CHECK: return
func.func @hoisted(%p: !tlx.ptr<f32>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %o = tlx.local_alloc "o" : !tlx.buffer<64x64xf32, 0, <swizzle = 128, rows = 64>>
  %s = tlx.splat %p : !tlx.ptr<f32> -> tensor<64x64x!tlx.ptr<f32>>
  %v = tlx.load %s : tensor<64x64x!tlx.ptr<f32>> -> tensor<64x64xf32>
  %h = arith.truncf %v : tensor<64x64xf32> to tensor<64x64xf16>
  %f = arith.bitcast %h : tensor<64x64xf16> to tensor<64x64xbf16>
  %e = arith.extf %f : tensor<64x64xbf16> to tensor<64x64xf32>
  tlx.store %s, %e : tensor<64x64x!tlx.ptr<f32>>, tensor<64x64xf32>
  %w = tlx.load %s : tensor<64x64x!tlx.ptr<f32>> -> tensor<64x64xf32>
  %t = tlx.reshape %w : tensor<64x64xf32> -> tensor<4096xf32>
  %u = tlx.reshape %t : tensor<4096xf32> -> tensor<64x64xf32>
  %x = tlx.permute %u order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %y = arith.addf %x, %w : tensor<64x64xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %z = tlx.permute %y order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %k = arith.addf %z, %y : tensor<64x64xf32>
    tlx.local_store %o, %k : !tlx.buffer<64x64xf32, 0, <swizzle = 128, rows = 64>>, tensor<64x64xf32>
  }
  return
}

// -----

// Tiles outside tasks that are cheap are computed again in the task, with the task's warps.
// CHECK-LABEL: func @sunk
// CHECK: tlx.async_tasks
// CHECK: }, {
// CHECK: arith.constant dense<0.000000e+00> : tensor<64x8xf32, #tlx.layout<{{.*}}, warps = {{\[\[}}{{[0-9, ]+}}]]>>
// CHECK: tlx.local_store
func.func @sunk() attributes {tlx.num_warps = 4 : i32} {
  %o = tlx.local_alloc "o" : !tlx.buffer<64x8xf32, 0, <swizzle = 32, rows = 64>>
  %z = arith.constant dense<0.0> : tensor<64x8xf32>
  tlx.async_tasks warps [4, 2] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.task_end
  }, {
    tlx.local_store %o, %z : !tlx.buffer<64x8xf32, 0, <swizzle = 32, rows = 64>>, tensor<64x8xf32>
    tlx.task_end
  }
  return
}
