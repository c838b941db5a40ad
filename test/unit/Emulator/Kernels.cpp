// Parsing apart from the tests, which so need no MLIR.
#include "Kernels.h"
#include "Waves.h"

#include "tlx/Dialect/ThreadDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace tlx::emu {

llvm::Expected<Report> runText(const std::string &text, const Launch &launch, const Options &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::ROCDL::ROCDLDialect,
                      tlx::thread::ThreadDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), "kernel.mlir");
  if (!module)
    return llvm::createStringError("the test's module does not parse");
  return run(*module, launch, options);
}

static Report orFailure(llvm::Expected<Report> report) {
  if (!report) {
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
  return std::move(*report);
}

Report mustRun(const KernelText &kernel, const Launch &launch, const Options &options) {
  return orFailure(runText(kernel.module(), launch, options));
}

Report mustRun(const WaveKernel &kernel, const Launch &launch, const Options &options) {
  return orFailure(runText(kernel.module(), launch, options));
}

std::string refusal(const WaveKernel &kernel) {
  std::vector<uint32_t> data(1024);
  Launch launch;
  launch.buffers = {{"out", data.data(), data.size() * 4}};
  launch.arguments = {Argument::pointer(0)};
  llvm::Expected<Report> report = runText(kernel.module(), launch);
  return report ? "" : llvm::toString(report.takeError());
}

} // namespace tlx::emu
