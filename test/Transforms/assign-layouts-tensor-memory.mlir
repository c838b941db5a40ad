// What comes from and goes to tensor memory has rows in lanes and columns in registers, and so has what is computed of it.
// RUN: tlx-opt %s -tlx-assign-layouts -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @through
// CHECK: tmem.load %{{.*}} -> tensor<128x16xf32, [[ROWS:#tlx.layout<registers = \[\[0, 1\], \[0, 2\], \[0, 4\], \[0, 8\]\], lanes = \[\[1, 0\], \[2, 0\], \[4, 0\], \[8, 0\], \[16, 0\]\], warps = \[\[32, 0\], \[64, 0\]\]>]]>
// CHECK: arith.truncf %{{.*}} : tensor<128x16xf32, [[ROWS]]>
// CHECK-NOT: convert_layout
// CHECK: tmem.store
func.func @through(%a: !tmem.buffer<128x16xf32, 0>, %b: !tmem.buffer<128x16xf16, 0>) attributes {tlx.num_warps = 4 : i32} {
  %v = tmem.load %a : !tmem.buffer<128x16xf32, 0> -> tensor<128x16xf32>
  %w = arith.truncf %v : tensor<128x16xf32> to tensor<128x16xf16>
  tmem.store %b, %w : !tmem.buffer<128x16xf16, 0>, tensor<128x16xf16>
  return
}

// -----

func.func @too_few(%a: !tmem.buffer<128x16xf32, 0>) attributes {tlx.num_warps = 2 : i32} {
  // expected-error@+1 {{a tile of tensor memory is reached by whole groups of 4 warps; `too_few` has 2 [tensor-memory-warps]}}
  %v = tmem.load %a : !tmem.buffer<128x16xf32, 0> -> tensor<128x16xf32>
  return
}
