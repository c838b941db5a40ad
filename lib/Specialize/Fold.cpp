// Python's operators on compile-time values: floor division, true division, sequences.
#include "Fold.h"
#include <cmath>

using namespace tlx;
using namespace tlx::specialize;
using ast::BinaryOp;
using ast::CompareOp;

static const Folded operandError{Datum(), FoldError::OperandType};
static const Folded overflowError{Datum(), FoldError::Overflow};

/// Wraps like the 64-bit integers that constants are held in.
static int64_t negated(int64_t value) {
  return static_cast<int64_t>(0 - static_cast<uint64_t>(value));
}

int64_t tlx::specialize::floorDivide(int64_t left, int64_t right) {
  // The one quotient that does not fit would trap.
  if (right == -1)
    return negated(left);
  int64_t quotient = left / right;
  return quotient - ((left % right != 0 && (left < 0) != (right < 0)) ? 1 : 0);
}

int64_t tlx::specialize::floorModulo(int64_t left, int64_t right) {
  return right == -1 ? 0 : left - floorDivide(left, right) * right;
}

static Folded integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return {Datum(std::pow(static_cast<double>(base), static_cast<double>(exponent)))};
  // Powers of 0, 1 and -1 never overflow and depend only on whether the exponent is zero, odd or even.
  if (base >= -1 && base <= 1 && exponent > 2)
    exponent = 2 - exponent % 2;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result))
      return overflowError;
  return {Datum(result)};
}

static Folded shiftLeft(int64_t left, int64_t right) {
  if (right < 0)
    return operandError;
  int64_t result = 0;
  if (left != 0 && (right > 62 || __builtin_mul_overflow(left, int64_t(1) << right, &result)))
    return overflowError;
  return {Datum(result)};
}

static Folded foldIntegers(BinaryOp op, int64_t left, int64_t right) {
  int64_t result = 0;
  switch (op) {
  case BinaryOp::Add:
    return __builtin_add_overflow(left, right, &result) ? overflowError : Folded{Datum(result)};
  case BinaryOp::Subtract:
    return __builtin_sub_overflow(left, right, &result) ? overflowError : Folded{Datum(result)};
  case BinaryOp::Multiply:
    return __builtin_mul_overflow(left, right, &result) ? overflowError : Folded{Datum(result)};
  case BinaryOp::Divide:
    return {Datum(static_cast<double>(left) / static_cast<double>(right))};
  case BinaryOp::FloorDivide:
    return {Datum(floorDivide(left, right))};
  case BinaryOp::Modulo:
    return {Datum(floorModulo(left, right))};
  case BinaryOp::Power:
    return integerPower(left, right);
  case BinaryOp::ShiftLeft:
    return shiftLeft(left, right);
  case BinaryOp::ShiftRight:
    return right < 0 ? operandError : Folded{Datum(left >> std::min<int64_t>(right, 63))};
  case BinaryOp::BitAnd:
    return {Datum(left & right)};
  case BinaryOp::BitOr:
    return {Datum(left | right)};
  case BinaryOp::BitXor:
    return {Datum(left ^ right)};
  case BinaryOp::MatrixMultiply:
    return operandError;
  }
  llvm_unreachable("all operators are handled");
}

static Folded foldFloats(BinaryOp op, double left, double right) {
  switch (op) {
  case BinaryOp::Add:
    return {Datum(left + right)};
  case BinaryOp::Subtract:
    return {Datum(left - right)};
  case BinaryOp::Multiply:
    return {Datum(left * right)};
  case BinaryOp::Divide:
    return {Datum(left / right)};
  case BinaryOp::FloorDivide:
    return {Datum(std::floor(left / right))};
  case BinaryOp::Modulo:
    return {Datum(left - std::floor(left / right) * right)};
  case BinaryOp::Power:
    return {Datum(std::pow(left, right))};
  default:
    return operandError;
  }
}

/// More than any kernel holds: a slip that would only fill the memory.
static constexpr size_t longestSequence = 1 << 16;

