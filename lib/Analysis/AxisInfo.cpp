//===- AxisInfo.cpp - the lattice and the walk over structured control flow -----------------------------===//

#include "tlx/Analysis/AxisInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;

constexpr int64_t hugeDivisor = int64_t(1) << 30;

int64_t tlx::powerOfTwoDivisor(int64_t value) {
  if (value == 0)
    return hugeDivisor;
  return std::min<int64_t>(hugeDivisor, value & -value);
}

static int64_t axisGroup(Type type, int axis) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? powerOfTwoDivisor(tensor.getDimSize(axis)) : 1;
}

static int axisCount(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? std::max<int>(1, tensor.getRank()) : 1;
}

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  info.axes.resize(axisCount(type));
  return info;
}

AxisInfo AxisInfo::uniform(Type type, int64_t divisibility, std::optional<int64_t> constant) {
  AxisInfo info;
  for (int axis = 0; axis < axisCount(type); ++axis)
    info.axes.push_back({1, axisGroup(type, axis), divisibility});
  info.constant = constant;
  info.nonNegative = constant && *constant >= 0;
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &other) const {
  assert(axes.size() == other.axes.size() && "facts about tiles of one rank");
  AxisInfo result;
  for (auto [axis, pair] : llvm::enumerate(llvm::zip_equal(axes, other.axes))) {
    auto &[a, b] = pair;
    int64_t contiguity = std::min(a.contiguity, b.contiguity);
    result.axes.push_back({contiguity, std::min(a.constancy, b.constancy),
                           std::min(divisibilityAt(axis, contiguity), other.divisibilityAt(axis, contiguity))});
  }
  if (constant == other.constant)
    result.constant = constant;
  result.nonNegative = nonNegative && other.nonNegative;
  return result;
}

int64_t AxisInfo::divisibilityAt(int axis, int64_t size) const {
  const Axis &facts = axes[axis];
  return size < facts.contiguity ? std::min(facts.divisibility, size) : facts.divisibility;
}

int64_t AxisInfo::commonDivisor() const {
  int64_t divisor = hugeDivisor;
  for (int axis = 0; axis < int(axes.size()); ++axis)
    divisor = std::min(divisor, divisibilityAt(axis, 1));
  return divisor;
}

AxisInfoAnalysis::AxisInfoAnalysis(func::FuncOp kernel) {
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    auto divisibility = kernel.getArgAttrOfType<IntegerAttr>(index, "tlx.divisibility");
    set(argument, AxisInfo::uniform(argument.getType(), divisibility ? powerOfTwoDivisor(divisibility.getInt()) : 1));
  }
  if (!kernel.isExternal())
    visit(kernel.getBody().front());
}

AxisInfo AxisInfoAnalysis::get(Value value) const {
  auto found = facts.find(value);
  return found == facts.end() ? AxisInfo::unknown(value.getType()) : found->second;
}

void AxisInfoAnalysis::joinInto(Value value, Value source) {
  auto known = facts.find(value);
  set(value, known == facts.end() ? get(source) : known->second.join(get(source)));
}

void AxisInfoAnalysis::visit(Block &block) {
  for (Operation &op : block)
    visitOp(&op);
}

void AxisInfoAnalysis::visitOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visit(block);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [index, result] : llvm::enumerate(branch.getResults())) {
      facts.erase(result);
      joinInto(result, branch.thenYield().getOperand(index));
      joinInto(result, branch.elseYield().getOperand(index));
    }
    return;
  }
  SmallVector<AxisInfo> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  for (Value result : op->getResults())
    set(result, inferAxisInfo(op, operands, result));
}

void AxisInfoAnalysis::visitFor(scf::ForOp loop) {
  // The induction variable is lower bound plus a multiple of the step.
  int64_t divisor = std::min(get(loop.getLowerBound()).commonDivisor(), get(loop.getStep()).commonDivisor());
  AxisInfo induction = AxisInfo::uniform(loop.getInductionVar().getType(), divisor);
  induction.nonNegative = get(loop.getLowerBound()).nonNegative;
  set(loop.getInductionVar(), induction);
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, get(init));
  // Facts only shrink, and each number has at most 31 values: this ends.
  for (bool changed = true; changed;) {
    changed = false;
    visit(*loop.getBody());
    for (auto [argument, yielded] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
      AxisInfo before = get(argument);
      joinInto(argument, yielded);
      changed |= !(get(argument) == before);
    }
  }
  for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
    set(result, get(argument));
}

void AxisInfoAnalysis::visitWhile(scf::WhileOp loop) {
  for (auto [argument, init] : llvm::zip_equal(loop.getBeforeArguments(), loop.getInits()))
    set(argument, get(init));
  for (bool changed = true; changed;) {
    changed = false;
    visit(*loop.getBeforeBody());
    for (auto [argument, passed] : llvm::zip_equal(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
      set(argument, get(passed));
    visit(*loop.getAfterBody());
    for (auto [argument, yielded] : llvm::zip_equal(loop.getBeforeArguments(), loop.getYieldOp().getOperands())) {
      AxisInfo before = get(argument);
      joinInto(argument, yielded);
      changed |= !(get(argument) == before);
    }
  }
  for (auto [result, passed] : llvm::zip_equal(loop.getResults(), loop.getConditionOp().getArgs()))
    set(result, get(passed));
}

AccessWidth tlx::accessWidth(const AxisInfo &pointers, const AxisInfo *mask, int elementBits, ArrayRef<int64_t> shape) {
  int64_t elementBytes = std::max(1, elementBits / 8);
  AccessWidth best{int(shape.size()) - 1, 1};
  int64_t bestContiguity = 1;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    const AxisInfo::Axis &facts = pointers.axes[axis];
    if (facts.contiguity <= bestContiguity)
      continue;
    bestContiguity = facts.contiguity;
    int64_t elements = std::min(facts.contiguity, std::max<int64_t>(1, facts.divisibility / elementBytes));
    if (mask && mask->axes.size() == shape.size())
      elements = std::min(elements, mask->axes[axis].constancy);
    best = {axis, std::min<int64_t>(elements, std::max<int64_t>(1, 16 / elementBytes))};
  }
  return best;
}
