// Typed access to the arguments of a builtin.
#include "Call.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

const BoundArgument &Call::argument(StringRef name) const {
  for (const BoundArgument &bound : arguments)
    if (bound.parameter.name == name)
      return bound;
  llvm_unreachable("a handler asks for a parameter that its row does not have");
}

LogicalResult Call::wrongType(StringRef name, StringRef wanted) {
  const BoundArgument &bound = argument(name);
  error(diag::Kind::ArgumentType, name) << "`" << name << "` of `" << builtin.name << "` is " << bound.value.describe()
                                        << "; it takes " << wanted;
  return failure();
}

LogicalResult Call::refuse(StringRef name) {
  const BoundArgument &bound = argument(name);
  if (!bound.isGiven || (bound.parameter.defaultValue && bound.value == *bound.parameter.defaultValue))
    return success();
  error(diag::Kind::UnsupportedOption, name) << "`" << name << "` of `" << builtin.name << "` is not supported yet";
  return failure();
}

FailureOr<int64_t> Call::integer(StringRef name) {
  if (auto value = (*this)[name].asInt())
    return *value;
  return wrongType(name, "a compile-time int");
}

FailureOr<bool> Call::boolean(StringRef name) {
  if (auto value = (*this)[name].truth())
    return *value;
  return wrongType(name, "a compile-time bool");
}

FailureOr<std::string> Call::string(StringRef name) {
  if (const auto *text = (*this)[name].getIf<std::string>())
    return *text;
  return wrongType(name, "a string");
}

FailureOr<DType> Call::dtype(StringRef name) {
  if (const auto *type = (*this)[name].getIf<DType>())
    return *type;
  // A constexpr may hold the name of a type, as `-D` and type strings write it.
  if (const auto *text = (*this)[name].getIf<std::string>())
    if (auto type = parseDType(*text))
      return *type;
  return wrongType(name, "an element type such as `tl.float16`");
}

static std::optional<SmallVector<int64_t>> constantIntegers(const Datum &value) {
  SmallVector<int64_t> result;
  if (auto single = value.asInt())
    return SmallVector<int64_t>{*single};
  const SequenceValue *sequence = value.asSequence();
  if (!sequence)
    return std::nullopt;
  for (const Datum &element : sequence->elements) {
    if (!element.asInt())
      return std::nullopt;
    result.push_back(*element.asInt());
  }
  return result;
}

FailureOr<SmallVector<int64_t>> Call::integers(StringRef name) {
  if (auto values = constantIntegers((*this)[name]))
    return *values;
  return wrongType(name, "compile-time ints");
}

FailureOr<SmallVector<int64_t>> Call::integersOfRest(StringRef name) {
  const SequenceValue *rest = (*this)[name].asSequence();
  bool isWrapped = rest->elements.size() == 1 && rest->elements[0].asSequence();
  if (auto values = constantIntegers(isWrapped ? rest->elements[0] : (*this)[name]))
    return *values;
  return wrongType(name, "compile-time ints");
}

FailureOr<mlir::Value> Call::i32Of(const Datum &value, SourceRange place, StringRef name) {
  Emitter::At at(emit, place);
  bool isInteger = value.asInt() || (value.isScalar() && value.dtype().isInteger());
  if (!isInteger) {
    emit.error(diag::Kind::ArgumentType) << "`" << name << "` of `" << builtin.name << "` takes integers; this is "
                                         << value.describe();
    return failure();
  }
  auto converted = emit.convert(value, {ScalarKind::I32});
  if (failed(converted))
    return failure();
  return converted->value;
}

FailureOr<mlir::Value> Call::i32(StringRef name) {
  return i32Of((*this)[name], argument(name).range, name);
}

FailureOr<SmallVector<mlir::Value>> Call::offsets(StringRef name, unsigned rank) {
  const SequenceValue *sequence = (*this)[name].asSequence();
  if (!sequence)
    return LogicalResult(wrongType(name, "a list of offsets"));
  if (sequence->elements.size() != rank) {
    error(diag::Kind::ShapeMismatch, name)
        << sequence->elements.size() << " offsets are given; the descriptor has " << rank << " axes";
    return failure();
  }
  SmallVector<mlir::Value> values;
  for (const Datum &element : sequence->elements) {
    auto value = i32Of(element, argument(name).range, name);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}

FailureOr<mlir::Value> Call::predicate(StringRef name) {
  const Datum &value = (*this)[name];
  Emitter::At at(emit, argument(name).range);
  if (value.isNone() || (value.isNumber() && *value.truth()))
    return mlir::Value();
  if (!value.isNumber() && !value.isScalar())
    return LogicalResult(wrongType(name, "a condition that is the same for the whole task"));
  auto condition = emit.asCondition(value);
  if (failed(condition))
    return failure();
  return condition->value;
}

FailureOr<IRValue> Call::number(StringRef name) {
  Emitter::At at(emit, argument(name).range);
  const Datum &value = (*this)[name];
  if (!value.isNumber() && !value.isTile() && !value.isScalar())
    return LogicalResult(wrongType(name, "a number or a tile"));
  return emit.asIR(value);
}

FailureOr<IRValue> Call::tile(StringRef name) {
  if ((*this)[name].isTile())
    return *(*this)[name].getIf<IRValue>();
  return LogicalResult(wrongType(name, "a tile"));
}

FailureOr<TypedValue<BufferType>> Call::buffer(StringRef name) {
  auto value = dyn_cast_if_present<TypedValue<BufferType>>((*this)[name].irValue());
  if (!value)
    return LogicalResult(wrongType(name, "a buffer"));
  if (value.getType().getCount())
    return LogicalResult(wrongType(name, "one buffer: choose with `[index]`"));
  return value;
}

FailureOr<TypedValue<BarrierType>> Call::barrier(StringRef name) {
  auto value = dyn_cast_if_present<TypedValue<BarrierType>>((*this)[name].irValue());
  if (!value)
    return LogicalResult(wrongType(name, "a barrier"));
  if (value.getType().getCount())
    return LogicalResult(wrongType(name, "one barrier: choose with `[index]`"));
  return value;
}

FailureOr<TypedValue<DescriptorType>> Call::descriptor(StringRef name) {
  auto value = dyn_cast_if_present<TypedValue<DescriptorType>>((*this)[name].irValue());
  if (!value)
    return LogicalResult(wrongType(name, "a tensor descriptor"));
  return value;
}
