// Casts between element types, and between shapes.
#include "Emitter.h"
#include "tlx/Dialect/TLXDialect.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

FailureOr<IRValue> Emitter::castToBool(IRValue value) {
  Type type = value.value.getType();
  DType boolean{ScalarKind::Bool};
  auto zero = literal(Datum(int64_t(0)), value.dtype, shapeOf(value.value));
  if (failed(zero))
    return failure();
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return IRValue{create<arith::CmpFOp>(arith::CmpFPredicate::UNE, value.value, zero->value), boolean};
  return IRValue{create<arith::CmpIOp>(arith::CmpIPredicate::ne, value.value, zero->value), boolean};
}

FailureOr<IRValue> Emitter::castFloat(IRValue value, DType type) {
  Type target = typeOf(type, shapeOf(value.value));
  // The hardware converts 8-bit floats from and to 16 and 32 bits.
  if (value.dtype.isFloat8() && type.isInteger()) {
    auto wide = castFloat(value, {ScalarKind::F32});
    return failed(wide) ? wide : castFloat(*wide, type);
  }
  if (type.isFloat8() && value.dtype.kind != ScalarKind::F32) {
    auto wide = value.dtype.kind == ScalarKind::F64
                    ? IRValue{create<arith::TruncFOp>(typeOf({ScalarKind::F32}, shapeOf(value.value)), value.value),
                              {ScalarKind::F32}}
                    : IRValue{create<arith::ExtFOp>(typeOf({ScalarKind::F32}, shapeOf(value.value)), value.value),
                              {ScalarKind::F32}};
    return castFloat(wide, type);
  }
  if (type.isInteger()) {
    mlir::Value result = type.isSigned() ? create<arith::FPToSIOp>(target, value.value).getResult()
                                         : create<arith::FPToUIOp>(target, value.value).getResult();
    return IRValue{result, type};
  }
  if (type.bits() > value.dtype.bits())
    return IRValue{create<arith::ExtFOp>(target, value.value), type};
  if (type.bits() < value.dtype.bits())
    return IRValue{create<arith::TruncFOp>(target, value.value), type};
  // Two formats of one width meet in a wider one that holds both.
  DType middle{type.bits() == 8 ? ScalarKind::F16 : ScalarKind::F32};
  auto wide = castFloat(value, middle);
  if (failed(wide))
    return failure();
  return castFloat(*wide, type);
}

FailureOr<IRValue> Emitter::castInteger(IRValue value, DType type) {
  if (type.isFloat8()) {
    auto wide = castInteger(value, {ScalarKind::F32});
    return failed(wide) ? wide : castFloat(*wide, type);
  }
  Type target = typeOf(type, shapeOf(value.value));
  bool isSigned = value.dtype.isSigned();
  mlir::Value result = value.value;
  if (type.isFloat() && isSigned)
    result = create<arith::SIToFPOp>(target, value.value);
  else if (type.isFloat())
    result = create<arith::UIToFPOp>(target, value.value);
  else if (type.bits() < value.dtype.bits())
    result = create<arith::TruncIOp>(target, value.value);
  else if (type.bits() > value.dtype.bits() && isSigned)
    result = create<arith::ExtSIOp>(target, value.value);
  else if (type.bits() > value.dtype.bits())
    result = create<arith::ExtUIOp>(target, value.value);
  return IRValue{result, type};
}

FailureOr<IRValue> Emitter::cast(IRValue value, DType type) {
  if (value.dtype == type)
    return value;
  Type element = getElementTypeOrSelf(value.value.getType());
  if (!isa<IntegerType, FloatType>(element) || type.isPointer) {
    error(diag::Kind::UnsupportedCast) << Datum(value).describe() << " cannot be converted to `" << type.name() << "`";
    return failure();
  }
  if (type.isBool())
    return castToBool(value);
  return value.dtype.isFloat() ? castFloat(value, type) : castInteger(value, type);
}

