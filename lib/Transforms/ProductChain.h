//===- ProductChain.h - products of what products gave ----------------------------------------------------===//

#ifndef TLX_TRANSFORMS_PRODUCTCHAIN_H
#define TLX_TRANSFORMS_PRODUCTCHAIN_H

#include "tlx/Dialect/TLXDialect.h"

namespace tlx {

/// Whether an operand was computed from a product, whose layout it then has.
bool comesFromProduct(mlir::Value tile);

} // namespace tlx

#endif // TLX_TRANSFORMS_PRODUCTCHAIN_H
