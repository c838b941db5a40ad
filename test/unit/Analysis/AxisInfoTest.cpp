//===- AxisInfoTest.cpp - facts about integers and addresses ---------------------------------------------===//
//
// Single rules by name, then random expressions: each is also computed on numbers, and every claim must hold for them.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Analysis/AxisInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>

using namespace mlir;
using namespace tlx;

namespace {

/// A function whose body is `body`; the facts of the operation that carries the attribute `probe`.
class Probe {
public:
  explicit Probe(const std::string &arguments, const std::string &body) {
    context.loadDialect<TLXDialect, func::FuncDialect, arith::ArithDialect, scf::SCFDialect>();
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}\n", &context);
    if (!module)
      return;
    auto kernel = *module->getOps<func::FuncOp>().begin();
    AxisInfoAnalysis facts(kernel);
    kernel.walk([&](Operation *op) {
      if (op->hasAttr("probe"))
        info = facts.get(op->getResult(0));
    });
  }

  AxisInfo::Axis axis(int number = 0) const { return info.axes[number]; }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  AxisInfo info;
};

void expectAxis(const AxisInfo::Axis &axis, int64_t contiguity, int64_t constancy, int64_t divisibility) {
  EXPECT_EQ(axis.contiguity, contiguity);
  EXPECT_EQ(axis.constancy, constancy);
  EXPECT_EQ(axis.divisibility, divisibility);
}

const std::string range = "%r = tlx.range 0 to 64 : tensor<64xi32>\n";

TEST(AxisInfo, RangeIsOneRun) {
  Probe probe("", "%r = tlx.range 0 to 64 {probe} : tensor<64xi32>");
  EXPECT_EQ(probe.axis().contiguity, 64);
  EXPECT_GE(probe.axis().divisibility, 64);
}

TEST(AxisInfo, RangeOfOddLengthFallsIntoShortRuns) {
  Probe probe("", "%r = tlx.range 8 to 20 {probe} : tensor<12xi32>");
  expectAxis(probe.axis(), 4, 1, 4);
}

TEST(AxisInfo, ScalarPlusRangeKeepsTheScalarsDivisor) {
  Probe probe("%a: i32 {tlx.divisibility = 16 : i32}", range + "%s = tlx.splat %a : i32 -> tensor<64xi32>\n"
                                                               "%o = arith.addi %s, %r {probe} : tensor<64xi32>");
  expectAxis(probe.axis(), 64, 1, 16);
}

TEST(AxisInfo, UnknownScalarPlusRangeIsARunFromAnywhere) {
  Probe probe("%a: i32", range + "%s = tlx.splat %a : i32 -> tensor<64xi32>\n"
                                 "%o = arith.addi %s, %r {probe} : tensor<64xi32>");
  expectAxis(probe.axis(), 64, 1, 1);
}

TEST(AxisInfo, SumOfTwoRunsIsNone) {
  Probe probe("", range + "%o = arith.addi %r, %r {probe} : tensor<64xi32>");
  EXPECT_EQ(probe.axis().contiguity, 1);
}

TEST(AxisInfo, RangeMinusScalarRunsAndScalarMinusRangeDoesNot) {
  Probe runs("%a: i32", range + "%s = tlx.splat %a : i32 -> tensor<64xi32>\n"
                                "%o = arith.subi %r, %s {probe} : tensor<64xi32>");
  EXPECT_EQ(runs.axis().contiguity, 64);
  Probe falls("%a: i32", range + "%s = tlx.splat %a : i32 -> tensor<64xi32>\n"
                                 "%o = arith.subi %s, %r {probe} : tensor<64xi32>");
  EXPECT_EQ(falls.axis().contiguity, 1);
}

TEST(AxisInfo, ProductsMultiplyDivisors) {
  Probe probe("%a: i32 {tlx.divisibility = 16 : i32}", "%c = arith.constant 12 : i32\n"
                                                       "%o = arith.muli %a, %c {probe} : i32");
  EXPECT_EQ(probe.axis().divisibility, 64);
}

