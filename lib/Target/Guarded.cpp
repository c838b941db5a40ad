// Crash recovery around the code generator.
#include "Guarded.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <string>

using namespace tlx;

// abort() raises the signal that the recovery context catches; returning would make LLVM call exit().
static void recordReason(void *reason, const char *text, bool) {
  *static_cast<std::string *>(reason) = text;
  std::abort();
}

llvm::Error tlx::runGuarded(llvm::StringRef activity, llvm::function_ref<void()> body) {
  std::string reason;
  // Inside another recovery the handlers stand already, and must stay after us.
  bool outermost = llvm::CrashRecoveryContext::GetCurrent() == nullptr;
  if (outermost)
    llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  bool finished;
  {
    llvm::ScopedFatalErrorHandler handler(recordReason, &reason);
    finished = context.RunSafely(body);
  }
  if (outermost)
    llvm::CrashRecoveryContext::Disable();
  if (finished)
    return llvm::Error::success();
  if (reason.empty())
    reason = "signal " + std::to_string(context.RetCode - 128);
  return llvm::createStringError("LLVM stopped during " + activity + ": " + reason);
}
