//===- CarriedState.cpp - one more value through structured control flow --------------------------------===//

#include "CarriedState.h"
#include "mlir/IR/PatternMatch.h"
#include "tlx/Dialect/TLXDialect.h"

using namespace mlir;
using namespace tlx;

bool CarriedState::isTouchedIn(Operation *op) const {
  return op->walk([&](Operation *inner) { return touches(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

Value CarriedState::run(Block &block, Value state) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    // Tasks carry their own state.
    if (isa<AsyncTasksOp>(op) || !isTouchedIn(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      state = throughFor(loop, state);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      state = throughIf(branch, state);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      state = throughWhile(loop, state);
    else
      state = update(&op, state);
  }
  return state;
}

static void appendOperand(Operation *terminator, Value value) {
  terminator->insertOperands(terminator->getNumOperands(), value);
}

Value CarriedState::throughFor(scf::ForOp loop, Value state) {
  IRRewriter rewriter(loop.getContext());
  auto passOn = [](OpBuilder &, Location, ArrayRef<BlockArgument> added) { return SmallVector<Value>(added); };
  auto longer = cast<scf::ForOp>(
      *loop.replaceWithAdditionalYields(rewriter, state, /*replaceInitOperandUsesInLoop=*/false, passOn));
  Value after = run(*longer.getBody(), longer.getRegionIterArgs().back());
  Operation *yield = longer.getBody()->getTerminator();
  yield->setOperand(yield->getNumOperands() - 1, after);
  return longer.getResults().back();
}

Value CarriedState::throughIf(scf::IfOp branch, Value state) {
  OpBuilder builder(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(state.getType());
  auto longer = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(), /*withElse=*/true);
  longer->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), longer->getRegions())) {
    if (!from.empty())
      to.takeBody(from);
    if (to.front().empty() || !to.front().mightHaveTerminator()) {
      builder.setInsertionPointToEnd(&to.front());
      scf::YieldOp::create(builder, branch.getLoc());
    }
    appendOperand(to.front().getTerminator(), run(to.front(), state));
  }
  branch.replaceAllUsesWith(longer.getResults().drop_back());
  branch.erase();
  return longer.getResults().back();
}

Value CarriedState::throughWhile(scf::WhileOp loop, Value state) {
  OpBuilder builder(loop);
  SmallVector<Type> types(loop.getResultTypes());
  types.push_back(state.getType());
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(state);
  auto longer = scf::WhileOp::create(builder, loop.getLoc(), types, inits);
  longer->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  longer.getBefore().takeBody(loop.getBefore());
  longer.getAfter().takeBody(loop.getAfter());
  Value before = longer.getBeforeBody()->addArgument(state.getType(), loop.getLoc());
  appendOperand(longer.getConditionOp(), run(*longer.getBeforeBody(), before));
  Value inside = longer.getAfterBody()->addArgument(state.getType(), loop.getLoc());
  appendOperand(longer.getYieldOp(), run(*longer.getAfterBody(), inside));
  loop.replaceAllUsesWith(longer.getResults().drop_back());
  loop.erase();
  return longer.getResults().back();
}
