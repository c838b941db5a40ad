// Threads meet, and fence, between accesses to the same shared memory; nowhere else.
// RUN: tlx-opt %s -tlx-insert-barriers -split-input-file | FileCheck %s

// CHECK-LABEL: func @write_then_read
// CHECK: tlx.local_store
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_load
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_store
// CHECK-NOT: tlx.fence
func.func @write_then_read(%v: tensor<64xf32>) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  tlx.local_store %q, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
  %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  tlx.local_store %q, %w : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
  return
}

// -----

// Other memory, and what the source wrote itself, need nothing.
// CHECK-LABEL: func @nothing
// CHECK: tlx.local_store
// CHECK-NEXT: tlx.local_load
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_load
// CHECK-NEXT: return
func.func @nothing(%v: tensor<64xf32>) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  %p = tlx.local_alloc "p" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  tlx.local_store %q, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
  %w = tlx.local_load %p : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  tlx.task_barrier
  %x = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  return
}

// -----

// A buffer that reuses another's bytes is the same memory, through views too.
// CHECK-LABEL: func @aliased
// CHECK: tlx.local_load
// CHECK-NEXT: tlx.local_view
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_store
func.func @aliased(%v: tensor<64xf32>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 2, <swizzle = 0, rows = 1>>
  %p = tlx.local_alloc "p" reuse %q : !tlx.buffer<64xf32, 2, <swizzle = 0, rows = 1>> : !tlx.buffer<64xf32, 2, <swizzle = 0, rows = 1>>
  %q0 = tlx.local_view %q[%c0] : !tlx.buffer<64xf32, 2, <swizzle = 0, rows = 1>> -> !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  %w = tlx.local_load %q0 : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  %p0 = tlx.local_view %p[%c0] : !tlx.buffer<64xf32, 2, <swizzle = 0, rows = 1>> -> !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  tlx.local_store %p0, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
  return
}

// -----

// A write at the end of an iteration meets the read at the start of the next.
// CHECK-LABEL: func @loop_carried
// CHECK: scf.for
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_load
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_store
func.func @loop_carried(%v: tensor<64xf32>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
    tlx.local_store %q, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
  }
  return
}

// -----

// A write on one path only is a write.
// CHECK-LABEL: func @branch
// CHECK: scf.if
// CHECK: tlx.local_store
// CHECK: }
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_load
func.func @branch(%v: tensor<64xf32>, %p: i1) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>
  scf.if %p {
    tlx.local_store %q, %v : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>>, tensor<64xf32>
  }
  %w = tlx.local_load %q : !tlx.buffer<64xf32, 0, <swizzle = 0, rows = 1>> -> tensor<64xf32>
  return
}

// -----

// Tensor cores read through the asynchronous proxy: fence, then meet; once, in front of the loop that reads.
// CHECK-LABEL: func @product
// CHECK: tlx.local_store
// CHECK-NEXT: tlx.fence "async_shared"
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: tlx.async_dot
func.func @product(%v: tensor<64x64xbf16>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  tlx.local_store %q, %v : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, tensor<64x64xbf16>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
    %e = tlx.async_dot_wait 0, %d : tensor<64x64xf32>
  }
  return
}

// -----

// The source's fence counts; what is missing after it is the meeting. A fence on one path only is not enough.
// CHECK-LABEL: func @half_fenced
// CHECK: tlx.fence "async_shared"
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.tma_store
// CHECK: scf.if
// CHECK: tlx.fence
// CHECK: }
// CHECK-NEXT: tlx.fence "async_shared"
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.tma_store
func.func @half_fenced(%v: tensor<64x64xbf16>, %c: !tlx.desc<64x64xbf16>, %p: i1) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %r = tlx.local_alloc "r" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  tlx.local_store %q, %v : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, tensor<64x64xbf16>
  tlx.fence "async_shared"
  tlx.tma_store %q to %c[%c0, %c0] : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.desc<64x64xbf16>
  tlx.local_store %r, %v : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, tensor<64x64xbf16>
  scf.if %p {
    tlx.fence "async_shared"
  }
  tlx.tma_store %r to %c[%c0, %c0] : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.desc<64x64xbf16>
  return
}

// -----

// Copies by threads: each thread waits for its own, then all meet, with a fence when tensor cores read.
// CHECK-LABEL: func @copied
// CHECK: tlx.async_wait
// CHECK-NEXT: tlx.fence "async_shared"
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.async_dot
func.func @copied(%p: tensor<64x64x!tlx.ptr<bf16>>) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %t = tlx.async_load %p, %q : tensor<64x64x!tlx.ptr<bf16>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %g = tlx.async_commit after %t
  %w = tlx.async_wait 0 after %g
  %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
  return
}

