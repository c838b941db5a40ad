// The one rule about extents of tiles that are not powers of two, and the one message about it.
#ifndef TLX_LIB_TRANSFORMS_TILEEXTENTS_H
#define TLX_LIB_TRANSFORMS_TILEEXTENTS_H

#include "mlir/IR/Diagnostics.h"

namespace tlx {

/// Registers may hold less than a power of two of something; lanes and warps that share an axis take halves of it.
mlir::InFlightDiagnostic refuseExtents(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);

} // namespace tlx

#endif
