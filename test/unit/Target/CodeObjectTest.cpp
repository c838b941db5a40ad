// From hand-written modules to code objects: what the text shows, what the metadata says, and what is refused.
#include "CodeObjectModules.h"
#include "tlx/Target/CodeGenerator.h"
#include "tlx/Target/Image.h"
#include "tlx/Target/Translation.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::test;

namespace {

class CodeObject : public testing::Test {
protected:
  CodeObject() {
    mlir::DialectRegistry registry;
    registerTargetDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Text and image, or a result whose text is "error: …".
  ImageResult make(llvm::StringRef source, llvm::StringRef kernel, llvm::StringRef target = "gfx942",
                   bool lineInfo = false) {
    const Arch &arch = *findArch(target);
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    if (!module)
      return failed("no module");
    llvm::LLVMContext llvmContext;
    auto translated = translateToLLVM(*module, llvmContext, arch, lineInfo);
    if (!translated)
      return failed(llvm::toString(translated.takeError()));
    if (llvm::Error error = optimize(**translated, arch))
      return failed(llvm::toString(std::move(error)));
    auto image = makeImage({**translated, arch, kernel.str(), true, true, lineInfo, ""});
    if (!image)
      return failed(llvm::toString(image.takeError()));
    return *image;
  }

  static ImageResult failed(const std::string &why) {
    ImageResult result;
    result.text = "error: " + why;
    return result;
  }

  mlir::MLIRContext context;
};

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// `text` with `value` for every `name`.
std::string with(std::string text, const std::string &name, const std::string &value) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
    text.replace(at, name.size(), value);
  return text;
}

bool hasSection(const std::string &image, llvm::StringRef name) {
  auto file = llvm::cantFail(llvm::object::ELF64LEFile::create(image));
  for (const auto &section : llvm::cantFail(file.sections()))
    if (llvm::cantFail(file.getSectionName(section)) == name)
      return true;
  return false;
}

} // namespace

TEST_F(CodeObject, IsASharedLibraryForItsDevice) {
  ImageResult image = make(scaleKernel, "scale");
  ASSERT_TRUE(image.codeObject) << image.text;
  auto file = llvm::cantFail(llvm::object::ELF64LEFile::create(image.image));
  EXPECT_EQ(file.getHeader().e_type, llvm::ELF::ET_DYN);
  EXPECT_EQ(file.getHeader().e_machine, llvm::ELF::EM_AMDGPU);
  EXPECT_EQ(file.getHeader().e_flags & llvm::ELF::EF_AMDGPU_MACH, unsigned(llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942));
  // Version 5 of the code object is ABI version 3 (AMDGPU usage guide, ELF header).
  EXPECT_EQ(file.getHeader().e_ident[llvm::ELF::EI_ABIVERSION], 3);
  ImageResult other = make(scaleKernel, "scale", "gfx950");
  ASSERT_TRUE(other.codeObject) << other.text;
  auto otherFile = llvm::cantFail(llvm::object::ELF64LEFile::create(other.image));
  EXPECT_EQ(otherFile.getHeader().e_flags & llvm::ELF::EF_AMDGPU_MACH,
            unsigned(llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950));
}

TEST_F(CodeObject, ArgumentsAreThoseOfTheKernelAlone) {
  ImageResult image = make(scaleKernel, "scale");
  ASSERT_TRUE(image.codeObject) << image.text;
  const CodeObjectReport &report = *image.codeObject;
  EXPECT_EQ(report.segmentBytes, 12u);
  ASSERT_EQ(report.arguments.size(), 2u);
  EXPECT_EQ(report.arguments[0].hidden, "");
  EXPECT_EQ(report.arguments[0].size, 8u);
  EXPECT_EQ(report.arguments[1].offset, 8u);
  EXPECT_EQ(report.arguments[1].size, 4u);
}

TEST_F(CodeObject, TheNumberOfBlocksIsAHiddenArgument) {
  std::string counting = R"mlir(
llvm.func @count(%p: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64"} {
  %hidden = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
  %blocks = llvm.load %hidden : !llvm.ptr<4> -> i32
  llvm.store %blocks, %p : i32, !llvm.ptr<1>
  llvm.return
})mlir";
  ImageResult image = make(counting, "count");
  ASSERT_TRUE(image.codeObject) << image.text;
  ASSERT_GE(image.codeObject->arguments.size(), 2u);
  EXPECT_EQ(image.codeObject->arguments[1].hidden, "hidden_block_count_x");
  EXPECT_EQ(image.codeObject->arguments[1].offset, 8u);
}

