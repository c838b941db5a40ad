// Reading and writing manifests, and each way in which one is refused.
#include "tlx/Manifest/Manifest.h"

#include <gtest/gtest.h>

using namespace tlx::rt;

static const char *const gemm = R"json({
  "schema": 1, "kernel": "gemm", "entry": "gemm", "variant": "",
  "source": {"file": "gemm.tlx", "sha256": "00"},
  "constexprs": {"BM": 128, "SCALE": 0.5, "CAUSAL": true, "ACT": "relu", "BIAS": null},
  "compiler": {"tlxc": "0.1.0", "llvm": "22.1.8", "ptxas": "13.0.88"},
  "target": "sm_90a", "devices": ["sm_90"],
  "image": {"file": "gemm.sm_90a.cubin", "kind": "cubin", "bytes": 12, "sha256": "ab"},
  "module": {"file": "gemm.sm_90a.mlir"},
  "params": [
    {"name": "a_desc", "kind": "tensor_map", "offset": 0, "size": 128, "align": 64,
     "tensor_map": {"dtype": "fp16", "rank": 2, "box": [128, 64], "swizzle": 128,
        "source": {"pointer": "A_ptr", "sizes": [null, "M"], "strides": [{"parameter": "M", "times": 64}, 1]}}},
    {"name": "A_ptr", "kind": "pointer", "type": "*fp16", "offset": 128, "size": 8, "align": 8, "divisible_by": 16},
    {"name": "M", "kind": "scalar", "type": "i32", "offset": 136, "size": 4, "align": 4, "equal_to": 1},
    {"name": "scratch", "kind": "scratch", "offset": 144, "size": 8, "align": 8}],
  "launch": {"threads": 384, "cluster": [2, 1, 1], "dynamic_shared": 1024, "scratch_bytes": 64},
  "resources": {"registers": 168, "tasks": [{"name": "default", "warps": 4, "replicas": 1, "registers": 40}],
                "shared": [{"name": "a", "bytes": 32, "offset": 0, "line": 12}]},
  "grid": "cdiv(M, BM)", "from_the_future": [1, {"x": 2}]
})json";

static std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

static std::string refusal(const std::string &from, const std::string &to) {
  auto result = parse(replaced(gemm, from, to));
  return result ? "accepted" : result.error().text;
}

