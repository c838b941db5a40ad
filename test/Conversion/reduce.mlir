// RUN: tlx-opt %s -split-input-file -tlx-lower-to-threads | FileCheck %s
// Reductions combine registers first, then lanes, then warps, and only along the axis.

#acc = #tlx.layout<registers = [[0,1],[8,0]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>
#row = #tlx.layout<registers = [[8]], lanes = [[0],[0],[1],[2],[4]], warps = [[16],[32]]>

// Two rows for each thread: one maximum in registers and two butterfly steps (lanes 1 and 2) for each.
// CHECK-LABEL: llvm.func @rows
// CHECK-COUNT-2: llvm.intr.maxnum
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync bfly
func.func @rows(%v: f32) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %t = tlx.splat %v : f32 -> tensor<64x8xf32, #acc>
  %m = tlx.reduce max %t along 1 : tensor<64x8xf32, #acc> -> tensor<64xf32, #row>
  return
}

// -----

#acc = #tlx.layout<registers = [[0,1],[8,0]], lanes = [[0,2],[0,4],[1,0],[2,0],[4,0]], warps = [[16,0],[32,0]]>

// Along the rows the warps meet through scratch memory, between two barriers.
// CHECK-LABEL: llvm.func @columns
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
func.func @columns(%v: f32) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %t = tlx.splat %v : f32 -> tensor<64x8xf32, #acc>
  %m = tlx.reduce add %t along 0 {tlx.scratch = 0 : i64} : tensor<64x8xf32, #acc> -> tensor<8xf32, #tlx.layout<registers = [[1]], lanes = [[2],[4],[0],[0],[0]], warps = [[0],[0]]>>
  return
}
