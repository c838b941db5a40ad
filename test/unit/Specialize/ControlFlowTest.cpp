// Constant conditions prune; run-time ones become scf.
#include "Fixture.h"

using namespace tlx::specialize;

TEST(ControlFlow, ConstantConditionPrunesBeforeEvaluation) {
  auto outcome = compileBody("p: \"*fp32\", FLAG: tl.constexpr",
                             "if FLAG:\n    x = 1.0\nelse:\n    x = nonsense.call(3)\ntl.store(p, x)",
                             {.defines = {{"FLAG", "True"}}});
  EXPECT_HOLDS(outcome, "tlx.store");
  EXPECT_LACKS(outcome, "scf.if");
}

TEST(ControlFlow, DeadOperandOfAndIsNotEvaluated) {
  auto outcome = compileBody("p: \"*i32\", N: tl.constexpr", "if N == 2 and nothing_here:\n    tl.store(p, 1)",
                             {.defines = {{"N", "1"}}});
  EXPECT_LACKS(outcome, "tlx.store");
}

TEST(ControlFlow, RunTimeIfMergesNames) {
  auto outcome = compileBody("p: \"*i32\", n: \"i32\"", "x = 0\nif n > 3:\n    x = n\ntl.store(p, x)");
  EXPECT_HOLDS(outcome, "scf.if");
  EXPECT_HOLDS(outcome, "-> (i32)");
  EXPECT_HOLDS(outcome, "scf.yield %arg1 : i32");
}

TEST(ControlFlow, NameOfOneBranchIsLost) {
  auto outcome = compileBody("p: \"*i32\", n: \"i32\"", "if n > 3:\n    x = n\ntl.store(p, x)");
  EXPECT_ERROR(outcome, "6:17 unknown-name");
}

TEST(ControlFlow, BranchesThatDisagreeAreAnErrorOnlyWhenUsed) {
  std::string body = "x = 0\nif n > 3:\n    x = tl.arange(0, 8)\n";
  EXPECT_HOLDS(compileBody("p: \"*i32\", n: \"i32\"", body + "tl.store(p, 1)"), "tlx.store");
  EXPECT_ERROR(compileBody("p: \"*i32\", n: \"i32\"", body + "tl.store(p, x)"), "7:17 unknown-name");
}

TEST(ControlFlow, EarlyReturnMovesTheRestIntoElse) {
  auto outcome = compileBody("p: \"*i32\", n: \"i32\"", "if n > 3:\n    return\ntl.store(p, 1)");
  EXPECT_HOLDS(outcome, "else");
  EXPECT_EQ(outcome.count("tlx.store"), 1u);
}

TEST(ControlFlow, RangeIsARunTimeLoopEvenWithConstantBounds) {
  auto outcome = compileBody("p: \"*i32\"", "acc = 0\nfor i in range(0, 8, 2):\n    acc += i\ntl.store(p, acc)");
  EXPECT_HOLDS(outcome, "scf.for");
  EXPECT_HOLDS(outcome, "iter_args");
  EXPECT_HOLDS(outcome, ": i32 ");
}

TEST(ControlFlow, StaticRangeUnrolls) {
  auto outcome = compileBody("p: \"*i32\"", "for i in tl.static_range(3):\n    tl.store(p + i, i)");
  EXPECT_LACKS(outcome, "scf.for");
  EXPECT_EQ(outcome.count("tlx.store"), 3u);
}

TEST(ControlFlow, UnrollFactorEqualToTripCountUnrolls) {
  EXPECT_EQ(compileBody("p: \"*i32\"", "for i in tl.range(0, 2, loop_unroll_factor=2):\n    tl.store(p + i, i)")
                .count("tlx.store"),
            2u);
  auto kept = compileBody("p: \"*i32\"",
                          "for i in tl.range(0, 4, loop_unroll_factor=2, num_stages=3):\n    tl.store(p + i, i)");
  EXPECT_HOLDS(kept, "tlx.loop_unroll_factor = 2 : i32");
  EXPECT_HOLDS(kept, "tlx.num_stages = 3 : i32");
}

TEST(ControlFlow, LoopOverAListUnrolls) {
  EXPECT_EQ(compileBody("p: \"*i32\"", "for i, j in [(1, 2), (3, 4)]:\n    tl.store(p + i, j)").count("tlx.store"), 2u);
}

TEST(ControlFlow, LoopCountsDown) {
  auto outcome = compileBody("p: \"*i32\", n: \"i32\"", "for i in range(n, 0, -1):\n    tl.store(p + i, i)");
  EXPECT_HOLDS(outcome, "scf.for");
  EXPECT_HOLDS(outcome, "arith.muli");
}

TEST(ControlFlow, LoopCarriedTypeMustStay) {
  auto outcome = compileBody("p: \"*i32\", n: \"i32\"", "x = 0\nfor i in range(n):\n    x = tl.arange(0, 8)");
  EXPECT_ERROR(outcome, "6:9 loop-carried-type");
}

