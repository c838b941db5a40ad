// The dialects of the whole chain.
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "tlx/Compiler/Compiler.h"
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Dialect/ThreadDialect.h"
#include "tlx/Target/Translation.h"

void tlx::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::func::FuncDialect,
                  mlir::cf::ControlFlowDialect, TLXDialect, tmem::TMemDialect, thread::ThreadDialect,
                  mlir::ROCDL::ROCDLDialect>();
  registerTargetDialects(registry);
}
