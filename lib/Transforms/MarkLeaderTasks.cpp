//===- MarkLeaderTasks.cpp - tasks in which one thread has all the work ---------------------------------===//
//
// A producer that only waits, arms barriers and starts copies needs one thread; the others of its warps would spin.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/LaunchControl.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tlx {
#define GEN_PASS_DEF_MARKLEADERTASKS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

/// Whether doing it once, by one thread, is doing it right.
static bool leaderSuffices(Operation *op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  if (llvm::any_of(op->getResultTypes(), isTile) || llvm::any_of(op->getOperandTypes(), isTile))
    return false;
  if (isa<scf::SCFDialect>(op->getDialect()))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](BarrierArriveOp arrive) { return !arrive.getBarrier().getType().getPerThread(); })
      .Case<BarrierWaitOp, BarrierExpectOp, TMALoadOp, TMAPrefetchOp, TMAStoreOp, TMAStoreWaitOp, TaskEndOp, LoadOp,
            tmem::DotOp, tmem::ScaledDotOp, tmem::CopyScalesOp, tmem::CommitOp, tmem::FenceOp, LaunchRequestOp,
            LaunchAnswerOp, FenceOp>([](auto) { return true; })
      .Case([](ThreadIdOp) { return false; })
      // Divisions are not speculatable and thus not "pure", but have no effect either.
      .Default([](Operation *other) { return isMemoryEffectFree(other); });
}

static bool isLeaderTask(Region &task) {
  bool result = true, works = false;
  walkScope(task, [&](Operation *op) {
    result &= leaderSuffices(op);
    works |= isa<BarrierWaitOp, BarrierArriveOp, BarrierExpectOp, TMALoadOp>(op) || tmem::isIssued(op);
  });
  return result && works;
}

namespace {

struct MarkLeaderTasks : tlx::impl::MarkLeaderTasksBase<MarkLeaderTasks> {
  void runOnOperation() override {
    AsyncTasksOp tasks = findTasks(getOperation());
    if (!tasks)
      return;
    SmallVector<int32_t> leader;
    for (Region &task : tasks.getTasks())
      leader.push_back(isLeaderTask(task));
    tasks->setAttr("tlx.leader", DenseI32ArrayAttr::get(&getContext(), leader));
  }
};

} // namespace
