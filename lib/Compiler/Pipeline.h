// The passes between two gates.
#ifndef TLX_LIB_COMPILER_PIPELINE_H
#define TLX_LIB_COMPILER_PIPELINE_H

#include "tlx/Compiler/Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// Runs the passes that bring a module that was just built to `stage` (scheduled to allocated), and names the gate in it.
mlir::LogicalResult runPasses(mlir::ModuleOp module, Stage stage, const Arch &arch);

/// The gate that a module names, if any.
std::optional<Stage> stageNamedIn(mlir::ModuleOp module);
/// Names it.
void nameStage(mlir::ModuleOp module, Stage stage);

} // namespace tlx

#endif
