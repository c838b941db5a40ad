// Tasks: which warps run which region, with how many registers.
#include "Emitter.h"

using namespace mlir;
using namespace tlx;

static Block *newBlock(LLVM::LLVMFuncOp function) {
  Block *block = new Block();
  function.getBody().push_back(block);
  return block;
}

static bool isLeaderOnly(AsyncTasksOp op, unsigned index) {
  auto leader = op->getAttrOfType<DenseI32ArrayAttr>("tlx.leader");
  return leader && leader[index];
}

/// Tasks with warps in this warp group.
static SmallVector<unsigned> tasksOfGroup(AsyncTasksOp op, int group) {
  SmallVector<unsigned> result;
  for (unsigned i = 0; i < op.getTasks().size(); ++i)
    if (op.getFirstWarp()[i] < 4 * (group + 1) && op.getFirstWarp()[i] + op.getWarps()[i] > 4 * group)
      result.push_back(i);
  return result;
}

static int groupCount(AsyncTasksOp op) {
  int warps = 0;
  for (auto [first, count] : llvm::zip(op.getFirstWarp(), op.getWarps()))
    warps = std::max(warps, first + count);
  return static_cast<int>(llvm::divideCeil(warps, 4));
}

/// All warps of a warp group run the same setmaxnreg (PTX ISA, setmaxnreg), so it stands before they part.
void Emitter::emitRegisterBudget(AsyncTasksOp op, int group) {
  int budget = 0;
  for (unsigned index : tasksOfGroup(op, group))
    budget = std::max(budget, op.getRegisters()[index]);
  auto entry = kernel->getAttrOfType<IntegerAttr>("tlx.entry_registers");
  if (budget == 0 || !entry || budget == entry.getInt())
    return;
  auto action = budget < entry.getInt() ? NVVM::SetMaxRegisterAction::decrease : NVVM::SetMaxRegisterAction::increase;
  NVVM::SetMaxRegisterOp::create(b, op.getLoc(), budget, action);
}

LogicalResult Emitter::emitTask(AsyncTasksOp op, unsigned index, Block *join) {
  Region &region = op.getTasks()[index];
  auto ids = op->getAttrOfType<DenseI32ArrayAttr>("tlx.barrier_ids");
  TaskContext outer = task;
  task = {op.getFirstWarp()[index], op.getWarps()[index], ids ? ids[index] : -1, false};
  LogicalResult result = success();
  if (isLeaderOnly(op, index)) {
    Value leader = isLeader();
    task.singleThread = true;
    when(leader, [&] { result = emitBlock(region.front()); });
    // The other lanes of the leader's warp wait here, so that the warp is whole again for what follows.
    loc = op.getLoc();
    machine->warpBarrier(b, loc);
  } else {
    result = emitBlock(region.front());
  }
  LLVM::BrOp::create(b, op.getLoc(), ValueRange(), join);
  task = outer;
  return result;
}

LogicalResult Emitter::dispatchGroup(AsyncTasksOp op, int group, Block *join) {
  emitRegisterBudget(op, group);
  SmallVector<unsigned> members = tasksOfGroup(op, group);
  if (members.size() == 1 && op.getWarps()[members[0]] >= 4)
    return emitTask(op, members[0], join);
  for (unsigned index : members) {
    loc = op.getLoc();
    Block *run = newBlock(function), *next = newBlock(function);
    Value inside = bitAnd(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::uge, warpId, i32(op.getFirstWarp()[index])),
                          less(warpId, op.getFirstWarp()[index] + op.getWarps()[index]));
    LLVM::CondBrOp::create(b, loc, inside, run, next);
    b.setInsertionPointToStart(run);
    if (failed(emitTask(op, index, join)))
      return failure();
    b.setInsertionPointToStart(next);
  }
  LLVM::BrOp::create(b, op.getLoc(), ValueRange(), join);
  return success();
}

LogicalResult Emitter::emitTasks(AsyncTasksOp op) {
  if (!isa<func::FuncOp>(op->getParentOp()))
    return op.emitError("tasks inside control flow are not supported; move the loop or condition into each task "
                        "[unsupported-tasks-in-control-flow]");
  Block *join = newBlock(function);
  int groups = groupCount(op);
  for (int group = 0; group < groups;) {
    // A task of several warp groups is one block for all of them.
    int last = group + 1;
    SmallVector<unsigned> members = tasksOfGroup(op, group);
    if (members.size() == 1 && op.getWarps()[members[0]] > 4)
      last = (op.getFirstWarp()[members[0]] + op.getWarps()[members[0]]) / 4;
    loc = op.getLoc();
    Block *run = newBlock(function), *next = last < groups ? newBlock(function) : nullptr;
    if (next)
      LLVM::CondBrOp::create(b, loc, less(warpId, 4 * last), run, next);
    else
      LLVM::BrOp::create(b, loc, ValueRange(), run);
    b.setInsertionPointToStart(run);
    if (failed(dispatchGroup(op, group, join)))
      return failure();
    if (next)
      b.setInsertionPointToStart(next);
    group = last;
  }
  join->moveBefore(&function.getBody(), function.getBody().end());
  b.setInsertionPointToStart(join);
  return success();
}
