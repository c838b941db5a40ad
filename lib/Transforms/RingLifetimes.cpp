//===- RingLifetimes.cpp - when the buffers of pipelined loops are free again ---------------------------===//

#include "RingLifetimes.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

int64_t tlx::bytesOf(LocalAllocOp alloc) {
  return tileStride(alloc.getType()) * std::max<int64_t>(1, alloc.getType().getCount());
}

/// The last operation of `block` in which somebody touches the buffer or a view of it, or null.
static Operation *lastUse(Value buffer, Block &block) {
  Operation *last = nullptr;
  auto take = [&](Operation *candidate) {
    if (candidate && (!last || last->isBeforeInBlock(candidate)))
      last = candidate;
  };
  for (Operation *user : buffer.getUsers()) {
    take(block.findAncestorOpInBlock(*user));
    for (Value result : user->getResults())
      if (isa<BufferType>(result.getType()))
        take(lastUse(result, block));
  }
  return last;
}

LocalAllocOp tlx::largestDeadRing(Operation *op) {
  Block &block = enclosingScope(op)->front();
  Operation *place = block.findAncestorOpInBlock(*op);
  LocalAllocOp largest;
  op->getParentOfType<func::FuncOp>().walk([&](LocalAllocOp alloc) {
    if (!alloc->hasAttr(ringAttribute))
      return;
    // A task that fills the ring does so for this one, which has waited for all fillings.
    Operation *last = lastUse(alloc, block);
    bool isDead = last && last->isBeforeInBlock(place);
    if (isDead && (!largest || bytesOf(largest) < bytesOf(alloc)))
      largest = alloc;
  });
  return largest;
}

int64_t tlx::spareShared(func::FuncOp kernel, int64_t capacity) {
  kernel.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op); alloc && !alloc.getReuse())
      capacity -= bytesOf(alloc);
    if (auto barriers = dyn_cast<AllocBarriersOp>(op))
      capacity -= 8 * std::max<int64_t>(1, barriers.getType().getCount());
  });
  return capacity;
}

static int64_t bytesOf(RankedTensorType tile) {
  return tile.getNumElements() * llvm::divideCeil(tile.getElementTypeBitWidth(), 8);
}

int64_t tlx::spareForRings(func::FuncOp kernel, int64_t capacity) {
  int64_t combined = 0;
  kernel.walk([&](Operation *op) {
    if (isa<ReduceOp, PairOp, GatherOp, HistogramOp>(op))
      combined = std::max(combined, ::bytesOf(cast<RankedTensorType>(op->getOperand(0).getType())));
  });
  return spareShared(kernel, capacity) - std::min(combined, capacity / 4);
}
