// Inline PTX of the thread dialect's products of one warp.
#ifndef TLX_LIB_CONVERSION_WARPPRODUCTASSEMBLY_H
#define TLX_LIB_CONVERSION_WARPPRODUCTASSEMBLY_H

#include "mlir/IR/Builders.h"

namespace tlx {

/// Puts inline PTX before the operation and in place of its results; false when it is none of them.
bool expandWarpProduct(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace tlx

#endif
