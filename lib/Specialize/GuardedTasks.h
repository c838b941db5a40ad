#ifndef TLX_SPECIALIZE_GUARDEDTASKS_H
#define TLX_SPECIALIZE_GUARDEDTASKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tlx::specialize {

/// `if done: return` before tasks leaves them in a branch. Warps are handed out once, at the top of a kernel, so the
/// branch moves into each task; what it cannot move stays, and a pass refuses it.
void moveConditionsIntoTasks(mlir::func::FuncOp kernel);

} // namespace tlx::specialize

#endif
