// Buffers, barriers, copies and products.
#include "Fixture.h"

using namespace tlx::specialize;

TEST(Memory, SwizzleFollowsTheInnermostExtent) {
  auto outcome = compileBody("p: \"*i32\"", "a = tlx.local_alloc((64, 64), tl.float16, 2)\nb = tlx.local_alloc((64, "
                                            "32), tl.float16, 1)\nc = tlx.local_alloc((64, 16), tl.float16, 1)\n"
                                            "d = tlx.local_alloc((64, 8), tl.float16, 1)\ne = tlx.local_alloc((4, 64), "
                                            "tl.float16, 1)\nf = tlx.local_alloc((128,), tl.float32, 1)");
  EXPECT_HOLDS(outcome, "tlx.local_alloc \"a\" : <64x64xf16, 2, <swizzle = 128, rows = 64>>");
  EXPECT_HOLDS(outcome, "<64x32xf16, 1, <swizzle = 64, rows = 64>>");
  EXPECT_HOLDS(outcome, "<64x16xf16, 1, <swizzle = 32, rows = 64>>");
  EXPECT_HOLDS(outcome, "<64x8xf16, 1, <swizzle = 0, rows = 64>>");
  EXPECT_HOLDS(outcome, "<4x64xf16, 1, <swizzle = 0, rows = 4>>");
  EXPECT_HOLDS(outcome, "<128xf32, 1, <swizzle = 0, rows = 1>>");
}

TEST(Memory, ViewsSlicesAndTransposes) {
  auto outcome =
      compileBody("i: \"i32\"", "a = tlx.local_alloc((128, 128), tl.float16, 2)\nv = a[i]\ns = tlx.local_slice(v, [64, "
                                "64], [64, 64])\nt = tlx.local_trans(s)\nx = tlx.local_load(t)\ntlx.local_store(s, x)");
  EXPECT_HOLDS(outcome, "tlx.local_view");
  EXPECT_HOLDS(outcome, "tlx.local_slice %1 [64, 64]");
  EXPECT_HOLDS(outcome, "-> <64x64xf16, 0, <swizzle = 128, rows = 128, transposed = true>>");
  EXPECT_HOLDS(outcome, "tlx.local_load");
}

TEST(Memory, SlicesThatCutPanelsAreErrorsWithBothNumbers) {
  std::string head = "a = tlx.local_alloc((128, 128), tl.float16, 2)\n";
  auto columns = compileBody("i: \"i32\"", head + "s = tlx.local_slice(a[0], [0, 32], [128, 64])");
  EXPECT_ERROR(columns, "5:31 misaligned-slice");
  EXPECT_NE(columns.diagnostics.find("offset 32"), std::string::npos);
  EXPECT_NE(columns.diagnostics.find("panel are 64"), std::string::npos);
  EXPECT_ERROR(compileBody("i: \"i32\"", head + "s = tlx.local_slice(a[0], [4, 0], [64, 64])"),
               "5:31 misaligned-slice");
  EXPECT_ERROR(compileBody("i: \"i32\"", head + "s = tlx.local_slice(a[0], [96, 0], [64, 64])"),
               "5:31 index-out-of-range");
}

TEST(Memory, BuffersAreChosenBeforeUse) {
  std::string head = "a = tlx.local_alloc((64, 64), tl.float16, 2)\n";
  EXPECT_ERROR(compileBody("i: \"i32\"", head + "x = tlx.local_load(a)"), "5:24 argument-type");
  EXPECT_ERROR(compileBody("i: \"i32\"", head + "x = a[2]"), "5:9 index-out-of-range");
  EXPECT_ERROR(compileBody("i: \"i32\"", head + "tlx.local_store(a[0], tl.zeros((64, 32), tl.float16))"),
               "5:27 shape-mismatch");
}

