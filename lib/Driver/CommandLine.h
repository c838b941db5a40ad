// What the user asked tlxc for.
#ifndef TLX_LIB_DRIVER_COMMANDLINE_H
#define TLX_LIB_DRIVER_COMMANDLINE_H

#include "tlx/Compiler/Options.h"
#include "tlx/Support/Diagnostics.h"
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
  /// Where imported modules are looked for, after the folder of the importing file.
  std::vector<std::string> searchPath;
  diag::WarningPolicy warnings;
  /// Print diagnostics as JSON.
  bool jsonDiagnostics = false;
  /// Print how long each step took.
  bool times = false;
  /// Folder, or "-" for standard output.
  std::string output = ".";
  ArtifactSet artifacts;
  Stage stopAfter = Stage::Finished;
  bool lineInfo = false;
  bool noHiddenMaps = false;
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

/// `--list-builtins`: the table of functions, as markdown or JSON.
struct ListCommand {
  std::string form;
};

/// `tlxc lsp`: serves an editor until it hangs up.
struct LanguageServerCommand {};

/// The command line was answered already (`--help`, `--version`) or refused; the exit code says which.
struct Answered {
  int exitCode;
};

using Command = std::variant<Answered, CompileCommand, InspectCommand, SimCommand, ExplainCommand, ListCommand,
                             LanguageServerCommand>;

/// Prints help to standard output and refusals to standard error itself.
Command parseCommandLine(int argc, char **argv);

} // namespace tlx

#endif
