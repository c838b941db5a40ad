//===- ReleaseCheck.cpp - slots released while a product still reads them -------------------------------===//

#include "ReleaseCheck.h"
#include "tlx/Analysis/BufferStorage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tlx;

/// The index that a view selects its tile or barrier by.
static Value slotOf(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (isa<LocalViewOp, BarrierViewOp>(op))
      return op->getOperand(1);
    if (!isa<LocalSliceOp, LocalTransOp, LocalReshapeOp>(op))
      break;
    view = op->getOperand(0);
  }
  return {};
}

namespace {

/// A buffer that a product reads.
struct Reading {
  AsyncDotOp product;
  LocalAllocOp storage;
  Value slot;
};

class ReleaseCheck {
public:
  explicit ReleaseCheck(func::FuncOp kernel) : kernel(kernel) {
    kernel.walk([&](Block *block) { findGuards(*block); });
  }

  LogicalResult run() {
    bool failed = false;
    kernel.walk([&](Block *block) { failed |= check(*block).failed(); });
    return failure(failed);
  }

private:
  /// A load behind waits on one array of barriers alone is guarded by it.
  void findGuards(Block &block) {
    llvm::SmallSetVector<Operation *, 4> waited;
    for (Operation &op : block) {
      if (auto wait = dyn_cast<BarrierWaitOp>(op))
        waited.insert(barriersOf(wait.getBarrier()));
      auto load = dyn_cast<TMALoadOp>(op);
      if (!load)
        continue;
      Operation *guard = waited.size() == 1 ? waited.front() : nullptr;
      auto [known, isNew] = guards.try_emplace(storageOf(load.getBuffer()), guard);
      if (!isNew && known->second != guard)
        known->second = nullptr;
    }
  }

  LogicalResult check(Block &block) {
    // By product, oldest first.
    SmallVector<SmallVector<Reading, 2>> inFlight;
    for (Operation &op : block) {
      // What happens inside is not followed: nothing is certain after it.
      if (op.getNumRegions() != 0)
        inFlight.clear();
      if (auto dot = dyn_cast<AsyncDotOp>(op)) {
        inFlight.emplace_back();
        for (Value buffer : dot.buffersRead())
          inFlight.back().push_back({dot, storageOf(buffer), slotOf(buffer)});
      }
      if (auto wait = dyn_cast<AsyncDotWaitOp>(op))
        while (inFlight.size() > size_t(wait.getPendings()))
          inFlight.erase(inFlight.begin());
      if (auto arrive = dyn_cast<BarrierArriveOp>(op))
        for (const auto &readings : inFlight)
          for (const Reading &reading : readings)
            if (releases(arrive, reading))
              return report(arrive, reading);
    }
    return success();
  }

  bool releases(BarrierArriveOp arrive, const Reading &reading) {
    Operation *barriers = barriersOf(arrive.getBarrier());
    return barriers && guards.lookup(reading.storage) == barriers && reading.slot &&
           slotOf(arrive.getBarrier()) == reading.slot;
  }

  LogicalResult report(BarrierArriveOp arrive, Reading reading) {
    InFlightDiagnostic error = arrive.emitError()
                               << "`" << barriersOf(arrive.getBarrier()).getName() << "` releases a slot of `"
                               << reading.storage.getName()
                               << "` that a matrix product may still read; wait for the product first"
                               << " [release-in-flight]";
    error.attachNote(reading.product.getLoc()) << "the product";
    return error;
  }

  func::FuncOp kernel;
  /// For each buffer the barriers that its loads wait on; null when that is not certain.
  llvm::DenseMap<Operation *, Operation *> guards;
};

} // namespace

LogicalResult tlx::checkReleases(func::FuncOp kernel) { return ReleaseCheck(kernel).run(); }
