//===- InsertBarriers.cpp - barriers and fences inside tasks --------------------------------------------===//
//
// Threads of a task see each other's accesses to shared memory after they met; the copy engine and the tensor cores see
// what threads wrote after a fence and a meeting. What the source wrote itself counts.
//
//===----------------------------------------------------------------------------------------------------===//

#include "SharedHazards.h"
#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tlx {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

namespace {

class BarrierInsertion {
public:
  BarrierInsertion(const TaskScope &scope, llvm::DenseSet<Operation *> asyncElsewhere)
      : scope(scope), asyncElsewhere(std::move(asyncElsewhere)) {}

  void run() {
    // What was found to be needed is taken as inserted from then on, so that the rounds end.
    do {
      changed = false;
      loops.clear();
      SharedHazards hazards(scope.warps);
      flow(scope.body->front(), hazards);
    } while (changed);
    for (auto &[op, remedy] : remedies) {
      OpBuilder builder(op);
      if (remedy.fence)
        FenceOp::create(builder, op->getLoc(), "async_shared");
      if (remedy.meeting)
        TaskBarrierOp::create(builder, op->getLoc());
      if (remedy.meeting && isSkewed(op->getParentOp()))
        TaskBarrierOp::create(builder, op->getLoc());
    }
  }

private:
  static bool isSkewed(Operation *op) {
    return op->hasAttr("tlx.skewed") || (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) && isSkewed(op->getParentOp()));
  }

  void flow(Block &block, SharedHazards &hazards) {
    for (Operation &op : block)
      transfer(&op, hazards);
  }

  void transfer(Operation *op, SharedHazards &hazards) {
    if (isa<AsyncTasksOp>(op))
      return;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      SharedHazards other = hazards;
      flow(*branch.thenBlock(), hazards);
      if (branch.elseBlock())
        flow(*branch.elseBlock(), other);
      hazards.join(other);
      return;
    }
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      settleBefore(op, hazards);
      flowLoop(op, hazards);
      return;
    }
    need(op, hazards.needed(op));
    // An arrival hands what was written to another task, which may give it to the tensor cores or the copy engine.
    if (isa<BarrierArriveOp, NamedBarrierArriveOp, NamedBarrierWaitOp>(op) && hazards.hasUnfenced(asyncElsewhere))
      need(op, {/*fence=*/true, /*meeting=*/false});
    hazards.apply(remedies.lookup(op));
    hazards.apply(op);
  }

  /// What reaches a loop in a loop only grows from one round of the outer one to the next: where it has not, the inner
  /// loop gives what it gave. Without this the work doubles with each level of nesting.
  void flowLoop(Operation *loop, SharedHazards &hazards) {
    auto [known, isNew] = loops.try_emplace(loop, hazards);
    if (!isNew && !known->second.join(hazards)) {
      hazards = known->second;
      return leaveLoop(loop, hazards);
    }
    hazards = known->second;
    SharedHazards end = hazards;
    do {
      end = hazards;
      if (isSkewed(loop))
        end.setSkewed(true);
      for (Region &region : loop->getRegions())
        flow(region.front(), end);
      end.forgetPlaces();
    } while (hazards.join(end));
    loops.insert_or_assign(loop, hazards);
    leaveLoop(loop, hazards);
  }

  void leaveLoop(Operation *loop, SharedHazards &hazards) {
    if (isa<scf::WhileOp>(loop))
      flow(loop->getRegion(0).front(), hazards);
  }

  /// What the loop needs of what was written before it is better done once, in front of it, unless the loop itself
  /// writes the same memory.
  void settleBefore(Operation *loop, SharedHazards &hazards) {
    llvm::DenseSet<Operation *> written;
    loop->walk([&](TouchesBuffer access) {
      if (!access.isAsyncProxy())
        for (Value buffer : access.buffersWritten())
          written.insert(storageOf(buffer));
    });
    Remedy remedy;
    loop->walk([&](TouchesBuffer access) {
      if (llvm::any_of(access.buffersRead(), [&](Value buffer) { return written.contains(storageOf(buffer)); }))
        return;
      if (!access.buffersWritten().empty())
        return;
      Remedy one = hazards.needed(access);
      remedy.fence |= one.fence;
      remedy.meeting |= one.meeting;
    });
    need(loop, remedy);
    hazards.apply(remedies.lookup(loop));
  }

  void need(Operation *op, Remedy remedy) {
    if (!remedy)
      return;
    Remedy &known = remedies[op];
    changed |= (remedy.fence && !known.fence) || (remedy.meeting && !known.meeting);
    known.fence |= remedy.fence;
    known.meeting |= remedy.meeting;
  }

  const TaskScope &scope;
  /// Allocations that other tasks read asynchronously.
  llvm::DenseSet<Operation *> asyncElsewhere;
  llvm::MapVector<Operation *, Remedy> remedies;
  /// What holds at the head of each loop, of all that has reached it in this round.
  llvm::DenseMap<Operation *, SharedHazards> loops;
  bool changed = false;
};

struct InsertBarriers : tlx::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    SmallVector<TaskScope> scopes = taskScopes(getOperation());
    for (const TaskScope &scope : scopes) {
      llvm::DenseSet<Operation *> elsewhere;
      for (const TaskScope &other : scopes)
        if (other.body != scope.body)
          addAsyncReads(*other.body, elsewhere);
      BarrierInsertion(scope, std::move(elsewhere)).run();
    }
  }

private:
  static void addAsyncReads(Region &body, llvm::DenseSet<Operation *> &storages) {
    walkScope(body, [&](Operation *op) {
      if (auto access = dyn_cast<TouchesBuffer>(op); access && access.isAsyncProxy())
        for (Value buffer : access.buffersRead())
          storages.insert(storageOf(buffer));
    });
  }
};

} // namespace
