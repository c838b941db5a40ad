// The generated header and object: names that a C compiler takes, types, one image for each target.
#include "tlx/Compiler/Package.h"

#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <set>

using namespace tlx;

namespace {

CompileResult result(const char *arch) {
  CompileResult compiled;
  compiled.kernel = "gemm";
  compiled.arch = findArch(arch);
  compiled.manifest.kernel = "gemm";
  compiled.manifest.source.file = "gemm.tlx";
  compiled.manifest.launch.threads = 384;
  compiled.manifest.launch.cluster = {2, 1, 1};
  rt::Param pointer{"int", rt::ParamKind::Pointer, "*fp16", 0, 8, 8, 16, {}, {}};
  rt::Param count{"grid", rt::ParamKind::Scalar, "u32", 8, 4, 4, 0, {}, {}};
  rt::Param scale{"scale", rt::ParamKind::Scalar, "fp16", 12, 2, 2, 0, {}, {}};
  compiled.manifest.params = {pointer, count, scale};
  compiled.artifacts[imageOf(*compiled.arch)] = std::string("\177ELF\0image", 10) + arch;
  compiled.artifacts[Artifact::Manifest] = "{}";
  return compiled;
}

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(PackageName, IsAnIdentifier) {
  CompileResult compiled = result("sm_90a");
  EXPECT_EQ(packageName(compiled), "gemm");
  compiled.variant = "bf16-small.c0";
  EXPECT_EQ(packageName(compiled), "gemm_bf16_small_c0");
}

TEST(PackageHeader, TypesAndNames) {
  std::string text = packageHeader({result("sm_90a"), result("sm_100a")});
  EXPECT_TRUE(has(text, "static inline tlxrt_status gemm_launch(void *stream, const int grid[3],\n"
                        "    void *int_,\n    uint32_t grid_,\n    float scale) {"))
      << text;
  EXPECT_TRUE(has(text, "gemm_image_count = 2")) << text;
  EXPECT_TRUE(has(text, "gemm_cluster_size = 2")) << text;
  EXPECT_TRUE(has(text, "int_: *fp16, a multiple of 16 bytes")) << text;
  EXPECT_TRUE(has(text, "args[2].value.f64 = scale;")) << text;
}

TEST(PackageObject, HoldsEveryImage) {
  auto object = packageObject({result("sm_90a"), result("sm_100a"), result("gfx942")});
  ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
  EXPECT_TRUE(has(*object, "sm_90a"));
  EXPECT_TRUE(has(*object, "sm_100a"));
  EXPECT_TRUE(has(*object, "gfx942"));
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(*object, "object"));
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  std::set<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols())
    names.insert(llvm::cantFail(symbol.getName()).str());
  for (const char *name : {"gemm_manifests", "gemm_images", "gemm_image_bytes", "gemm_handles"})
    EXPECT_TRUE(names.count(name)) << name;
}
