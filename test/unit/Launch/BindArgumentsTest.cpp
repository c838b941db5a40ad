// Arguments of a launch file against the parameters of a manifest.
#include "tlx/Launch/LaunchSession.h"

#include <gtest/gtest.h>

using namespace tlx::rt;

static Manifest manifest() {
  Manifest manifest;
  manifest.kernel = "k";
  Param map{"x_desc", ParamKind::TensorMap, "", 0, 128, 64, 0, {}, TensorMap()};
  map.tensorMap->rank = 2;
  Param hidden = map;
  hidden.name = "hidden", hidden.tensorMap->source = TensorMapSource();
  manifest.params = {map,
                     hidden,
                     {"p", ParamKind::Pointer, "*fp16", 0, 8, 8, 0, {}, {}},
                     {"n", ParamKind::Scalar, "i32", 0, 4, 4, 0, {}, {}},
                     {"s", ParamKind::Scalar, "fp32", 0, 4, 4, 0, {}, {}}};
  return manifest;
}

static Result<LaunchRequest> bind(const std::string &args) {
  auto file = parseLaunchFile(R"({"manifest": "m", "grid": [1], "tensors": {
      "x": {"dtype": "fp16", "shape": [4, 8], "offset": 2, "init": "zeros"},
      "y": {"dtype": "bf16", "shape": [4, 8], "init": "zeros"}}, "args": {)" +
                                  args + "}}",
                              "");
  EXPECT_TRUE(file) << file.error().text;
  return bindArguments(*file, manifest());
}

static std::string refusal(const std::string &args) {
  auto request = bind(args);
  return request ? "accepted" : request.error().text;
}

TEST(BindArguments, InTheOrderOfTheManifest) {
  auto request = bind(R"("s": 2, "n": 3, "p": {"tensor": "x", "offset": 8}, "x_desc": "x")");
  ASSERT_TRUE(request) << request.error().text;
  ASSERT_EQ(request->args.size(), 4u);
  EXPECT_EQ(request->args[0].kind, BoundArgument::Kind::Descriptor);
  EXPECT_EQ(request->args[0].sizes, (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(request->args[0].offset, 2);
  EXPECT_EQ(request->args[1].kind, BoundArgument::Kind::Pointer);
  EXPECT_EQ(request->args[1].tensor, 0);
  EXPECT_EQ(request->args[1].offset, 10);
  EXPECT_EQ(request->args[2].integer, 3);
  EXPECT_EQ(request->args[3].kind, BoundArgument::Kind::Float);
  EXPECT_EQ(request->args[3].number, 2);
}

TEST(BindArguments, Refuses) {
  EXPECT_EQ(refusal(R"("s": 2, "n": 3, "p": "x")"), "argument `x_desc` of `k` is missing");
  EXPECT_EQ(refusal(R"("q": 2)"), "`k` takes no argument `q`; it takes `x_desc`, `p`, `n`, `s`");
  EXPECT_EQ(refusal(R"("hidden": "x")"), "`k` takes no argument `hidden`; it takes `x_desc`, `p`, `n`, `s`");
  EXPECT_EQ(refusal(R"("s": 2, "n": 3.5, "p": "x", "x_desc": "x")"),
            "argument `n`: the parameter is `i32`: expected an integer");
  EXPECT_EQ(refusal(R"("s": 2, "n": 4294969796, "p": "x", "x_desc": "x")"),
            "argument `n`: 4294969796 does not fit `i32`");
  EXPECT_EQ(refusal(R"("s": 2, "n": -2147483649, "p": "x", "x_desc": "x")"),
            "argument `n`: -2147483649 does not fit `i32`");
  EXPECT_EQ(refusal(R"("s": true, "n": 3, "p": "x", "x_desc": "x")"),
            "argument `s`: the parameter is `fp32`: expected a number");
  EXPECT_EQ(refusal(R"("s": 2, "n": 3, "p": "y", "x_desc": "x")"),
            "argument `p`: `y` has elements of `bf16`; the parameter is `*fp16`");
  EXPECT_EQ(refusal(R"("s": 2, "n": 3, "p": "x", "x_desc": "y")"),
            "argument `x_desc`: `y` has elements of `bf16`; the parameter takes `fp16`");
  EXPECT_EQ(refusal(R"("s": 2, "n": 3, "p": "x", "x_desc": {"descriptor": "x", "sizes": [32]})"),
            "argument `x_desc`: the view has rank 1; the parameter takes rank 2");
  EXPECT_EQ(refusal(R"("s": 2, "n": 3, "p": 7, "x_desc": "x")"),
            "argument `p`: the parameter is a pointer: expected the name of a tensor or null");
}
