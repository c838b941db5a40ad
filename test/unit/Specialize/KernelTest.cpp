// Which kernel, which constants, which types.
#include "Fixture.h"

using namespace tlx::specialize;

TEST(Kernel, DefinesWinOverConfigsOverDefaults) {
  std::string text = imports + "@triton.autotune(configs=[triton.Config({\"A\": 1, \"B\": 1}, num_warps=8, "
                               "ctas_per_cga=(2, 1, 1)), triton.Config({\"A\": 4, \"B\": 4})], key=[])\n"
                               "@triton.jit\ndef k(p: \"*i32\", A: tl.constexpr, B: tl.constexpr = 9, C: tl.constexpr "
                               "= A + B):\n    tl.store(p, A)\n";
  auto first = compile(text, {.defines = {{"A", "7"}}});
  EXPECT_HOLDS(first, "tlx.constexprs = {A = 7 : i64, B = 1 : i64, C = 8 : i64}");
  EXPECT_HOLDS(first, "tlx.num_warps = 8 : i32");
  EXPECT_HOLDS(first, "tlx.cluster = array<i32: 2, 1, 1>");
  EXPECT_HOLDS(compile(text, {.config = 1}), "B = 4 : i64");
  EXPECT_HOLDS(compile(text, {.numWarps = 2, .cluster = std::array<int, 3>{4, 1, 1}}), "array<i32: 4, 1, 1>");
  EXPECT_ERROR(compile(text, {.config = 2}), "2:2 unknown-config");
}

TEST(Kernel, ConfigsComeFromComprehensionsAndFunctions) {
  std::string text = imports + "def make():\n    return [triton.Config({\"A\": a, \"B\": b}, num_warps=w) for a in [1, "
                               "2] for b, w in [(3, 4), (5, 8)] if a * b != 10]\n"
                               "@triton.autotune(configs=make(), key=[])\n@triton.jit\ndef k(p: \"*i32\", A: "
                               "tl.constexpr, B: tl.constexpr):\n    tl.store(p, A)\n";
  EXPECT_HOLDS(compile(text, {.config = 2}), "A = 2 : i64, B = 3 : i64");
  EXPECT_ERROR(compile(text, {.config = 3}), "4:2 unknown-config");
}

TEST(Kernel, ConfigsThatNeedTheHostAreAnErrorWhenChosen) {
  std::string text = imports + "@triton.autotune(configs=host.list(), key=[])\n@triton.jit\ndef k(p: \"*i32\", A: "
                               "tl.constexpr):\n    tl.store(p, A)\n";
  EXPECT_ERROR(compile(text, {.config = 0}), "2:2 unknown-config");
  EXPECT_HOLDS(compile(text, {.defines = {{"A", "1"}}}), "A = 1");
}

TEST(Kernel, EveryMissingConstantIsReported) {
  auto outcome = compileBody("p: \"*i32\", A: tl.constexpr, B: tl.constexpr", "pass");
  EXPECT_EQ(outcome.places, (std::vector<std::string>{"3:18 missing-constexpr", "3:35 missing-constexpr"}));
  EXPECT_NE(outcome.diagnostics.find("-D A=..."), std::string::npos);
}

TEST(Kernel, TypesComeFromAnnotationsAndSignature) {
  auto outcome = compileBody("a: \"*bf16:16\", d: \"tensordesc<T[BM // 2, BK]>\", s: tl.float32, b, BM: tl.constexpr = "
                             "64, BK: tl.constexpr = 32, T: tl.constexpr = \"fp16\"",
                             "pass", {.signature = "b=*fp8e4nv:32"});
  EXPECT_HOLDS(outcome, "%arg0: !tlx.ptr<bf16> {tlx.divisibility = 16 : i32, tlx.name = \"a\", tlx.type = \"*bf16\"}");
  EXPECT_HOLDS(outcome, "!tlx.desc<32x32xf16>");
  EXPECT_HOLDS(outcome, "tlx.type = \"tensordesc<fp16[32,32]>\"");
  EXPECT_HOLDS(outcome, "%arg2: f32");
  EXPECT_HOLDS(outcome, "!tlx.ptr<f8E4M3FN> {tlx.divisibility = 32 : i32");
}

TEST(Kernel, EqualToFoldsTheArgument) {
  auto outcome = compileBody("p: \"*i32\", s", "tl.static_assert(s == 1)\ntl.store(p, s)", {.signature = "s=i32=1"});
  EXPECT_HOLDS(outcome, "tlx.equal_to = 1 : i32");
}

