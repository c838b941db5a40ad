//===- MarkConverged.cpp - arrivals in front of which the task need not meet ----------------------------===//
//
// An arrival says that all threads of the task are done with what they accessed, and past the waits before it. When
// none of them accessed anything or waited since they last met, one thread may say so for all without a meeting: else
// the phase that a slow warp still waits for could end twice and look as if it had not ended.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/LaunchControl.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace tlx {
#define GEN_PASS_DEF_MARKCONVERGED
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

namespace {

/// What threads may have done since the task last met, or may still have to do, and the same of the threads of one warp
/// group: a set of these.
enum Since : unsigned { Nothing = 0, Accessed = 1, Waited = 2, GroupAccessed = 4, GroupWaited = 8 };

/// Follows one task.
class ConvergenceFlow {
public:
  explicit ConvergenceFlow(const TaskScope &scope) : scope(scope) {}

  void run() {
    // Arrivals found to need a meeting meet from then on, which only removes reasons for others.
    do {
      changed = false;
      flow(scope.body->front(), Nothing);
    } while (changed);
    walkScope(*scope.body, [&](Operation *op) {
      auto arrive = dyn_cast<BarrierArriveOp>(op);
      if (arrive && !arrive.getBarrier().getType().getPerThread() && !meeting.contains(op))
        arrive.setConverged(true);
    });
  }

private:
  unsigned flow(Block &block, unsigned since) {
    for (Operation &op : block)
      since = transfer(&op, since);
    return since;
  }

  /// What may be true at the end of an iteration, when `since` is in front of the loop.
  unsigned settle(unsigned since, llvm::function_ref<unsigned(unsigned)> iteration) {
    unsigned end = iteration(since);
    while (unsigned more = iteration(since | end) & ~end)
      end |= more;
    return end;
  }

  unsigned transfer(Operation *op, unsigned since) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned then = flow(*branch.thenBlock(), since);
      return then | (branch.elseBlock() ? flow(*branch.elseBlock(), since) : since);
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return since | settle(since, [&](unsigned head) { return flow(*loop.getBody(), head); });
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      auto iteration = [&](unsigned head) { return flow(*loop.getAfterBody(), flow(*loop.getBeforeBody(), head)); };
      return flow(*loop.getBeforeBody(), since | settle(since, iteration));
    }
    if (auto arrive = dyn_cast<BarrierArriveOp>(op))
      return arrival(arrive, since);
    auto access = dyn_cast<TouchesBuffer>(op);
    if ((access && !access.isAsyncProxy()) ||
        isa<LoadOp, StoreOp, AtomicOp, tmem::LoadOp, tmem::StoreOp, LaunchAnswerOp>(op))
      return since | Accessed | GroupAccessed;
    // The threads of one warp wait together.
    if (isa<BarrierWaitOp>(op) && scope.warps > 1)
      return since | Waited | GroupWaited;
    // All warps of a group have issued a product that is waited for, and so are past what stands before it. Beyond one
    // group, a group's wait says nothing of the products of another.
    if (isa<AsyncDotWaitOp>(op))
      return (scope.warps > 4 ? since | Accessed : since & ~Waited) & ~GroupWaited;
    return meetsHere(op) ? Nothing : since;
  }

  unsigned arrival(BarrierArriveOp arrive, unsigned since) {
    if (arrive.getBarrier().getType().getPerThread())
      return since;
    unsigned matters = arrive->hasAttr(eachGroupAttribute) ? GroupAccessed | GroupWaited : Accessed | Waited;
    if ((since & matters) && meeting.insert(arrive).second)
      changed = true;
    return meeting.contains(arrive) && meetsHere(arrive) ? Nothing : since;
  }

  const TaskScope &scope;
  llvm::DenseSet<Operation *> meeting;
  bool changed = false;
};

struct MarkConverged : tlx::impl::MarkConvergedBase<MarkConverged> {
  void runOnOperation() override {
    for (const TaskScope &scope : taskScopes(getOperation()))
      ConvergenceFlow(scope).run();
  }
};

} // namespace
