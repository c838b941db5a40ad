// Inline PTX of the thread dialect's operations for launch control.
#ifndef TLX_LIB_CONVERSION_LAUNCHCONTROLASSEMBLY_H
#define TLX_LIB_CONVERSION_LAUNCHCONTROLASSEMBLY_H

#include "mlir/IR/Builders.h"

namespace tlx {

/// Puts inline PTX before the operation and in place of its results; false when it is none of them.
bool expandLaunchControl(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace tlx

#endif