TEST(Memory, ReuseNeedsRoom) {
  std::string head = "a = tlx.local_alloc((64, 64), tl.float16, 2)\n";
  EXPECT_HOLDS(compileBody("i: \"i32\"", head + "b = tlx.local_alloc((64, 64), tl.float32, 1, reuse=a)"), "reuse %");
  EXPECT_ERROR(compileBody("i: \"i32\"", head + "b = tlx.local_alloc((64, 64), tl.float32, 2, reuse=a)"),
               "5:56 shape-mismatch");
}

TEST(Memory, Barriers) {
  auto outcome = compileBody("ph: \"i32\"", "b = tlx.alloc_barriers(2, arrive_count=3)\nw = tlx.alloc_warp_barrier(1, "
                                            "num_warps=4)\ntlx.barrier_expect_bytes(b[0], 1024)\n"
                                            "tlx.barrier_wait(b[1], ph, pred=ph > 0)\ntlx.barrier_arrive(b[1], 1, "
                                            "remote_cta_rank=1)\ntlx.barrier_arrive(w[0])\n"
                                            "tlx.named_barrier_wait(9, 256)\ntlx.named_barrier_arrive(10, "
                                            "256)\ntlx.fence(\"async_shared\")\ntl.debug_barrier()");
  EXPECT_HOLDS(outcome, "tlx.alloc_barriers \"b\" arrivals 3 : <2>");
  EXPECT_HOLDS(outcome, "tlx.alloc_barriers \"w\" arrivals 128 : <1, per_thread = true>");
  EXPECT_HOLDS(outcome, "bytes 1024");
  EXPECT_HOLDS(outcome, "phase %arg0 if %");
  EXPECT_HOLDS(outcome, "rank %");
  EXPECT_HOLDS(outcome, "tlx.named_barrier_wait 9 threads 256");
  EXPECT_HOLDS(outcome, "tlx.task_barrier");
  EXPECT_HOLDS(compileBody("i: \"i32\"", "b = tlx.alloc_barriers(1, arrive_count=1048575)"), "arrivals 1048575");
  EXPECT_ERROR(compileBody("i: \"i32\"", "b = tlx.alloc_barriers(1, arrive_count=1048576)"), "4:44 argument-type");
  EXPECT_ERROR(compileBody("i: \"i32\"", "b = tlx.alloc_warp_barrier(1, num_warps=4, num_arrivals=8192)"),
               "4:61 argument-type");
  EXPECT_ERROR(compileBody("i: \"i32\"", "b = tlx.alloc_barriers(1)\ntlx.barrier_arrive(b[0], 1048576)"),
               "5:30 argument-type");
}

TEST(Memory, NamedBarriersHaveLimits) {
  EXPECT_ERROR(compileBody("i: \"i32\"", "tlx.named_barrier_wait(16, 256)"), "4:28 named-barrier-id");
  auto outcome = compileBody("i: \"i32\"", "tlx.named_barrier_wait(9, 100)");
  EXPECT_ERROR(outcome, "4:31 named-barrier-threads");
  EXPECT_NE(outcome.diagnostics.find("100"), std::string::npos);
  EXPECT_NE(outcome.diagnostics.find("32"), std::string::npos);
}

static const std::string descriptor = "d: \"tensordesc<fp16[64,64]>\", i: \"i32\"";

TEST(Memory, DescriptorsCopyBlocks) {
  auto outcome = compileBody(
      descriptor,
      "a = tlx.local_alloc((64, 64), tlx.dtype_of(d), 2)\nb = tlx.alloc_barriers(1)\n"
      "tlx.async_descriptor_load(d, a[0], [i, 0], b[0], pred=i == 0, multicast_targets=[0, i], "
      "eviction_policy=\"evict_first\")\n"
      "tlx.async_descriptor_store(d, a[0], [i, 0], store_reduce=\"add\")\ntlx.async_descriptor_store_wait(0)\n"
      "x = d.load([0, i])\nd.store([i, i], x)");
  EXPECT_HOLDS(outcome, "tlx.tma_load");
  EXPECT_HOLDS(outcome, "multicast %");
  EXPECT_HOLDS(outcome, "eviction = \"evict_first\"");
  EXPECT_HOLDS(outcome, "reduce = \"add\"");
  EXPECT_HOLDS(outcome, "tlx.tma_store_wait 0");
  EXPECT_HOLDS(outcome, "tlx.descriptor_load");
  EXPECT_HOLDS(outcome, "tlx.descriptor_store");
}

