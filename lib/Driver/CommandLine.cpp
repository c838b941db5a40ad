// argv to a command. CLI11 and its exceptions are known here and nowhere else.
#include "CommandLine.h"

#include "OptionValues.h"
#include "tlx/Compiler/Compiler.h"
#include "tlx/Driver/Driver.h"
#include <CLI/CLI.hpp>

using namespace tlx;

namespace {

/// Values as they were typed.
struct Typed {
  std::vector<std::string> targets, defines, emit, warnings;
  std::string diagnostics = "text", list;
  std::string stopAfter, cluster, config, explain;
  std::optional<int> numWarps;
};

} // namespace

/// Says what an option takes, before CLI11 gives up on the text.
template <typename Number> static CLI::Validator wholeNumber() {
  auto check = [](const std::string &typed) -> std::string {
    Number number;
    if (!llvm::StringRef(typed).getAsInteger(10, number))
      return {};
    return "`" + typed + "` is not a whole number" + (std::is_signed_v<Number> ? "" : " from 0") +
           (llvm::StringRef(typed).trim("0123456789-").empty() ? " in the range of the option" : "");
  };
  return CLI::Validator(check, "");
}

static void declareCompile(CLI::App &app, CompileCommand &command, Typed &typed) {
  app.add_option("FILE", command.input, "kernel source: .tlx, .py, .mlir of the tlx dialect, or - for standard input");
  app.add_option("--target", typed.targets, "comma-separated targets: " + archNames())
      ->delimiter(',')
      ->type_name("NAME");
  app.add_option("-k,--kernel", command.kernel.kernel, "kernel to compile; may be left out when the file has one")
      ->type_name("NAME");
  app.add_option("-D,--define", typed.defines, "value of a tl.constexpr parameter")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--signature", command.kernel.signature, "types of the other parameters: \"a_ptr=*fp16:16, M=i32\"")
      ->type_name("LIST");
  app.add_option("-I", command.searchPath, "folder in which imported modules are looked for, after the file's own")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--num-warps", typed.numWarps, "warps of the kernel, or of its default task")
      ->check(wholeNumber<int>())
      ->type_name("N");
  app.add_option("--cluster", typed.cluster, "blocks of a cluster")->type_name("X,Y,Z");
  app.add_option("--config", typed.config, "which triton.Config of the kernel to take, from 0, or all")
      ->type_name("N|all");
  app.add_option("--variant", command.variant, "name of this variant, in file names and manifest")->type_name("NAME");
  app.add_option("-o,--output", command.output, "folder for what is written, or - for standard output (one text)")
      ->type_name("DIR");
  app.add_option("--emit", typed.emit,
                 "what to write instead of image and manifest, or with a leading + besides them: " + artifactNames())
      ->delimiter(',')
      ->type_name("KIND");
  app.add_option("--stop-after", typed.stopAfter, "stop at a gate and write its text: " + stageNames())
      ->type_name("GATE");
  app.add_flag("--lineinfo", command.lineInfo, "keep the table from instructions to source lines in the image");
  app.add_flag("--no-hidden-maps", command.noHiddenMaps,
               "let threads do all loads through pointers: no tensor maps that the launcher makes from them");
  app.add_option("-W", typed.warnings, warningNames())->type_name("[no-]KIND|error")->allow_extra_args(false);
  app.add_option("--diagnostics", typed.diagnostics, "how to print diagnostics")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  app.add_flag("--time", command.times, "print how long each step took, on standard error");
  app.add_option("--explain", typed.explain, "print the rule behind a kind of diagnostic")->type_name("KIND");
  app.add_option("--list-builtins", typed.list, "print the functions that kernels can call")
      ->check(CLI::IsMember({"markdown", "json"}))
      ->type_name("markdown|json");
}

