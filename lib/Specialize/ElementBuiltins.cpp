// Functions of one element at a time, and reductions.
#include "Specializer.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static const DType f32Type{ScalarKind::F32};

/// f32 to 16 bits towards zero: what 16-bit rounding would take up or away is cleared first, so that it rounds nothing.
static Result truncatedTowardZero(Call &call, DType type) {
  auto value = call.number("input");
  if (failed(value))
    return failure();
  if (value->dtype.kind != ScalarKind::F32 || !type.isFloat() || type.bits() != 16) {
    call.error(diag::Kind::UnsupportedOption, "fp_downcast_rounding")
        << "rounding towards zero is supported from fp32 to fp16 and bf16";
    return failure();
  }
  GivenArguments given{{Datum(*value), call.range, {}, {}}, {Datum(type), call.range, {}, {}}};
  return call.specializer.callLibrary("_toward_zero", given, call.range);
}

/// A pointer as one to other elements, as the number of its address, or made of such a number.
static Result castPointer(Call &call, IRValue input, DType type) {
  if (input.dtype == type)
    return Datum(input);
  if (type.isBool() && input.dtype.isPointer) {
    auto number = castPointer(call, input, {ScalarKind::I64});
    return failed(number) ? number : call.emit.compare(ast::CompareOp::NotEqual, *number, Datum(int64_t(0)));
  }
  bool isNumber = !input.dtype.isPointer || !type.isPointer;
  DType number = input.dtype.isPointer ? type : input.dtype;
  if (isNumber && (!number.isInteger() || (input.dtype.isPointer && number.bits() != 64))) {
    call.error(diag::Kind::UnsupportedCast, "input")
        << call["input"].describe() << " cannot be converted to `" << type.name() << "`; an address is a number of "
        << "64 bits, `tl.int64` or `tl.uint64`";
    return failure();
  }
  if (!input.dtype.isPointer) {
    auto wide = call.emit.cast(input, {number.isSigned() ? ScalarKind::I64 : ScalarKind::U64});
    if (failed(wide))
      return failure();
    input = *wide;
  }
  Type target = call.emit.typeOf(type, shapeOf(input.value));
  return Datum::ir(call.emit.create<PointerCastOp>(target, input.value), type);
}

Result tlx::specialize::castBuiltin(Call &call) {
  auto type = call.dtype("dtype");
  auto isBitcast = call.boolean("bitcast");
  if (failed(type) || failed(isBitcast))
    return failure();
  const Datum &input = call["input"];
  if (call.given("fp_downcast_rounding")) {
    auto mode = call.string("fp_downcast_rounding");
    if (failed(mode))
      return failure();
    if (*mode == "rtz")
      return truncatedTowardZero(call, *type);
    if (*mode != "rtne") {
      call.error(diag::Kind::ArgumentType, "fp_downcast_rounding") << "`" << *mode << "` is not one of rtne, rtz";
      return failure();
    }
  }
  if (type->isPointer || (input.isIR() && input.dtype().isPointer)) {
    auto address = call.number("input");
    return failed(address) ? Result(failure()) : castPointer(call, *address, *type);
  }
  if (input.isNumber() && !*isBitcast) {
    auto constant = call.emit.literal(input, *type);
    return failed(constant) ? Result(failure()) : Result(Datum(*constant));
  }
  auto value = call.number("input");
  if (failed(value))
    return failure();
  auto result = *isBitcast ? call.emit.bitcast(*value, *type) : call.emit.cast(*value, *type);
  return failed(result) ? Result(failure()) : Result(Datum(*result));
}

Result tlx::specialize::where(Call &call) {
  return call.emit.select(call["condition"], call["x"], call["y"]);
}

static bool propagates(Call &call) {
  const Datum &option = call["propagate_nan"];
  return option == Datum(std::string("ALL")) || (option.is<bool>() && *option.truth());
}

Result tlx::specialize::maximum(Call &call) {
  return call.emit.extremum(true, call["x"], call["y"], propagates(call));
}

