//===- MarkConverged.cpp - arrivals in front of which the task need not meet ----------------------------===//
//
// An arrival says that all threads of the task are done with what they accessed. When none of them accessed anything
// since they last met, one thread may say so for all without a meeting.
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

/// Follows one task: has any thread touched memory since the task last met?
class ConvergenceFlow {
public:
  explicit ConvergenceFlow(const TaskScope &scope) : scope(scope) {}

  void run() {
    // Arrivals found to need a meeting meet from then on, which only removes reasons for others.
    do {
      changed = false;
      flow(scope.body->front(), false);
    } while (changed);
    walkScope(*scope.body, [&](Operation *op) {
      auto arrive = dyn_cast<BarrierArriveOp>(op);
      if (arrive && !arrive.getBarrier().getType().getPerThread() && !meeting.contains(op))
        arrive.setConverged(true);
    });
  }

private:
  bool flow(Block &block, bool accessed) {
    for (Operation &op : block)
      accessed = transfer(&op, accessed);
    return accessed;
  }

  bool transfer(Operation *op, bool accessed) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      bool then = flow(*branch.thenBlock(), accessed);
      return then | (branch.elseBlock() ? flow(*branch.elseBlock(), accessed) : accessed);
    }
    // One fact of two values: the second round starts with all that can reach the loop's head.
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool head = accessed | flow(*loop.getBody(), accessed);
      return accessed | flow(*loop.getBody(), head);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      bool head = accessed | flow(*loop.getAfterBody(), flow(*loop.getBeforeBody(), accessed));
      head |= flow(*loop.getAfterBody(), flow(*loop.getBeforeBody(), head));
      return flow(*loop.getBeforeBody(), head);
    }
    if (auto arrive = dyn_cast<BarrierArriveOp>(op))
      return arrival(arrive, accessed);
    if (isa<LocalLoadOp, LocalStoreOp, LoadOp, StoreOp, AtomicOp, AsyncLoadOp, tmem::LoadOp, tmem::StoreOp,
            LaunchAnswerOp>(op))
      return true;
    // Beyond one warp group, a group's wait says nothing of the products of another.
    if (isa<AsyncDotWaitOp>(op) && scope.warps > 4)
      return true;
    return meetsHere(op) ? false : accessed;
  }

  bool arrival(BarrierArriveOp arrive, bool accessed) {
    if (arrive.getBarrier().getType().getPerThread())
      return accessed;
    if (accessed && meeting.insert(arrive).second)
      changed = true;
    return meeting.contains(arrive) && meetsHere(arrive) ? false : accessed;
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