TEST(ControlFlow, ConstantsInPrunedBranchesOfALoopStayConstant) {
  auto outcome =
      compileBody("p: \"*i32\", n: \"i32\", F: tl.constexpr",
                  "SIZE = 8\nfor i in range(n):\n    if F:\n        SIZE = 16\n    tl.store(p + tl.arange(0, SIZE), i)",
                  {.defines = {{"F", "False"}}});
  EXPECT_HOLDS(outcome, "tensor<8x");
  EXPECT_LACKS(outcome, "iter_args");
}

TEST(ControlFlow, PhaseMixesBoolAndInt) {
  auto outcome =
      compileBody("n: \"i32\", p: \"*i32\"", "ph = 1\nfor i in range(n):\n    ph = ph ^ (i == 3)\ntl.store(p, ph)");
  EXPECT_HOLDS(outcome, "arith.extui");
  EXPECT_HOLDS(outcome, "arith.xori");
}

TEST(ControlFlow, WhileCarriesWhatItsBodyAssigns) {
  auto outcome = compileBody("n: \"i32\", p: \"*i32\"", "i = 0\nwhile i < n:\n    tl.store(p + i, i)\n    i += 2");
  EXPECT_HOLDS(outcome, "scf.while");
  EXPECT_HOLDS(outcome, "scf.condition");
}

TEST(ControlFlow, LoopVariableIsNotVisibleAfterwards) {
  auto outcome = compileBody("n: \"i32\", p: \"*i32\"", "for i in range(n):\n    y = i\ntl.store(p, y)");
  EXPECT_ERROR(outcome, "6:17 unknown-name");
}

TEST(ControlFlow, TuplesAreCarried) {
  auto outcome = compileBody("n: \"i32\", p: \"*i32\"",
                             "t = (0, 1.0)\nfor i in range(n):\n    t = (t[0] + i, t[1])\ntl.store(p, t[0])");
  EXPECT_HOLDS(outcome, "-> (i32, f32)");
}

TEST(ControlFlow, TernaryOfRunTimeConditionIsABranch) {
  auto outcome = compileBody("n: \"i32\", p: \"*i32\"", "x = tl.load(p) if n > 0 else 0\ntl.store(p, x)");
  EXPECT_HOLDS(outcome, "scf.if");
}

TEST(ControlFlow, HelpersAreInlinedWithBothPlaces) {
  std::string text =
      imports + "@triton.jit\ndef h(x, y: tl.constexpr):\n    if y == 1:\n        return x, 2\n    return x + y, 3\n"
                "@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n    a, b = h(n, y=4)\n    tl.store(p, a + b)\n";
  auto outcome = compile(text);
  EXPECT_HOLDS(outcome, "arith.addi");
  EXPECT_LACKS(outcome, "func.call");
}

TEST(ControlFlow, HelperReturnsFromRunTimeBranches) {
  std::string text = imports + "@triton.jit\ndef h(x):\n    if x > 1:\n        return x\n    return 0\n"
                               "@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n    tl.store(p, h(n))\n";
  EXPECT_HOLDS(compile(text), "-> (i32)");
}

TEST(ControlFlow, RecursionIsAnError) {
  std::string text = imports + "@triton.jit\ndef h(x):\n    return h(x)\n@triton.jit\ndef k(p: \"*i32\"):\n    h(1)\n";
  EXPECT_ERROR(compile(text), "4:12 recursive-call");
}

TEST(ControlFlow, ConditionThatIsATileIsAnError) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "if tl.arange(0, 8) > 2:\n    pass"), "4:8 operand-type");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "while tl.arange(0, 8) > 2:\n    pass"), "4:11 operand-type");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = 1 if tl.arange(0, 8) > 2 else 2"), "4:14 operand-type");
}

TEST(ControlFlow, EndlessLoopsAreErrors) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "while True:\n    pass"), "4:11 unsupported-construct");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "for i in tl.static_range(100000):\n    pass"), "4:14 unroll-limit");
}

TEST(ControlFlow, ComprehensionsMakeLists) {
  auto outcome = compileBody("p: \"*fp32\"", "xs = [tl.zeros((8,), tl.float32) for _ in range(3)]\ntl.store(p + "
                                             "tl.arange(0, 8), xs[0] + xs[-1])\ntl.static_assert(len(xs) == 3)");
  EXPECT_HOLDS(outcome, "tlx.store");
}

TEST(ControlFlow, LoopsWhileCompilingAreCountedTogether) {
  std::string deep = imports +
                     "@tl.constexpr_function\ndef deep(n):\n    r = 0\n    while n > 1:\n        while r < 40000:\n  "
                     "          r += 1\n        r = 0\n    return r\n@triton.jit\ndef k(p: \"*i32\"):\n    "
                     "tl.store(p, deep(64))\n";
  SpecializeOptions options;
  options.limits.unrolled = 50000;
  EXPECT_ERROR(compile(deep, options), "6:15 unroll-limit");
}
