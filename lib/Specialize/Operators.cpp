// Python's operators on run-time values.
#include "Emitter.h"
#include "tlx/Dialect/TLXDialect.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;
using ast::BinaryOp;
using ast::CompareOp;

static bool isArithmetic(const Datum &value) {
  if (value.isNumber())
    return true;
  return value.isIR() && isa<IntegerType, FloatType>(getElementTypeOrSelf(value.irValue().getType()));
}

static bool isPointerLike(const Datum &value) {
  return value.isIR() && isa<PointerType>(getElementTypeOrSelf(value.irValue().getType()));
}

FailureOr<std::pair<IRValue, IRValue>> Emitter::unify(const Datum &left, const Datum &right, bool isDivision) {
  for (const Datum *operand : {&left, &right})
    if (!isArithmetic(*operand)) {
      error(diag::Kind::OperandType) << operand->describe() << " is not a number or a tile of numbers";
      return failure();
    }
  DType type;
  if (left.isNumber() && right.isIR())
    type = promoteLiteral(*left.literalType(), right.dtype(), isDivision);
  else if (left.isIR() && right.isNumber())
    type = promoteLiteral(*right.literalType(), left.dtype(), isDivision);
  else
    type = promote(left.isIR() ? left.dtype() : *left.literalType(),
                   right.isIR() ? right.dtype() : *right.literalType(), isDivision);
  auto shape = joinShapes(left.isIR() ? shapeOf(left.irValue()) : ArrayRef<int64_t>(),
                          right.isIR() ? shapeOf(right.irValue()) : ArrayRef<int64_t>());
  if (failed(shape))
    return failure();
  auto prepare = [&](const Datum &operand) -> FailureOr<IRValue> {
    if (operand.isNumber())
      return literal(operand, type, *shape);
    auto converted = cast(*operand.getIf<IRValue>(), type);
    if (failed(converted))
      return failure();
    return broadcast(*converted, *shape);
  };
  auto first = prepare(left);
  auto second = failed(first) ? FailureOr<IRValue>(failure()) : prepare(right);
  if (failed(second))
    return failure();
  return std::pair(*first, *second);
}

/// Offsets are in elements. `pointer - integer` negates them.
Result Emitter::pointerBinary(BinaryOp op, const Datum &left, const Datum &right) {
  const Datum &pointer = isPointerLike(left) ? left : right;
  const Datum &offset = isPointerLike(left) ? right : left;
  bool fitsOp = op == BinaryOp::Add || (op == BinaryOp::Subtract && isPointerLike(left));
  bool isInteger = offset.asInt() || (isArithmetic(offset) && offset.isIR() && offset.dtype().isInteger());
  if (!fitsOp || !isInteger) {
    error(diag::Kind::OperandType) << "`" << ast::spelling(op) << "` does not combine " << left.describe() << " and "
                                   << right.describe();
    return failure();
  }
  auto distance = op == BinaryOp::Subtract ? unary(ast::UnaryOp::Negate, offset) : Result(offset);
  auto amount = failed(distance) ? FailureOr<IRValue>(failure()) : asIR(*distance);
  if (succeeded(amount) && amount->dtype.bits() < 32)
    amount = cast(*amount, {ScalarKind::I32});
  if (failed(amount))
    return failure();
  auto shape = joinShapes(shapeOf(pointer.irValue()), shapeOf(amount->value));
  if (failed(shape))
    return failure();
  auto base = broadcast(*pointer.getIf<IRValue>(), *shape);
  auto steps = broadcast(*amount, *shape);
  if (failed(base) || failed(steps))
    return failure();
  return Datum::ir(create<AddPtrOp>(base->value.getType(), base->value, steps->value), base->dtype);
}

Result Emitter::integerBinary(BinaryOp op, IRValue left, IRValue right) {
  bool isSigned = left.dtype.isSigned();
  mlir::Value a = left.value, b = right.value;
  auto emit = [&](auto tag) { return Datum::ir(create<typename decltype(tag)::type>(a, b), left.dtype); };
  switch (op) {
  case BinaryOp::Add:
    return emit(std::type_identity<arith::AddIOp>());
  case BinaryOp::Subtract:
    return emit(std::type_identity<arith::SubIOp>());
  case BinaryOp::Multiply:
    return emit(std::type_identity<arith::MulIOp>());
  case BinaryOp::FloorDivide:
    return isSigned ? emit(std::type_identity<arith::DivSIOp>()) : emit(std::type_identity<arith::DivUIOp>());
  case BinaryOp::Modulo:
    return isSigned ? emit(std::type_identity<arith::RemSIOp>()) : emit(std::type_identity<arith::RemUIOp>());
  case BinaryOp::ShiftLeft:
    return emit(std::type_identity<arith::ShLIOp>());
  case BinaryOp::ShiftRight:
    return isSigned ? emit(std::type_identity<arith::ShRSIOp>()) : emit(std::type_identity<arith::ShRUIOp>());
  case BinaryOp::BitAnd:
    return emit(std::type_identity<arith::AndIOp>());
  case BinaryOp::BitOr:
    return emit(std::type_identity<arith::OrIOp>());
  case BinaryOp::BitXor:
    return emit(std::type_identity<arith::XOrIOp>());
  default:
    error(diag::Kind::OperandType) << "`" << ast::spelling(op) << "` is not defined for run-time integers";
    return failure();
  }
}

