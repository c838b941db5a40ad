// Which machine a module is compiled for. It stands in the module, so that a printed kernel is complete.
#ifndef TLX_DIALECT_TARGET_H
#define TLX_DIALECT_TARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "tlx/Arch/Arch.h"

namespace tlx {

/// The row of the table that the module around `op` names; that of Hopper, on which all operations of NVIDIA but tensor
/// memory can be tried, when it names none.
const Arch &targetOf(mlir::Operation *op);

/// Writes `tlx.target` on the module.
void nameTarget(mlir::ModuleOp module, const Arch &arch);

} // namespace tlx

#endif
