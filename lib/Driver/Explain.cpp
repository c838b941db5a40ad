// tlxc --explain KIND: the rule behind a diagnostic.
#include "Commands.h"

#include "tlx/Support/Diagnostics.h"
#include "tlx/Support/NearestName.h"

using namespace tlx;

ExitCode tlx::runExplain(const ExplainCommand &command) {
  if (std::optional<diag::Kind> kind = diag::kindOfSpelling(command.kind)) {
    llvm::outs() << command.kind << ": " << diag::rule(*kind) << "\n";
    return ExitCode::Done;
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (diag::Kind kind : diag::allKinds())
    names.push_back(diag::spelling(kind));
  llvm::errs() << "tlxc: error: there is no kind of diagnostic called `" << command.kind << "`";
  if (std::optional<llvm::StringRef> near = nearestName(command.kind, names))
    llvm::errs() << "; did you mean `" << *near << "`?";
  llvm::errs() << "\n";
  return ExitCode::CommandLine;
}
