// Launch files: what they say, and each way in which one is refused.
#include "tlx/Launch/LaunchFile.h"

#include <gtest/gtest.h>

using namespace tlx::rt;

static const char *const gemm = R"json({
  "manifest": "gemm_ws.sm_90a.json", "grid": [132, 1, 1],
  "tensors": { "a": {"dtype": "fp16", "shape": [512, 256], "init": "randn", "seed": 1},
               "b": {"dtype": "fp16", "shape": [256, 512], "init": {"npy": "b.npy"}},
               "c": {"dtype": "fp16", "shape": [512, 512], "init": "nan"} },
  "args": { "a_desc": {"descriptor": "a"}, "b_desc": {"descriptor": "b"}, "c_ptr": "c", "M": 512, "scale": 0.5, "z": null },
  "expect": { "c": {"matmul": ["a", "b"], "rtol": 1e-3} },
  "flops": 134217728, "save": ["c"] })json";

static std::string refusal(const std::string &from, const std::string &to) {
  std::string text = gemm;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  auto file = parseLaunchFile(text.replace(at, from.size(), to), "");
  return file ? "accepted" : file.error().text;
}

TEST(LaunchFile, TheDocumentedExample) {
  auto file = parseLaunchFile(gemm, "samples");
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->manifestPath(), "samples/gemm_ws.sm_90a.json");
  EXPECT_EQ(file->grid, (std::array<int, 3>{132, 1, 1}));
  ASSERT_EQ(file->tensors.size(), 3u);
  EXPECT_EQ(file->tensors[0].strides, (std::vector<int64_t>{256, 1}));
  EXPECT_EQ(file->tensors[0].seed, 1u);
  EXPECT_NE(file->tensors[1].seed, file->tensors[2].seed);
  EXPECT_EQ(file->tensors[1].init.path, "b.npy");
  ASSERT_EQ(file->args.size(), 6u);
  EXPECT_EQ(std::get<DescriptorValue>(file->args[0].value).sizes, (std::vector<int64_t>{512, 256}));
  EXPECT_EQ(std::get<PointerValue>(file->args[2].value).tensor, "c");
  EXPECT_EQ(std::get<int64_t>(file->args[3].value), 512);
  EXPECT_EQ(std::get<double>(file->args[4].value), 0.5);
  EXPECT_EQ(std::get<PointerValue>(file->args[5].value).tensor, "");
  ASSERT_EQ(file->expect.size(), 1u);
  EXPECT_EQ(file->expect[0].reference.kind, ReferenceDecl::Kind::Matmul);
  EXPECT_EQ(file->expect[0].rtol, 1e-3);
  EXPECT_FALSE(file->expect[0].atol);
  EXPECT_EQ(file->save, (std::vector<std::string>{"c"}));
}

TEST(LaunchFile, Descriptors) {
  auto view = [](const std::string &descriptor) {
    std::string text = gemm;
    std::string from = "{\"descriptor\": \"a\"}";
    auto file = parseLaunchFile(text.replace(text.find(from), from.size(), descriptor), "");
    EXPECT_TRUE(file) << file.error().text;
    return std::get<DescriptorValue>(file->args[0].value);
  };
  DescriptorValue reshaped = view(R"({"descriptor": "a", "sizes": [2, 256, 256]})");
  EXPECT_EQ(reshaped.strides, (std::vector<int64_t>{65536, 256, 1}));
  DescriptorValue part = view(R"({"descriptor": "a", "sizes": [100, 64], "strides": [512, 1], "offset": 8})");
  EXPECT_EQ(part.strides, (std::vector<int64_t>{512, 1}));
  EXPECT_EQ(part.offset, 8);
  DescriptorValue swapped = view(R"({"descriptor": "a", "transpose": true})");
  EXPECT_EQ(swapped.sizes, (std::vector<int64_t>{256, 512}));
  EXPECT_EQ(swapped.strides, (std::vector<int64_t>{1, 256}));
  DescriptorValue permuted = view(R"({"descriptor": "a", "sizes": [2, 256, 256], "transpose": [2, 0, 1]})");
  EXPECT_EQ(permuted.strides, (std::vector<int64_t>{1, 65536, 256}));
}