TEST(Manifest, ReadsEveryPart) {
  auto manifest = parse(gemm);
  ASSERT_TRUE(manifest) << manifest.error().text;
  EXPECT_EQ(manifest->kernel, "gemm");
  EXPECT_EQ(manifest->constexprs.size(), 5u);
  EXPECT_EQ(manifest->constexprs[0].first, "BM");
  EXPECT_EQ(std::get<int64_t>(manifest->constexprs[0].second), 128);
  EXPECT_EQ(std::get<double>(manifest->constexprs[1].second), 0.5);
  EXPECT_TRUE(std::get<bool>(manifest->constexprs[2].second));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(manifest->constexprs[4].second));
  EXPECT_EQ(manifest->moduleFile, "gemm.sm_90a.mlir");
  const TensorMap &map = *manifest->params[0].tensorMap;
  EXPECT_EQ(map.block, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(map.elementStrides, (std::vector<int64_t>{1, 1}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(map.source->sizes[0]));
  EXPECT_EQ(std::get<Multiple>(map.source->strides[0]), (Multiple{"M", 64}));
  EXPECT_TRUE(manifest->params[0].isHidden());
  EXPECT_FALSE(manifest->params[1].isHidden());
  EXPECT_TRUE(manifest->params[3].isHidden());
  EXPECT_EQ(manifest->params[1].elementType(), ElementType::FP16);
  EXPECT_EQ(manifest->params[2].equalTo, 1);
  EXPECT_EQ(manifest->launch.cluster[0], 2);
  EXPECT_EQ(manifest->launch.maxGrid[1], 65535);
  EXPECT_EQ(manifest->resources.tasks[0].registers, 40);
  EXPECT_EQ(manifest->grid, "cdiv(M, BM)");
}

TEST(Manifest, WritingAndReadingIsTheIdentity) {
  auto manifest = parse(gemm);
  ASSERT_TRUE(manifest);
  std::string text = write(*manifest);
  auto again = parse(text);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(write(*again), text);
  EXPECT_EQ(text.find("from_the_future"), std::string::npos);
  EXPECT_LT(text.find("\"BM\""), text.find("\"ACT\""));
}

TEST(Manifest, AnAMDKernelHasItsSegmentAndRegisters) {
  Manifest manifest;
  manifest.kernel = manifest.entry = "k", manifest.target = "gfx942";
  manifest.image.kind = ImageKind::Hsaco;
  manifest.launch.threads = 256;
  EXPECT_EQ(write(manifest).find("argument_bytes"), std::string::npos);
  EXPECT_EQ(write(manifest).find("waves_per_simd"), std::string::npos);
  manifest.launch.argumentBytes = 264, manifest.launch.argumentAlign = 8;
  manifest.launch.hiddenArguments = {{"hidden_block_count_x", 8, 4}, {"hidden_group_size_x", 20, 2}};
  manifest.resources.registers = 168, manifest.resources.accumulators = 64, manifest.resources.scalarRegisters = 42;
  manifest.resources.spilledRegisters = 3, manifest.resources.spilledScalars = 1, manifest.resources.wavesPerSimd = 3;
  auto again = parse(write(manifest));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(write(*again), write(manifest));
  EXPECT_EQ(again->launch.hiddenArguments[1].kind, "hidden_group_size_x");
  EXPECT_EQ(again->launch.hiddenArguments[1].offset, 20);
  EXPECT_EQ(again->launch.argumentBytes, 264);
  EXPECT_EQ(again->resources.accumulators, 64);
  EXPECT_EQ(again->resources.scalarRegisters, 42);
  EXPECT_EQ(again->resources.spilledRegisters, 3);
  EXPECT_EQ(again->resources.spilledScalars, 1);
  EXPECT_EQ(again->resources.wavesPerSimd, 3);
}

TEST(Manifest, RefusesAnotherSchemaWithBothNumbers) {
  EXPECT_EQ(refusal("\"schema\": 1", "\"schema\": 2"), "the manifest has schema 2; this program reads 1");
  EXPECT_EQ(refusal("\"schema\": 1,", ""), "field `schema` is missing");
}

TEST(Manifest, RefusalsNameThePlace) {
  EXPECT_EQ(refusal("\"threads\": 384", "\"threads\": \"many\""),
            "`launch.threads`: expected an integer, found string");
  EXPECT_EQ(refusal("\"threads\": 384,", ""), "`launch`: field `threads` is missing");
  EXPECT_EQ(refusal("\"kind\": \"cubin\"", "\"kind\": \"elf\""),
            "`image.kind`: `elf` is none of `cubin`, `hsaco`, `ptx`");
  EXPECT_EQ(refusal("[128, 64]", "[128, 64, 2]"), "`params[0].tensor_map`: `box` has 3 entries; the rank is 2");
  EXPECT_EQ(refusal("\"type\": \"i32\"", "\"type\": \"int\""), "`params[2]`: `int` is not the type of a scalar");
  EXPECT_EQ(refusal("\"offset\": 136", "\"offset\": 130"),
            "`params[2]`: offset 130, size 4, align 4 do not describe a place in the parameter block");
  EXPECT_EQ(refusal("\"offset\": 136", "\"offset\": 132"),
            "`params`: `M` at offset 132 overlaps `A_ptr` at offset 128");
  EXPECT_EQ(refusal("\"pointer\": \"A_ptr\"", "\"pointer\": \"M\""),
            "`params`: `a_desc` is made from `M`, which is not a pointer parameter");
  EXPECT_EQ(refusal("[{\"parameter\": \"M\", \"times\": 64}, 1]", "[{\"parameter\": \"N\", \"times\": 64}, 1]"),
            "`params`: `a_desc` is made from `N`, which is not an integer parameter");
  EXPECT_EQ(refusal("\"name\": \"M\"", "\"name\": \"A_ptr\""), "`params`: two parameters are called `A_ptr`");
  EXPECT_EQ(refusal("[2, 1, 1]", "[2, 1]"), "`launch.cluster`: expected 3 numbers, found 2");
  EXPECT_EQ(refusal("\"entry\": \"gemm\", ", "\"entry\": \"gemm\"! "),
            "line 2, column 49: a manifest is JSON; the text is none from here on, at `!`");
}
