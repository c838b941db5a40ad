// What the user asked tlxc for.
#ifndef TLX_LIB_DRIVER_COMMANDLINE_H
#define TLX_LIB_DRIVER_COMMANDLINE_H

#include "tlx/Compiler/Options.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tlx {

struct CompileCommand {
  std::string input;
  std::vector<const Arch *> targets;
  /// All but the configuration, which is `config` or each one in turn.
  specialize::SpecializeOptions kernel;
  bool allConfigs = false;
  std::string variant;
  /// Folder, or "-" for standard output.
  std::string output = ".";
  ArtifactSet artifacts;
  Stage stopAfter = Stage::Finished;
  bool lineInfo = false;
};

struct InspectCommand {
  std::string manifest;
};

struct SimCommand {
  std::string launchFile;
  uint64_t seed = 0;
  unsigned seeds = 1;
  bool json = false;
  std::string traceFile;
  bool races = true;
};

struct ExplainCommand {
  std::string kind;
};

/// The command line was answered already (`--help`, `--version`) or refused; the exit code says which.
struct Answered {
  int exitCode;
};

using Command = std::variant<Answered, CompileCommand, InspectCommand, SimCommand, ExplainCommand>;

/// Prints help to standard output and refusals to standard error itself.
Command parseCommandLine(int argc, char **argv);

} // namespace tlx

#endif
