// The table itself, and the functions that other tests do not touch.
#include "Builtins.h"
#include "Fixture.h"
#include <set>

using namespace tlx::specialize;

TEST(Builtins, EveryRowCanBeRead) {
  std::set<std::string> names;
  for (const Builtin &row : allBuiltins()) {
    EXPECT_TRUE(names.insert(row.name.str()).second) << row.name.str() << " stands twice in the table";
    EXPECT_FALSE(row.summary.empty()) << row.name.str();
    for (const BuiltinParameter &parameter : parseParameters(row.parameters))
      EXPECT_FALSE(parameter.name.empty() || parameter.name.contains(' ')) << row.name.str();
    EXPECT_EQ(findBuiltin(row.name), &row);
  }
}

TEST(Builtins, FunctionsOfElements) {
  auto outcome =
      compileBody("p: \"*fp32\", n: \"i32\"",
                  "o = p + tl.arange(0, 8)\nx = tl.load(o)\nx = tl.clamp(x, 0.0, 1.0)\nx = tl.fma(x, x, x)\n"
                  "x = tl.log(x) + tl.rsqrt(x) + tl.sin(x) + tl.cos(x) + tl.math.tanh(x)\n"
                  "x = tl.floor(x) + tl.ceil(x) + tl.sigmoid(x)\nx = tl.add(x, 1.0) - tl.sub(x, tl.mul(x, 2.0))\n"
                  "x = tl.fdiv(x, 3.0) + tl.maximum(x, 0, propagate_nan=tl.PropagateNan.ALL)\n"
                  "x += tl.zeros_like(x) + tl.full((8,), n, tl.float32) + tl.abs(n)\ntl.store(o, x)");
  for (const char *op : {"math.fma", "tlx.approx rsqrt", "tlx.approx sin", "tlx.approx cos", "tlx.approx tanh",
                         "math.floor", "math.ceil", "arith.divf", "arith.maximumf", "math.absi"})
    EXPECT_HOLDS(outcome, op);
}

TEST(Builtins, HalfOperandsGetHalfResults) {
  auto outcome = compileBody("p: \"*fp16\"", "x = tl.exp2(tl.load(p))\ntl.store(p, x)");
  EXPECT_HOLDS(outcome, "arith.extf");
  EXPECT_HOLDS(outcome, "arith.truncf");
}

TEST(Builtins, PythonFunctions) {
  auto outcome =
      compileBody("p: \"*i32\"", "tl.static_assert(len((1, 2)) == 2)\ntl.static_assert(int(3.7) == 3)\n"
                                 "tl.static_assert(float(\"-inf\") < 0)\ntl.static_assert(abs(-3) == 3)\n"
                                 "tl.static_assert(max(1, 2.5) == 2.5)\ntl.static_assert(min((4, 3)) == 3)\n"
                                 "tl.static_assert(isinstance(3, int))\ntl.static_assert(str(3) == \"3\")\n"
                                 "tl.static_assert(bool(2))\ntl.static_assert(list((1, 2)) + [3] == [1, 2, 3])\n"
                                 "tl.static_assert(triton.next_power_of_2(65) == 128)\ntl.store(p, 1)");
  EXPECT_HOLDS(outcome, "tlx.store");
}

TEST(Builtins, ShapesAndReductions) {
  auto outcome = compileBody("p: \"*fp32\"",
                             "x = tl.zeros((16, 8), tl.float32)\na, b = tl.broadcast(x, tl.zeros((8,), tl.float32))\n"
                             "c = tl.broadcast_to(tl.zeros((1, 8), tl.float32), (16, 8))\nd = tl.expand_dims(x, -1)\n"
                             "e = tl.sum(x, axis=-1, keep_dims=True)\nf = tl.min(x, 0)\n"
                             "g = tl.xor_sum(tl.arange(0, 16))\ntl.store(p, tl.sum(d) + tl.sum(e) + tl.sum(f) + g)");
  EXPECT_HOLDS(outcome, "tensor<16x8x1xf32>");
  EXPECT_HOLDS(outcome, "tensor<16xf32> -> tensor<16x1xf32>");
  EXPECT_HOLDS(outcome, "tlx.reduce min");
  EXPECT_HOLDS(outcome, "tlx.reduce xor");
}

TEST(Builtins, AtomicsChooseByType) {
  auto outcome = compileBody("p: \"*fp32\", q: \"*u32\"",
                             "tl.atomic_add(p, 1.0, sem=\"relaxed\", scope=\"sys\")\ntl.atomic_max(q, 1)\n"
                             "tl.atomic_min(q, 1)\ntl.atomic_and(q, 1)\ntl.atomic_or(q, 1)\ntl.atomic_xor(q, 1)\n"
                             "tl.atomic_xchg(q, 1)");
  for (const char *text : {"tlx.atomic fadd", "order \"relaxed\" scope \"sys\"", "tlx.atomic umax", "tlx.atomic umin",
                           "tlx.atomic and", "tlx.atomic or", "tlx.atomic xor", "tlx.atomic xchg"})
    EXPECT_HOLDS(outcome, text);
  EXPECT_ERROR(compileBody("p: \"*fp32\"", "tl.atomic_add(p, 1.0, sem=\"strong\")"), "4:31 argument-type");
}

TEST(Builtins, QueriesOfTypesAndCluster) {
  auto outcome =
      compileBody("p: \"*fp8e5\", d: \"tensordesc<bf16[64,64]>\"",
                  "tl.static_assert(tlx.size_of(tlx.dtype_of(d)) == 2)\n"
                  "tl.static_assert(tlx.get_fp8_format_name(tlx.dtype_of(p)) == \"e5m2\")\n"
                  "tl.static_assert(p.dtype.element_ty == tl.float8e5)\ntl.static_assert(d.shape[1] == 64)\n"
                  "tl.static_assert(tl.float32.primitive_bitwidth == 32)\n"
                  "tl.static_assert(tlx.cluster_size_1d() == 4)\nr = tlx.cluster_cta_rank() + tlx.thread_id(0)",
                  {.cluster = std::array<int, 3>{2, 2, 1}});
  EXPECT_HOLDS(outcome, "tlx.cluster_rank");
  EXPECT_HOLDS(outcome, "tlx.thread_id 0");
}

TEST(Builtins, SwizzledGrid) {
  auto outcome = compileBody("p: \"*i32\"", "i, j = tl.swizzle2d(1, 0, 4, 4, 2)\ntl.static_assert(i == 0)\n"
                                            "tl.static_assert(j == 2)\ntl.store(p, i)");
  EXPECT_HOLDS(outcome, "tlx.store");
}

TEST(Builtins, BoundsOnWhatACompileTakes) {
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = 2 ** 70"), "4:9 literal-range");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = (1 << 62) * 4"), "4:9 literal-range");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "tl.store(p, float(\"inf\"))"), "4:17 literal-range");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = tl.zeros((1024, 2048), tl.float32)"), "4:9 tile-extent");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = tl.arange(0, 1024)[:, None] + tl.arange(0, 2048)[None, :]"),
               "4:9 tile-extent");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = tlx.local_alloc((1 << 40, 1 << 40), tl.float32, 1)"),
               "4:9 argument-type");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = [0]\nfor i in tl.static_range(40):\n    x = x + x"),
               "6:13 operand-type");
  std::string text =
      imports + "@triton.jit\ndef f(x):\n    return f(x) + f(x)\n@triton.jit\ndef k(p: \"*i32\"):\n    f(1)\n";
  EXPECT_ERROR(compile(text), "4:12 recursive-call");
}
