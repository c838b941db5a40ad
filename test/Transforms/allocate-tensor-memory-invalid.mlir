// RUN: tlx-opt %s -tlx-allocate-tensor-memory -split-input-file -verify-diagnostics

// expected-error@+1 {{the kernel needs 768 columns of tensor memory; there are 512 [tensor-memory-overfull]}}
func.func @overfull() attributes {tlx.num_warps = 4 : i32} {
  // expected-note@+1 {{`acc`: 2 x 256 columns}}
  %acc = tmem.alloc "acc" : !tmem.buffer<128x256xf32, 2>
  // expected-note@+1 {{`more`: 1 x 256 columns}}
  %more = tmem.alloc "more" : !tmem.buffer<128x256xf32, 1>
  return
}

// -----

func.func @reuse_too_small() attributes {tlx.num_warps = 4 : i32} {
  %acc = tmem.alloc "acc" : !tmem.buffer<128x64xf32, 1>
  // expected-error@+1 {{`p` needs 128 columns and reuses `acc`, which has 64 [reuse-too-small]}}
  %p = tmem.alloc "p" reuse %acc : !tmem.buffer<128x64xf32, 1> : !tmem.buffer<128x128xf32, 1>
  return
}
