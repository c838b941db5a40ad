// Runs another program, without a shell, and brings back what it printed.
#ifndef TLX_SUPPORT_SUBPROCESS_H
#define TLX_SUPPORT_SUBPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tlx {

struct SubprocessResult {
  int exitCode = 0;
  std::string standardOutput;
  std::string standardError;
};

/// Runs `program` (a path, or a name to be found on PATH) with the arguments given, argv[0] excluded, and nothing on
/// standard input. Fails when the program cannot be found or started, is killed by a signal, or takes longer than
/// `timeLimitSeconds` (0: no limit). A non-zero exit code is a result, not a failure.
llvm::Expected<SubprocessResult> runSubprocess(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
                                               unsigned timeLimitSeconds = 0);

} // namespace tlx

#endif