TEST(AxisInfo, DividedRunBecomesEqualGroups) {
  Probe probe("", range + "%c = arith.constant dense<8> : tensor<64xi32>\n"
                          "%o = arith.divsi %r, %c {probe} : tensor<64xi32>");
  expectAxis(probe.axis(), 1, 8, 1);
}

TEST(AxisInfo, RunDividedFromAnUnknownStartIsNothing) {
  Probe probe("%a: i32", range + "%s = tlx.splat %a : i32 -> tensor<64xi32>\n"
                                 "%x = arith.addi %s, %r : tensor<64xi32>\n"
                                 "%c = arith.constant dense<8> : tensor<64xi32>\n"
                                 "%o = arith.divsi %x, %c {probe} : tensor<64xi32>");
  expectAxis(probe.axis(), 1, 1, 1);
}

TEST(AxisInfo, RemainderOfARunIsShorterRuns) {
  Probe probe("", range + "%c = arith.constant dense<24> : tensor<64xi32>\n"
                          "%o = arith.remsi %r, %c {probe} : tensor<64xi32>");
  expectAxis(probe.axis(), 8, 1, 8);
}

TEST(AxisInfo, MasksAgreeWithinGroupsThatBothSidesDivide) {
  const std::string compare = "%s = tlx.splat %n : i32 -> tensor<64xi32>\n%o = arith.cmpi ";
  Probe less("%n: i32 {tlx.divisibility = 16 : i32}", range + compare + "slt, %r, %s {probe} : tensor<64xi32>");
  EXPECT_EQ(less.axis().constancy, 16);
  // `r <= n` changes within a group: at n.
  Probe lessEqual("%n: i32 {tlx.divisibility = 16 : i32}", range + compare + "sle, %r, %s {probe} : tensor<64xi32>");
  EXPECT_EQ(lessEqual.axis().constancy, 1);
  Probe greater("%n: i32 {tlx.divisibility = 16 : i32}", range + compare + "sgt, %s, %r {probe} : tensor<64xi32>");
  EXPECT_EQ(greater.axis().constancy, 16);
  Probe unknown("%n: i32", range + compare + "slt, %r, %s {probe} : tensor<64xi32>");
  EXPECT_EQ(unknown.axis().constancy, 1);
}

TEST(AxisInfo, AddressesCountInBytes) {
  Probe probe("%p: !tlx.ptr<f16> {tlx.divisibility = 16 : i32}",
              range + "%s = tlx.splat %p : !tlx.ptr<f16> -> tensor<64x!tlx.ptr<f16>>\n"
                      "%o = tlx.addptr %s, %r {probe} : tensor<64x!tlx.ptr<f16>>, tensor<64xi32> -> "
                      "tensor<64x!tlx.ptr<f16>>");
  expectAxis(probe.axis(), 64, 1, 16);
}

TEST(AxisInfo, BroadcastAxesAreEqualAndOthersKeepTheirRuns) {
  Probe probe("", range + "%e = tlx.expand_dims %r at 0 : tensor<64xi32> -> tensor<1x64xi32>\n"
                          "%o = tlx.broadcast %e {probe} : tensor<1x64xi32> -> tensor<32x64xi32>");
  expectAxis(probe.axis(0), 1, 32, 1);
  EXPECT_EQ(probe.axis(1).contiguity, 64);
}

