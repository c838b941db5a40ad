// The seed's shorthand.
#include "Fixture.h"

using namespace tlx::specialize;

static Outcome roles(const std::string &load,
                     const std::string &params = "a: \"*fp16\", stride_m, stride_k, n: \"i32\"",
                     const SpecializeOptions &options = {}) {
  return compileBody(params,
                     "g = tlx.get_warp_group_id()\nb = tlx.alloc_barriers(num_barriers=2)\ns = "
                     "tlx.alloc_smem(shape=(2, 64, 64), dtype=tl.float16)\n"
                     "m = n * 2\nif g == 0:\n    " +
                         load + "\nelse:\n    tlx.wait_barrier(b[0])\n    tlx.arrive_barrier(b[0])",
                     options);
}

TEST(Shorthand, GroupsBecomeTasks) {
  auto outcome = roles("tlx.async_load_2d(s[0], a + n * 64 * stride_m + m * stride_k, b[0])");
  EXPECT_HOLDS(outcome, "tlx.async_tasks warps [4, 8] registers [0, 0] first_warp [0, 4]");
  EXPECT_HOLDS(outcome, "tlx.alloc_channel \"b\" : <2>");
  EXPECT_HOLDS(outcome, "tlx.channel_load");
  EXPECT_HOLDS(outcome, "tlx.channel_wait");
  EXPECT_HOLDS(outcome, "tlx.channel_release");
  EXPECT_HOLDS(outcome, "tlx.tensor_map = {pointer = \"a\", strides = [\"stride_m\", \"stride_k\"]}, tlx.type = "
                        "\"tensordesc<fp16[64,64]>\"");
  EXPECT_HOLDS(outcome, "tlx.equal_to = 1 : i32, tlx.name = \"stride_k\"");
  EXPECT_HOLDS(roles("tlx.async_load_2d(s[0], a + n * stride_m + m * stride_k, b[0])",
                     "a: \"*fp16\", stride_m, stride_k, n: \"i32\"", {.numWarps = 16}),
               "warps [4, 12]");
}

TEST(Shorthand, LoadsOfOneMapShareIt) {
  auto outcome = roles("tlx.async_load_2d(s[0], a + n * stride_m + m * stride_k, b[0])\n    tlx.async_load_2d(s[1], a "
                       "+ m * stride_m + n * stride_k, b[1])");
  EXPECT_EQ(outcome.count("tlx.tensor_map"), 1u);
}

TEST(Shorthand, StrideOfOneNeedNotBeWritten) {
  EXPECT_HOLDS(
      roles("tlx.async_load_2d(s[0], a + n * stride_m + m, b[0])", "a: \"*fp16\", stride_m: \"i32\", n: \"i32\""),
      "strides = [\"stride_m\", 1 : i32]");
}

TEST(Shorthand, AddressesThatAreNoTileAreErrors) {
  EXPECT_ERROR(roles("tlx.async_load_2d(s[0], a + n * stride_m * stride_k, b[0])"), "9:33 address-not-recovered");
  EXPECT_ERROR(roles("tlx.async_load_2d(s[0], a + n * stride_m, b[0])"), "9:33 address-not-recovered");
}

TEST(Shorthand, GroupsAreComparedAtTheTopOnly) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "g = tlx.get_warp_group_id()\nx = g + 1"), "5:9 operand-type");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "g = tlx.get_warp_group_id()\nif g < 1:\n    pass"), "5:8 warp-group-use");
  EXPECT_ERROR(
      compileBody("p: \"*i32\", n: \"i32\"", "g = tlx.get_warp_group_id()\nif n > 0:\n    if g == 0:\n        pass"),
      "6:12 warp-group-use");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "g = tlx.get_warp_group_id()\nif g == 1:\n    pass\nelse:\n    pass"),
               "5:8 warp-group-use");
  EXPECT_ERROR(
      compileBody("p: \"*i32\"", "g = tlx.get_warp_group_id()\nif g == 0:\n    pass\nelse:\n    pass", {.numWarps = 4}),
      "5:8 warp-count");
}

TEST(Shorthand, ChainsNameEachGroup) {
  auto outcome = compileBody("p: \"*i32\"",
                             "g = tlx.get_warp_group_id()\nif g == 0:\n    tl.store(p, 0)\nelif g == 1:\n    "
                             "tl.store(p, 1)\nelse:\n    tl.store(p, 2)",
                             {.numWarps = 16});
  EXPECT_HOLDS(outcome, "warps [4, 4, 8]");
}