Result Emitter::floatBinary(BinaryOp op, IRValue left, IRValue right) {
  mlir::Value a = left.value, b = right.value;
  auto contract = arith::FastMathFlagsAttr::get(context(), arith::FastMathFlags::contract);
  switch (op) {
  case BinaryOp::Add:
    return Datum::ir(create<arith::AddFOp>(a, b, contract), left.dtype);
  case BinaryOp::Subtract:
    return Datum::ir(create<arith::SubFOp>(a, b, contract), left.dtype);
  case BinaryOp::Multiply:
    return Datum::ir(create<arith::MulFOp>(a, b, contract), left.dtype);
  case BinaryOp::Divide:
    return Datum::ir(create<arith::DivFOp>(a, b), left.dtype);
  case BinaryOp::Modulo:
    return Datum::ir(create<arith::RemFOp>(a, b), left.dtype);
  default:
    error(diag::Kind::OperandType) << "`" << ast::spelling(op) << "` is not defined for run-time floats";
    return failure();
  }
}

Result Emitter::binary(BinaryOp op, const Datum &left, const Datum &right) {
  if (left.isConstant() && right.isConstant()) {
    Folded folded = foldBinary(op, left, right);
    if (folded.error == FoldError::None)
      return folded.value;
    if (folded.error == FoldError::DivisionByZero)
      error(diag::Kind::DivisionByZero) << "the divisor is zero";
    else if (folded.error == FoldError::Overflow)
      error(diag::Kind::LiteralRange) << "`" << ast::spelling(op) << "` of " << left.describe() << " and "
                                      << right.describe() << " does not fit 64 bits";
    else
      error(diag::Kind::OperandType) << "`" << ast::spelling(op) << "` does not combine " << left.describe() << " and "
                                     << right.describe();
    return failure();
  }
  if (isPointerLike(left) || isPointerLike(right))
    return pointerBinary(op, left, right);
  if (!isArithmetic(left) || !isArithmetic(right)) {
    error(diag::Kind::OperandType) << "`" << ast::spelling(op) << "` does not combine " << left.describe() << " and "
                                   << right.describe();
    return failure();
  }
  bool isShift = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  bool isDivision = op == BinaryOp::Divide || op == BinaryOp::Modulo || op == BinaryOp::FloorDivide;
  if ((op == BinaryOp::Modulo || op == BinaryOp::FloorDivide) && right.asInt() == 0 && left.dtype().isInteger()) {
    error(diag::Kind::DivisionByZero) << "the divisor is zero";
    return failure();
  }
  auto operands = unify(left, right, isDivision && !isShift);
  if (failed(operands))
    return failure();
  auto [a, b] = *operands;
  if (op == BinaryOp::Divide && a.dtype.isInteger()) {
    auto first = cast(a, {ScalarKind::F32}), second = cast(b, {ScalarKind::F32});
    if (failed(first) || failed(second))
      return failure();
    return floatBinary(op, *first, *second);
  }
  return a.dtype.isFloat() ? floatBinary(op, a, b) : integerBinary(op, a, b);
}

Result Emitter::unary(ast::UnaryOp op, const Datum &operand) {
  if (operand.isConstant()) {
    Folded folded = foldUnary(op, operand);
    if (folded.error == FoldError::None)
      return folded.value;
  }
  if (!isArithmetic(operand) || !operand.isIR() || (op == ast::UnaryOp::Invert && !operand.dtype().isInteger())) {
    error(diag::Kind::OperandType) << "`" << ast::spelling(op) << "` does not take " << operand.describe();
    return failure();
  }
  IRValue value = *operand.getIf<IRValue>();
  if (op == ast::UnaryOp::Plus)
    return operand;
  if (op == ast::UnaryOp::Negate && value.dtype.isFloat())
    return Datum::ir(create<arith::NegFOp>(value.value), value.dtype);
  if (op == ast::UnaryOp::Negate)
    return binary(BinaryOp::Subtract, Datum(int64_t(0)), operand);
  if (op == ast::UnaryOp::Not) {
    auto condition = asCondition(operand);
    if (failed(condition))
      return failure();
    value = *condition;
  }
  auto ones = literal(Datum(int64_t(value.dtype.isBool() ? 1 : -1)), value.dtype, shapeOf(value.value));
  if (failed(ones))
    return failure();
  return Datum::ir(create<arith::XOrIOp>(value.value, ones->value), value.dtype);
}

