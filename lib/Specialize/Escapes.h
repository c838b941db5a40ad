// `return`, `break` and `continue` on paths that are chosen at run time. They become names like any other, which
// branches and loops merge and carry: a flag for each kind of escape, absent where it did not happen. Python's keywords
// serve as names, since no variable can have them.
#ifndef TLX_SPECIALIZE_ESCAPES_H
#define TLX_SPECIALIZE_ESCAPES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tlx::specialize::escapes {

inline constexpr llvm::StringLiteral returned = "return", broken = "break", continued = "continue";
/// The loop that has just ended was left by `break`, so that its `else` is not run.
inline constexpr llvm::StringLiteral skipsElse = "else";
inline constexpr llvm::StringLiteral all[] = {returned, broken, continued, skipsElse};
/// What `return` gives.
inline constexpr llvm::StringLiteral value = "return value";

inline bool isFlag(llvm::StringRef name) {
  return name == returned || name == broken || name == continued || name == skipsElse;
}

} // namespace tlx::specialize::escapes

#endif
