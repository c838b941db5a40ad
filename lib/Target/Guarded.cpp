// Crash recovery around the code generator.
#include "Guarded.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
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

namespace {
/// Keeps the first error that is reported to a context. LLVM's own handler prints it and ends the process.
class FirstError : public llvm::DiagnosticHandler {
public:
  explicit FirstError(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && text.empty()) {
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

private:
  std::string &text;
};
} // namespace

llvm::Error tlx::runGuarded(llvm::StringRef activity, llvm::LLVMContext &llvmContext, llvm::function_ref<void()> body) {
  std::string reason, reported;
  std::unique_ptr<llvm::DiagnosticHandler> before = llvmContext.getDiagnosticHandler();
  llvmContext.setDiagnosticHandler(std::make_unique<FirstError>(reported));
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
  llvmContext.setDiagnosticHandler(std::move(before));
  if (finished && reported.empty())
    return llvm::Error::success();
  if (!reported.empty())
    return llvm::createStringError("LLVM reported during " + activity + ": " + reported);
  if (reason.empty())
    reason = "signal " + std::to_string(context.RetCode - 128);
  return llvm::createStringError("LLVM stopped during " + activity + ": " + reason);
}
