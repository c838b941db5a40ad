//===- TaskScope.cpp - which task an operation belongs to -----------------------------------------------===//

#include "tlx/Analysis/TaskScope.h"

using namespace mlir;
using namespace tlx;

int tlx::kernelWarps(func::FuncOp kernel) {
  auto warps = kernel->getAttrOfType<IntegerAttr>("tlx.num_warps");
  return warps ? warps.getInt() : 4;
}

AsyncTasksOp tlx::findTasks(func::FuncOp kernel) {
  AsyncTasksOp found;
  kernel.walk([&](AsyncTasksOp tasks) {
    found = tasks;
    return WalkResult::interrupt();
  });
  return found;
}

SmallVector<TaskScope> tlx::taskScopes(func::FuncOp kernel) {
  SmallVector<TaskScope> scopes;
  scopes.push_back({&kernel.getBody(), kernelWarps(kernel), -1, kernel.getName()});
  AsyncTasksOp tasks = findTasks(kernel);
  if (!tasks)
    return scopes;
  for (auto [index, region] : llvm::enumerate(tasks.getTasks()))
    scopes.push_back({&region, tasks.getWarps()[index], int(index), cast<StringAttr>(tasks.getNames()[index])});
  return scopes;
}

Region *tlx::enclosingScope(Operation *op) {
  Region *region = op->getParentRegion();
  while (region && !isa<AsyncTasksOp, FunctionOpInterface>(region->getParentOp()))
    region = region->getParentRegion();
  return region;
}

int tlx::warpsAt(Operation *op) {
  Region *scope = enclosingScope(op);
  if (auto tasks = dyn_cast<AsyncTasksOp>(scope->getParentOp()))
    return tasks.getWarps()[scope->getRegionNumber()];
  return kernelWarps(op->getParentOfType<func::FuncOp>());
}

void tlx::walkScope(Region &scope, llvm::function_ref<void(Operation *)> visit) {
  scope.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    return isa<AsyncTasksOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

static bool isPredicated(Operation *op) {
  if (auto arrive = dyn_cast<BarrierArriveOp>(op))
    return bool(arrive.getPredicate());
  auto expect = dyn_cast<BarrierExpectOp>(op);
  return expect && expect.getPredicate();
}

int tlx::warpGroups(const TaskScope &scope) {
  return scope.warps % 4 == 0 ? scope.warps / 4 : 1;
}

bool tlx::meetsHere(Operation *op) {
  auto sync = dyn_cast<Synchronizes>(op);
  return sync && sync.gathersTask() && !isa<AsyncWaitOp, TMAStoreWaitOp>(op) && !isPredicated(op);
}
