//===- BufferStorage.cpp - which allocation a view of shared memory lies in -----------------------------===//

#include "tlx/Analysis/BufferStorage.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

LocalAllocOp tlx::allocationOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op))
      return alloc;
    if (!isa<LocalViewOp, LocalSliceOp, LocalTransOp, LocalReshapeOp, LocalReinterpretOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  return {};
}

LocalAllocOp tlx::storageOf(Value buffer) {
  LocalAllocOp alloc = allocationOf(buffer);
  while (alloc && alloc.getReuse()) {
    LocalAllocOp next = allocationOf(alloc.getReuse());
    if (!next)
      break;
    alloc = next;
  }
  return alloc;
}

AllocBarriersOp tlx::barriersOf(Value barrier) {
  while (auto view = barrier.getDefiningOp<BarrierViewOp>())
    barrier = view.getBarrier();
  return barrier.getDefiningOp<AllocBarriersOp>();
}

std::optional<int64_t> tlx::constantIndex(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    APInt index;
    if (isa<LocalViewOp, BarrierViewOp>(op)) {
      if (!matchPattern(op->getOperand(1), m_ConstantInt(&index)))
        return std::nullopt;
      return index.getSExtValue();
    }
    if (!isa<LocalSliceOp, LocalTransOp, LocalReshapeOp, LocalReinterpretOp>(op))
      return std::nullopt;
    view = op->getOperand(0);
  }
  return std::nullopt;
}
