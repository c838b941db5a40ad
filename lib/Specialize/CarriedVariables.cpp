// Finds, binds and checks loop-carried variables.
#include "CarriedVariables.h"
#include "AssignedNames.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The value with its IR values and numbers taken out into `inits`.
FailureOr<Datum> CarriedVariables::open(const Datum &value) {
  if (const SequenceValue *sequence = value.asParts()) {
    std::vector<Datum> elements;
    for (const Datum &element : sequence->elements) {
      auto opened = open(element);
      if (failed(opened))
        return failure();
      elements.push_back(*opened);
    }
    return sequence->with(std::move(elements));
  }
  if (!value.isIR() && !value.isNumber())
    return value;
  auto ir = specializer.emit.asIR(value);
  if (failed(ir))
    return failure();
  inits.push_back(ir->value);
  return Datum::ir(mlir::Value(), ir->dtype);
}

LogicalResult CarriedVariables::collect(ast::Body body) {
  before = specializer.frame().names;
  auto lookup = [&](StringRef name) { return specializer.lookupConstant(name); };
  for (StringRef name : assignedNames(body, lookup)) {
    auto found = before.find(name);
    if (found == before.end())
      continue;
    auto shape = open(found->second.value);
    if (failed(shape))
      return failure();
    variables.push_back({name, *shape, found->second});
  }
  return success();
}

void CarriedVariables::enter(ValueRange values) {
  unsigned next = 0;
  for (const Variable &variable : variables)
    specializer.bind(variable.name, substitute(variable.shape, values, next), variable.before.range);
}

LogicalResult CarriedVariables::changed(const Variable &variable, const Datum &before, const Datum &after) {
  auto found = specializer.frame().names.find(variable.name);
  SourceRange range = found == specializer.frame().names.end() ? specializer.emit.range : found->second.range;
  specializer.sink.error(diag::Kind::LoopCarriedType, range).note(variable.before.range, "its value before the loop")
      << "`" << variable.name << "` is " << before.describe() << " before the loop and " << after.describe()
      << " after an iteration";
  return failure();
}

LogicalResult CarriedVariables::close(const Variable &variable, const Datum &shape, const Datum &after,
                                      SmallVectorImpl<mlir::Value> &values) {
  if (const SequenceValue *sequence = shape.asParts()) {
    const SequenceValue *other = after.asParts();
    if (!other || !other->isLike(*sequence))
      return changed(variable, variable.before.value, after);
    for (auto [part, partAfter] : llvm::zip(sequence->elements, other->elements))
      if (failed(close(variable, part, partAfter, values)))
        return failure();
    return success();
  }
  const auto *carried = shape.getIf<IRValue>();
  if (!carried)
    return shape == after ? success() : changed(variable, shape, after);
  Type type = inits[values.size()].getType();
  Datum was = Datum::ir(inits[values.size()], carried->dtype);
  if (after.isNumber() && was.isScalar() && !carried->dtype.isPointer &&
      promoteLiteral(*after.literalType(), carried->dtype, false) == carried->dtype) {
    auto converted = specializer.emit.literal(after, carried->dtype);
    if (failed(converted))
      return failure();
    values.push_back(converted->value);
    return success();
  }
  if (!after.isIR() || after.irValue().getType() != type || after.dtype() != carried->dtype)
    return changed(variable, was, after);
  values.push_back(after.irValue());
  return success();
}

FailureOr<SmallVector<mlir::Value>> CarriedVariables::yields() {
  SmallVector<mlir::Value> values;
  for (const Variable &variable : variables) {
    auto found = specializer.frame().names.find(variable.name);
    if (found == specializer.frame().names.end()) {
      const LostName &lost = specializer.frame().lost[variable.name];
      specializer.sink.error(diag::Kind::LoopCarriedType, variable.before.range).note(lost.range, lost.reason)
          << "`" << variable.name << "` has no single value after an iteration of the loop";
      return failure();
    }
    if (failed(close(variable, variable.shape, found->second.value, values)))
      return failure();
  }
  return values;
}

void CarriedVariables::leave(ValueRange results) {
  Names inside = std::move(specializer.frame().names);
  specializer.frame().names = before;
  for (const auto &[name, binding] : inside)
    if (!before.count(name))
      specializer.frame().lost[name] = {binding.range, "assigned only inside the loop", false};
  enter(results);
}
