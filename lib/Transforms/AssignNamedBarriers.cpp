//===- AssignNamedBarriers.cpp - a hardware barrier for each task ---------------------------------------===//

#include "tlx/Analysis/TaskScope.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tlx {
#define GEN_PASS_DEF_ASSIGNNAMEDBARRIERS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

/// PTX ISA, barrier: ids 0 to 15.
constexpr int barrierCount = 16;
/// The whole kernel meets at this one.
constexpr int kernelBarrier = 0;

namespace {

struct AssignNamedBarriers : tlx::impl::AssignNamedBarriersBase<AssignNamedBarriers> {
  void runOnOperation() override {
    AsyncTasksOp tasks = findTasks(getOperation());
    if (!tasks)
      return;
    llvm::SmallBitVector taken(barrierCount);
    taken.set(kernelBarrier);
    if (takeNamed(taken).failed())
      return signalPassFailure();
    SmallVector<int32_t> ids(tasks.getWarps().size(), -1);
    auto leader = tasks->getAttrOfType<DenseI32ArrayAttr>("tlx.leader");
    // A task of one warp meets without a barrier, and one thread alone has nobody to meet.
    for (auto [task, warps] : llvm::enumerate(tasks.getWarps()))
      if (warps > 1 && !(leader && leader[task]) && give(tasks, task, taken, ids).failed())
        return signalPassFailure();
    tasks->setAttr("tlx.barrier_ids", DenseI32ArrayAttr::get(&getContext(), ids));
  }

private:
  LogicalResult takeNamed(llvm::SmallBitVector &taken) {
    bool failed = false;
    getOperation().walk([&](Operation *op) {
      if (!isa<NamedBarrierArriveOp, NamedBarrierWaitOp>(op))
        return;
      int64_t id = op->getAttrOfType<IntegerAttr>("id").getInt();
      if (id > kernelBarrier && id < barrierCount) {
        taken.set(id);
        return;
      }
      op->emitError() << "named barrier " << id << " is not one of the 15 that a kernel may name, 1 to 15"
                      << " [named-barrier-id]";
      failed = true;
    });
    return failure(failed);
  }

  LogicalResult give(AsyncTasksOp tasks, size_t task, llvm::SmallBitVector &taken, MutableArrayRef<int32_t> ids) {
    int free = taken.find_first_unset();
    if (free < 0) {
      int wanted = llvm::count_if(tasks.getWarps(), [](int32_t warps) { return warps > 1; });
      int named = barrierCount - 1 - llvm::count_if(ids, [](int32_t id) { return id >= 0; });
      return tasks.emitError() << "the tasks need " << wanted << " named barriers beside the " << named
                               << " that the source names; there are " << barrierCount
                               << ", one of them the kernel's [named-barriers-exhausted]";
    }
    ids[task] = free;
    taken.set(free);
    return success();
  }
};

} // namespace
