// `return`, `break` and `continue` on paths that are chosen at run time.
#include "Fixture.h"

using namespace tlx::specialize;

static const std::string params = "p: \"*i32\", n: \"i32\", m: \"i32\"";

TEST(Escapes, BreakMakesAForLoopAWhileLoop) {
  auto outcome = compileBody(params, "for i in range(n):\n    if i == m:\n        break\n    tl.store(p + i, i)");
  EXPECT_HOLDS(outcome, "scf.while");
  EXPECT_LACKS(outcome, "scf.for");
  EXPECT_EQ(outcome.count("tlx.store"), 1u);
}

TEST(Escapes, DeadBreakLeavesTheForLoop) {
  auto outcome =
      compileBody(params + ", F: tl.constexpr", "for i in range(n):\n    if F:\n        break\n    tl.store(p + i, i)",
                  {.defines = {{"F", "False"}}});
  EXPECT_HOLDS(outcome, "scf.for");
}

TEST(Escapes, ContinueKeepsTheForLoop) {
  auto outcome =
      compileBody(params, "s = 0\nfor i in range(n):\n    if i == m:\n        continue\n    s += i\ntl.store(p, s)");
  EXPECT_HOLDS(outcome, "scf.for");
  EXPECT_EQ(outcome.count("arith.addi"), 1u);
}

TEST(Escapes, ReturnInALoopGuardsWhatFollows) {
  auto outcome = compileBody(params, "for i in range(n):\n    if i == m:\n        return\ntl.store(p, 1)");
  EXPECT_HOLDS(outcome, "scf.while");
  EXPECT_EQ(outcome.count("tlx.store"), 1u);
  EXPECT_EQ(outcome.count("scf.if"), 2u);
}

TEST(Escapes, ReturnedValueIsCarriedOutOfTheLoop) {
  std::string text = imports + "@triton.jit\ndef find(p, n):\n    for i in range(n):\n        if tl.load(p + i) == 0:\n"
                               "            return i\n    return -1\n"
                               "@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n    tl.store(p, find(p, n))\n";
  auto outcome = compile(text);
  EXPECT_HOLDS(outcome, "scf.while");
  EXPECT_EQ(outcome.count("tlx.store"), 1u);
}

/// Each `return` once doubled the code behind it.
TEST(Escapes, NestedReturnsDoNotMultiplyTheCode) {
  std::string body;
  for (int i = 0; i < 12; ++i)
    body += "if n > " + std::to_string(i) + ":\n    if m == " + std::to_string(i) +
            ":\n        return\n    tl.store(p + " + std::to_string(i) + ", 7)\n";
  auto outcome = compileBody(params, body + "tl.store(p, 1)");
  EXPECT_EQ(outcome.count("tlx.store"), 13u);
}

/// What follows the outer `if` runs only where the inner one has not returned.
TEST(Escapes, NestedReturnAtTheEndOfABranchGuardsWhatFollows) {
  auto outcome = compileBody(params, "if n > 1:\n    if m > 1:\n        return\ntl.store(p, 1)");
  EXPECT_EQ(outcome.count("scf.if"), 3u);
  EXPECT_EQ(outcome.count("tlx.store"), 1u);
}

TEST(Escapes, NameOfTheBranchThatGoesOnLives) {
  auto outcome =
      compileBody(params, "if n > 3:\n    if m > 3:\n        return\n    x = 2\nelse:\n    x = n\ntl.store(p, x)");
  EXPECT_HOLDS(outcome, "tlx.store");
}

TEST(Escapes, ReturnOnSomePathsOnlyGivesNoValue) {
  std::string text = imports + "@triton.jit\ndef h(n):\n    if n > 1:\n        return n\n"
                               "@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n    tl.store(p, h(n))\n";
  EXPECT_ERROR(compile(text), "5:9 operand-type");
}

TEST(Escapes, ReturnsOfDifferentTypesAreAnError) {
  std::string text = imports + "@triton.jit\ndef h(n):\n    if n > 1:\n        return tl.arange(0, 8)\n    return n\n"
                               "@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n    tl.store(p, h(n))\n";
  EXPECT_ERROR(compile(text), "4:8 operand-type");
}

TEST(Escapes, UnrolledLoopsBreakAndContinue) {
  auto constant = compileBody(params, "for i in tl.static_range(8):\n    if i == 3:\n        break\n    if i == 1:\n"
                                      "        continue\n    tl.store(p + i, i)");
  EXPECT_EQ(constant.count("tlx.store"), 2u);
  auto runTime =
      compileBody(params, "for i in tl.static_range(4):\n    if i == m:\n        break\n    tl.store(p + i, i)");
  EXPECT_EQ(runTime.count("tlx.store"), 4u);
}

TEST(Escapes, ElseOfALoopRunsWithoutBreak) {
  auto outcome = compileBody(params, "for i in range(n):\n    if i == m:\n        break\nelse:\n    tl.store(p, 1)");
  EXPECT_EQ(outcome.count("scf.if"), 2u);
  auto plain = compileBody(params, "for i in range(n):\n    tl.store(p + i, 2)\nelse:\n    tl.store(p, 1)");
  EXPECT_LACKS(plain, "scf.if");
  EXPECT_EQ(plain.count("tlx.store"), 2u);
}

TEST(Escapes, EndlessLoopEndsByBreak) {
  auto outcome = compileBody(params, "i = 0\nwhile True:\n    i += 1\n    if i > n:\n        break\ntl.store(p, i)");
  EXPECT_HOLDS(outcome, "scf.while");
}

TEST(Escapes, LeavingWithoutALoopIsAnError) {
  EXPECT_ERROR(compileBody(params, "break"), "4:5 unsupported-construct");
  EXPECT_ERROR(compileBody(params, "if n > 1:\n    continue"), "5:9 unsupported-construct");
}

TEST(Escapes, ReturnEndsATaskWhenNothingFollows) {
  std::string tasks =
      "with tlx.async_tasks():\n    with tlx.async_task(\"default\"):\n        if n > 1:\n            return\n"
      "        tl.store(p, 1)\n    with tlx.async_task(num_warps=4):\n        tl.store(p + 1, 2)\n";
  EXPECT_EQ(compileBody(params, tasks).count("tlx.store"), 2u);
  EXPECT_EQ(compileBody(params, "if m > 1:\n    return\n" + tasks).count("tlx.store"), 2u);
  EXPECT_ERROR(compileBody(params, tasks + "tl.store(p, 3)"), "7:17 unsupported-construct");
  EXPECT_ERROR(compileBody(params,
                           "for i in range(n):\n    if True:\n        pass\n    with tlx.async_tasks():\n        with "
                           "tlx.async_task(\"default\"):\n            return"),
               "9:17 unsupported-construct");
}

TEST(Escapes, NoValueAndNoBreakLeadOutOfATask) {
  std::string tasks = "with tlx.async_tasks():\n    with tlx.async_task(\"default\"):\n        ";
  EXPECT_ERROR(compileBody(params, tasks + "return 1"), "6:13 unsupported-construct");
  EXPECT_ERROR(compileBody(params, "for i in range(n):\n    with tlx.async_tasks():\n        with "
                                   "tlx.async_task(\"default\"):\n            break"),
               "7:17 unsupported-construct");
}
