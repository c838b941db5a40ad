// Reductions along an axis or of a whole tile.
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static IRValue reduceAxis(Call &call, Combine combine, IRValue value, unsigned axis) {
  SmallVector<int64_t> shape(shapeOf(value.value));
  shape.erase(shape.begin() + axis);
  Type type = call.emit.typeOf(value.dtype, shape);
  return {call.emit.create<ReduceOp>(type, combine, value.value, axis), value.dtype};
}

static Result reduce(Call &call, Combine combine, IRValue input) {
  int64_t rank = static_cast<int64_t>(shapeOf(input.value).size());
  if (input.dtype.isPointer) {
    call.error(diag::Kind::OperandType, "input") << "a reduction takes numbers; this is " << call["input"].describe();
    return failure();
  }
  auto keeps = call.boolean("keep_dims");
  if (failed(keeps))
    return failure();
  if (call["axis"].isNone()) {
    IRValue value = input;
    for (int64_t axis = rank - 1; axis >= 0; --axis)
      value = reduceAxis(call, combine, value, static_cast<unsigned>(axis));
    if (!*keeps)
      return Datum(value);
    auto kept = call.emit.broadcast(value, SmallVector<int64_t>(rank, 1));
    return failed(kept) ? Result(failure()) : Result(Datum(*kept));
  }
  auto axis = call.integer("axis");
  if (failed(axis))
    return failure();
  if (*axis < -rank || *axis >= rank) {
    call.error(diag::Kind::IndexOutOfRange, "axis") << "axis " << *axis << " of a tile of " << rank << " axes";
    return failure();
  }
  auto position = static_cast<unsigned>(*axis < 0 ? *axis + rank : *axis);
  IRValue value = reduceAxis(call, combine, input, position);
  if (!*keeps)
    return Datum(value);
  if (rank > 1)
    return Datum(call.emit.expandDims(value, position));
  auto kept = call.emit.broadcast(value, {1});
  return failed(kept) ? Result(failure()) : Result(Datum(*kept));
}

/// The type that narrow elements are combined in.
static DType wideType(DType type, bool keepsHalf) {
  if (type.isInteger() && type.bits() < 32)
    return {type.isSigned() || type.isBool() ? ScalarKind::I32 : ScalarKind::U32};
  if (type.isFloat() && type.bits() < 32 && !(keepsHalf && type.kind == ScalarKind::F16))
    return {ScalarKind::F32};
  return type;
}

static FailureOr<IRValue> widened(Call &call, bool keepsHalf) {
  auto input = call.tile("input");
  if (failed(input))
    return failure();
  return call.emit.cast(*input, wideType(input->dtype, keepsHalf));
}

Result tlx::specialize::sumBuiltin(Call &call) {
  auto input = call["dtype"].isNone() ? widened(call, /*keepsHalf=*/true) : call.tile("input");
  if (succeeded(input) && !call["dtype"].isNone()) {
    auto type = call.dtype("dtype");
    input = failed(type) ? FailureOr<IRValue>(failure()) : call.emit.cast(*input, *type);
  }
  return failed(input) ? Result(failure()) : reduce(call, Combine::Add, *input);
}

static Result reduceExtremum(Call &call, bool isMax) {
  if (call["return_indices"].truth().value_or(false)) {
    GivenArguments given{{call["input"], call.range, {}, {}}};
    for (StringRef name : {"axis", "return_indices_tie_break_left", "keep_dims"})
      given.push_back({call[name], call.range, {}, {}});
    return call.specializer.callLibrary(isMax ? "_max_with_indices" : "_min_with_indices", given, call.range);
  }
  auto input = widened(call, /*keepsHalf=*/false);
  if (failed(input))
    return failure();
  bool isUnsigned = input->dtype.isInteger() && !input->dtype.isSigned();
  if (isMax)
    return reduce(call, isUnsigned ? Combine::UMax : Combine::Max, *input);
  return reduce(call, isUnsigned ? Combine::UMin : Combine::Min, *input);
}

Result tlx::specialize::maxBuiltin(Call &call) {
  return reduceExtremum(call, true);
}
Result tlx::specialize::minBuiltin(Call &call) {
  return reduceExtremum(call, false);
}

Result tlx::specialize::xorBuiltin(Call &call) {
  auto input = call.tile("input");
  if (failed(input))
    return failure();
  if (!input->dtype.isInteger()) {
    call.error(diag::Kind::OperandType, "input")
        << "an exclusive or takes integers; this is " << call["input"].describe();
    return failure();
  }
  return reduce(call, Combine::Xor, *input);
}