// -----

// Each wait lands a group of its own: what the second brings is news to the others, what the first brought is not.
// CHECK-LABEL: func @two_groups
// CHECK: tlx.async_wait 1
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_load
// CHECK-NEXT: tlx.async_wait 0
// CHECK-NEXT: tlx.local_load %[[Q:.*]] :
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_load
// CHECK-NEXT: return
func.func @two_groups(%p: tensor<64x64x!tlx.ptr<bf16>>) attributes {tlx.num_warps = 4 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %r = tlx.local_alloc "r" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %t = tlx.async_load %p, %q : tensor<64x64x!tlx.ptr<bf16>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %g = tlx.async_commit after %t
  %u = tlx.async_load %p, %r : tensor<64x64x!tlx.ptr<bf16>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %h = tlx.async_commit after %u
  %w = tlx.async_wait 1 after %g
  %a = tlx.local_load %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xbf16>
  %x = tlx.async_wait 0 after %h
  %b = tlx.local_load %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xbf16>
  %c = tlx.local_load %r : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xbf16>
  return
}

// -----

// One thread waits for a tensor-map store; the others hear of it before they write again.
// CHECK-LABEL: func @store_again
// CHECK: tlx.tma_store_wait 0
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_store
func.func @store_again(%v: tensor<64x64xbf16>, %c: !tlx.desc<64x64xbf16>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  tlx.tma_store %q to %c[%c0, %c0] : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.desc<64x64xbf16>
  tlx.tma_store_wait 0
  tlx.local_store %q, %v : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, tensor<64x64xbf16>
  return
}

// -----

// Two warp groups: one may still multiply when the other writes.
// CHECK-LABEL: func @two_groups
// CHECK: tlx.async_dot_wait
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_store
func.func @two_groups(%v: tensor<128x64xbf16>) attributes {tlx.num_warps = 8 : i32} {
  %q = tlx.local_alloc "q" : !tlx.buffer<128x64xbf16, 0, <swizzle = 128, rows = 128>>
  %k = tlx.local_alloc "k" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %d = tlx.async_dot %q, %k : !tlx.buffer<128x64xbf16, 0, <swizzle = 128, rows = 128>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<128x64xf32>
  %e = tlx.async_dot_wait 0, %d : tensor<128x64xf32>
  tlx.local_store %q, %v : !tlx.buffer<128x64xbf16, 0, <swizzle = 128, rows = 128>>, tensor<128x64xbf16>
  return
}

// -----

// What is handed to another task's tensor cores is fenced before the arrival that hands it over.
// CHECK-LABEL: func @handed_over
// CHECK: tlx.local_store
// CHECK-NEXT: tlx.fence "async_shared"
// CHECK-NEXT: tlx.barrier_arrive
// CHECK: }, {
// CHECK: tlx.barrier_wait
// CHECK-NEXT: tlx.async_dot
func.func @handed_over() attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %q = tlx.local_alloc "q" : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>
  %f = tlx.alloc_barriers "ready" arrivals 1 : !tlx.barrier<0>
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    %v = arith.constant dense<0.0> : tensor<64x64xbf16>
    tlx.local_store %q, %v : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, tensor<64x64xbf16>
    tlx.barrier_arrive %f count 1 : !tlx.barrier<0>
    tlx.task_end
  }, {
    tlx.barrier_wait %f phase %c0 : !tlx.barrier<0>
    %d = tlx.async_dot %q, %q : !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>>, !tlx.buffer<64x64xbf16, 0, <swizzle = 128, rows = 64>> -> tensor<64x64xf32>
    tlx.task_end
  }
  return
}

// -----

// Products into tensor memory read shared memory as the tensor cores do: what threads wrote needs a fence and a meeting.
// CHECK-LABEL: func @into_tensor_memory
// CHECK: tlx.local_store
// CHECK-NEXT: tlx.fence "async_shared"
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tmem.dot
!left = !tlx.buffer<128x32xf16, 0, <swizzle = 64, rows = 128>>
!right = !tlx.buffer<32x128xf16, 0, <swizzle = 128, rows = 32>>
func.func @into_tensor_memory(%v: tensor<128x32xf16>) attributes {tlx.num_warps = 4 : i32} {
  %a = tlx.local_alloc "a" : !left
  %b = tlx.local_alloc "b" : !right
  %acc = tmem.alloc "acc" : !tmem.buffer<128x128xf32, 0>
  tlx.local_store %a, %v : !left, tensor<128x32xf16>
  tmem.dot %a, %b into %acc : !left, !right, !tmem.buffer<128x128xf32, 0>
  return
}
