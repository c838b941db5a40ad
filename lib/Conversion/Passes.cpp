// The two steps as passes, for tlx-opt and tests.
#include "tlx/Conversion/Conversion.h"

#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/ThreadDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
struct LowerToThreads : PassWrapper<LowerToThreads, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToThreads)
  StringRef getArgument() const override { return "tlx-lower-to-threads"; }
  StringRef getDescription() const override { return "Kernels of tiles to the code of one thread"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect, tlx::thread::ThreadDialect>();
  }
  void runOnOperation() override {
    if (failed(tlx::lowerToThreads(getOperation())))
      signalPassFailure();
  }
};

struct ExpandThreadOps : PassWrapper<ExpandThreadOps, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandThreadOps)
  StringRef getArgument() const override { return "tlx-expand-thread-ops"; }
  StringRef getDescription() const override { return "Thread-dialect operations to inline PTX"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<LLVM::LLVMDialect>(); }
  void runOnOperation() override {
    if (failed(tlx::expandThreadOps(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void tlx::registerConversionPasses() {
  PassRegistration<LowerToThreads>();
  PassRegistration<ExpandThreadOps>();
}