static arith::CmpIPredicate integerPredicate(CompareOp op, bool isSigned) {
  using P = arith::CmpIPredicate;
  switch (op) {
  case CompareOp::Equal:
    return P::eq;
  case CompareOp::NotEqual:
    return P::ne;
  case CompareOp::Less:
    return isSigned ? P::slt : P::ult;
  case CompareOp::LessEqual:
    return isSigned ? P::sle : P::ule;
  case CompareOp::Greater:
    return isSigned ? P::sgt : P::ugt;
  default:
    return isSigned ? P::sge : P::uge;
  }
}

static arith::CmpFPredicate floatPredicate(CompareOp op) {
  using P = arith::CmpFPredicate;
  switch (op) {
  case CompareOp::Equal:
    return P::OEQ;
  case CompareOp::NotEqual:
    return P::UNE;
  case CompareOp::Less:
    return P::OLT;
  case CompareOp::LessEqual:
    return P::OLE;
  case CompareOp::Greater:
    return P::OGT;
  default:
    return P::OGE;
  }
}

Result Emitter::compare(CompareOp op, const Datum &left, const Datum &right) {
  bool isIdentity = op == CompareOp::Is || op == CompareOp::IsNot;
  bool areKeys = right.asDict() && left.isConstant();
  if ((left.isConstant() && right.isConstant()) || areKeys || isIdentity || left.isNone() || right.isNone()) {
    Folded folded = foldCompare(op, left, right);
    if (folded.error == FoldError::None)
      return folded.value;
  }
  bool isMembership = op == CompareOp::In || op == CompareOp::NotIn;
  if (isMembership || !isArithmetic(left) || !isArithmetic(right)) {
    bool isGroup = left.is<WarpGroupId>() || right.is<WarpGroupId>();
    error(isGroup ? diag::Kind::WarpGroupUse : diag::Kind::OperandType)
        << "`" << ast::spelling(op) << "` does not compare " << left.describe() << " and " << right.describe()
        << (isGroup ? " here" : "");
    return failure();
  }
  auto operands = unify(left, right, false);
  if (failed(operands))
    return failure();
  auto [a, b] = *operands;
  DType boolean{ScalarKind::Bool};
  if (a.dtype.isFloat())
    return Datum::ir(create<arith::CmpFOp>(floatPredicate(op), a.value, b.value), boolean);
  return Datum::ir(create<arith::CmpIOp>(integerPredicate(op, a.dtype.isSigned()), a.value, b.value), boolean);
}

Result Emitter::extremum(bool isMax, const Datum &left, const Datum &right, bool propagatesNaN) {
  if (left.isNumber() && right.isNumber()) {
    bool leftWins = isMax ? *left.asDouble() >= *right.asDouble() : *left.asDouble() <= *right.asDouble();
    return leftWins ? left : right;
  }
  auto operands = unify(left, right, false);
  if (failed(operands))
    return failure();
  mlir::Value a = operands->first.value, b = operands->second.value, result;
  DType type = operands->first.dtype;
  if (type.isFloat() && propagatesNaN)
    result = isMax ? create<arith::MaximumFOp>(a, b).getResult() : create<arith::MinimumFOp>(a, b).getResult();
  else if (type.isFloat())
    result = isMax ? create<arith::MaxNumFOp>(a, b).getResult() : create<arith::MinNumFOp>(a, b).getResult();
  else if (type.isSigned())
    result = isMax ? create<arith::MaxSIOp>(a, b).getResult() : create<arith::MinSIOp>(a, b).getResult();
  else
    result = isMax ? create<arith::MaxUIOp>(a, b).getResult() : create<arith::MinUIOp>(a, b).getResult();
  return Datum::ir(result, type);
}

Result Emitter::select(const Datum &condition, const Datum &thenValue, const Datum &elseValue) {
  auto chosen = asCondition(condition);
  if (failed(chosen))
    return failure();
  FailureOr<std::pair<IRValue, IRValue>> operands = failure();
  if (isPointerLike(thenValue) && isPointerLike(elseValue) && thenValue.dtype() == elseValue.dtype())
    operands = std::pair(*thenValue.getIf<IRValue>(), *elseValue.getIf<IRValue>());
  else
    operands = unify(thenValue, elseValue, false);
  if (failed(operands))
    return failure();
  auto both = joinShapes(shapeOf(operands->first.value), shapeOf(operands->second.value));
  auto shape = failed(both) ? both : joinShapes(*both, shapeOf(chosen->value));
  if (failed(shape))
    return failure();
  auto mask = broadcast(*chosen, *shape);
  auto first = broadcast(operands->first, *shape), second = broadcast(operands->second, *shape);
  if (failed(mask) || failed(first) || failed(second))
    return failure();
  return Datum::ir(create<arith::SelectOp>(mask->value, first->value, second->value), first->dtype);
}
