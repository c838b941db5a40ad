// Promotion, broadcasting and folding.
#include "Fixture.h"

using namespace tlx::specialize;

static Outcome stored(const std::string &params, const std::string &expr) {
  return compileBody("out: \"*fp32\", " + params, "tl.store(out, " + expr + ")");
}

TEST(Arithmetic, LiteralsAdoptTheOtherType) {
  auto outcome = compileBody("p: \"*fp16\"", "x = tl.load(p)\ntl.store(p, x * 2 + 1.5)");
  EXPECT_HOLDS(outcome, "arith.mulf");
  EXPECT_HOLDS(outcome, "fastmath<contract> : f16");
  EXPECT_LACKS(outcome, "f32");
}

TEST(Arithmetic, HalfTimesFloatIsFloat) {
  EXPECT_HOLDS(stored("a: \"fp16\", b: \"fp32\"", "a * b"), "arith.extf");
}

TEST(Arithmetic, Bfloat16BesideHalfIsHalf) {
  auto outcome = stored("a: \"bf16\", b: \"fp16\"", "a + b");
  EXPECT_HOLDS(outcome, "fastmath<contract> : f16");
}

TEST(Arithmetic, IntegersPromoteToTheWider) {
  auto outcome = compileBody("p: \"*i64\", a: \"i32\", b: \"i64\"", "tl.store(p, a + b)");
  EXPECT_HOLDS(outcome, "arith.extsi");
}

TEST(Arithmetic, UnsignedExtendsWithZeros) {
  auto outcome = compileBody("p: \"*i64\", a: \"u32\", b: \"i64\"", "tl.store(p, a + b)");
  EXPECT_HOLDS(outcome, "arith.extui");
}

TEST(Arithmetic, SignChoosesDivisionAndComparison) {
  auto outcome = compileBody("p: \"*i32\", a: \"u32\", b: \"i32\"",
                             "tl.store(p, a // 3)\ntl.store(p, b // 3)\ntl.store(p, a < 3)\ntl.store(p, b < "
                             "3)\ntl.store(p, a >> 1)\ntl.store(p, b >> 1)");
  for (const char *op :
       {"arith.divui", "arith.divsi", "arith.cmpi ult", "arith.cmpi slt", "arith.shrui", "arith.shrsi"})
    EXPECT_HOLDS(outcome, op);
}

TEST(Arithmetic, IntegerDivisionIsFloat) {
  auto outcome = stored("a: \"i32\", b: \"i32\"", "a / b");
  EXPECT_HOLDS(outcome, "arith.sitofp");
  EXPECT_HOLDS(outcome, "arith.divf");
}

TEST(Arithmetic, ConstantsFoldAsInPython) {
  auto outcome =
      compileBody("p: \"*i32\"", "tl.static_assert(-7 // 2 == -4)\ntl.static_assert(-7 % 3 == 2)\ntl.static_assert(7 / "
                                 "2 == 3.5)\ntl.static_assert(2 ** 5 == 32)\ntl.store(p, -7 // 2)");
  EXPECT_HOLDS(outcome, "-4 : i32");
}

TEST(Arithmetic, ShapesBroadcast) {
  auto outcome =
      compileBody("p: \"*fp32\", s: \"i32\"",
                  "m = tl.arange(0, 16)\nn = tl.arange(0, 8)\ntl.store(p + m[:, None] * s + n[None, :], 0.0)");
  EXPECT_HOLDS(outcome, "tlx.expand_dims");
  EXPECT_HOLDS(outcome, "tensor<16x8x!tlx.ptr<f32>>");
}

TEST(Arithmetic, ShapesThatDifferAreAnErrorWithBothNumbers) {
  auto outcome = compileBody("p: \"*fp32\"", "x = tl.arange(0, 16) + tl.arange(0, 8)");
  EXPECT_ERROR(outcome, "4:9 shape-mismatch");
  EXPECT_NE(outcome.diagnostics.find("16 is not 8"), std::string::npos);
}

TEST(Arithmetic, LiteralThatDoesNotFitIsAnError) {
  EXPECT_ERROR(compileBody("p: \"*u8\"", "x = tl.load(p) + 300"), "4:9 literal-range");
}

