// Which machine a module is compiled for. It stands in the module, so that a printed kernel is complete.
#ifndef TLX_DIALECT_TARGET_H
#define TLX_DIALECT_TARGET_H

#include "tlx/Arch/Arch.h"
#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// The row of the table that the module around `op` names; that of Hopper, on which all operations of NVIDIA but tensor
/// memory can be tried, when it names none.
const Arch &targetOf(mlir::Operation *op);

/// Writes `tlx.target` on the module.
void nameTarget(mlir::ModuleOp module, const Arch &arch);

} // namespace tlx

#endif
