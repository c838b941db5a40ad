//===- RingLifetimes.cpp - when the buffers of pipelined loops are free again ---------------------------===//

#include "RingLifetimes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/LayoutConversion.h"

using namespace mlir;
using namespace tlx;

int64_t tlx::bytesOf(LocalAllocOp alloc) {
  return tileStride(alloc.getType()) * std::max<int64_t>(1, alloc.getType().getCount());
}

/// The last operation of the kernel's own block in which somebody touches the buffer or a view of it.
static Operation *lastUse(Value buffer, Block &block) {
  Operation *last = nullptr;
  for (Operation *user : buffer.getUsers()) {
    Operation *candidate = block.findAncestorOpInBlock(*user);
    for (Value result : user->getResults())
      if (isa<BufferType>(result.getType()))
        if (Operation *further = lastUse(result, block); further && candidate->isBeforeInBlock(further))
          candidate = further;
    if (!last || last->isBeforeInBlock(candidate))
      last = candidate;
  }
  return last;
}

LocalAllocOp tlx::largestDeadRing(Operation *op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  Block &block = kernel.getBody().front();
  Operation *place = block.findAncestorOpInBlock(*op);
  LocalAllocOp largest;
  kernel.walk([&](LocalAllocOp alloc) {
    if (!alloc->hasAttr(ringAttribute))
      return;
    Operation *last = lastUse(alloc, block);
    bool isDead = !last || last->isBeforeInBlock(place);
    if (isDead && (!largest || bytesOf(largest) < bytesOf(alloc)))
      largest = alloc;
  });
  return largest;
}