TEST(AxisInfo, LoopsKeepWhatEachIterationKeeps) {
  const std::string head = "%c0 = arith.constant 0 : i32\n%c8 = arith.constant 8 : i32\n"
                           "%x = scf.for %i = %c0 to %n step %c8 iter_args(%a = %c0) -> (i32) : i32 {\n";
  Probe even("%n: i32", head + "%c = arith.constant 32 : i32\n%b = arith.addi %a, %c : i32\n"
                               "%o = arith.addi %a, %c0 {probe} : i32\nscf.yield %b : i32\n}");
  EXPECT_EQ(even.axis().divisibility, 32);
  Probe induction("%n: i32", head + "%o = arith.addi %i, %c0 {probe} : i32\nscf.yield %a : i32\n}");
  EXPECT_EQ(induction.axis().divisibility, 8);
  Probe odd("%n: i32", head + "%c = arith.constant 3 : i32\n%b = arith.addi %a, %c : i32\n"
                              "%o = arith.addi %a, %c0 {probe} : i32\nscf.yield %b : i32\n}");
  EXPECT_EQ(odd.axis().divisibility, 1);
}

TEST(AxisInfo, HintsOfTheSourceRaiseFacts) {
  Probe probe("%a: i32", "%c1 = arith.constant 1 : i32\n"
                         "%o = arith.muli %a, %c1 {probe, tlx.divisibility = 32 : i32} : i32");
  EXPECT_EQ(probe.axis().divisibility, 32);
}

//===-- random expressions --------------------------------------------------------------------------------===//

constexpr int extent = 32;
constexpr int runs = 4;

/// A tile as IR and as what it holds in several runs.
struct Tile {
  std::string name;
  std::array<std::array<int64_t, extent>, runs> values;
};

class RandomExpression {
public:
  explicit RandomExpression(unsigned seed) : random(seed) {
    addRange();
    addConstant();
    for (int argument = 0; argument < 2; ++argument)
      addArgument();
    for (int step = 0; step < 6; ++step)
      addOperation();
  }

  std::string arguments, body;
  std::vector<Tile> tiles;

private:
  int pick(int count) { return std::uniform_int_distribution<>(0, count - 1)(random); }
  std::string nextName() { return "%t" + std::to_string(tiles.size()); }

  void add(Tile tile, const std::string &line) {
    body += tile.name + " = " + line + "\n";
    tiles.push_back(tile);
  }

  void addRange() {
    int start = 8 * pick(4) + pick(2);
    Tile tile{nextName(), {}};
    for (auto &run : tile.values)
      for (int i = 0; i < extent; ++i)
        run[i] = start + i;
    add(tile, "tlx.range " + std::to_string(start) + " to " + std::to_string(start + extent) + " : tensor<32xi32>");
  }

  void addConstant() {
    int64_t value = std::array{1, 2, 3, 4, 8, 12, 24}[pick(7)];
    Tile tile{nextName(), {}};
    for (auto &run : tile.values)
      run.fill(value);
    add(tile, "arith.constant dense<" + std::to_string(value) + "> : tensor<32xi32>");
  }

  /// A scalar of either sign, declared to be divisible by what it is divisible by.
  void addArgument() {
    std::string name = "%a" + std::to_string(tiles.size());
    int divisor = 1 << pick(5);
    arguments += (arguments.empty() ? "" : ", ") + name;
    arguments += ": i32 {tlx.divisibility = " + std::to_string(divisor) + " : i32}";
    Tile tile{nextName(), {}};
    for (auto &run : tile.values)
      run.fill(divisor * (pick(9) - 4));
    add(tile, "tlx.splat " + name + " : i32 -> tensor<32xi32>");
  }

