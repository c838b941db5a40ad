//===- ProductChain.cpp - products of what products gave --------------------------------------------------===//

#include "ProductChain.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Dialect/WarpProducts.h"

using namespace mlir;
using namespace tlx;

bool tlx::comesFromProduct(Value tile) {
  SmallVector<Value> open = {tile};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty() && seen.size() < 64) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<DotOp, AsyncDotOp, AsyncDotWaitOp, MfmaDotOp, MmaDotOp>(op))
      return true;
    if (isa<ReduceOp, ExpandDimsOp, BroadcastOp, LoadOp, LocalLoadOp>(op))
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        open.push_back(operand);
  }
  return false;
}
