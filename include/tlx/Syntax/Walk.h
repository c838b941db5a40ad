// Going down a syntax tree without naming every kind of node.
#ifndef TLX_SYNTAX_WALK_H
#define TLX_SYNTAX_WALK_H

#include "tlx/Syntax/AST.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tlx::ast {

/// Calls `visit` with each direct child, in the order of the source. Children that are left out are not visited.
void forEachChild(const Expr &expr, llvm::function_ref<void(const Expr &)> visit);

} // namespace tlx::ast

#endif
