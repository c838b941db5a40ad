// `if` in functions that see single elements; dictionaries and keyword arguments.
#include "Fixture.h"

using namespace tlx::specialize;

static Outcome mapped(const std::string &function) {
  return compile(imports + "@triton.jit\ndef f(a, b):\n" + function +
                 "@triton.jit\ndef k(p: \"*i32\"):\n    i = tl.arange(0, 8)\n    tl.store(p + i, tl.map_elementwise(f, "
                 "i, i + 1))\n");
}

TEST(Elementwise, BothSidesOfAnIfRun) {
  auto outcome = mapped("    if a > b:\n        return a * 3\n    return b * 5\n");
  EXPECT_LACKS(outcome, "scf.if");
  EXPECT_EQ(outcome.count("arith.muli"), 2u);
  EXPECT_EQ(outcome.count("arith.select"), 1u);
}

TEST(Elementwise, DivisorsAreOneWhereASideIsNotTaken) {
  auto outcome = mapped("    return a // b if b != 0 else 7\n");
  EXPECT_EQ(outcome.count("arith.select"), 2u);
  EXPECT_HOLDS(outcome, "dense<1>");
}

TEST(Elementwise, NamesOfOneSideAreLost) {
  EXPECT_ERROR(mapped("    if a > b:\n        c = a\n    return c\n"), "6:12 unknown-name");
  auto kept = mapped("    if a > b:\n        return a\n    else:\n        c = b\n    return c\n");
  EXPECT_EQ(kept.count("arith.select"), 1u);
}

TEST(Elementwise, ReturnOnSomeElementsOnlyGivesNoValue) {
  EXPECT_ERROR(mapped("    if a > b:\n        return a\n"), "5:9 operand-type");
}

TEST(Elementwise, MemoryIsNotTouchedOnOneSide) {
  EXPECT_ERROR(mapped("    if a > b:\n        tl.device_print('a')\n    return a\n"), "4:8 unsupported-construct");
}

TEST(Elementwise, ElsewhereATileIsNoCondition) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "if tl.arange(0, 8) > 2:\n    tl.store(p, 1)"), "4:8 operand-type");
}

static Outcome ofK(const std::string &text) {
  return compile(text, {.kernel = "k"});
}

TEST(Dictionaries, AreLookedUpJoinedAndSpread) {
  std::string head = imports +
                     "TABLE = {'a': 2, 3: 5}\n@triton.jit\ndef f(x, **rest):\n    return x + rest['b'] + len(rest)\n"
                     "@triton.jit\ndef k(p: \"*i32\"):\n";
  EXPECT_HOLDS(ofK(head + "    tl.store(p, TABLE['a'] * TABLE[3] * (3 in TABLE))\n"), "constant 10");
  EXPECT_HOLDS(ofK(head + "    tl.store(p, f(1, b=4, c=9))\n"), "constant 7");
  EXPECT_ERROR(ofK(head + "    tl.store(p, f(1, **TABLE))\n"), "8:24 unsupported-construct");
  EXPECT_ERROR(ofK(head + "    tl.store(p, f(1, b=2, **{'b': 3}))\n"), "8:29 duplicate-argument");
  EXPECT_ERROR(ofK(head + "    tl.store(p, TABLE['b'])\n"), "8:23 unknown-name");
}
