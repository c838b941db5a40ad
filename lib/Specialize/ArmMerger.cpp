#include "ArmMerger.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

ArmMerger::ArmMerger(Emitter &emit, scf::IfOp skeleton)
    : emit(emit), skeleton(skeleton), blocks{&skeleton.getThenRegion().front(), &skeleton.getElseRegion().front()} {}

std::optional<Datum> ArmMerger::attempt(llvm::function_ref<std::optional<Datum>()> run) {
  size_t mark[2] = {yields[0].size(), yields[1].size()};
  auto value = run();
  if (!value)
    for (int arm : {0, 1})
      yields[arm].truncate(mark[arm]);
  return value;
}

std::optional<Datum> ArmMerger::merge(const Datum &thenValue, const Datum &elseValue) {
  return attempt([&] { return tryMerge(thenValue, elseValue); });
}

std::optional<Datum> ArmMerger::adopt(const Datum &value, unsigned arm) {
  return attempt([&] { return tryAdopt(value, arm); });
}

std::optional<Datum> ArmMerger::tryMerge(const Datum &first, const Datum &second) {
  if (first == second)
    return first;
  const SequenceValue *a = first.asParts(), *b = second.asParts();
  if (a && b && a->isLike(*b))
    return mergeParts(*a, *b);
  bool isNumeric = (first.isNumber() || first.isIR()) && (second.isNumber() || second.isIR());
  return isNumeric ? mergeLeaves(first, second) : std::nullopt;
}

std::optional<Datum> ArmMerger::mergeParts(const SequenceValue &a, const SequenceValue &b) {
  std::vector<Datum> elements;
  for (auto [first, second] : llvm::zip(a.elements, b.elements)) {
    auto merged = tryMerge(first, second);
    if (!merged)
      return std::nullopt;
    elements.push_back(*merged);
  }
  return a.with(std::move(elements));
}

std::optional<DType> ArmMerger::commonType(const Datum &first, const Datum &second) {
  if (first.isIR() && second.isIR()) {
    bool isSame = first.irValue().getType() == second.irValue().getType() && first.dtype() == second.dtype();
    return isSame ? std::optional(first.dtype()) : std::nullopt;
  }
  if (first.isNumber() && second.isNumber())
    return promote(*first.literalType(), *second.literalType(), false);
  const Datum &number = first.isNumber() ? first : second;
  const Datum &ir = first.isNumber() ? second : first;
  if (!ir.isScalar() || ir.dtype().isPointer || promoteLiteral(*number.literalType(), ir.dtype(), false) != ir.dtype())
    return std::nullopt;
  return ir.dtype();
}

bool ArmMerger::yield(unsigned arm, const Datum &value, DType type, ArrayRef<int64_t> shape) {
  OpBuilder::InsertionGuard guard(emit.builder);
  emit.builder.setInsertionPointToEnd(blocks[arm]);
  auto converted = value.isIR() ? FailureOr<IRValue>(*value.getIf<IRValue>()) : emit.literal(value, type, shape);
  if (failed(converted))
    return false;
  yields[arm].push_back(converted->value);
  return true;
}

std::optional<Datum> ArmMerger::mergeLeaves(const Datum &first, const Datum &second) {
  auto type = commonType(first, second);
  if (!type || !yield(0, first, *type, {}) || !yield(1, second, *type, {}))
    return std::nullopt;
  return Datum::ir(mlir::Value(), *type);
}

bool ArmMerger::isInside(mlir::Value value) const {
  Operation *owner = value.getParentRegion()->getParentOp();
  return skeleton->isAncestor(owner);
}

std::optional<Datum> ArmMerger::tryAdopt(const Datum &value, unsigned arm) {
  if (value.isConstant() || (value.isIR() && !isInside(value.irValue())))
    return value;
  if (const SequenceValue *parts = value.asParts()) {
    std::vector<Datum> elements;
    for (const Datum &element : parts->elements) {
      auto adopted = tryAdopt(element, arm);
      if (!adopted)
        return std::nullopt;
      elements.push_back(*adopted);
    }
    return parts->with(std::move(elements));
  }
  if (!value.isTile() && !value.isScalar())
    return std::nullopt;
  DType type = value.dtype();
  Datum zero = type.isFloat() ? Datum(0.0) : Datum(int64_t(0));
  if (type.isPointer || !yield(arm, value, type, {}) || !yield(1 - arm, zero, type, shapeOf(value.irValue())))
    return std::nullopt;
  return Datum::ir(mlir::Value(), type);
}

scf::IfOp ArmMerger::finish() {
  OpBuilder &builder = emit.builder;
  builder.setInsertionPoint(skeleton);
  auto branch = scf::IfOp::create(builder, skeleton.getLoc(), ValueRange(yields[0]).getTypes(), skeleton.getCondition(),
                                  /*addThenBlock=*/false, /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(skeleton.getThenRegion());
  branch.getElseRegion().takeBody(skeleton.getElseRegion());
  for (auto [arm, region] : llvm::enumerate(branch->getRegions())) {
    builder.setInsertionPointToEnd(&region.front());
    scf::YieldOp::create(builder, skeleton.getLoc(), yields[arm]);
  }
  skeleton.erase();
  builder.setInsertionPointAfter(branch);
  // An else that does nothing would only be noise in the printed IR.
  if (branch.getNumResults() == 0 && branch.getElseRegion().front().getOperations().size() == 1)
    branch.getElseRegion().front().erase();
  return branch;
}
