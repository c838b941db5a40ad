//===- TurnedLoads.h - tiles that lie across their rows in memory -----------------------------------------===//

#ifndef TLX_TRANSFORMS_TURNEDLOADS_H
#define TLX_TRANSFORMS_TURNEDLOADS_H

#include "tlx/Dialect/TileOps.h"

namespace tlx {

/// Operands of `dots` whose neighbours in memory lie along the first axis are loaded as their transposition, along
/// rows: so they can be copied to shared memory as they are, and the product reads them turned.
void turnLoads(mlir::func::FuncOp kernel, llvm::ArrayRef<DotOp> dots);

} // namespace tlx

#endif // TLX_TRANSFORMS_TURNEDLOADS_H