FailureOr<IRValue> Emitter::bitcast(IRValue value, DType type) {
  Type element = getElementTypeOrSelf(value.value.getType());
  if (!isa<IntegerType, FloatType>(element) || type.isPointer || type.bits() != value.dtype.bits()) {
    error(diag::Kind::UnsupportedCast) << Datum(value).describe() << " has " << value.dtype.bits()
                                       << " bits for each element; `" << type.name() << "` has " << type.bits();
    return failure();
  }
  Type target = typeOf(type, shapeOf(value.value));
  if (target == value.value.getType())
    return IRValue{value.value, type};
  return IRValue{create<arith::BitcastOp>(target, value.value), type};
}

IRValue Emitter::expandDims(IRValue value, unsigned axis) {
  SmallVector<int64_t> shape(shapeOf(value.value));
  shape.insert(shape.begin() + axis, 1);
  Type type = RankedTensorType::get(shape, getElementTypeOrSelf(value.value.getType()));
  return {create<ExpandDimsOp>(type, value.value, axis), value.dtype};
}

static void printShape(raw_ostream &stream, ArrayRef<int64_t> shape) {
  stream << '[';
  llvm::interleaveComma(shape, stream);
  stream << ']';
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printShape(stream, shape);
  return text;
}

FailureOr<IRValue> Emitter::broadcast(IRValue value, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = shapeOf(value.value);
  if (from == shape)
    return value;
  if (failed(checkExtents(shape)))
    return failure();
  Type element = getElementTypeOrSelf(value.value.getType());
  if (!isa<IntegerType, FloatType, PointerType>(element)) {
    error(diag::Kind::OperandType) << Datum(value).describe() << " is not a number, tile or pointer";
    return failure();
  }
  Type target = RankedTensorType::get(shape, element);
  if (from.empty())
    return IRValue{create<SplatOp>(target, value.value), value.dtype};
  bool fitsTarget = from.size() <= shape.size();
  for (size_t i = 0; fitsTarget && i < from.size(); ++i) {
    int64_t extent = from[from.size() - 1 - i];
    fitsTarget = extent == 1 || extent == shape[shape.size() - 1 - i];
  }
  if (!fitsTarget) {
    error(diag::Kind::ShapeMismatch) << "shape " << shapeText(from) << " cannot be broadcast to " << shapeText(shape);
    return failure();
  }
  while (shapeOf(value.value).size() < shape.size())
    value = expandDims(value, 0);
  if (value.value.getType() == target)
    return value;
  return IRValue{create<BroadcastOp>(target, value.value), value.dtype};
}

FailureOr<SmallVector<int64_t>> Emitter::joinShapes(ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
  SmallVector<int64_t> joined(std::max(left.size(), right.size()), 1);
  auto extent = [&](ArrayRef<int64_t> shape, size_t axis) {
    size_t missing = joined.size() - shape.size();
    return axis < missing ? 1 : shape[axis - missing];
  };
  for (size_t axis = 0; axis < joined.size(); ++axis) {
    int64_t a = extent(left, axis), b = extent(right, axis);
    if (a != b && a != 1 && b != 1) {
      error(diag::Kind::ShapeMismatch) << "shapes " << shapeText(left) << " and " << shapeText(right)
                                       << " differ: " << a << " is not " << b;
      return failure();
    }
    joined[axis] = a == 1 ? b : a;
  }
  return joined;
}

FailureOr<IRValue> Emitter::asCondition(const Datum &value) {
  if (value.isNumber())
    return literal(Datum(*value.truth()), {ScalarKind::Bool});
  auto ir = asIR(value);
  if (failed(ir))
    return failure();
  return cast(*ir, {ScalarKind::Bool});
}

FailureOr<mlir::Value> Emitter::asScalarCondition(const Datum &value) {
  auto condition = asCondition(value);
  if (failed(condition))
    return failure();
  if (!isa<RankedTensorType>(condition->value.getType()))
    return condition->value;
  error(diag::Kind::OperandType) << "the condition is " << value.describe()
                                 << "; control flow takes one value for the whole task, `tl.where` chooses by element";
  return failure();
}
