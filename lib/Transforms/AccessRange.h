// Masked accesses whose addresses are one for all threads plus small offsets: what a machine that checks ranges reads
// and writes without a branch.
#ifndef TLX_LIB_TRANSFORMS_ACCESSRANGE_H
#define TLX_LIB_TRANSFORMS_ACCESSRANGE_H

#include "mlir/IR/Operation.h"

namespace tlx {

/// Where it holds of a load or store of a tile: rewrites its addresses as the sum of an address that is the same
/// everywhere and offsets, and says on it how many bytes from there it reaches at most (`tlx.range`). Accesses of which
/// the source promises it (`tlx.buffer`) need no proof of the offsets' size.
void findAccessRange(mlir::Operation *access);

} // namespace tlx

#endif
