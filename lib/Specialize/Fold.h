// Python's operators on compile-time values.
#ifndef TLX_SPECIALIZE_FOLD_H
#define TLX_SPECIALIZE_FOLD_H

#include "Datum.h"

namespace tlx::specialize {

enum class FoldError { None, OperandType, DivisionByZero, Overflow };
struct Folded {
  Datum value;
  FoldError error = FoldError::None;
};

Folded foldBinary(ast::BinaryOp op, const Datum &left, const Datum &right);
Folded foldUnary(ast::UnaryOp op, const Datum &operand);
Folded foldCompare(ast::CompareOp op, const Datum &left, const Datum &right);
/// Python's floor division and modulo; the divisor is not zero.
int64_t floorDivide(int64_t left, int64_t right);
int64_t floorModulo(int64_t left, int64_t right);

} // namespace tlx::specialize

#endif