TEST(LaunchFile, RefusesWithPlaceAndReason) {
  EXPECT_EQ(
      refusal("\"grid\"", "\"gird\""),
      "unknown field `gird`; known are `manifest`, `grid`, `tensors`, `args`, `expect`, `save`, `flops`, `bytes`, "
      "`repeat`, `description`");
  EXPECT_EQ(refusal("\"save\": [\"c\"]", "\"save\": [\"c\"], \"grid\": [1]"), "an object has the field `grid` twice");
  EXPECT_EQ(refusal("\"b\": {", "\"a\": {"), "an object has the field `a` twice");
  EXPECT_EQ(refusal("[132, 1, 1]", "[0]"), "`grid`: grid size 0 is out of range");
  EXPECT_EQ(refusal("[132, 1, 1]", "132"), "`grid`: expected a list, found number");
  EXPECT_EQ(refusal("\"dtype\": \"fp16\"", "\"dtype\": \"half\""), "`tensors.a.dtype`: `half` is not an element type");
  EXPECT_EQ(refusal("[512, 256]", "[512, 0]"), "`tensors.a.shape`: size 0 is out of range");
  EXPECT_EQ(refusal("\"nan\"", "\"none\"").substr(0, 45), "`tensors.c.init`: `none` is none of `randn`, ");
  EXPECT_EQ(refusal("\"nan\"", "{\"randint\": [4, 4]}"),
            "`tensors.c.init.randint`: expected a lower bound and a larger upper bound, which does not occur itself");
  EXPECT_EQ(refusal("\"nan\"", "{}"), "`tensors.c.init`: expected one way to fill the tensor, found 0");
  EXPECT_EQ(refusal("{\"descriptor\": \"a\"}", "{\"descriptor\": \"x\"}"), "`args.a_desc`: there is no tensor `x`");
  EXPECT_EQ(refusal("{\"descriptor\": \"a\"}", "{\"descriptor\": \"a\", \"sizes\": [512, 257]}"),
            "`args.a_desc`: the view reaches 131584 elements; `a` has 131072");
  EXPECT_EQ(refusal("{\"descriptor\": \"a\"}", "{\"descriptor\": \"a\", \"transpose\": [0, 0]}"),
            "`args.a_desc.transpose`: expected each axis of 0 to 1 once");
  EXPECT_EQ(refusal("\"matmul\"", "\"matmull\"").substr(0, 36), "`expect.c`: expected one of `npy`, `");
  EXPECT_EQ(refusal("[\"a\", \"b\"]", "[\"a\"]"), "`expect.c.matmul`: expected 2 tensors, found 1");
  EXPECT_EQ(refusal("[\"a\", \"b\"]", "[\"a\", \"d\"]"), "`expect.c.matmul`: there is no tensor `d`");
  EXPECT_EQ(refusal("\"rtol\": 1e-3", "\"causal\": true").substr(0, 34), "`expect.c`: unknown field `causal`");
  EXPECT_EQ(refusal("\"rtol\": 1e-3", "\"equal\": \"a\""), "`expect.c`: both `equal` and `matmul` are given");
  EXPECT_EQ(refusal("\"rtol\": 1e-3", "\"rtol\": -1"), "`expect.c`: an error limit is a number from 0");
  EXPECT_EQ(refusal("\"init\": \"nan\"", "\"init\": \"nan\", \"strides\": [1099511627776, 1]"),
            "`tensors.c`: the tensor needs more than 256 GiB");
  EXPECT_EQ(refusal("\"init\": \"nan\"", "\"init\": \"nan\", \"offset\": 9223372036854775000"),
            "`tensors.c`: the tensor needs more than 256 GiB");
  EXPECT_EQ(refusal("[\"c\"]", "[\"d\"]"), "`save[0]`: there is no tensor `d`");
  EXPECT_EQ(refusal("[\"c\"]", "[\"b\"]"),
            "`save[0]`: saving `b` writes `b.npy`, which this launch reads; name that file or the tensor otherwise");
  EXPECT_EQ(refusal("{\"matmul\": [\"a\", \"b\"], \"rtol\": 1e-3}", "{\"npy\": \"./c.npy\"}"),
            "`save[0]`: saving `c` writes `c.npy`, which this launch reads; name that file or the tensor otherwise");
  EXPECT_EQ(refusal("\"flops\"", "flops"),
            "line 8, column 3: a launch file is JSON; the text is none from here on, at `flops`");
}
