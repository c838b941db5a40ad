// Loading: what is checked before a launch, and how a kernel describes itself.
#include "RuntimeFixture.h"

#include "tlx/Runtime/tlxrt.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace tlx::rt;

static std::string loadText(const Manifest &manifest, const char *image, tlxrt_status expected) {
  tlxrt_kernel *kernel = nullptr;
  tlxrt_status status = tlxrt_kernel_load_memory(write(manifest).c_str(), image, std::string(image).size(), &kernel);
  EXPECT_EQ(status, expected);
  EXPECT_EQ(kernel, nullptr);
  return tlxrt_last_error();
}

TEST(Kernel, ImageMustBeTheOneOfTheManifest) {
  Manifest manifest = manifestWith({});
  EXPECT_EQ(loadText(manifest, "images", TLXRT_ERROR_IMAGE), "`gemm.cubin` has 6 bytes; the manifest says 5");
  EXPECT_EQ(loadText(manifest, "imagf", TLXRT_ERROR_IMAGE).substr(0, 24), "`gemm.cubin` has SHA-256");
}

TEST(Kernel, RecipesAreCheckedAtLoad) {
  TensorMap map;
  map.rank = 2, map.box = map.block = {128, 64}, map.elementStrides = {1, 1}, map.swizzle = 128;
  auto refusal = [&](auto change) {
    TensorMap changed = map;
    change(changed);
    return loadText(manifestWith({mapParam("a", 0, changed)}), "image", TLXRT_ERROR_MANIFEST);
  };
  EXPECT_EQ(refusal([](TensorMap &m) { m.box[0] = 257; }), "tensor map `a`: box of axis 0 is 257; it must be 1 to 256");
  EXPECT_EQ(refusal([](TensorMap &m) { m.box[1] = 128; }),
            "tensor map `a`: the innermost axis of the box has 256 bytes; swizzle 128 takes at most 128");
  EXPECT_EQ(refusal([](TensorMap &m) { m.box[1] = 60; }),
            "tensor map `a`: the innermost axis of the box has 120 bytes, no multiple of 16");
  EXPECT_EQ(refusal([](TensorMap &m) { m.swizzle = 48; }), "tensor map `a`: swizzle 48 is none of 0, 32, 64, 128");
  EXPECT_EQ(refusal([](TensorMap &m) { m.elementStrides[0] = 9; }),
            "tensor map `a`: element stride of axis 0 is 9; it must be 1 to 8");
  EXPECT_EQ(refusal([](TensorMap &m) { m.dtype = ElementType::FP8E5, m.fill = Fill::NaN; }),
            "tensor map `a`: fill `nan` needs a float of 16 bits or more; the type is `fp8e5`");
  EXPECT_EQ(refusal([](TensorMap &m) { m.interleave = 16; }),
            "tensor map `a`: interleave needs rank 3 or more; the rank is 2");
}

TEST(Kernel, DescribesItsVisibleParameters) {
  StandIn &driver = freshStandIn();
  TensorMap hidden;
  hidden.rank = 1, hidden.box = hidden.block = {64}, hidden.elementStrides = {1};
  hidden.source = TensorMapSource{"x", {std::monostate()}, {int64_t(1)}};
  Param scratch = pointerParam("scratch", "", 152);
  scratch.kind = ParamKind::Scratch;
  Manifest manifest = manifestWith(
      {mapParam("x_map", 0, hidden), pointerParam("x", "*bf16", 128), scalarParam("n", "i32", 136, 4), scratch});
  manifest.constexprs = {{"BM", int64_t(128)}, {"CAUSAL", true}, {"ACT", std::string("relu")}};
  tlxrt_kernel *kernel = loaded(driver, manifest);
  EXPECT_EQ(tlxrt_kernel_parameter_count(kernel), 2);
  EXPECT_STREQ(tlxrt_kernel_parameter_name(kernel, 0), "x");
  EXPECT_EQ(tlxrt_kernel_parameter_kind(kernel, 0), TLXRT_PARAMETER_POINTER);
  EXPECT_EQ(tlxrt_kernel_parameter_dtype(kernel, 0), TLXRT_BF16);
  EXPECT_EQ(tlxrt_kernel_parameter_kind(kernel, 1), TLXRT_PARAMETER_SCALAR);
  EXPECT_EQ(tlxrt_kernel_parameter_name(kernel, 2), nullptr);
  EXPECT_EQ(tlxrt_kernel_parameter_kind(kernel, -1), -1);
  int64_t value = 0;
  EXPECT_TRUE(tlxrt_kernel_constexpr(kernel, "BM", &value));
  EXPECT_EQ(value, 128);
  EXPECT_TRUE(tlxrt_kernel_constexpr(kernel, "CAUSAL", &value));
  EXPECT_EQ(value, 1);
  EXPECT_FALSE(tlxrt_kernel_constexpr(kernel, "ACT", &value));
  EXPECT_FALSE(tlxrt_kernel_constexpr(kernel, "BN", &value));
  EXPECT_EQ(driver.modulesLoaded, 0);
  tlxrt_kernel_free(kernel);
}

TEST(Kernel, LoadsFromFileBesideItsImage) {
  freshStandIn();
  auto folder = std::filesystem::path(testing::TempDir()) / "tlxrt-kernel-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "gemm.json") << write(manifestWith({}));
  std::filesystem::remove(folder / "gemm.cubin");
  auto missing = Kernel::load((folder / "gemm.json").string());
  EXPECT_FALSE(missing);
  EXPECT_EQ(missing.status(), TLXRT_ERROR_FILE);
  EXPECT_NE(missing.message().find("gemm.cubin` cannot be opened"), std::string::npos);
  std::ofstream(folder / "gemm.cubin") << "image";
  auto kernel = Kernel::load((folder / "gemm.json").string());
  ASSERT_TRUE(kernel) << kernel.message();
  EXPECT_STREQ(tlxrt_kernel_name(kernel.get()), "gemm");
  EXPECT_EQ(kernel.launch(nullptr, {1, 1, 1}, {}), TLXRT_SUCCESS) << tlxrt_last_error();
  std::filesystem::remove_all(folder);
}

TEST(Kernel, NullsAreRefused) {
  tlxrt_kernel *kernel = nullptr;
  EXPECT_EQ(tlxrt_kernel_load(nullptr, &kernel), TLXRT_ERROR_NULL);
  EXPECT_STREQ(tlxrt_last_error(), "`manifest_path` is null");
  EXPECT_EQ(tlxrt_kernel_load("x.json", nullptr), TLXRT_ERROR_NULL);
  EXPECT_EQ(tlxrt_launch(nullptr, nullptr, nullptr, nullptr, 0), TLXRT_ERROR_NULL);
  EXPECT_EQ(tlxrt_multiprocessor_count(nullptr), TLXRT_ERROR_NULL);
  EXPECT_EQ(tlxrt_kernel_free(nullptr), TLXRT_SUCCESS);
  EXPECT_STREQ(tlxrt_status_string(TLXRT_SUCCESS), "success");
  for (int status = 1; status <= TLXRT_ERROR_OUT_OF_MEMORY; ++status)
    EXPECT_STRNE(tlxrt_status_string(tlxrt_status(status)), "unknown error") << status;
}

TEST(Kernel, ManifestErrorsKeepTheirText) {
  tlxrt_kernel *kernel = nullptr;
  EXPECT_EQ(tlxrt_kernel_load_memory("{\"schema\": 7}", "image", 5, &kernel), TLXRT_ERROR_MANIFEST);
  EXPECT_STREQ(tlxrt_last_error(), "the manifest has schema 7; this program reads 1");
}
