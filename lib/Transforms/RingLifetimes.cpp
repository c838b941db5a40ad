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

namespace {
/// From the first to the last operation of a block in which somebody touches a buffer or a view of it; null when nobody
/// does.
struct Span {
  Span(Value buffer, Block &block) { take(buffer, block); }

  bool isBefore(const Span &other) const { return last->isBeforeInBlock(other.first); }

  Operation *first = nullptr, *last = nullptr;

private:
  void take(Value buffer, Block &block) {
    for (Operation *user : buffer.getUsers()) {
      if (Operation *candidate = block.findAncestorOpInBlock(*user)) {
        first = !first || candidate->isBeforeInBlock(first) ? candidate : first;
        last = !last || last->isBeforeInBlock(candidate) ? candidate : last;
      }
      for (Value result : user->getResults())
        if (isa<BufferType>(result.getType()))
          take(result, block);
    }
  }
};

/// Memory of one ring, and when it is somebody's.
struct Storage {
  LocalAllocOp alloc;
  SmallVector<Span> spans;

  bool isFree(const Span &span) const {
    return llvm::all_of(spans, [&](const Span &taken) { return taken.isBefore(span) || span.isBefore(taken); });
  }
};
} // namespace

LocalAllocOp tlx::largestDeadRing(Operation *op) {
  Block &block = enclosingScope(op)->front();
  Operation *place = block.findAncestorOpInBlock(*op);
  LocalAllocOp largest;
  op->getParentOfType<func::FuncOp>().walk([&](LocalAllocOp alloc) {
    // Others may be in the memory of a ring that reuses another one's.
    if (!alloc->hasAttr(ringAttribute) || alloc.getReuse())
      return;
    // A task that fills the ring does so for this one, which has waited for all fillings.
    Operation *last = Span(alloc, block).last;
    bool isDead = last && last->isBeforeInBlock(place);
    if (isDead && (!largest || bytesOf(largest) < bytesOf(alloc)))
      largest = alloc;
  });
  return largest;
}

void tlx::shareDeadRings(func::FuncOp kernel) {
  // Tasks would have to tell each other that a ring is free.
  if (findTasks(kernel))
    return;
  SmallVector<LocalAllocOp> rings;
  kernel.walk([&](LocalAllocOp alloc) {
    if (alloc->hasAttr(ringAttribute) && !alloc.getReuse() && !alloc->use_empty())
      rings.push_back(alloc);
  });
  // The largest first: what comes later fits into what is there.
  llvm::sort(rings, [](LocalAllocOp a, LocalAllocOp b) {
    return bytesOf(a) != bytesOf(b) ? bytesOf(a) > bytesOf(b) : a->isBeforeInBlock(b);
  });
  SmallVector<Storage> storages;
  for (LocalAllocOp ring : rings) {
    Span span(ring, kernel.getBody().front());
    auto *storage = llvm::find_if(storages, [&](const Storage &one) { return one.isFree(span); });
    if (storage == storages.end()) {
      storages.push_back({ring, {span}});
      continue;
    }
    if (ring->isBeforeInBlock(storage->alloc))
      storage->alloc->moveBefore(ring);
    ring.getReuseMutable().assign(storage->alloc);
    storage->spans.push_back(span);
  }
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
