// Takes tasks out of the branch that an early `return` puts them into. What stands before them in the branch runs in
// any case where that changes nothing (numbers, views, allocations), else under the same condition.
#include "GuardedTasks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tlx/Dialect/TLXDialect.h"

using namespace mlir;
using namespace tlx;

namespace {
class BranchMover {
public:
  BranchMover(scf::IfOp branch, AsyncTasksOp tasks)
      : branch(branch), tasks(tasks), arm(tasks->getBlock()), builder(branch) {}

  /// False when something stands in the way; then nothing has changed.
  bool run() {
    if (!canMove())
      return false;
    condition = branch.getCondition();
    if (arm->getParent() == &branch.getElseRegion())
      condition = arith::XOrIOp::create(builder, branch.getLoc(), condition, constant(builder.getI1Type(), 1));
    moveOther();
    while (&arm->front() != tasks.getOperation())
      moveBefore(&arm->front());
    tasks->moveBefore(branch);
    for (Region &task : tasks.getTasks())
      guard(task.front());
    if (!arm->without_terminator().empty()) {
      builder.setInsertionPoint(branch);
      auto rest = makeGuard();
      moveAll(arm->without_terminator(), rest.thenBlock());
    }
    branch.erase();
    return true;
  }

private:
  /// Runs in any case: computes numbers or views, or takes memory.
  static bool isHarmless(Operation *op) {
    if (isMemoryEffectFree(op))
      return true;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    return effects && effects.onlyHasEffect<MemoryEffects::Allocate>();
  }

  bool canMove() {
    bool isUsed = llvm::any_of(branch.getResults(), [](Value result) { return !result.use_empty(); });
    if (isUsed)
      return false;
    for (Operation &op : *arm) {
      if (&op == tasks.getOperation())
        return true;
      // Elsewhere a number is zero.
      if (!isHarmless(&op) && !op.use_empty() &&
          !llvm::all_of(op.getResultTypes(), llvm::IsaPred<IntegerType, FloatType>))
        return false;
    }
    return false;
  }

  Value constant(Type type, int64_t number) {
    TypedAttr value = type.isIntOrIndex() ? TypedAttr(builder.getIntegerAttr(type, number))
                                          : TypedAttr(builder.getFloatAttr(type, static_cast<double>(number)));
    return arith::ConstantOp::create(builder, branch.getLoc(), value);
  }

  scf::IfOp makeGuard(TypeRange results = {}) {
    return scf::IfOp::create(builder, branch.getLoc(), results, condition, /*withElseRegion=*/!results.empty());
  }

  template <typename Range> static void moveAll(Range &&ops, Block *block) {
    bool hasEnd = !block->empty() && block->back().hasTrait<OpTrait::IsTerminator>();
    for (Operation &op : llvm::make_early_inc_range(ops))
      op.moveBefore(block, hasEnd ? Block::iterator(block->back()) : block->end());
  }

  /// The side that returns may have done something before.
  void moveOther() {
    Region &other = arm->getParent() == &branch.getThenRegion() ? branch.getElseRegion() : branch.getThenRegion();
    if (other.empty() || other.front().without_terminator().empty())
      return;
    builder.setInsertionPoint(branch);
    Value outer = condition;
    condition = arith::XOrIOp::create(builder, branch.getLoc(), condition, constant(builder.getI1Type(), 1));
    auto rest = makeGuard();
    moveAll(other.front().without_terminator(), rest.thenBlock());
    condition = outer;
  }

  void moveBefore(Operation *op) {
    builder.setInsertionPoint(branch);
    bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
    if (isHarmless(op)) {
      op->moveBefore(branch);
      builder.setInsertionPoint(op);
      Type type = op->getNumOperands() > 1 ? op->getOperand(1).getType() : Type();
      // A division by zero would have no meaning, even unused.
      if (divides && isa<IntegerType>(type))
        op->setOperand(1,
                       arith::SelectOp::create(builder, op->getLoc(), condition, op->getOperand(1), constant(type, 1)));
      return;
    }
    SmallVector<Type> types(op->getResultTypes());
    bool isRead = !op->use_empty();
    auto guarded = makeGuard(isRead ? TypeRange(types) : TypeRange());
    if (isRead) {
      op->replaceAllUsesWith(guarded.getResults());
      builder.setInsertionPointToEnd(guarded.elseBlock());
      SmallVector<Value> zeros;
      for (Type type : types)
        zeros.push_back(constant(type, 0));
      scf::YieldOp::create(builder, op->getLoc(), zeros);
    }
    Block *block = guarded.thenBlock();
    if (isRead) {
      op->moveBefore(block, block->end());
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, op->getLoc(), op->getResults());
    } else {
      op->moveBefore(block, block->begin());
    }
  }

  /// All of a task under the condition.
  void guard(Block &task) {
    if (task.without_terminator().empty())
      return;
    builder.setInsertionPointToStart(&task);
    auto guarded = makeGuard();
    auto ops = llvm::make_range(std::next(task.begin()), std::prev(task.end()));
    moveAll(ops, guarded.thenBlock());
  }

  scf::IfOp branch;
  AsyncTasksOp tasks;
  Block *arm;
  OpBuilder builder;
  Value condition;
};
} // namespace

/// The flags of a `return` are results that nobody reads.
static void dropUnusedResults(scf::IfOp branch) {
  if (branch.getNumResults() == 0 || !branch->use_empty())
    return;
  OpBuilder builder(branch);
  auto plain = scf::IfOp::create(builder, branch.getLoc(), TypeRange(), branch.getCondition(), /*addThenBlock=*/false,
                                 /*addElseBlock=*/false);
  plain.getThenRegion().takeBody(branch.getThenRegion());
  plain.getElseRegion().takeBody(branch.getElseRegion());
  for (Region *region : {&plain.getThenRegion(), &plain.getElseRegion()})
    region->front().getTerminator()->setOperands({});
  branch.erase();
}

void tlx::specialize::moveConditionsIntoTasks(func::FuncOp kernel) {
  SmallVector<AsyncTasksOp> all;
  kernel.walk([&](AsyncTasksOp tasks) { all.push_back(tasks); });
  for (AsyncTasksOp tasks : all) {
    SmallVector<scf::IfOp> around;
    for (auto branch = dyn_cast<scf::IfOp>(tasks->getParentOp()); branch;
         branch = dyn_cast<scf::IfOp>(branch->getParentOp()))
      around.push_back(branch);
    for (scf::IfOp branch : llvm::reverse(around))
      dropUnusedResults(branch);
    while (auto branch = dyn_cast<scf::IfOp>(tasks->getParentOp()))
      if (!BranchMover(branch, tasks).run())
        break;
  }
}
