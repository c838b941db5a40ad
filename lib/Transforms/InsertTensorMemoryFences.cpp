//===- InsertTensorMemoryFences.cpp - tensor memory across barriers -------------------------------------===//
//
// What a thread does with tensor memory is not ordered by barriers alone: it needs a fence between its accesses and its
// arrival, and one between its wait and its accesses (PTX ISA, tcgen05.fence). A commit brings its own. One thread
// starts a product, so that the task meets first when all of it accessed tensor memory.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tlx {
#define GEN_PASS_DEF_INSERTTENSORMEMORYFENCES
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

static bool isAccess(Operation *op) {
  return isa<tmem::LoadOp, tmem::StoreOp>(op) || tmem::isIssued(op);
}
static bool arrives(Operation *op) {
  return isa<BarrierArriveOp, BarrierExpectOp, NamedBarrierArriveOp, NamedBarrierWaitOp, TaskBarrierOp,
             ClusterBarrierOp>(op);
}
static bool waits(Operation *op) {
  return isa<BarrierWaitOp, NamedBarrierWaitOp, TaskBarrierOp, ClusterBarrierOp>(op);
}

namespace {

/// What a path has seen since the last fence of each side.
struct PathState {
  bool accessed = false, waited = false;
  PathState operator|(PathState other) const { return {accessed || other.accessed, waited || other.waited}; }
};

class FenceFlow {
public:
  void run(Region &scope) {
    // Fences that were found to be needed only take away reasons for others, so one more round than loops nest is
    // enough; the sets grow until nothing changes.
    size_t found;
    do {
      found = before.size() + after.size() + meetings.size();
      flow(scope.front(), {});
    } while (before.size() + after.size() + meetings.size() != found);
    for (Operation *op : before)
      insert(op, "before");
    for (Operation *op : meetings) {
      insert(op, "before");
      OpBuilder b(op);
      TaskBarrierOp::create(b, op->getLoc());
    }
    for (Operation *op : after)
      insert(op, "after");
  }

private:
  static void insert(Operation *op, StringRef side) {
    OpBuilder b(op);
    tmem::FenceOp::create(b, op->getLoc(), side);
  }

  PathState flow(Block &block, PathState state) {
    for (Operation &op : block)
      state = transfer(&op, state);
    return state;
  }

  PathState transfer(Operation *op, PathState state) {
    if (isa<AsyncTasksOp>(op))
      return {false, true};
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      PathState then = flow(*branch.thenBlock(), state);
      return then | (branch.elseBlock() ? flow(*branch.elseBlock(), state) : state);
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      PathState head = state | flow(*loop.getBody(), state);
      return state | flow(*loop.getBody(), head);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      PathState head = state | flow(*loop.getAfterBody(), flow(*loop.getBeforeBody(), state));
      head = head | flow(*loop.getAfterBody(), flow(*loop.getBeforeBody(), head));
      return flow(*loop.getBeforeBody(), head);
    }
    if (auto fence = dyn_cast<tmem::FenceOp>(op))
      (fence.getSide() == "before" ? state.accessed : state.waited) = false;
    if (arrives(op) && state.accessed) {
      before.insert(op);
      state.accessed = false;
    }
    if (waits(op))
      state.waited = true;
    if (!isAccess(op))
      return state;
    if (tmem::isIssued(op) && state.accessed) {
      meetings.insert(op);
      state = {false, true};
    }
    if (state.waited) {
      after.insert(op);
      state.waited = false;
    }
    state.accessed |= !tmem::isIssued(op);
    return state;
  }

  llvm::SetVector<Operation *> before, after, meetings;
};

struct InsertTensorMemoryFences : tlx::impl::InsertTensorMemoryFencesBase<InsertTensorMemoryFences> {
  void runOnOperation() override {
    if (!tmem::isUsedIn(getOperation()))
      return;
    for (const TaskScope &scope : taskScopes(getOperation()))
      FenceFlow().run(*scope.body);
  }
};

} // namespace
