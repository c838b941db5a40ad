// Writes output files so that a reader sees the old one or the whole new one, never a part.
#ifndef TLX_SUPPORT_ATOMICFILE_H
#define TLX_SUPPORT_ATOMICFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tlx {

/// Writes `contents` to a temporary file beside `path` and renames it. On failure nothing is left behind.
[[nodiscard]] llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef contents);

} // namespace tlx

#endif