TEST(Memory, BlocksAndBuffersAgree) {
  EXPECT_ERROR(compileBody(descriptor, "a = tlx.local_alloc((64, 32), tl.float16, 2)\nb = "
                                       "tlx.alloc_barriers(1)\ntlx.async_descriptor_load(d, a[0], [i, 0], b[0])"),
               "6:34 shape-mismatch");
  EXPECT_ERROR(compileBody(descriptor, "a = tlx.local_alloc((64, 64), tl.float16, 2)\nb = "
                                       "tlx.alloc_barriers(1)\ntlx.async_descriptor_load(d, a[0], [i], b[0])"),
               "6:40 shape-mismatch");
  EXPECT_ERROR(compileBody(descriptor, "d.store([i, i], tl.zeros((64, 64), tl.float32))"), "4:21 argument-type");
}

TEST(Memory, CopiesOfElements) {
  auto outcome = compileBody(
      "p: \"*fp16\", n: \"i32\"",
      "a = tlx.local_alloc((64,), tl.float16, 2)\no = tl.arange(0, 64)\nt = tlx.async_load(p + o, a[0], mask=o < n)\n"
      "tlx.async_load_commit_group([t])\ntlx.async_load_wait_group(1)");
  EXPECT_HOLDS(outcome, "tlx.async_load");
  EXPECT_HOLDS(outcome, "tlx.async_commit after %");
  EXPECT_HOLDS(outcome, "tlx.async_wait 1");
  EXPECT_ERROR(compileBody("p: \"*fp16\", n: \"i32\"",
                           "a = tlx.local_alloc((64,), tl.float32, 2)\ntlx.async_load(p + tl.arange(0, 64), a[0])"),
               "5:20 argument-type");
}

TEST(Memory, TokensMergeInBranches) {
  auto outcome = compileBody("p: \"*fp16\", n: \"i32\"",
                             "a = tlx.local_alloc((64,), tl.float16, 2)\no = p + tl.arange(0, 64)\nif n > 0:\n    t = "
                             "tlx.async_load(o, a[0])\nelse:\n    t = tlx.async_load(o, a[1])\n"
                             "tlx.async_load_commit_group([t])");
  EXPECT_HOLDS(outcome, "-> (!tlx.token)");
}

TEST(Memory, ProductsCheckTheirShapes) {
  std::string head = "a = tlx.local_alloc((64, 64), tl.float16, 1)\nb = tlx.local_alloc((64, 128), tl.float16, 1)\nacc "
                     "= tl.zeros((64, 128), tl.float32)\n";
  auto outcome =
      compileBody("n: \"i32\"", head + "acc = tlx.async_dot(a[0], b[0], acc, use_acc=n > 0)\nacc = tlx.async_dot(a[0], "
                                       "b[0], acc, use_acc=False)\nacc = tlx.async_dot_wait(0, acc)\nacc = "
                                       "tlx.async_dot(acc.to(tl.float16).reshape(128, 64), b[0])");
  EXPECT_HOLDS(outcome, "use_acc %");
  EXPECT_HOLDS(outcome, "tlx.async_dot_wait 0");
  EXPECT_HOLDS(outcome, "tensor<128x64xf16>, <64x128xf16");
  EXPECT_ERROR(compileBody("n: \"i32\"", head + "x = tlx.async_dot(b[0], b[0])"), "7:9 shape-mismatch");
  EXPECT_ERROR(compileBody("n: \"i32\"", head + "x = tlx.async_dot(b[0], tlx.local_trans(b[0]), acc)"),
               "7:52 shape-mismatch");
}
