// Descriptor accesses of tiles in registers go through shared memory of the compiler's.
// RUN: tlx-opt %s -tlx-stage-descriptor-access -split-input-file | FileCheck %s

// Stores in pairs alternate between two slots: one drains while the other is filled.
// CHECK-LABEL: func @pairs
// CHECK: %[[STAGING:.*]] = tlx.local_alloc "staging" : <64x64xf16, 2, <swizzle = 128, rows = 64>>
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = tlx.local_view %[[STAGING]][%c0{{.*}}]
// CHECK: tlx.tma_store_wait 1
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.local_store %[[FIRST]]
// CHECK-NEXT: tlx.fence "async_shared"
// CHECK-NEXT: tlx.task_barrier
// CHECK-NEXT: tlx.tma_store %[[FIRST]]
// CHECK: %[[SECOND:.*]] = tlx.local_view %[[STAGING]][%c1{{.*}}]
// CHECK: tlx.tma_store_wait 1
// CHECK: tlx.tma_store %[[SECOND]]
// CHECK: tlx.tma_store_wait 0 {complete}
// CHECK-NEXT: return
func.func @pairs(%c: !tlx.desc<64x64xf16>, %x: f16, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %one : i32 {
    %t = tlx.splat %x : f16 -> tensor<64x64xf16>
    tlx.descriptor_store %t to %c[%i, %c0] : tensor<64x64xf16>, !tlx.desc<64x64xf16>
    tlx.descriptor_store %t to %c[%i, %one] : tensor<64x64xf16>, !tlx.desc<64x64xf16>
  }
  return
}

// -----

// A single store, and one under a condition, have one slot; leading axes of extent 1 are dropped; the task that stores
// drains its stores.
// CHECK-LABEL: func @single
// CHECK: %[[STAGING:.*]] = tlx.local_alloc "staging" : <64x32xf32, 1, <swizzle = 128, rows = 64>>
// CHECK: scf.if
// CHECK: tlx.tma_store_wait 0
// CHECK: %[[FLAT:.*]] = tlx.reshape %{{.*}} : tensor<1x64x32xf32> -> tensor<64x32xf32>
// CHECK: tlx.local_store %{{.*}}, %[[FLAT]]
// CHECK: tlx.tma_store %{{.*}} to %{{.*}}[%c0{{.*}}, %c0{{.*}}, %c0{{.*}}]
// CHECK: }
// CHECK: tlx.tma_store_wait 0 {complete}
// CHECK-NEXT: tlx.task_end
func.func @single(%c: !tlx.desc<1x64x32xf32>, %x: f32, %p: i1) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    scf.if %p {
      %t = tlx.splat %x : f32 -> tensor<1x64x32xf32>
      tlx.descriptor_store %t to %c[%c0, %c0, %c0] : tensor<1x64x32xf32>, !tlx.desc<1x64x32xf32>
    }
    tlx.task_end
  }, {
    tlx.task_end
  }
  return
}

// -----

// A load arms its barrier and waits for a phase that flips each time.
// CHECK-LABEL: func @load
// CHECK: %[[LANDING:.*]] = tlx.local_alloc "landing" : <64x64xf16, 1
// CHECK: %[[FULL:.*]] = tlx.alloc_barriers "landing.full" arrivals 1 : <1>
// CHECK: scf.for {{.*}} iter_args(%[[PHASE:.*]] = %c0
// CHECK: %[[TILE:.*]] = tlx.local_view %[[LANDING]]
// CHECK: %[[BARRIER:.*]] = tlx.barrier_view %[[FULL]]
// CHECK: tlx.barrier_expect %[[BARRIER]] bytes 8192
// CHECK: tlx.tma_load %{{.*}} to %[[TILE]] signal %[[BARRIER]]
// CHECK: tlx.barrier_wait %[[BARRIER]] phase %[[PHASE]]
// CHECK: tlx.local_load %[[TILE]]
// CHECK: tlx.task_barrier
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[PHASE]], %c1
// CHECK: scf.yield %[[FLIPPED]]
func.func @load(%a: !tlx.desc<64x64xf16>, %p: tensor<64x64x!tlx.ptr<f16>>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %one : i32 {
    %t = tlx.descriptor_load %a[%i, %c0] : !tlx.desc<64x64xf16> -> tensor<64x64xf16>
    tlx.store %p, %t : tensor<64x64x!tlx.ptr<f16>>, tensor<64x64xf16>
  }
  return
}

// -----

// The source's own last wait is enough.
// CHECK-LABEL: func @drained
// CHECK: tlx.tma_store %
// CHECK-NEXT: tlx.tma_store_wait 0
// CHECK-NEXT: return
func.func @drained(%c: !tlx.desc<64x64xf16>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %b = tlx.local_alloc "b" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  tlx.tma_store %b to %c[%c0, %c0] : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>, !tlx.desc<64x64xf16>
  tlx.tma_store_wait 0
  return
}