TEST(Kernel, IntegersAreInferred) {
  auto outcome = compileBody(
      "p: \"*i32\", M, N, stride, B: tl.constexpr = 8",
      "i = tl.program_id(0) * B + tl.arange(0, B)\nn = tl.cdiv(M, B)\ntl.store(p + i * stride, n, mask=i < N)");
  EXPECT_EQ(outcome.count("tlx.type = \"i32\""), 3u) << outcome.diagnostics;
}

TEST(Kernel, IntegersAreInferredThroughNames) {
  auto outcome = compileBody("p: \"*i32\", K, L, M, N, O",
                             "n = K\nfor k in tl.range(n - 64, -1, -64):\n    tl.store(p + k, 1)\n"
                             "m = L\nm += 1\nfor k in range(m * 2):\n    tl.store(p + k, 1)\n"
                             "a, b = M, 4\nwhile a < tl.program_id(0):\n    a += b\n"
                             "r = 1.0 / N\nfor k in range(0, min(N, 8)):\n    tl.store(p + k, 1)\n"
                             "d = tl.make_tensor_descriptor(p, shape=[O, 16], strides=[16, 1], block_shape=[16, 16])");
  EXPECT_EQ(outcome.count("tlx.type = \"i32\""), 5u) << outcome.diagnostics;
}

TEST(Kernel, IntegersAreInferredThroughFunctions) {
  std::string text =
      "import triton\nimport triton.language as tl\n\n@triton.jit\ndef half(n):\n    return n - 1\n\n"
      "@triton.jit\ndef count(p, n):\n    for i in range(n + 1):\n        tl.store(p + i, i)\n\n"
      "@triton.jit\ndef k(p: \"*i32\", A, B):\n    for i in range(half(A)):\n        tl.store(p + i, i)\n"
      "    count(p, B * 2)\n";
  auto outcome = compile(text);
  EXPECT_EQ(outcome.count("tlx.type = \"i32\""), 2u) << outcome.diagnostics;
}

TEST(Kernel, WhatIsMadeOfAFloatTellsNothing) {
  // Each of them may be a float: nothing asks for an integer.
  EXPECT_ERROR(compileBody("s", "n = s\ny = tl.zeros((8,), tl.float32) + n"), "3:7 missing-type");
  EXPECT_ERROR(compileBody("s", "y = tl.zeros((8,), tl.float32) * s\nz = y * tl.program_id(0)"), "3:7 missing-type");
  EXPECT_ERROR(compileBody("s", "n = s * 0.5\nm = tl.program_id(0) * n"), "3:7 missing-type");
}

TEST(Kernel, FloatsAndPointersAreNotInferred) {
  auto outcome = compileBody("p, s", "x = tl.load(p + tl.arange(0, 8))\ny = x * s * 2.0");
  EXPECT_EQ(outcome.places, (std::vector<std::string>{"3:7 missing-type", "3:10 missing-type"}));
  EXPECT_NE(outcome.diagnostics.find("--signature \"s="), std::string::npos);
}

TEST(Kernel, ProductsWithConstantsDoNotTellIntegersFromFloats) {
  // `s` could be either; `n` meets a run-time index elsewhere.
  std::string body = "x = tl.zeros((8,), tl.float32) * s\nif s > 0:\n    y = s * 2\n"
                     "h, t = tl.program_id(0), 1\nz = t * n\nw = tl.cdiv(n, 8)";
  auto outcome = compileBody("s, n", body);
  EXPECT_ERROR(outcome, "3:7 missing-type");
}

TEST(Kernel, MalformedTypesSayWhy) {
  EXPECT_ERROR(compileBody("p: \"*fp17\"", "pass"), "3:10 malformed-type");
  EXPECT_ERROR(compileBody("p: \"i32:0\"", "pass"), "3:10 malformed-type");
  EXPECT_ERROR(compileBody("p: \"tensordesc<fp16[N]>\"", "pass"), "3:10 malformed-type");
  EXPECT_ERROR(compileBody("p: \"tensordesc<fp16[1,1,1,1,1,1]>\"", "pass"), "3:10 malformed-type");
}

TEST(Kernel, UnknownParametersSuggest) {
  auto outcome = compileBody("p: \"*i32\", BLOCK: tl.constexpr = 1", "pass", {.defines = {{"BLOK", "3"}}});
  EXPECT_ERROR(outcome, "- unknown-parameter");
  EXPECT_NE(outcome.diagnostics.find("did you mean `BLOCK`"), std::string::npos);
  EXPECT_ERROR(compileBody("p: \"*i32\"", "pass", {.defines = {{"p", "3"}}}), "3:7 unknown-parameter");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "pass", {.signature = "q=i32"}), "- unknown-parameter");
}

