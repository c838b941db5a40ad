// Runs LLVM code that may end the process ("Cannot select", assertion, crash) so that the process lives on and can say
// what happened.
#ifndef TLX_LIB_TARGET_GUARDED_H
#define TLX_LIB_TARGET_GUARDED_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"

namespace tlx {

/// Runs `body`. When LLVM stops in it, the rest of `body` is not executed, what it owned is leaked, and the error gives
/// LLVM's reason; an error that LLVM reports to `context` (too much shared memory, say) and goes on after is one, too.
/// LLVM's handler is one for the process, so only one thread may be in here at a time.
[[nodiscard]] llvm::Error runGuarded(llvm::StringRef activity, llvm::LLVMContext &context,
                                     llvm::function_ref<void()> body);

} // namespace tlx

#endif
