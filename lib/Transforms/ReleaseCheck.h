//===- ReleaseCheck.h - slots released while a product still reads them ---------------------------------===//

#ifndef TLX_TRANSFORMS_RELEASECHECK_H
#define TLX_TRANSFORMS_RELEASECHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tlx {

/// Refuses arrivals that let a producer overwrite what a matrix product in flight reads. Only certain cases: one barrier
/// guards the buffer, and the slots are the same value.
llvm::LogicalResult checkReleases(mlir::func::FuncOp kernel);

} // namespace tlx

#endif // TLX_TRANSFORMS_RELEASECHECK_H
