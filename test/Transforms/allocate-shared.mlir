// Buffers first, aligned to their swizzle, then barriers; scratch is one region for each task.
// RUN: tlx-opt %s -tlx-allocate-shared -split-input-file | FileCheck %s

// CHECK-LABEL: func @buffers
// CHECK-SAME: tlx.shared_bytes = 17432
// CHECK: tlx.local_alloc "small" at 16384
// CHECK: tlx.local_alloc "tile" at 0
// CHECK: tlx.local_alloc "same" at 0 reuse
// CHECK: tlx.alloc_barriers "full" arrivals 1 at 17408
func.func @buffers() attributes {tlx.num_warps = 4 : i32} {
  %s = tlx.local_alloc "small" : !tlx.buffer<250xf32, 1, <swizzle = 0, rows = 1>>
  %t = tlx.local_alloc "tile" : !tlx.buffer<64x64xf16, 2, <swizzle = 128, rows = 64>>
  %u = tlx.local_alloc "same" reuse %t : !tlx.buffer<64x64xf16, 2, <swizzle = 128, rows = 64>> : !tlx.buffer<32x64xf16, 2, <swizzle = 128, rows = 32>>
  %f = tlx.alloc_barriers "full" arrivals 1 : !tlx.barrier<3>
  return
}

// -----

// Each task rearranges tiles in its own room; renaming registers needs none.
// CHECK-LABEL: func @scratch
// CHECK-SAME: tlx.shared_bytes = 1024
// CHECK: tlx.convert_layout {{.*}} {tlx.scratch = 0 : i64}
// CHECK: tlx.convert_layout {{.*}} {tlx.scratch = 512 : i64}
// CHECK: tlx.reduce {{.*}} {tlx.scratch = 512 : i64}
// CHECK-NOT: tlx.scratch
#rows = #tlx.layout<registers = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#swapped = #tlx.layout<registers = [], lanes = [[64], [2], [4], [8], [16]], warps = [[32], [1]]>
#pairs = #tlx.layout<registers = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[0], [0]]>
#turned = #tlx.layout<registers = [[2], [1]], lanes = [[4], [8], [16], [32], [64]], warps = [[0], [0]]>
func.func @scratch() attributes {tlx.num_warps = 4 : i32} {
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    %r = tlx.range 0 to 128 : tensor<128xi32, #rows>
    %s = tlx.convert_layout %r : tensor<128xi32, #rows> -> tensor<128xi32, #swapped>
    tlx.task_end
  }, {
    %r = tlx.range 0 to 128 : tensor<128xi32, #rows>
    %s = tlx.convert_layout %r : tensor<128xi32, #rows> -> tensor<128xi32, #swapped>
    %sum = tlx.reduce add %r along 0 : tensor<128xi32, #rows> -> i32
    %p = tlx.range 0 to 128 : tensor<128xi32, #pairs>
    %t = tlx.convert_layout %p : tensor<128xi32, #pairs> -> tensor<128xi32, #turned>
    tlx.task_end
  }
  return
}