Result tlx::specialize::minimum(Call &call) {
  return call.emit.extremum(false, call["x"], call["y"], propagates(call));
}

Result tlx::specialize::clamp(Call &call) {
  auto lower = call.emit.extremum(true, call["x"], call["min"], propagates(call));
  return failed(lower) ? lower : call.emit.extremum(false, *lower, call["max"], propagates(call));
}

Result tlx::specialize::addBuiltin(Call &call) {
  return call.emit.binary(ast::BinaryOp::Add, call["input"], call["other"]);
}
Result tlx::specialize::subtractBuiltin(Call &call) {
  return call.emit.binary(ast::BinaryOp::Subtract, call["input"], call["other"]);
}
Result tlx::specialize::multiplyBuiltin(Call &call) {
  return call.emit.binary(ast::BinaryOp::Multiply, call["input"], call["other"]);
}

Result tlx::specialize::divideBuiltin(Call &call) {
  return call.emit.binary(ast::BinaryOp::Divide, call["x"], call["y"]);
}

/// The operand as f32 (f64 stays), which is what the functions below compute in.
static FailureOr<IRValue> asFloat(Call &call, StringRef name) {
  auto value = call.number(name);
  if (failed(value))
    return failure();
  if (value->dtype.isPointer) {
    call.error(diag::Kind::OperandType, name) << call[name].describe() << " is not a number";
    return failure();
  }
  return value->dtype.kind == ScalarKind::F64 ? value : call.emit.cast(*value, f32Type);
}

/// Functions of f32; a 16-bit operand gets its own type back.
static Result rounded(Call &call, StringRef name, mlir::Value result, DType computed) {
  const Datum &operand = call[name];
  if (!operand.isIR() || !operand.dtype().isFloat())
    return Datum::ir(result, computed);
  auto back = call.emit.cast({result, computed}, operand.dtype());
  return failed(back) ? Result(failure()) : Result(Datum(*back));
}

/// The hardware approximates functions of fp32 only.
static bool isDouble(Call &call) {
  const Datum &x = call["x"];
  return (x.isTile() || x.isScalar()) && x.dtype() == DType{ScalarKind::F64};
}

static Result ofDoubles(Call &call, StringRef function) {
  GivenArguments given{{call["x"], call.range, {}, {}}};
  return call.specializer.callLibrary(function, given, call.range);
}

static FailureOr<IRValue> approximate(Call &call, ApproxFunction function, IRValue operand) {
  return IRValue{call.emit.create<ApproxOp>(operand.value.getType(), function, operand.value), f32Type};
}

static Result approximate(Call &call, ApproxFunction function, StringRef forDoubles) {
  if (isDouble(call))
    return ofDoubles(call, forDoubles);
  auto operand = asFloat(call, "x");
  auto result = failed(operand) ? operand : approximate(call, function, *operand);
  return failed(result) ? Result(failure()) : rounded(call, "x", result->value, result->dtype);
}

Result tlx::specialize::exp2(Call &call) {
  return approximate(call, ApproxFunction::Exp2, "libdevice_exp2");
}
Result tlx::specialize::log2(Call &call) {
  return approximate(call, ApproxFunction::Log2, "libdevice_log2");
}
Result tlx::specialize::reciprocalRoot(Call &call) {
  return approximate(call, ApproxFunction::Rsqrt, "_rsqrt64");
}
Result tlx::specialize::sine(Call &call) {
  return approximate(call, ApproxFunction::Sin, "libdevice_sin");
}
Result tlx::specialize::cosine(Call &call) {
  return approximate(call, ApproxFunction::Cos, "libdevice_cos");
}
Result tlx::specialize::hyperbolicTangent(Call &call) {
  return approximate(call, ApproxFunction::Tanh, "libdevice_tanh");
}

static Result scaled(Call &call, const Datum &value, double factor) {
  return call.emit.binary(ast::BinaryOp::Multiply, value, Datum(factor));
}