/// Turns what was typed into a command, or says what is wrong with it.
static std::optional<std::string> interpret(const Typed &typed, CompileCommand &command) {
  if (command.input.empty())
    return "name a file to compile";
  std::optional<std::string> problem;
  auto check = [&](std::optional<std::string> found) {
    if (!problem)
      problem = std::move(found);
  };
  check(readStopAfter(typed.stopAfter, command.stopAfter));
  check(readEmit(typed.emit, command.stopAfter, command.artifacts));
  check(readTargets(typed.targets, command.targets));
  if (!problem)
    check(checkEmit(typed.emit, command.targets, command.artifacts));
  check(readDefines(typed.defines, command.kernel.defines));
  check(readCluster(typed.cluster, command.kernel.cluster));
  check(readConfig(typed.config, command.kernel.config, command.allConfigs));
  check(checkVariant(command.variant));
  check(readWarnings(typed.warnings, command.warnings));
  command.jsonDiagnostics = typed.diagnostics == "json";
  check(readNumWarps(typed.numWarps, command.kernel.numWarps));
  if (!problem && command.targets.empty() && command.stopAfter > Stage::Parsed)
    problem = "name a target, for example --target=sm_90a (known: " + archNames() + ")";
  if (!problem && command.output == "-" &&
      (command.artifacts.size() != 1 || command.targets.size() > 1 || command.allConfigs))
    problem = "`-o -` writes one text; name it with `--emit`, for one target and variant";
  return problem;
}

static int refuse(const std::string &message) {
  llvm::errs() << "tlxc: error: " << message << "\ntlxc: `tlxc --help` lists the options\n";
  return static_cast<int>(ExitCode::CommandLine);
}

/// Runs CLI11 over the arguments; nothing when they were fine.
static std::optional<Answered> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success &success) {
    // --help or --version.
    return Answered{app.exit(success)};
  } catch (const CLI::Error &error) {
    return Answered{refuse(error.what())};
  }
}

static Command parseCompile(int argc, char **argv) {
  CLI::App app("tlxc compiles TLX kernels ahead of time.\n\n"
               "  tlxc FILE --target=NAME [options]   compile\n"
               "  tlxc inspect MANIFEST               print what a manifest says\n"
               "  tlxc sim LAUNCH.json [options]      run on the CPU and look for races and deadlocks\n"
               "  tlxc lsp                            serve an editor (docs/editors.md)\n",
               "tlxc");
  app.set_version_flag("--version", "tlxc " + compilerVersion().str());
  CompileCommand command;
  Typed typed;
  declareCompile(app, command, typed);
  if (std::optional<Answered> answered = parse(app, argc, argv))
    return *answered;
  if (!typed.explain.empty())
    return ExplainCommand{typed.explain};
  if (!typed.list.empty())
    return ListCommand{typed.list};
  if (std::optional<std::string> problem = interpret(typed, command))
    return Answered{refuse(*problem)};
  return command;
}

static Command parseInspect(int argc, char **argv) {
  CLI::App app("Prints what the manifest of an image says.", "tlxc inspect");
  InspectCommand command;
  app.add_option("MANIFEST", command.manifest, "the .json file beside the image")->required();
  if (std::optional<Answered> answered = parse(app, argc, argv))
    return *answered;
  return command;
}

static Command parseSim(int argc, char **argv) {
  CLI::App app(
      "Runs a launch file in the emulator, checks what it expects, and reports races, deadlocks and invalid accesses.",
      "tlxc sim");
  SimCommand command;
  std::string report = "text";
  bool noRaces = false;
  app.add_option("LAUNCH", command.launchFile, "the launch file, .json")->required();
  app.add_option("--seed", command.seed, "seed of the scheduler: the same seed, the same run")
      ->check(wholeNumber<uint64_t>())
      ->type_name("N");
  app.add_option("--seeds", command.seeds, "how many seeds to run, from --seed on")
      ->check(wholeNumber<uint64_t>())
      ->type_name("COUNT");
  app.add_option("--report", report, "how to report")->check(CLI::IsMember({"text", "json"}))->type_name("text|json");
  app.add_option("--trace", command.traceFile, "write the timeline of the first seed, for Perfetto")->type_name("FILE");
  app.add_flag("--no-races", noRaces, "look for no races: faster");
  if (std::optional<Answered> answered = parse(app, argc, argv))
    return *answered;
  if (command.seeds == 0)
    return Answered{refuse("`--seeds 0` runs nothing")};
  command.json = report == "json";
  command.races = !noRaces;
  return command;
}

Command tlx::parseCommandLine(int argc, char **argv) {
  llvm::StringRef first = argc > 1 ? argv[1] : "";
  if (first == "inspect")
    return parseInspect(argc - 1, argv + 1);
  if (first == "sim")
    return parseSim(argc - 1, argv + 1);
  if (first == "lsp")
    return LanguageServerCommand();
  if (first == "compile")
    return parseCompile(argc - 1, argv + 1);
  return parseCompile(argc, argv);
}
