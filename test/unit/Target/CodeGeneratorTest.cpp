// From hand-written modules to PTX: pointer widths, attributes, line tables, loops left alone, and LLVM's refusals.
#include "tlx/Target/CodeGenerator.h"
#include "Modules.h"
#include "tlx/Target/Translation.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::test;

namespace {

class CodeGenerator : public testing::Test {
protected:
  CodeGenerator() {
    mlir::DialectRegistry registry;
    registerTargetDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  /// PTX, or "error: …".
  std::string ptx(llvm::StringRef text, llvm::StringRef arch = "sm_90a") {
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    if (!module)
      return "error: no module";
    llvm::LLVMContext llvmContext;
    auto translated = translateToLLVM(*module, llvmContext, *findArch(arch));
    if (!translated)
      return "error: " + llvm::toString(translated.takeError());
    if (llvm::Error error = optimize(**translated, *findArch(arch)))
      return "error: " + llvm::toString(std::move(error));
    auto text2 = emitAssembly(**translated, *findArch(arch));
    if (!text2)
      return "error: " + llvm::toString(text2.takeError());
    return *text2;
  }

  mlir::MLIRContext context;
};

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_F(CodeGenerator, WritesAnEntryWithItsAttributes) {
  std::string text = ptx(doubleKernel);
  EXPECT_TRUE(has(text, ".entry scale(")) << text;
  EXPECT_TRUE(has(text, ".version 8.8")) << text;
  EXPECT_TRUE(has(text, ".target sm_90a\n")) << "no `, debug`:\n" << text;
  EXPECT_TRUE(has(text, ".reqntid 128")) << text;
  EXPECT_TRUE(has(text, ".ptr .global .align 16")) << text;
}

TEST_F(CodeGenerator, WritesLinesOfTheSource) {
  std::string text = ptx(doubleKernel);
  EXPECT_TRUE(has(text, "scale.tlx")) << text;
  EXPECT_TRUE(has(text, ".loc\t1 7 9")) << text;
}

TEST_F(CodeGenerator, SharedPointersHave32Bits) {
  std::string text = ptx(sharedKernel);
  EXPECT_TRUE(has(text, ".extern .shared .align 1024 .b8 tlx_shared[]")) << text;
  EXPECT_TRUE(has(text, "st.shared.b32 \t[%r")) << text;
  EXPECT_TRUE(has(text, "ld.shared.b32 \t%r")) << text;
  EXPECT_FALSE(has(text, "shared.b32 \t[%rd")) << text;
}

TEST_F(CodeGenerator, UsesTheTargetThatWasAskedFor) {
  EXPECT_TRUE(has(ptx(doubleKernel, "sm_90"), ".target sm_90\n"));
  EXPECT_TRUE(has(ptx(doubleKernel, "sm_100f"), ".target sm_100f\n"));
}

TEST_F(CodeGenerator, LeavesLoopsRolled) {
  std::string text = ptx(loopKernel);
  EXPECT_EQ(count(text, "bar.sync"), 1u) << text;
}

TEST_F(CodeGenerator, CannotSelectIsAnErrorAndNotTheEnd) {
  EXPECT_TRUE(has(ptx(sineKernel), "LLVM stopped during code generation: Cannot select"));
  EXPECT_TRUE(has(ptx(doubleKernel), ".entry scale(")) << "the next compile must work";
}

TEST_F(CodeGenerator, OperationsWithoutTranslationAreAnError) {
  context.allowUnregisteredDialects();
  std::string text = ptx("llvm.func @k() attributes {nvvm.kernel} { \"other.op\"() : () -> () llvm.return }");
  EXPECT_TRUE(has(text, "error: the lowered module cannot be")) << text;
  EXPECT_TRUE(has(text, "other.op")) << text;
}

TEST_F(CodeGenerator, TheModuleGivenStaysAsItWas) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(doubleKernel);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  llvm::LLVMContext llvmContext;
  auto translated = translateToLLVM(*module, llvmContext, *findArch("sm_90a"));
  ASSERT_TRUE(static_cast<bool>(translated));
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

TEST(LLVMVersion, IsANumber) {
  EXPECT_EQ(llvmVersion().substr(0, 3), "22.");
}
