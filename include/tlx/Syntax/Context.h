// The arena that syntax trees live in. It must outlive every tree that was parsed into it.
#ifndef TLX_SYNTAX_CONTEXT_H
#define TLX_SYNTAX_CONTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <algorithm>
#include <type_traits>

namespace tlx::ast {

class Context {
public:
  /// A copy of `value` that lives as long as the context.
  template <typename T> T *make(const T &value) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return new (arena.Allocate<T>()) T(value);
  }
  /// A copy of a list.
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return list.copy(arena);
  }
  /// A copy of text.
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(arena); }

private:
  llvm::BumpPtrAllocator arena;
};

} // namespace tlx::ast

#endif
