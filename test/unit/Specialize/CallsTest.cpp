// Arguments meet parameters; names meet what they mean.
#include "Fixture.h"

using namespace tlx::specialize;

TEST(Calls, MissingArgumentNamesTheParameters) {
  auto outcome = compileBody("p: \"*i32\"", "tl.store(p)");
  EXPECT_ERROR(outcome, "4:5 missing-argument");
  EXPECT_NE(outcome.diagnostics.find("`tl.store` needs `value`"), std::string::npos);
}

TEST(Calls, UnexpectedArgumentSuggestsTheNearest) {
  auto outcome = compileBody("p: \"*i32\"", "tl.store(p, 1, msk=True)");
  EXPECT_ERROR(outcome, "4:20 unexpected-argument");
  EXPECT_NE(outcome.diagnostics.find("did you mean `mask`"), std::string::npos);
  EXPECT_ERROR(compileBody("p: \"*i32\"", "tl.program_id(0, 1)"), "4:22 unexpected-argument");
}

TEST(Calls, DuplicateArgument) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "tl.store(p, 1, pointer=p)"), "4:20 duplicate-argument");
}

TEST(Calls, RunTimeValueWhereAConstantIsNeeded) {
  EXPECT_ERROR(compileBody("p: \"*i32\", n: \"i32\"", "x = tl.arange(0, n)"), "4:22 needs-constexpr");
  EXPECT_ERROR(compileBody("p: \"*i32\", n: \"i32\"", "X: tl.constexpr = n"), "4:23 needs-constexpr");
}

TEST(Calls, MisspeltBuiltinSuggestsTheRightOne) {
  auto outcome = compileBody("p: \"*i32\"", "tlx.barier_wait(p, 0)");
  EXPECT_ERROR(outcome, "4:5 unknown-name");
  EXPECT_NE(outcome.diagnostics.find("did you mean `tlx.barrier_wait`"), std::string::npos);
}

TEST(Calls, UnknownNameSuggestsALocalOne) {
  auto outcome = compileBody("pointer: \"*i32\"", "tl.store(ponter, 1)");
  EXPECT_ERROR(outcome, "4:14 unknown-name");
  EXPECT_NE(outcome.diagnostics.find("did you mean `pointer`"), std::string::npos);
}

TEST(Calls, UnsupportedBuiltinsSaySo) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "tl.load(p, boundary_check=(0,))"), "4:31 unsupported-option");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "tlx.dot_scaled(p, p)"), "4:5 unsupported-builtin");
}

TEST(Calls, FunctionsOfTheModuleCheckTheirArguments) {
  std::string head =
      imports +
      "@triton.jit\ndef h(x, n: tl.constexpr, z=3):\n    return x\n@triton.jit\ndef k(p: \"*i32\", m: \"i32\"):\n    ";
  EXPECT_ERROR(compile(head + "h(1)\n"), "7:5 missing-argument");
  EXPECT_ERROR(compile(head + "h(1, 2, y=3)\n"), "7:13 unexpected-argument");
  EXPECT_ERROR(compile(head + "h(1, 2, 3, 4)\n"), "7:16 unexpected-argument");
  EXPECT_ERROR(compile(head + "h(1, 2, x=3)\n"), "7:13 duplicate-argument");
  EXPECT_ERROR(compile(head + "h(1, m)\n"), "7:10 needs-constexpr");
}

TEST(Calls, TuplesUnpackAndIndex) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "a, b = (1, 2, 3)"), "4:5 unpack-count");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "a = (1, 2)[2]"), "4:16 index-out-of-range");
  EXPECT_HOLDS(compileBody("p: \"*i32\"", "a, (b, c) = 1, (2, 3)\ntl.store(p, c)"), "3 : i32");
}

TEST(Calls, StaticAssertionsAndPrints) {
  auto failed = compileBody("p: \"*i32\", N: tl.constexpr = 3", "tl.static_assert(N == 4, \"four\")");
  EXPECT_ERROR(failed, "4:22 static-assert-failed");
  EXPECT_NE(failed.diagnostics.find("four"), std::string::npos);
  auto printed = compileBody("p: \"*i32\", N: tl.constexpr = 3", "tl.static_print(\"N\", N)");
  EXPECT_ERROR(printed, "4:5 static-print");
  EXPECT_NE(printed.diagnostics.find("remark: N 3"), std::string::npos);
}

TEST(Calls, ModuleConstantsAndImportedNames) {
  std::string text =
      "import triton\nimport triton.language as L\nfrom triton.language.extra import tlx\n"
      "from triton.language.extra.tlx.warp_spec import get_bufidx_phase\nSIZE = L.constexpr(16)\nTWICE = SIZE * 2\n"
      "@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n    i, ph = get_bufidx_phase(n, 3)\n    L.store(p + L.arange(0, "
      "TWICE), i + ph)\n";
  EXPECT_HOLDS(compile(text), "tlx.range 0 to 32");
}

TEST(Calls, HintsChangeNothing) {
  auto outcome =
      compileBody("p: \"*i32\", n: \"i32\"", "tl.assume(n > 0)\nm = tl.multiple_of(n * 2, 16)\ntl.store(p, m)");
  EXPECT_HOLDS(outcome, "tlx.divisibility = 16 : i32");
}

TEST(Calls, LocationsNameCallAndCallee) {
  std::string text =
      imports +
      "@triton.jit\ndef h(x):\n    return x + 1\n@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n    tl.store(p, h(n))\n";
  auto outcome = compile(text);
  EXPECT_NE(outcome.locations.find("callsite(\"test.tlx\":4:12 at \"test.tlx\":7:17)"), std::string::npos)
      << outcome.locations;
}
