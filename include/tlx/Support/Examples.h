// An example for each kind of diagnostic.
#ifndef TLX_SUPPORT_EXAMPLES_H
#define TLX_SUPPORT_EXAMPLES_H

#include "tlx/Support/Diagnostics.h"

namespace tlx::diag {

struct Example {
  /// What provokes the diagnostic; empty when the table has none.
  llvm::StringRef wrong;
  /// What to write instead; empty where the source needs no repair.
  llvm::StringRef right;
};

Example exampleOf(Kind kind);

} // namespace tlx::diag

#endif
