// A channel becomes full and empty barriers; each side keeps the parities of all slots in the bits of one number.
// RUN: tlx-opt %s -tlx-lower-channels -split-input-file | FileCheck %s

// CHECK-LABEL: func @pipeline
// CHECK: %[[FULL:.*]] = tlx.alloc_barriers "slots.full" arrivals 1 : <4>
// CHECK: %[[EMPTY:.*]] = tlx.alloc_barriers "slots.empty" arrivals 1 : <4>
// CHECK: scf.for %[[S:.*]] = {{.*}} iter_args(%[[PARITIES:.*]] = %c-1_i32)
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[PARITIES]], %[[S]]
// CHECK: %[[PHASE:.*]] = arith.andi %[[SHIFTED]], %c1
// CHECK: %[[FREE:.*]] = tlx.barrier_view %[[EMPTY]][%[[S]]]
// CHECK: tlx.barrier_wait %[[FREE]] phase %[[PHASE]]
// CHECK: %[[BIT:.*]] = arith.shli %c1{{.*}}, %[[S]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[PARITIES]], %[[BIT]]
// One expectation covers both loads of the slot.
// CHECK: tlx.barrier_expect %{{.*}} bytes 12288
// CHECK: tlx.tma_load
// CHECK-NOT: barrier_wait
// CHECK: tlx.tma_load
// CHECK: scf.yield %[[NEXT]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0
// CHECK: tlx.barrier_view %[[FULL]]
// CHECK: tlx.barrier_wait
// CHECK: tlx.barrier_arrive %{{.*}} count 1
func.func @pipeline(%a: !tlx.desc<64x64xf16>, %b: !tlx.desc<64x32xf16>, %n: i32) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sa = tlx.local_alloc "a" : !tlx.buffer<64x64xf16, 4, <swizzle = 128, rows = 64>>
  %sb = tlx.local_alloc "b" : !tlx.buffer<64x32xf16, 4, <swizzle = 64, rows = 64>>
  %slots = tlx.alloc_channel "slots" : !tlx.channel<4>
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    scf.for %s = %c0 to %n step %c1 : i32 {
      %va = tlx.local_view %sa[%s] : !tlx.buffer<64x64xf16, 4, <swizzle = 128, rows = 64>> -> !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
      tlx.channel_load %slots[%s], %a[%c0, %s] to %va : !tlx.channel<4>, !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
      %vb = tlx.local_view %sb[%s] : !tlx.buffer<64x32xf16, 4, <swizzle = 64, rows = 64>> -> !tlx.buffer<64x32xf16, 0, <swizzle = 64, rows = 64>>
      tlx.channel_load %slots[%s], %b[%c0, %s] to %vb : !tlx.channel<4>, !tlx.desc<64x32xf16>, !tlx.buffer<64x32xf16, 0, <swizzle = 64, rows = 64>>
    }
    tlx.task_end
  }, {
    scf.for %s = %c0 to %n step %c1 : i32 {
      tlx.channel_wait %slots[%s] : !tlx.channel<4>
      tlx.channel_release %slots[%s] : !tlx.channel<4>
    }
    tlx.task_end
  }
  return
}

// -----

// Parities go through branches; two releasing tasks make two arrivals.
// CHECK-LABEL: func @branches
// CHECK: tlx.alloc_barriers "slots.empty" arrivals 2
// CHECK: %[[AFTER:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[BEFORE:.*]], %
// CHECK: scf.yield %[[FLIPPED]]
// CHECK: } else {
// CHECK: scf.yield %[[BEFORE]]
// CHECK: arith.shrui %[[AFTER]]
func.func @branches(%a: !tlx.desc<64x64xf16>, %p: i1) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %sa = tlx.local_alloc "a" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  %slots = tlx.alloc_channel "slots" : !tlx.channel<1>
  tlx.async_tasks warps [4, 4, 4] registers [0, 0, 0] first_warp [0, 4, 8] names ["default", "task1", "task2"] replicas [0, 0, 0] {
    scf.if %p {
      tlx.channel_load %slots[%c0], %a[%c0, %c0] to %sa : !tlx.channel<1>, !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
    }
    tlx.channel_load %slots[%c0], %a[%c0, %c0] to %sa : !tlx.channel<1>, !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
    tlx.task_end
  }, {
    tlx.channel_wait %slots[%c0] : !tlx.channel<1>
    tlx.channel_release %slots[%c0] : !tlx.channel<1>
    tlx.task_end
  }, {
    tlx.channel_release %slots[%c0] : !tlx.channel<1>
    tlx.task_end
  }
  return
}

// -----

// Without channels nothing changes.
// CHECK-LABEL: func @none
// CHECK-NEXT: return
func.func @none() attributes {tlx.num_warps = 4 : i32} {
  return
}
