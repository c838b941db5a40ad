// Classes of the source, constexpr functions, globals that are more than literals, formatted strings.
#include "Fixture.h"

using namespace tlx::specialize;

static Outcome compileWith(const std::string &definitions, const std::string &body) {
  std::string text = imports + definitions + "@triton.jit\ndef k(p: \"*i32\", n: \"i32\"):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += ("    " + line + "\n").str();
  return compile(text);
}

static const std::string pair = "@tl.core._aggregate\nclass Pair:\n    a: tl.tensor\n    b: tl.constexpr\n\n"
                                "    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n\n"
                                "    @triton.jit\n    def sum(self, more=1):\n        return self.a + self.b + more\n";

TEST(Objects, ConstructorSetsFieldsAndMethodsReadThem) {
  auto outcome =
      compileWith(pair, "x = Pair(n, tl.constexpr(4))\ntl.static_assert(x.b == 4)\ntl.store(p, x.sum(more=2))");
  EXPECT_HOLDS(outcome, "arith.addi");
}

TEST(Objects, AreCarriedThroughLoopsAndBranches) {
  auto outcome =
      compileWith(pair, "x = Pair(n, 4)\nfor i in range(n):\n    x = Pair(x.a + i, x.b)\nif n > 3:\n    x = Pair(7, "
                        "x.b)\ntl.store(p, x.a)");
  EXPECT_HOLDS(outcome, "iter_args");
  EXPECT_HOLDS(outcome, "scf.if");
}

TEST(Objects, FieldsOfADataclassTakeArgumentsInOrder) {
  std::string shape = "@dataclass\nclass Shape:\n    m: int\n    n: int = 8\n\n    @property\n    def size(self):\n"
                      "        return self.m * self.n\n\nSHAPE = Shape(m=4)\n";
  EXPECT_HOLDS(compileWith(shape, "tl.static_assert(SHAPE.size == 32)\ntl.store(p, Shape(2, 3).size)"), "constant 6");
  EXPECT_ERROR(compileWith(shape, "tl.store(p, Shape().m)"), "14:17 missing-argument");
  EXPECT_ERROR(compileWith(shape, "tl.store(p, Shape(1, 2, 3).m)"), "14:29 unexpected-argument");
  EXPECT_ERROR(compileWith(shape, "tl.store(p, SHAPE.k)"), "14:23 unknown-name");
}

TEST(Objects, NamedTuplesUnpack) {
  std::string point = "class Point(NamedTuple):\n    x: int\n    y: int\n";
  EXPECT_HOLDS(compileWith(point, "x, y = Point(3, y=4)\ntl.store(p, x * 10 + y)"), "constant 34");
}

TEST(Objects, ClassesInheritAndHaveConstants) {
  std::string classes = "class Base:\n    SIZE = 2 + 3\n\n    def twice(self):\n        return self.v * 2\n\n"
                        "class Derived(Base):\n    def __init__(self, v):\n        self.v = v\n\n"
                        "    @staticmethod\n    def three():\n        return 3\n";
  EXPECT_HOLDS(compileWith(classes, "tl.store(p, Derived(5).twice() + Derived.SIZE + Derived.three())"), "constant 18");
}

TEST(Objects, AFieldIsSetInTheConstructorOnly) {
  EXPECT_ERROR(compileWith(pair, "x = Pair(1, 2)\nx.a = 3"), "17:5 unsupported-construct");
}

TEST(Objects, ConstexprFunctionsRunWhileCompiling) {
  std::string log =
      "@tl.constexpr_function\ndef log2(n):\n    r = 0\n    while n > 1:\n        n //= 2\n        r += 1\n"
      "    return r\n\nBITS = log2(64)\n";
  auto outcome = compileWith(log, "tl.static_assert(log2(32) == 5)\ntl.store(p, BITS)");
  EXPECT_HOLDS(outcome, "constant 6");
  EXPECT_ERROR(compileWith(log, "tl.store(p, log2(n))"), "13:22 needs-constexpr");
}

TEST(Objects, ListsGrow) {
  auto outcome = compileWith("", "xs = []\nfor i in tl.static_range(3):\n    xs.append(i * i)\ntl.store(p, xs[2])");
  EXPECT_HOLDS(outcome, "constant 4");
  EXPECT_ERROR(compileWith("", "xs = []\nys = xs\nxs.append(1)"), "6:5 unsupported-construct");
}

TEST(Objects, StarredTargetsTakeTheRest) {
  EXPECT_HOLDS(
      compileWith("", "a, *b, c = (1, 2, 3, 4)\n(d, e), f = (b, c)\ntl.store(p, a * 1000 + d * 100 + e * 10 + f)"),
      "constant 1234");
}

TEST(Objects, HostValuesAreNamed) {
  EXPECT_ERROR(compileWith("import torch\n", "tl.store(p, torch.zeros(3))"), "5:17 host-value");
}

TEST(Objects, FormattedText) {
  std::string body =
      "N: tl.constexpr = 37\ntl.static_assert(f'{N:>5}|{N:04d}|{N:x}|{1.5:.3f}|{\"a\":<3}|{N!r}|{N:,}' == "
      "'   37|0037|25|1.500|a  |37|37')\ntl.store(p, 1)";
  EXPECT_HOLDS(compileWith("", body), "tlx.store");
  EXPECT_ERROR(compileWith("", "x = f'{n:q}'\ntl.store(p, 1)"), "4:11 unsupported-construct");
}

TEST(Objects, SeveralErrorsAreReportedOnce) {
  auto outcome = compileWith("", "a = nothing\nb = a + 1\nc = b * 2\nd = other\ntl.store(p, c + d)");
  EXPECT_EQ(outcome.places, (std::vector<std::string>{"4:9 unknown-name", "7:9 unknown-name"})) << outcome.diagnostics;
}

TEST(Objects, ErrorsInBothBranchesAndAfterALoopAreReported) {
  auto outcome = compileWith(
      "", "if n > 1:\n    x = nope\nelse:\n    x = nada\nfor i in range(n):\n    y = niente\ntl.store(p, z)");
  EXPECT_EQ(outcome.places.size(), 4u) << outcome.diagnostics;
}