static Folded repeat(const SequenceValue &sequence, int64_t count) {
  if (count > 0 && sequence.elements.size() > longestSequence / static_cast<uint64_t>(count))
    return operandError;
  std::vector<Datum> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.insert(elements.end(), sequence.elements.begin(), sequence.elements.end());
  return {Datum::sequence(std::move(elements), sequence.isList)};
}

static Folded foldSequences(BinaryOp op, const Datum &left, const Datum &right) {
  const SequenceValue *a = left.asSequence(), *b = right.asSequence();
  if (op == BinaryOp::Add && a && b && a->isList == b->isList) {
    if (a->elements.size() + b->elements.size() > longestSequence)
      return operandError;
    std::vector<Datum> elements = a->elements;
    elements.insert(elements.end(), b->elements.begin(), b->elements.end());
    return {Datum::sequence(std::move(elements), a->isList)};
  }
  if (op == BinaryOp::Multiply && a && right.asInt())
    return repeat(*a, *right.asInt());
  if (op == BinaryOp::Multiply && b && left.asInt())
    return repeat(*b, *left.asInt());
  return operandError;
}

Folded tlx::specialize::foldBinary(BinaryOp op, const Datum &left, const Datum &right) {
  if (left.asSequence() || right.asSequence())
    return foldSequences(op, left, right);
  if (op == BinaryOp::Add && left.is<std::string>() && right.is<std::string>() &&
      left.text().size() + right.text().size() <= longestSequence)
    return {Datum(left.text() + right.text())};
  if (!left.isNumber() || !right.isNumber())
    return operandError;
  bool divides = op == BinaryOp::Divide || op == BinaryOp::FloorDivide || op == BinaryOp::Modulo;
  if (divides && *right.asDouble() == 0)
    return {Datum(), FoldError::DivisionByZero};
  if (left.is<double>() || right.is<double>())
    return foldFloats(op, *left.asDouble(), *right.asDouble());
  bool isLogical = op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
  Folded result = foldIntegers(op, *left.asInt(), *right.asInt());
  if (isLogical && left.is<bool>() && right.is<bool>())
    return {Datum(*result.value.asInt() != 0)};
  return result;
}

Folded tlx::specialize::foldUnary(ast::UnaryOp op, const Datum &operand) {
  if (op == ast::UnaryOp::Not) {
    auto truth = operand.truth();
    return truth ? Folded{Datum(!*truth)} : operandError;
  }
  if (!operand.isNumber())
    return operandError;
  auto integer = operand.asInt();
  switch (op) {
  case ast::UnaryOp::Plus:
    return {integer ? Datum(*integer) : operand};
  case ast::UnaryOp::Negate:
    return {integer ? Datum(negated(*integer)) : Datum(-*operand.asDouble())};
  case ast::UnaryOp::Invert:
    return integer ? Folded{Datum(~*integer)} : operandError;
  case ast::UnaryOp::Not:
    break;
  }
  llvm_unreachable("not was handled above");
}

template <typename T> static bool ordered(CompareOp op, const T &left, const T &right) {
  switch (op) {
  case CompareOp::Less:
    return left < right;
  case CompareOp::LessEqual:
    return left <= right;
  case CompareOp::Greater:
    return left > right;
  default:
    return left >= right;
  }
}

Folded tlx::specialize::foldCompare(CompareOp op, const Datum &left, const Datum &right) {
  switch (op) {
  case CompareOp::Equal:
  case CompareOp::Is:
    return {Datum(left == right)};
  case CompareOp::NotEqual:
  case CompareOp::IsNot:
    return {Datum(!(left == right))};
  case CompareOp::In:
  case CompareOp::NotIn: {
    if (!right.asSequence() && !right.asDict())
      return operandError;
    const auto &members = right.asDict() ? right.asDict()->keys : right.asSequence()->elements;
    return {Datum(llvm::is_contained(members, left) == (op == CompareOp::In))};
  }
  default:
    break;
  }
  if (left.is<std::string>() && right.is<std::string>())
    return {Datum(ordered(op, left.text(), right.text()))};
  if (!left.isNumber() || !right.isNumber())
    return operandError;
  if (left.asInt() && right.asInt())
    return {Datum(ordered(op, *left.asInt(), *right.asInt()))};
  return {Datum(ordered(op, *left.asDouble(), *right.asDouble()))};
}