TEST(Arithmetic, DivisionByConstantZeroIsAnError) {
  EXPECT_ERROR(compileBody("p: \"*u8\"", "x = 1 // 0"), "4:9 division-by-zero");
}

TEST(Arithmetic, PointersTakeIntegers) {
  EXPECT_HOLDS(compileBody("p: \"*fp32\", i: \"i64\"", "tl.store(p + i - 1, 0.0)"), "tlx.addptr");
  EXPECT_ERROR(compileBody("p: \"*fp32\"", "x = p * 2"), "4:9 operand-type");
  EXPECT_ERROR(compileBody("p: \"*fp32\"", "x = p + 1.0"), "4:9 operand-type");
}

TEST(Arithmetic, CastsFollowTheSign) {
  auto outcome = compileBody(
      "p: \"*fp32\", a: \"u8\", b: \"i8\"",
      "tl.store(p, a.to(tl.float32) + b.to(tl.float32))\ntl.store(p, tl.load(p).to(tl.float16).to(tl.bfloat16))");
  for (const char *op : {"arith.uitofp", "arith.sitofp", "arith.truncf", "arith.extf"})
    EXPECT_HOLDS(outcome, op);
  EXPECT_ERROR(compileBody("p: \"*fp32\"", "x = tl.load(p).to(tl.int16, bitcast=True)"), "4:9 unsupported-cast");
}

TEST(Arithmetic, FunctionsOfElements) {
  auto outcome = compileBody("p: \"*fp32\"",
                             "o = p + tl.arange(0, 8)\nx = tl.load(o)\nx = tl.exp(x) + tl.math.log2(x) + tl.sqrt(x) + "
                             "tl.abs(x)\nx = tl.where(x > 0, x, 0.0)\nx = tl.maximum(x, 1.0)\ntl.store(o, x)");
  for (const char *op :
       {"tlx.approx exp2", "tlx.approx log2", "math.sqrt", "math.absf", "arith.select", "arith.maxnumf"})
    EXPECT_HOLDS(outcome, op);
}

TEST(Arithmetic, Reductions) {
  auto outcome = compileBody("p: \"*fp32\"", "x = tl.zeros((16, 8), tl.float32)\ny = tl.max(x, 1)\nz = tl.sum(x, "
                                             "axis=0)\ntl.store(p, tl.sum(x) + tl.max(y) + tl.sum(z))");
  EXPECT_HOLDS(outcome, "tlx.reduce max %");
  EXPECT_HOLDS(outcome, "tensor<16x8xf32> -> tensor<16xf32>");
  EXPECT_HOLDS(outcome, "tensor<8xf32> -> f32");
}

TEST(Arithmetic, ShapesChange) {
  auto outcome = compileBody("p: \"*fp32\"",
                             "x = tl.zeros((16, 8), tl.float32)\na, b = tl.split(tl.permute(tl.reshape(x, (16, 2, 4)), "
                             "(0, 2, 1)))\nc = tl.join(a, b)\nd = tl.trans(x)\ntl.store(p, tl.sum(c) + tl.sum(d))");
  EXPECT_HOLDS(outcome, "tensor<16x4xf32>, tensor<16x4xf32>");
  EXPECT_HOLDS(outcome, "tensor<8x16xf32>");
  EXPECT_ERROR(compileBody("p: \"*fp32\"", "x = tl.zeros((16, 8), tl.float32).reshape(16, 16)"), "4:9 shape-mismatch");
  EXPECT_ERROR(compileBody("p: \"*fp32\"", "x = tl.zeros((16, 6), tl.float32)"), "4:9 tile-extent");
}

TEST(Arithmetic, LoadsAndStoresTakeMasks) {
  auto outcome =
      compileBody("p: \"*fp16\", n: \"i32\"", "o = tl.arange(0, 64)\nx = tl.load(p + o, mask=o < n, "
                                              "other=0.0)\ntl.store(p + o, x, mask=o < n)\ntl.atomic_add(p + o, x)");
  EXPECT_HOLDS(outcome, "mask %");
  EXPECT_HOLDS(outcome, "other %");
  EXPECT_HOLDS(outcome, "tlx.atomic fadd");
}
