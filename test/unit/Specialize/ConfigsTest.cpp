// Lists of configurations as host code makes them.
#include "Fixture.h"

using namespace tlx::specialize;

/// A kernel whose configurations are `configs`, with `host` code before it from line 3 on.
static std::string tuned(const std::string &host, const std::string &configs) {
  return imports + "import itertools\n" + host + "@triton.autotune(configs=" + configs +
         ", key=[])\n@triton.jit\ndef k(p: \"*i32\", A: tl.constexpr, B: tl.constexpr = 0):\n    tl.store(p, A)\n";
}

TEST(Configs, OfProducts) {
  auto product = tuned("", "[triton.Config({\"A\": a, \"B\": b}, num_warps=w) for (a, b), w in "
                           "itertools.product(zip([1, 2], [3, 4]), (4, 8))]");
  EXPECT_HOLDS(compile(product, {.config = 2}), "A = 2 : i64, B = 4 : i64");
  EXPECT_ERROR(compile(product, {.config = 4}), "3:2 unknown-config");
}

TEST(Configs, OfLoopsInFunctions) {
  auto loop =
      tuned("def make(most=3):\n    'All of them.'\n    configs = []\n    for a in range(most):\n        for b in "
            "[2 ** i for i in range(2)]:\n            if a == b:\n                continue\n            "
            "configs.append(triton.Config(dict(A=a, B=b)))\n    return configs\n",
            "make(most=2) + make(1)");
  EXPECT_HOLDS(compile(loop, {.config = 2}), "A = 1 : i64, B = 2 : i64");
  EXPECT_HOLDS(compile(loop, {.config = 4}), "A = 0 : i64, B = 2 : i64");
  EXPECT_ERROR(compile(loop, {.config = 5}), "12:2 unknown-config");
}

TEST(Configs, OfVariablesThatGrow) {
  auto variable = tuned("base = {\"A\": 1}\nconfigs = [triton.Config(base)]\nfor b in (5, 6):\n    configs += "
                        "[triton.Config({**base, \"B\": b})]\nconfigs.extend([triton.Config({\"A\": 9})])\n",
                        "[*configs]");
  EXPECT_HOLDS(compile(variable, {.config = 2}), "A = 1 : i64, B = 6 : i64");
  EXPECT_HOLDS(compile(variable, {.config = 3}), "A = 9 : i64");
}

TEST(Configs, SayWhereTheyCannotBeRead) {
  auto whyNot = [](const std::string &host, const std::string &place) {
    std::string said = compile(tuned(host, "configs"), {.config = 0}).diagnostics;
    EXPECT_NE(said.find(place), std::string::npos) << said;
  };
  whyNot("configs = [triton.Config({\"A\": a}) for a in host.sizes()]\n",
         "test.tlx:3:45: note: reading them stops here, at what this goes over");
  whyNot("configs = []\nwhile more():\n    configs.append(triton.Config({\"A\": 1}))\n", "test.tlx:4:1: note: ");
  whyNot("configs = [triton.Config({\"A\": 1})]\nif fast():\n    configs = []\n", "test.tlx:4:4: note: ");
  // Ends, however long it would take.
  whyNot("configs = [triton.Config({\"A\": a}) for a in range(4000) for b in range(4000)]\n", "takes too long");
}

TEST(Configs, HaveNumbersThatALaunchCanHave) {
  auto with = [](const std::string &options) {
    return compile(tuned("", "[triton.Config({\"A\": 1}, " + options + ")]"));
  };
  EXPECT_ERROR(with("num_stages=-1"), "3:62 launch-option");
  EXPECT_ERROR(with("maxnreg=7"), "3:59 launch-option");
  EXPECT_ERROR(with("num_ctas=-2"), "3:60 launch-option");
  EXPECT_ERROR(with("num_ctas=2"), "3:60 unsupported-option");
  EXPECT_ERROR(with("num_warps=5"), "3:61 warp-count");
  EXPECT_HOLDS(with("num_stages=0, num_ctas=1, maxnreg=128"), "tlx.max_registers = 128 : i32");
}
