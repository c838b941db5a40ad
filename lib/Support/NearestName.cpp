#include "tlx/Support/NearestName.h"
#include <algorithm>

using namespace tlx;

std::optional<llvm::StringRef> tlx::nearestName(llvm::StringRef misspelt, llvm::ArrayRef<llvm::StringRef> candidates) {
  // A misspelling of one or two letters is near to everything: saying nothing is better.
  unsigned limit = static_cast<unsigned>(misspelt.size() / 3);
  unsigned best = limit + 1;
  std::optional<llvm::StringRef> nearest;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = misspelt.edit_distance(candidate, /*AllowReplacements=*/true, /*MaxEditDistance=*/limit);
    if (distance >= best)
      continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}
