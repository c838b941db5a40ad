//===- CheckProtocol.cpp - barrier protocols that cannot work -------------------------------------------===//
//
// Only what is certain is refused; what is merely odd is a warning; the emulator finds the rest.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tlx {
#define GEN_PASS_DEF_CHECKPROTOCOL
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

namespace {

/// Everything that is done with the barriers of one allocation.
struct BarrierUses {
  SmallVector<BarrierWaitOp> waits;
  SmallVector<BarrierArriveOp> arrivals;
  SmallVector<BarrierExpectOp> expects;
  SmallVector<TMALoadOp> loads;
  /// Products and commits that arrive when they are done.
  SmallVector<Operation *> products;
};

struct CheckProtocol : tlx::impl::CheckProtocolBase<CheckProtocol> {
  void runOnOperation() override {
    llvm::MapVector<Operation *, BarrierUses> uses = collect();
    bool failed = false;
    for (auto &[op, use] : uses) {
      auto barriers = cast<AllocBarriersOp>(op);
      failed |= checkWaits(barriers, use).failed();
      failed |= checkBytes(barriers, use).failed();
      checkArrivals(barriers, use);
    }
    if (failed)
      signalPassFailure();
  }

private:
  llvm::MapVector<Operation *, BarrierUses> collect() {
    llvm::MapVector<Operation *, BarrierUses> uses;
    getOperation().walk([&](Operation *op) {
      auto add = [&](Value barrier, auto member, auto use) {
        if (AllocBarriersOp barriers = barriersOf(barrier))
          (uses[barriers].*member).push_back(use);
      };
      if (auto wait = dyn_cast<BarrierWaitOp>(op))
        add(wait.getBarrier(), &BarrierUses::waits, wait);
      if (auto arrive = dyn_cast<BarrierArriveOp>(op))
        add(arrive.getBarrier(), &BarrierUses::arrivals, arrive);
      if (auto expect = dyn_cast<BarrierExpectOp>(op))
        add(expect.getBarrier(), &BarrierUses::expects, expect);
      if (auto load = dyn_cast<TMALoadOp>(op))
        add(load.getBarrier(), &BarrierUses::loads, load);
      for (Value barrier : tmem::signalledBarriers(op))
        add(barrier, &BarrierUses::products, op);
    });
    return uses;
  }

  /// Copies complete bytes, they do not arrive: a phase ends only when somebody arrives.
  LogicalResult checkWaits(AllocBarriersOp barriers, const BarrierUses &use) {
    if (use.waits.empty() || !use.arrivals.empty() || !use.expects.empty() || !use.products.empty())
      return success();
    BarrierWaitOp wait = use.waits.front();
    return wait.emitError() << "wait on `" << barriers.getName() << "` that no task arrives on [wait-without-arrive]";
  }

  /// Sums are compared where arming and loading stand in one block, on every path alike.
  LogicalResult checkBytes(AllocBarriersOp barriers, const BarrierUses &use) {
    if (use.expects.empty() || use.loads.empty())
      return success();
    Block *block = use.expects.front()->getBlock();
    llvm::MapVector<Value, std::pair<int64_t, int64_t>> sums;
    for (BarrierExpectOp expect : use.expects) {
      if (expect->getBlock() != block || expect.getPredicate())
        return success();
      sums[expect.getBarrier()].first += expect.getBytes();
    }
    for (TMALoadOp load : use.loads) {
      // Bytes of a multicast, and of the other CTA of a pair, arrive from elsewhere too.
      if (load->getBlock() != block || load.getPredicate() || load.getMulticast() || load->hasAttr("tlx.pair"))
        return success();
      sums[load.getBarrier()].second += load.getDescriptor().getType().blockBytes();
    }
    for (auto &[barrier, sum] : sums)
      if (sum.first == 0 || sum.second == 0)
        return success();
    for (auto &[barrier, sum] : sums) {
      if (sum.first == sum.second)
        continue;
      BarrierExpectOp expect = use.expects.front();
      InFlightDiagnostic error = expect.emitError()
                                 << "`" << barriers.getName() << "` expects " << sum.first
                                 << " bytes; the loads that signal it bring " << sum.second << " [expect-bytes]";
      for (TMALoadOp load : use.loads)
        error.attachNote(load.getLoc()) << "a load of " << load.getDescriptor().getType().blockBytes() << " bytes";
      return error;
    }
    return success();
  }

  /// Decidable when each task arrives on a slot at one place, each time: then a phase gets one arrival of each.
  void checkArrivals(AllocBarriersOp barriers, const BarrierUses &use) {
    // Products arrive as often as their conditions say, a pair's in two CTAs.
    if (barriers.getType().getPerThread() || use.waits.empty() || !use.products.empty())
      return;
    // By slot; all under one key when slots are chosen at run time.
    llvm::MapVector<int64_t, int64_t> arrivals;
    llvm::DenseSet<std::pair<Region *, int64_t>> sites;
    bool anyConstant = false, anyComputed = false;
    auto add = [&](Operation *op, Value barrier, int64_t count) {
      std::optional<int64_t> slot = constantIndex(barrier);
      (slot ? anyConstant : anyComputed) = true;
      arrivals[slot.value_or(-1)] += count;
      return sites.insert({enclosingScope(op), slot.value_or(-1)}).second;
    };
    for (BarrierArriveOp arrive : use.arrivals)
      if (arrive.getRank() || arrive.getPredicate() || arrive->hasAttr(eachGroupAttribute) ||
          !add(arrive, arrive.getBarrier(), arrive.getCount()))
        return;
    for (BarrierExpectOp expect : use.expects)
      if (expect.getPredicate() || !add(expect, expect.getBarrier(), 1))
        return;
    bool multicast = llvm::any_of(use.loads, [](TMALoadOp load) { return bool(load.getMulticast()); });
    if ((anyConstant && anyComputed) || multicast)
      return;
    for (auto &[slot, count] : arrivals)
      if (count != barriers.getArrivals()) {
        barriers.emitWarning() << "`" << barriers.getName() << "` needs " << barriers.getArrivals()
                               << " arrivals for each phase; its tasks make " << count << " [arrive-count]";
        return;
      }
  }
};

} // namespace
