// What Library.tlx makes sorts, scans and general reductions of; lookups by run-time indices; functions on each
// element.
#include "Specializer.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// A position among the axes of a tile; negative ones count from the end.
static FailureOr<unsigned> axisOf(Call &call, int64_t rank) {
  auto axis = call.integer("axis");
  if (failed(axis))
    return failure();
  if (*axis >= -rank && *axis < rank)
    return static_cast<unsigned>(*axis < 0 ? *axis + rank : *axis);
  call.error(diag::Kind::IndexOutOfRange, "axis") << "axis " << *axis << " of a tile of " << rank << " axes";
  return failure();
}

Result tlx::specialize::pairBuiltin(Call &call) {
  auto input = call.tile("input");
  auto bit = call.integer("bit");
  if (failed(input) || failed(bit))
    return failure();
  auto axis = axisOf(call, shapeOf(input->value).size());
  if (failed(axis))
    return failure();
  Type type = input->value.getType();
  auto op = call.emit.create<PairOp>(type, type, input->value, *axis, static_cast<uint32_t>(*bit));
  return Datum::sequence({Datum::ir(op.getLow(), input->dtype), Datum::ir(op.getHigh(), input->dtype)}, false);
}

Result tlx::specialize::dropAxisBuiltin(Call &call) {
  auto input = call.tile("input");
  auto axis = failed(input) ? FailureOr<unsigned>(failure()) : axisOf(call, shapeOf(input->value).size());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input->value));
  shape.erase(shape.begin() + *axis);
  return Datum::ir(call.emit.create<DropAxisOp>(call.emit.typeOf(input->dtype, shape), input->value, *axis),
                   input->dtype);
}

/// The axis of a lookup; shapes agree but along it.
static FailureOr<unsigned> lookupAxis(Call &call, ArrayRef<int64_t> source, StringRef indicesName) {
  auto indices = call.tile(indicesName);
  if (failed(indices))
    return failure();
  if (!indices->dtype.isInteger()) {
    call.error(diag::Kind::ArgumentType, indicesName)
        << "indices are integers; this is " << call[indicesName].describe();
    return failure();
  }
  auto axis = axisOf(call, source.size());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(indices->value);
  bool agree = shape.size() == source.size();
  for (size_t i = 0; agree && i < source.size(); ++i)
    agree = i == *axis || shape[i] == source[i];
  if (agree)
    return axis;
  call.error(diag::Kind::ShapeMismatch, indicesName)
      << "the indices are " << call[indicesName].describe() << "; but along axis " << *axis
      << " they have the extents of what they choose from";
  return failure();
}

Result tlx::specialize::gatherBuiltin(Call &call) {
  auto source = call.tile("src");
  auto axis = failed(source) ? FailureOr<unsigned>(failure()) : lookupAxis(call, shapeOf(source->value), "index");
  if (failed(axis))
    return failure();
  mlir::Value indices = call["index"].irValue();
  Type type = call.emit.typeOf(source->dtype, shapeOf(indices));
  return Datum::ir(call.emit.create<GatherOp>(type, source->value, indices, *axis), source->dtype);
}

Result tlx::specialize::histogramBuiltin(Call &call) {
  auto input = call.tile("input");
  auto bins = call.integer("num_bins");
  if (failed(input) || failed(bins) || failed(call.emit.checkExtents({*bins})))
    return failure();
  if (!input->dtype.isInteger() || shapeOf(input->value).size() != 1) {
    call.error(diag::Kind::ArgumentType, "input")
        << "a histogram counts the integers of a tile of one axis; this is " << call["input"].describe();
    return failure();
  }
  mlir::Value mask;
  if (call.given("mask")) {
    auto condition = call.emit.asCondition(call["mask"]);
    auto wide = failed(condition) ? condition : call.emit.broadcast(*condition, shapeOf(input->value));
    if (failed(wide))
      return failure();
    mask = wide->value;
  }
  DType type{ScalarKind::I32};
  return Datum::ir(call.emit.create<HistogramOp>(call.emit.typeOf(type, {*bins}), input->value, mask), type);
}

static FailureOr<TypedValue<BufferType>> plainBuffer(Call &call, StringRef name) {
  return call.buffer(name);
}

Result tlx::specialize::localGather(Call &call) {
  auto buffer = plainBuffer(call, "src");
  auto axis =
      failed(buffer) ? FailureOr<unsigned>(failure()) : lookupAxis(call, buffer->getType().getShape(), "indices");
  if (failed(axis))
    return failure();
  mlir::Value indices = call["indices"].irValue();
  DType type = call["src"].dtype();
  return Datum::ir(call.emit.create<LocalGatherOp>(call.emit.typeOf(type, shapeOf(indices)), *buffer, indices, *axis),
                   type);
}

