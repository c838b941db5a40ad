// The passes between two gates.
#ifndef TLX_LIB_COMPILER_PIPELINE_H
#define TLX_LIB_COMPILER_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "tlx/Compiler/Options.h"

namespace tlx {

/// Runs the passes that lead from the gate before `stage` (scheduled to allocated) to it, and names the gate in the
/// module.
mlir::LogicalResult runStage(mlir::ModuleOp module, Stage stage, const Arch &arch, bool mapsPointers);

/// The gate that a module names; empty when it names none.
llvm::StringRef stageNamedIn(mlir::ModuleOp module);
/// Names it.
void nameStage(mlir::ModuleOp module, Stage stage);

} // namespace tlx

#endif