TEST_F(CodeObject, SharedMemoryHasItsSize) {
  ImageResult image = make(with(reverseKernel, "SHARED", "20480"), "reverse");
  ASSERT_TRUE(image.codeObject) << image.text;
  EXPECT_EQ(image.codeObject->shared, 20480u);
  EXPECT_TRUE(has(image.text, "s_barrier")) << image.text;
  // 20 KB of 64 KB: three blocks of four waves on four SIMDs; of 160 KB: eight.
  EXPECT_EQ(wavesPerSimd(*image.codeObject, 256, *findArch("gfx942")), 3u);
  EXPECT_EQ(wavesPerSimd(*image.codeObject, 256, *findArch("gfx950")), 8u);
}

TEST_F(CodeObject, TooMuchSharedMemoryIsAnError) {
  EXPECT_TRUE(make(with(reverseKernel, "SHARED", "65536"), "reverse").codeObject);
  std::string text = make(with(reverseKernel, "SHARED", "65540"), "reverse").text;
  EXPECT_TRUE(has(text, "local memory (65540) exceeds limit (65536)")) << text;
  EXPECT_TRUE(make(with(reverseKernel, "SHARED", "163840"), "reverse", "gfx950").codeObject);
}

TEST_F(CodeObject, SpillsAreCounted) {
  ImageResult roomy = make(with(crowdedKernel, "VALUES", "16"), "crowded");
  ASSERT_TRUE(roomy.codeObject) << roomy.text;
  EXPECT_EQ(roomy.codeObject->vectorSpills, 0u);
  EXPECT_EQ(roomy.codeObject->scratch, 0u);
  ImageResult crowded = make(with(crowdedKernel, "VALUES", "128"), "crowded");
  ASSERT_TRUE(crowded.codeObject) << crowded.text;
  EXPECT_GT(crowded.codeObject->vectorSpills, 0u);
  EXPECT_GT(crowded.codeObject->scratch, 0u);
  EXPECT_EQ(crowded.codeObject->mostThreads, 256u);
}

TEST_F(CodeObject, ProductsAreInstructionsOfTheMatrixUnit) {
  EXPECT_TRUE(has(make(productKernel, "product").text, "v_mfma_f32_16x16x16_f16"));
  EXPECT_TRUE(has(make(productKernel, "product", "gfx950").text, "v_mfma_f32_16x16x16_f16"));
}

TEST_F(CodeObject, OpenCallsNameTheLine) {
  EXPECT_EQ(make(openKernel, "gauss").text,
            "error: gauss.tlx:9:11: `erff` is called, and no library on the device defines it");
}

TEST_F(CodeObject, WhatLLVMCannotSelectIsAnErrorAndNotTheEnd) {
  std::string text = make(hyperbolicKernel, "hyperbolic").text;
  EXPECT_TRUE(has(text, "error: LLVM ")) << text;
  EXPECT_TRUE(make(scaleKernel, "scale").codeObject) << "the next compile must work";
}

TEST_F(CodeObject, LinesAreKeptOnRequest) {
  ImageResult plain = make(scaleKernel, "scale"), lines = make(scaleKernel, "scale", "gfx942", true);
  ASSERT_TRUE(plain.codeObject && lines.codeObject);
  EXPECT_FALSE(hasSection(plain.image, ".debug_line"));
  EXPECT_TRUE(hasSection(lines.image, ".debug_line"));
  EXPECT_TRUE(has(plain.text, ".loc\t2 7 9")) << plain.text;
}

TEST_F(CodeObject, SameInputSameBytes) {
  EXPECT_EQ(make(scaleKernel, "scale").image, make(scaleKernel, "scale").image);
}

TEST(CodeObjectLink, UndefinedSymbolsAndRubbishAreErrors) {
  auto rubbish = linkCodeObject("no object", false);
  ASSERT_FALSE(rubbish);
  EXPECT_TRUE(has(llvm::toString(rubbish.takeError()), "the linker refused the code object"));
}

TEST(CodeObjectReport, WantsAnImageWithThatKernel) {
  auto none = readCodeObject("no image", "k");
  EXPECT_FALSE(none);
  llvm::consumeError(none.takeError());
}

TEST(CodeObjectReport, RegistersLimitWaves) {
  auto waves = [](unsigned registers, unsigned shared) {
    tlx::CodeObjectReport report;
    report.vectorRegisters = registers;
    report.shared = shared;
    return wavesPerSimd(report, 256, *findArch("gfx942"));
  };
  // What LLVM prints as occupancy for these counts.
  EXPECT_EQ(waves(0, 0), 8u);
  EXPECT_EQ(waves(64, 0), 8u);
  EXPECT_EQ(waves(65, 0), 7u);
  EXPECT_EQ(waves(96, 0), 5u);
  EXPECT_EQ(waves(128, 0), 4u);
  EXPECT_EQ(waves(168, 0), 3u);
  EXPECT_EQ(waves(256, 0), 2u);
  EXPECT_EQ(waves(512, 0), 1u);
  EXPECT_EQ(waves(64, 16384), 4u);
  EXPECT_EQ(waves(64, 65536), 1u);
}
