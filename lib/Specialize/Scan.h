// Looks through the expressions of statements without evaluating anything.
#ifndef TLX_SPECIALIZE_SCAN_H
#define TLX_SPECIALIZE_SCAN_H

#include "tlx/Syntax/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx::specialize {

using ExprVisitor = llvm::function_ref<void(const ast::Expr *)>;
using StmtVisitor = llvm::function_ref<void(const ast::Stmt *)>;

/// The expressions directly below one.
llvm::SmallVector<const ast::Expr *> childrenOf(const ast::Expr *expr);
/// The expressions directly in a statement, not in the statements inside it.
llvm::SmallVector<const ast::Expr *> expressionsOf(const ast::Stmt *statement);
/// Every expression of a block, outer ones first.
void forEachExpr(ast::Body body, ExprVisitor visit);
void forEachExpr(const ast::Expr *expr, ExprVisitor visit);
/// Every statement of a block, those inside others too.
void forEachStmt(ast::Body body, StmtVisitor visit);

/// The last name of what is called: `load` of `tl.load(...)`.
llvm::StringRef calleeName(const ast::Call *call);

} // namespace tlx::specialize

#endif
