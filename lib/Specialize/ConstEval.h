// Expressions outside kernels' run time: defaults, annotations, configurations, module constants, and conditions that
// are looked at before a loop is built. Says nothing when an expression is not constant: the caller knows why it asked.
#ifndef TLX_SPECIALIZE_CONSTEVAL_H
#define TLX_SPECIALIZE_CONSTEVAL_H

#include "Datum.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tlx::specialize {

/// What a name is bound to; none when it is not a constant.
using NameLookup = llvm::function_ref<std::optional<Datum>(llvm::StringRef)>;

std::optional<Datum> evaluateConstant(const ast::Expr *expr, NameLookup lookup);

} // namespace tlx::specialize

#endif
