// RUN: tlx-opt %s -tlx-lower-channels -split-input-file -verify-diagnostics

func.func @never_released(%a: !tlx.desc<64x64xf16>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %sa = tlx.local_alloc "a" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  // expected-error @below {{the slots of `slots` are filled but never released [channel-without-release]}}
  %slots = tlx.alloc_channel "slots" : !tlx.channel<1>
  tlx.channel_load %slots[%c0], %a[%c0, %c0] to %sa : !tlx.channel<1>, !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  tlx.channel_wait %slots[%c0] : !tlx.channel<1>
  return
}

// -----

func.func @too_many_slots() attributes {tlx.num_warps = 4 : i32} {
  // expected-error @below {{`slots` has 33 slots; the compiler keeps phases of at most 32 [channel-slots]}}
  %slots = tlx.alloc_channel "slots" : !tlx.channel<33>
  return
}

// -----

func.func @two_producers(%a: !tlx.desc<64x64xf16>) attributes {tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %sa = tlx.local_alloc "a" : !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
  // expected-error @below {{`slots` is filled by 2 tasks; one task fills a slot [unsupported-channel-producers]}}
  %slots = tlx.alloc_channel "slots" : !tlx.channel<1>
  tlx.async_tasks warps [4, 4] registers [0, 0] first_warp [0, 4] names ["default", "task1"] replicas [0, 0] {
    tlx.channel_load %slots[%c0], %a[%c0, %c0] to %sa : !tlx.channel<1>, !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
    tlx.task_end
  }, {
    tlx.channel_load %slots[%c0], %a[%c0, %c0] to %sa : !tlx.channel<1>, !tlx.desc<64x64xf16>, !tlx.buffer<64x64xf16, 0, <swizzle = 128, rows = 64>>
    tlx.channel_release %slots[%c0] : !tlx.channel<1>
    tlx.task_end
  }
  return
}
