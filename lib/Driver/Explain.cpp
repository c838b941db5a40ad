// tlxc --explain KIND: the rule behind a diagnostic or a finding of the emulator.
#include "Commands.h"

#include "tlx/Support/Examples.h"
#include "tlx/Support/NearestName.h"

using namespace tlx;

namespace {
struct Explanation {
  llvm::StringRef kind, rule;
  diag::Example example;
};
} // namespace

static std::vector<Explanation> explanations() {
  std::vector<Explanation> all;
  for (diag::Kind kind : diag::allKinds())
    all.push_back({diag::spelling(kind), diag::rule(kind), diag::exampleOf(kind)});
#define TLX_FINDING(NAME, SPELLING, RULE, WRONG, RIGHT) all.push_back({SPELLING, RULE, {WRONG, RIGHT}});
#include "tlx/Emulator/Findings.def"
  return all;
}

static void printExample(llvm::StringRef heading, llvm::StringRef text) {
  if (text.empty())
    return;
  llvm::outs() << "\n" << heading << "\n";
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines)
    llvm::outs() << "    " << line << "\n";
}

ExitCode tlx::runExplain(const ExplainCommand &command) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Explanation &explanation : explanations()) {
    names.push_back(explanation.kind);
    if (explanation.kind != command.kind)
      continue;
    llvm::outs() << command.kind << ": " << explanation.rule << "\n";
    printExample("for example:", explanation.example.wrong);
    printExample("better:", explanation.example.right);
    return ExitCode::Done;
  }
  llvm::errs() << "tlxc: error: there is no kind of diagnostic called `" << command.kind << "`";
  if (std::optional<llvm::StringRef> near = nearestName(command.kind, names))
    llvm::errs() << "; did you mean `" << *near << "`?";
  llvm::errs() << "\n";
  return ExitCode::CommandLine;
}
