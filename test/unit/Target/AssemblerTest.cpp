// ptxas: what its report says, where it is found, and what happens when it refuses.
#include "tlx/Target/Assembler.h"
#include "Modules.h"
#include "tlx/Target/CodeGenerator.h"
#include "tlx/Target/Translation.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::test;

static const char *report = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'other' for 'sm_90a'
ptxas info    : Function properties for other
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers
ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements.
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    16 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 168 registers, used 6 barriers, 16 bytes cumulative stack size, 2048 bytes smem
ptxas info    : (C7519) Potential Performance Loss: wgmma.mma_async instructions arrive injected.
ptxas warning : something else
)";

TEST(AssemblerReport, ReadsTheKernelThatWasAskedFor) {
  AssemblerReport gemm = parseAssemblerReport(report, "gemm");
  EXPECT_EQ(gemm.registers, 168u);
  EXPECT_EQ(gemm.barriers, 6u);
  EXPECT_EQ(gemm.stack, 16u);
  EXPECT_EQ(gemm.spillStores, 24u);
  EXPECT_EQ(gemm.spillLoads, 28u);
  EXPECT_EQ(gemm.staticShared, 2048u);
  AssemblerReport other = parseAssemblerReport(report, "other");
  EXPECT_EQ(other.registers, 32u);
  EXPECT_EQ(other.spillStores, 4u);
}

TEST(AssemblerReport, GradesAdvice) {
  AssemblerReport gemm = parseAssemblerReport(report, "gemm");
  ASSERT_EQ(gemm.advice.size(), 2u);
  EXPECT_EQ(gemm.advice[0].code, "C7508");
  EXPECT_EQ(gemm.advice[0].grade, AdviceGrade::Broken);
  EXPECT_EQ(gemm.advice[1].code, "C7519");
  EXPECT_EQ(gemm.advice[1].grade, AdviceGrade::Slow);
  ASSERT_EQ(gemm.warnings.size(), 1u);
}

TEST(AssemblerReport, EmptyTextIsAllZeros) {
  AssemblerReport empty = parseAssemblerReport("", "gemm");
  EXPECT_EQ(empty.registers, 0u);
  EXPECT_TRUE(empty.advice.empty());
}

namespace {

/// Cases that run the real assembler.
class Assembler : public testing::Test {
protected:
  void SetUp() override {
    std::optional<std::string> found = findAssembler();
    if (!found)
      GTEST_SKIP() << "no ptxas on this machine";
    assembler = *found;
  }

  AssemblerJob job(llvm::StringRef text, const char *kernel) {
    mlir::DialectRegistry registry;
    registerTargetDialects(registry);
    mlir::MLIRContext context(registry);
    context.loadAllAvailableDialects();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    const Arch &arch = *findArch("sm_90a");
    llvm::LLVMContext llvmContext;
    auto translated = llvm::cantFail(translateToLLVM(*module, llvmContext, arch));
    llvm::cantFail(optimize(*translated, arch));
    AssemblerJob result{assembler, llvm::cantFail(emitAssembly(*translated, arch)),
                        kernel,    &arch,
                        false,     testing::TempDir() + "refused.ptx"};
    return result;
  }

  std::string assembler;
};

std::string withAttributes(llvm::StringRef text, llvm::StringRef attributes) {
  auto [before, after] = text.split("ATTRIBUTES");
  return (before + attributes + after).str();
}

} // namespace

TEST_F(Assembler, MakesAnElfImage) {
  auto result = assemble(job(doubleKernel, "scale"));
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->image.substr(1, 3), "ELF");
  EXPECT_GT(result->report.registers, 0u);
  EXPECT_EQ(result->report.spillStores, 0u);
}

TEST_F(Assembler, CountsBarriers) {
  auto result = assemble(job(sharedKernel, "exchange"));
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->report.barriers, 1u);
}

TEST_F(Assembler, TellsThatSetmaxnregIsIgnored) {
  auto ignored = assemble(job(withAttributes(registerKernel, ""), "grow"));
  ASSERT_TRUE(static_cast<bool>(ignored)) << llvm::toString(ignored.takeError());
  ASSERT_EQ(ignored->report.advice.size(), 1u);
  EXPECT_EQ(ignored->report.advice[0].code, "C7508");
  auto honoured = assemble(job(withAttributes(registerKernel, ", nvvm.minctasm = 1 : i32"), "grow"));
  ASSERT_TRUE(static_cast<bool>(honoured)) << llvm::toString(honoured.takeError());
  EXPECT_TRUE(honoured->report.advice.empty());
}

TEST_F(Assembler, RefusalKeepsThePtxAndNamesTheCommand) {
  AssemblerJob broken = job(doubleKernel, "scale");
  broken.ptx += "\nnonsense\n";
  llvm::sys::fs::remove(broken.keepOnFailure);
  auto result = assemble(broken);
  ASSERT_FALSE(static_cast<bool>(result));
  std::string words = llvm::toString(result.takeError());
  EXPECT_NE(words.find("repeat with: "), std::string::npos) << words;
  EXPECT_NE(words.find("-arch=sm_90a"), std::string::npos) << words;
  EXPECT_TRUE(llvm::sys::fs::exists(broken.keepOnFailure));
}

TEST_F(Assembler, SaysItsVersion) {
  auto version = assemblerVersion(assembler);
  ASSERT_TRUE(static_cast<bool>(version)) << llvm::toString(version.takeError());
  EXPECT_GE(std::atoi(version->c_str()), 12);
  auto wrong = assemblerVersion("/bin/true");
  ASSERT_FALSE(static_cast<bool>(wrong));
  llvm::consumeError(wrong.takeError());
}

TEST(FindAssembler, TakesTheEnvironmentFirst) {
  const char *old = std::getenv("TLXC_PTXAS");
  std::string saved = old ? old : "";
  setenv("TLXC_PTXAS", "/nowhere/ptxas", 1);
  EXPECT_EQ(findAssembler(), std::optional<std::string>("/nowhere/ptxas"));
  if (old)
    setenv("TLXC_PTXAS", saved.c_str(), 1);
  else
    unsetenv("TLXC_PTXAS");
}
