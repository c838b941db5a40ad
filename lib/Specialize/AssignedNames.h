// What a block of statements assigns, seen without running it.
#ifndef TLX_SPECIALIZE_ASSIGNEDNAMES_H
#define TLX_SPECIALIZE_ASSIGNEDNAMES_H

#include "ConstEval.h"
#include "Specializer.h"
#include "llvm/ADT/SetVector.h"

namespace tlx::specialize {

using NameSet = llvm::SetVector<llvm::StringRef>;

/// Names that the block may assign at run time. Branches that `lookup` shows to be dead are left out, and so are
/// compile-time bindings, loop targets and what tasks assign, since none of these outlives the block.
NameSet assignedNames(ast::Body body, NameLookup lookup);
/// The names that one statement may assign, whatever the branches.
NameSet assignedNames(const ast::Stmt *statement);
/// Which ways out of a loop its body may take, branches that `lookup` shows to be dead left out.
LoopExits exitsOf(ast::Body loopBody, NameLookup lookup);
/// `X: tl.constexpr = ...`
bool isConstexprAnnotation(const ast::Expr *annotation);

} // namespace tlx::specialize

#endif
