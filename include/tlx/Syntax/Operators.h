// The operators of expressions, as ASTNodes.def lists them.
#ifndef TLX_SYNTAX_OPERATORS_H
#define TLX_SYNTAX_OPERATORS_H

#include "llvm/ADT/StringRef.h"

namespace tlx::ast {

enum class BinaryOp {
#define TLX_BINARY_OP(NAME, SPELLING, PRECEDENCE) NAME,
#include "tlx/Syntax/ASTNodes.def"
};
enum class UnaryOp {
#define TLX_UNARY_OP(NAME, SPELLING) NAME,
#include "tlx/Syntax/ASTNodes.def"
};
enum class CompareOp {
#define TLX_COMPARE_OP(NAME, SPELLING) NAME,
#include "tlx/Syntax/ASTNodes.def"
};

/// How the source writes an operator.
llvm::StringRef spelling(BinaryOp op);
llvm::StringRef spelling(UnaryOp op);
llvm::StringRef spelling(CompareOp op);

} // namespace tlx::ast

#endif
