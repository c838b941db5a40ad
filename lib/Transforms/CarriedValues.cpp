//===- CarriedValues.cpp - values that structured control flow passes on --------------------------------===//

#include "CarriedValues.h"

using namespace mlir;
using namespace tlx;

static CarriedSlot forSlot(scf::ForOp loop, unsigned index) {
  return {{loop.getRegionIterArg(index), loop.getResult(index)},
          {&loop.getInitArgsMutable()[index], &loop.getYieldedValuesMutable()->slice(index, 1)[0]}};
}

static CarriedSlot ifSlot(scf::IfOp branch, unsigned index) {
  return {{branch.getResult(index)},
          {&branch.thenYield()->getOpOperand(index), &branch.elseYield()->getOpOperand(index)}};
}

/// Arguments of the condition region.
static CarriedSlot beforeSlot(scf::WhileOp loop, unsigned index) {
  return {{loop.getBeforeArguments()[index]},
          {&loop.getInitsMutable()[index], &loop.getYieldOp()->getOpOperand(index)}};
}

/// Arguments of the body, and the results.
static CarriedSlot afterSlot(scf::WhileOp loop, unsigned index) {
  return {{loop.getAfterArguments()[index], loop.getResult(index)}, {&loop.getConditionOp().getArgsMutable()[index]}};
}

CarriedSlot tlx::slotFedBy(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (number < loop.getNumControlOperands())
      return {};
    return forSlot(loop, number - loop.getNumControlOperands());
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return beforeSlot(loop, number);
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return number == 0 ? CarriedSlot() : afterSlot(cast<scf::WhileOp>(op->getParentOp()), number - 1);
  if (!isa<scf::YieldOp>(op))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
    return forSlot(loop, number);
  if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
    return ifSlot(branch, number);
  if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
    return beforeSlot(loop, number);
  return {};
}

CarriedSlot tlx::slotNamedBy(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      return forSlot(loop, result.getResultNumber());
    if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
      return ifSlot(branch, result.getResultNumber());
    if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
      return afterSlot(loop, result.getResultNumber());
    return {};
  }
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    unsigned first = loop.getNumInductionVars();
    return argument.getArgNumber() < first ? CarriedSlot() : forSlot(loop, argument.getArgNumber() - first);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    bool before = argument.getOwner() == loop.getBeforeBody();
    return before ? beforeSlot(loop, argument.getArgNumber()) : afterSlot(loop, argument.getArgNumber());
  }
  return {};
}
