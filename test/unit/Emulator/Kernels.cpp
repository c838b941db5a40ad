// Parsing apart from the tests, which so need no MLIR.
#include "Kernels.h"

#include "tlx/Dialect/ThreadDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace tlx::emu {

llvm::Expected<Report> runText(const std::string &text, const Launch &launch, const Options &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, tlx::thread::ThreadDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), "kernel.mlir");
  if (!module)
    return llvm::createStringError("the test's module does not parse");
  return run(*module, launch, options);
}

Report mustRun(const KernelText &kernel, const Launch &launch, const Options &options) {
  llvm::Expected<Report> report = runText(kernel.module(), launch, options);
  if (!report) {
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
  return std::move(*report);
}

} // namespace tlx::emu
