// What a block of statements assigns, seen without running it.
#ifndef TLX_SPECIALIZE_ASSIGNEDNAMES_H
#define TLX_SPECIALIZE_ASSIGNEDNAMES_H

#include "ConstEval.h"
#include "llvm/ADT/SetVector.h"

namespace tlx::specialize {

using NameSet = llvm::SetVector<llvm::StringRef>;

/// Names that the block may assign at run time. Branches that `lookup` shows to be dead are left out, and so are
/// compile-time bindings, loop targets and what tasks assign, since none of these outlives the block.
NameSet assignedNames(ast::Body body, NameLookup lookup);
/// Does the block contain a `return`?
bool containsReturn(ast::Body body);
/// `X: tl.constexpr = ...`
bool isConstexprAnnotation(const ast::Expr *annotation);

} // namespace tlx::specialize

#endif