TEST(Kernel, OneOfSeveralIsChosenByName) {
  std::string text = imports + "@triton.jit\ndef h(x):\n    return x\n@triton.jit\ndef a(p: \"*i32\"):\n    "
                               "tl.store(p, h(1))\n@triton.jit\ndef b(p: \"*i32\"):\n    pass\n";
  EXPECT_ERROR(compile(text), "1:1 unknown-kernel");
  EXPECT_HOLDS(compile(text, {.kernel = "b"}), "func.func @b");
  EXPECT_ERROR(compile(text, {.kernel = "c"}), "1:1 unknown-kernel");
  EXPECT_ERROR(compile("x = 1\n"), "1:1 unknown-kernel");
}

TEST(Kernel, WarpsAreAPowerOfTwo) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "pass", {.numWarps = 3}), "3:5 warp-count");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "pass", {.numWarps = 64}), "3:5 warp-count");
}

TEST(Kernel, ReturnsNothing) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = 1\nreturn 3"), "5:5 unsupported-construct");
  EXPECT_HOLDS(compileBody("p: \"*i32\"", "return"), "return");
}

TEST(Kernel, LoopOptionsAreNotNegative) {
  EXPECT_ERROR(compileBody("p: \"*i32\", n: \"i32\"", "for i in tl.range(0, n, num_stages=-1):\n    tl.store(p, i)"),
               "4:40 launch-option");
  EXPECT_ERROR(
      compileBody("p: \"*i32\", n: \"i32\"", "for i in tl.range(0, n, loop_unroll_factor='x'):\n    tl.store(p, i)"),
      "4:48 launch-option");
}

TEST(Kernel, OneNameIsOneKernel) {
  std::string text = imports +
                     "@triton.jit\ndef k(p: \"*i32\"):\n    tl.store(p, 1)\n@triton.jit\ndef k(p: \"*i32\"):\n    "
                     "tl.store(p, 2)\n";
  auto outcome = compile(text);
  EXPECT_ERROR(outcome, "6:5 duplicate-name");
  EXPECT_NE(outcome.diagnostics.find("test.tlx:3:5: note"), std::string::npos);
  // Of two sides of a condition one counts.
  std::string either = imports +
                       "if tl.fast:\n    @triton.jit\n    def k(p: \"*i32\"):\n        tl.store(p, 1)\nelse:\n    "
                       "@triton.jit\n    def k(p: \"*i32\"):\n        tl.store(p, 2)\n";
  EXPECT_HOLDS(compile(either), "arith.constant 2");
}

TEST(Kernel, SignatureAgreesWithAnnotations) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "pass", {.signature = "p=*fp32"}), "3:10 malformed-type");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "pass", {.signature = "p=i32"}), "3:10 malformed-type");
  EXPECT_HOLDS(compileBody("p: \"*i32\"", "pass", {.signature = "p=*i32:16"}), "tlx.divisibility = 16");
  EXPECT_ERROR(compileBody("p", "pass", {.signature = "p=*i32:12"}), "3:7 malformed-type");
}

TEST(Kernel, DefinesOfAnIntAreInts) {
  std::string params = "p: \"*i32\", BLOCK: tl.constexpr = 64";
  EXPECT_ERROR(compileBody(params, "pass", {.defines = {{"BLOCK", "True"}}}), "3:18 malformed-define");
  EXPECT_ERROR(compileBody(params, "pass", {.defines = {{"BLOCK", "64.0"}}}), "3:18 malformed-define");
  EXPECT_HOLDS(compileBody(params, "pass", {.defines = {{"BLOCK", "32"}}}), "BLOCK = 32 : i64");
  EXPECT_HOLDS(compileBody("p: \"*i32\", F: tl.constexpr = False", "pass", {.defines = {{"F", "True"}}}), "F = true");
}

TEST(Kernel, WhatFollowsAFailedAssignmentIsNotReported) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = unknown_thing\ny = tl.sort(tl.arange(0, 8))"), "4:9 unknown-name");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = unknown_thing\ny = x + 1\ntl.store(p, y)"), "4:9 unknown-name");
  EXPECT_ERROR(
      compileBody("p: \"*i32\", n: \"i32\"",
                  "for i in range(n):\n    x = unknown_thing\n    y = x\nif n > 1:\n    z = x\ntl.store(p, x)"),
      "5:13 unknown-name");
  EXPECT_ERROR(
      compileBody("p: \"*i32\", n: \"i32\"", "if n > 1:\n    x = unknown_thing\nelse:\n    x = 1\ntl.store(p, x)"),
      "5:13 unknown-name");
  EXPECT_ERROR(compileBody("p: \"*i32\"",
                           "a, (b, c) = unknown_thing\nwith tlx.async_tasks():\n    with tlx.async_task('default'):\n"
                           "        tl.store(p, b + c)"),
               "4:17 unknown-name");
}
