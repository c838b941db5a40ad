// The "did you mean" of diagnostics.
#ifndef TLX_SUPPORT_NEARESTNAME_H
#define TLX_SUPPORT_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tlx {

/// The candidate with the least edit distance to `misspelt`, if that is at most a third of its length. Of equals the
/// first wins.
std::optional<llvm::StringRef> nearestName(llvm::StringRef misspelt, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tlx

#endif
