// tlxc: from argv to exit code.
#include "CommandLine.h"
#include "Commands.h"

using namespace tlx;

namespace {
struct Runner {
  int operator()(const Answered &answered) const { return answered.exitCode; }
  int operator()(const CompileCommand &command) const { return static_cast<int>(runCompile(command)); }
  int operator()(const InspectCommand &command) const { return static_cast<int>(runInspect(command)); }
  int operator()(const SimCommand &command) const { return static_cast<int>(runSim(command)); }
  int operator()(const ExplainCommand &command) const { return static_cast<int>(runExplain(command)); }
  int operator()(const ListCommand &command) const { return static_cast<int>(runList(command)); }
  int operator()(const LanguageServerCommand &command) const { return static_cast<int>(runLanguageServer(command)); }
};
} // namespace

int tlx::runTlxc(int argc, char **argv) {
  return std::visit(Runner(), parseCommandLine(argc, argv));
}
