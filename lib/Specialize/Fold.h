// Python's operators on compile-time values.
#ifndef TLX_SPECIALIZE_FOLD_H
#define TLX_SPECIALIZE_FOLD_H

#include "Value.h"

namespace tlx::specialize {

enum class FoldError { None, OperandType, DivisionByZero };
struct Folded {
  Value value;
  FoldError error = FoldError::None;
};

Folded foldBinary(ast::BinaryOp op, const Value &left, const Value &right);
Folded foldUnary(ast::UnaryOp op, const Value &operand);
Folded foldCompare(ast::CompareOp op, const Value &left, const Value &right);
/// Python's floor division and modulo; the divisor is not zero.
int64_t floorDivide(int64_t left, int64_t right);
int64_t floorModulo(int64_t left, int64_t right);

} // namespace tlx::specialize

#endif