  void addOperation() {
    static const std::vector<std::pair<std::string, int64_t (*)(int64_t, int64_t)>> operations = {
        {"addi", [](int64_t a, int64_t b) { return a + b; }},
        {"subi", [](int64_t a, int64_t b) { return a - b; }},
        {"muli", [](int64_t a, int64_t b) { return a * b; }},
        {"divsi", [](int64_t a, int64_t b) { return a / b; }},
        {"remsi", [](int64_t a, int64_t b) { return a % b; }},
        {"minsi", [](int64_t a, int64_t b) { return std::min(a, b); }},
        {"maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
        {"andi", [](int64_t a, int64_t b) { return a & b; }},
        {"xori", [](int64_t a, int64_t b) { return a ^ b; }}};
    const auto &[name, compute] = operations[pick(operations.size())];
    Tile a = tiles[pick(tiles.size())], b = tiles[pick(tiles.size())];
    Tile tile{nextName(), {}};
    for (int run = 0; run < runs; ++run)
      for (int i = 0; i < extent; ++i) {
        int64_t x = a.values[run][i], y = b.values[run][i];
        // What has no value, or leaves 32 bits, proves nothing.
        if (((name == "divsi" || name == "remsi") && y == 0) || std::abs(x) > 30000 || std::abs(y) > 30000)
          return;
        tile.values[run][i] = compute(x, y);
      }
    add(tile, "arith." + name + " " + a.name + ", " + b.name + " : tensor<32xi32>");
  }

  std::mt19937 random;
};

void expectHolds(const AxisInfo &info, const Tile &tile) {
  const AxisInfo::Axis &axis = info.axes[0];
  for (const auto &run : tile.values)
    for (int i = 0; i < extent; ++i) {
      if (i % axis.contiguity == 0)
        EXPECT_EQ(run[i] % axis.divisibility, 0) << tile.name << "[" << i << "] = " << run[i];
      else
        EXPECT_EQ(run[i], run[i - 1] + 1) << tile.name << "[" << i << "]";
      if (i % axis.constancy != 0)
        EXPECT_EQ(run[i], run[i - 1]) << tile.name << "[" << i << "]";
      if (info.nonNegative)
        EXPECT_GE(run[i], 0) << tile.name << "[" << i << "]";
      if (info.constant)
        EXPECT_EQ(run[i], *info.constant) << tile.name << "[" << i << "]";
    }
}

TEST(AxisInfo, ClaimsHoldForRandomExpressions) {
  const char *given = std::getenv("TLX_TEST_SEED");
  unsigned first = given ? std::strtoul(given, nullptr, 10) : 1;
  MLIRContext context;
  context.loadDialect<TLXDialect, func::FuncDialect, arith::ArithDialect>();
  int claims = 0;
  for (unsigned seed = first; seed < first + (given ? 1 : 400); ++seed) {
    RandomExpression expression(seed);
    auto module = parseSourceString<ModuleOp>(
        "func.func @f(" + expression.arguments + ") {\n" + expression.body + "return\n}\n", &context);
    ASSERT_TRUE(module);
    auto kernel = *module->getOps<func::FuncOp>().begin();
    AxisInfoAnalysis facts(kernel);
    size_t next = 0;
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      AxisInfo info = facts.get(op.getResult(0));
      claims += info.axes[0].contiguity > 1 || info.axes[0].constancy > 1 || info.axes[0].divisibility > 1;
      expectHolds(info, expression.tiles[next++]);
    }
    if (testing::Test::HasFailure())
      FAIL() << "TLX_TEST_SEED=" << seed << "\n" << expression.body;
  }
  // An analysis that claims nothing would pass all of the above.
  EXPECT_GT(claims, given ? 0 : 1500);
}

TEST(AccessWidth, IsBoundedByAlignmentMaskAndSixteenBytes) {
  AxisInfo pointers;
  pointers.axes.push_back({64, 1, 8});
  EXPECT_EQ(accessWidth(pointers, nullptr, 16, {64}).elements, 4);
  pointers.axes[0].divisibility = 256;
  EXPECT_EQ(accessWidth(pointers, nullptr, 16, {64}).elements, 8);
  AxisInfo mask;
  mask.axes.push_back({1, 2, 1});
  EXPECT_EQ(accessWidth(pointers, &mask, 16, {64}).elements, 2);
  // A mask for all at once does not cut.
  EXPECT_EQ(accessWidth(pointers, &mask, 64, {64}).elements, 2);
  pointers.axes[0].divisibility = 2;
  EXPECT_EQ(accessWidth(pointers, nullptr, 32, {64}).elements, 1);
}

} // namespace
