//===- LayoutRewrite.cpp - carries out a choice of layouts ----------------------------------------------===//

#include "LayoutRewrite.h"
#include "LayoutRules.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tlx;
using layout::LinearLayout;

static bool isRecomputed(LayoutChoice &choice, Operation *op) {
  return op->getNumResults() == 1 && tileType(op->getResult(0)) && choice.isCheap(op->getResult(0));
}

void LayoutRewrite::run(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    setTypes(op);
  for (Operation *op : ops)
    convertResult(op);
  for (Operation *op : ops)
    if (!isRecomputed(choice, op))
      rewriteOperands(op);
  for (Operation *op : llvm::reverse(ops))
    if (isRecomputed(choice, op))
      op->erase();
}

void LayoutRewrite::setTypes(Operation *op) {
  auto set = [&](Value value) {
    if (tileType(value) && !choice.isCheap(value))
      value.setType(withLayout(tileType(value), choice.layoutOf(value)));
  };
  for (Value result : op->getResults())
    set(result);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        set(argument);
}

void LayoutRewrite::convertResult(Operation *op) {
  std::optional<LinearLayout> natural = choice.natural(op);
  if (!natural)
    return;
  Value result = op->getResult(0);
  LinearLayout chosen = choice.layoutOf(result);
  if (*natural == chosen)
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto convert = ConvertLayoutOp::create(builder, op->getLoc(), result.getType(), result);
  result.setType(withLayout(tileType(result), *natural));
  result.replaceAllUsesExcept(convert.getResult(), convert);
  choice.setLayout(convert.getResult(), chosen);
}

void LayoutRewrite::rewriteOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (tileType(operand.get()))
      operand.set(inLayout(operand.get(), choice.required(operand), op));
}

Value LayoutRewrite::inLayout(Value value, const LinearLayout &layout, Operation *user) {
  if (choice.isCheap(value))
    return recomputed(value, layout);
  if (choice.layoutOf(value) == layout)
    return value;
  OpBuilder builder(user);
  auto convert = ConvertLayoutOp::create(builder, user->getLoc(), withLayout(tileType(value), layout), value);
  choice.setLayout(convert.getResult(), layout);
  return convert.getResult();
}

Value LayoutRewrite::recomputed(Value value, const LinearLayout &layout) {
  RankedTensorType type = withLayout(tileType(value), layout);
  Value &copy = copies[{value, type.getEncoding()}];
  if (copy)
    return copy;
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    auto derived = derivedOperandLayout(operand, op->getResult(0), layout);
    mapping.map(operand.get(), recomputed(operand.get(), derived ? *derived : layout));
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(clone))
    constant.setValueAttr(cast<TypedAttr>(Attribute(cast<DenseElementsAttr>(constant.getValue()).reshape(type))));
  // The recursion may have moved the map's entries.
  copies[{value, type.getEncoding()}] = clone->getResult(0);
  return clone->getResult(0);
}

void tlx::hoistConversions(func::FuncOp kernel) {
  kernel.walk([](ConvertLayoutOp convert) {
    auto loop = convert->getParentOfType<LoopLikeOpInterface>();
    while (loop && loop.isDefinedOutsideOfLoop(convert.getSource())) {
      // A conversion under a branch stays: the loop may never need it.
      if (convert->getParentOp() != loop.getOperation())
        break;
      convert->moveBefore(loop);
      loop = convert->getParentOfType<LoopLikeOpInterface>();
    }
  });
}