Result tlx::specialize::exponential(Call &call) {
  if (isDouble(call))
    return ofDoubles(call, "libdevice_exp");
  auto operand = asFloat(call, "x");
  // log2(e)
  auto power = failed(operand) ? Result(failure()) : scaled(call, Datum(*operand), 1.4426950408889634);
  if (failed(power))
    return failure();
  auto result = approximate(call, ApproxFunction::Exp2, *power->getIf<IRValue>());
  return failed(result) ? Result(failure()) : rounded(call, "x", result->value, result->dtype);
}

Result tlx::specialize::logarithm(Call &call) {
  if (isDouble(call))
    return ofDoubles(call, "libdevice_log");
  auto operand = asFloat(call, "x");
  auto binary = failed(operand) ? operand : approximate(call, ApproxFunction::Log2, *operand);
  // ln(2)
  auto result = failed(binary) ? Result(failure()) : scaled(call, Datum(*binary), 0.6931471805599453);
  return failed(result) ? Result(failure()) : rounded(call, "x", result->irValue(), result->dtype());
}

Result tlx::specialize::sigmoid(Call &call) {
  if (isDouble(call))
    return ofDoubles(call, "_sigmoid64");
  auto operand = asFloat(call, "x");
  auto power = failed(operand) ? Result(failure()) : scaled(call, Datum(*operand), -1.4426950408889634);
  if (failed(power))
    return failure();
  auto term = approximate(call, ApproxFunction::Exp2, *power->getIf<IRValue>());
  if (failed(term))
    return failure();
  auto sum = call.emit.binary(ast::BinaryOp::Add, Datum(*term), Datum(1.0));
  auto result = failed(sum) ? sum : call.emit.binary(ast::BinaryOp::Divide, Datum(1.0), *sum);
  return failed(result) ? Result(failure()) : rounded(call, "x", result->irValue(), result->dtype());
}

template <typename Op> static Result exactUnary(Call &call) {
  auto operand = asFloat(call, "x");
  if (failed(operand))
    return failure();
  return rounded(call, "x", call.emit.create<Op>(operand->value), operand->dtype);
}

Result tlx::specialize::squareRoot(Call &call) {
  return exactUnary<math::SqrtOp>(call);
}
Result tlx::specialize::floorBuiltin(Call &call) {
  return exactUnary<math::FloorOp>(call);
}
Result tlx::specialize::ceilBuiltin(Call &call) {
  return exactUnary<math::CeilOp>(call);
}

Result tlx::specialize::absolute(Call &call) {
  const Datum &operand = call["x"];
  if (auto integer = operand.asInt())
    return Datum(*integer < 0 && *integer != INT64_MIN ? -*integer : *integer);
  if (auto number = operand.asDouble())
    return Datum(*number < 0 ? -*number : *number);
  auto value = call.number("x");
  if (failed(value))
    return failure();
  if (value->dtype.isPointer) {
    call.error(diag::Kind::OperandType, "x") << operand.describe() << " is not a number";
    return failure();
  }
  if (value->dtype.isFloat())
    return Datum::ir(call.emit.create<math::AbsFOp>(value->value), value->dtype);
  if (!value->dtype.isSigned())
    return Datum(*value);
  return Datum::ir(call.emit.create<math::AbsIOp>(value->value), value->dtype);
}

Result tlx::specialize::fusedMultiplyAdd(Call &call) {
  auto product = call.emit.unify(call["x"], call["y"], false);
  if (failed(product))
    return failure();
  auto sum = call.emit.unify(Datum(product->first), call["z"], false);
  if (failed(sum))
    return failure();
  auto second = call.emit.cast(product->second, sum->first.dtype);
  auto y = failed(second) ? second : call.emit.broadcast(*second, shapeOf(sum->first.value));
  if (failed(y))
    return failure();
  if (!y->dtype.isFloat()) {
    call.emit.error(diag::Kind::OperandType) << "`" << call.builtin.name << "` takes floats";
    return failure();
  }
  return Datum::ir(call.emit.create<math::FmaOp>(sum->first.value, y->value, sum->second.value), y->dtype);
}