Result tlx::specialize::localScatter(Call &call) {
  auto buffer = plainBuffer(call, "dst");
  auto axis =
      failed(buffer) ? FailureOr<unsigned>(failure()) : lookupAxis(call, buffer->getType().getShape(), "indices");
  auto value = failed(axis) ? FailureOr<IRValue>(failure()) : call.tile("src");
  if (failed(value))
    return failure();
  mlir::Value indices = call["indices"].irValue();
  if (shapeOf(value->value) != shapeOf(indices) || value->dtype != call["dst"].dtype()) {
    call.error(diag::Kind::ShapeMismatch, "src") << "the value is " << call["src"].describe() << "; it goes to "
                                                 << call["dst"].describe() << " at " << call["indices"].describe();
    return failure();
  }
  call.emit.create<LocalScatterOp>(*buffer, value->value, indices, *axis);
  return Datum(NoneValue());
}

/// The function sees whole tiles: what it computes element by element is the same.
Result tlx::specialize::mapElementwise(Call &call) {
  GivenArguments given;
  SmallVector<int64_t> shape;
  for (const Datum &value : call["args"].asSequence()->elements) {
    auto joined = call.emit.joinShapes(shape, value.isIR() ? shapeOf(value.irValue()) : ArrayRef<int64_t>());
    if (failed(joined))
      return failure();
    shape = *joined;
  }
  for (const Datum &value : call["args"].asSequence()->elements) {
    auto wide = call.emit.asIR(value);
    if (succeeded(wide))
      wide = call.emit.broadcast(*wide, shape);
    if (failed(wide))
      return failure();
    given.push_back({Datum(*wide), call.argument("args").range, {}, {}});
  }
  if (failed(call.refuse("pack")))
    return failure();
  return call.specializer.callElementwise(call["scalar_fn"], given, call.argument("scalar_fn").range);
}

Result tlx::specialize::mathUnary(Call &call) {
  auto input = call.number("x");
  if (failed(input))
    return failure();
  StringRef name = call.builtin.name;
  name.consume_front("tl._");
  bool isInteger = name == "popc" || name == "clz";
  if (input->dtype.isPointer || input->dtype.isInteger() != isInteger) {
    call.error(diag::Kind::OperandType, "x")
        << call["x"].describe() << " is not " << (isInteger ? "an integer" : "a float");
    return failure();
  }
  mlir::Value x = input->value;
  mlir::Value result = llvm::StringSwitch<llvm::function_ref<mlir::Value()>>(name)
                           .Case("rint", [&] { return call.emit.create<math::RoundEvenOp>(x).getResult(); })
                           .Case("trunc", [&] { return call.emit.create<math::TruncOp>(x).getResult(); })
                           .Case("round", [&] { return call.emit.create<math::RoundOp>(x).getResult(); })
                           .Case("popc", [&] { return call.emit.create<math::CtPopOp>(x).getResult(); })
                           .Default([&] { return call.emit.create<math::CountLeadingZerosOp>(x).getResult(); })();
  return Datum::ir(result, input->dtype);
}

//===-- queries of element types ------------------------------------------------------------------===//

Result tlx::specialize::dtypeQuery(Call &call) {
  auto type = call.dtype("self");
  if (failed(type))
    return failure();
  StringRef query = call.builtin.name;
  query.consume_front("dtype.");
  bool isSigned = type->isInteger() && (type->isSigned() || type->isBool());
  return Datum(llvm::StringSwitch<bool>(query)
                   .Case("is_floating", type->isFloat())
                   .Case("is_int", type->isInteger())
                   .Case("is_int_signed", isSigned && !type->isBool())
                   .Case("is_int_unsigned", type->isInteger() && !isSigned)
                   .Case("is_bool", type->isBool())
                   .Case("is_ptr", type->isPointer)
                   .Case("is_fp8", type->isFloat8())
                   .Case("is_fp16", type->isFloat() && type->kind == ScalarKind::F16)
                   .Case("is_bf16", type->isFloat() && type->kind == ScalarKind::BF16)
                   .Case("is_fp32", type->isFloat() && type->kind == ScalarKind::F32)
                   .Case("is_fp64", type->isFloat() && type->kind == ScalarKind::F64)
                   .Default(false));
}
