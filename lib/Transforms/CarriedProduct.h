//===- CarriedProduct.h - products that run on into the next iteration ----------------------------------===//

#ifndef TLX_TRANSFORMS_CARRIEDPRODUCT_H
#define TLX_TRANSFORMS_CARRIEDPRODUCT_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tlx/Dialect/TLXDialect.h"

namespace tlx {

/// The wait for the product that adds to the accumulator which the loop carries as value `index`, where nobody else
/// reads that accumulator in the loop; null when there is none.
AsyncDotWaitOp waitOfCarriedProduct(mlir::scf::ForOp loop, unsigned index);

/// Lets that product run on into the next iteration; what comes after the loop waits for the last one.
void letRunOn(mlir::scf::ForOp loop, unsigned index, AsyncDotWaitOp wait);

} // namespace tlx

#endif // TLX_TRANSFORMS_CARRIEDPRODUCT_H
