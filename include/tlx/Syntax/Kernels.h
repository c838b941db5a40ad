// Which functions of a module are device code.
#ifndef TLX_SYNTAX_KERNELS_H
#define TLX_SYNTAX_KERNELS_H

#include "tlx/Syntax/AST.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx::ast {

/// Whether a decorator is `jit`, `triton.jit`, `triton.jit(...)` or another whose last name ends in "jit".
bool marksJit(const Expr &decorator);

/// Whether one of its decorators marks the function as device code: a kernel, or what kernels call.
bool isJit(const FunctionDef &function);

/// The functions for which isJit holds, in the order of the source: those of the module itself, those inside its `if`,
/// `with` and `try` blocks, and those inside host functions. Methods of classes are not among them.
llvm::SmallVector<const FunctionDef *> jitFunctions(const Module &module);

} // namespace tlx::ast

#endif
