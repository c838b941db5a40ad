// tlxc FILE …: every variant for every target. All are compiled before the first file is written: a list with a target
// that the kernel cannot have leaves nothing behind.
#include "Commands.h"
#include "Outputs.h"
#include "tlx/Compiler/Compiler.h"
#include "tlx/Driver/Driver.h"
#include "tlx/Source/DiagnosticJSON.h"
#include "tlx/Source/DiagnosticPrinter.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <set>
#include <tuple>

using namespace tlx;

static ExitCode reportBug(const CompileCommand &command, const std::string &what) {
  llvm::errs() << "tlxc: internal error: " << what << "\ntlxc: this is a bug of tlxc " << compilerVersion()
               << ", not of your kernel; please report it with the command line and " << command.input << "\n";
  return ExitCode::InternalError;
}

namespace {

class CompileRun {
public:
  explicit CompileRun(const CompileCommand &command) : command(command), outputs(command) {}
  ExitCode run();

private:
  ExitCode runInput(FileId file);
  void compileVariant(const Input &input, const specialize::SpecializeOptions &kernel, const std::string &variant);
  ExitCode writeAll();
  void judge(const CompileResult &result);
  ExitCode report(llvm::Error error);
  std::optional<unsigned> configCount(const Input &input);
  void printDiagnostics() const;

  const CompileCommand &command;
  Outputs outputs;
  SourceManager files;
  ast::Context syntax;
  diag::Sink sink;
  /// For each variant, its targets.
  std::vector<std::vector<CompileResult>> variants;
  /// The worst that a compile came to.
  ExitCode worst = ExitCode::Done;
  /// What was printed of tools that fail: once for all targets.
  std::set<std::string> printedFailures;
};

} // namespace

ExitCode CompileRun::report(llvm::Error error) {
  if (!error)
    return ExitCode::Done;
  llvm::errs() << "tlxc: error: " << llvm::toString(std::move(error)) << "\n";
  return ExitCode::ToolFailure;
}

static void printTime(llvm::StringRef step, double milliseconds) {
  llvm::errs() << "tlxc: time: " << step << " " << llvm::format("%.1f", milliseconds) << " ms\n";
}

static CompileOptions optionsOf(const CompileCommand &command, const Arch *target) {
  CompileOptions options;
  options.arch = target;
  options.artifacts = target ? command.artifacts.madeFor(*target) : command.artifacts;
  options.stopAfter = command.stopAfter;
  options.lineInfo = command.lineInfo;
  options.mapsPointers = !command.noHiddenMaps;
  options.outputFolder = command.output == "-" ? "." : command.output;
  // A package is made of images and manifests; a manifest names the module that the emulator executes.
  bool packs = command.artifacts.contains(Artifact::Header) || command.artifacts.contains(Artifact::Object);
  if (packs && target) {
    options.artifacts.insert(imageOf(*target));
    options.artifacts.insert(Artifact::Manifest);
  }
  if (command.artifacts.contains(Artifact::Manifest))
    options.artifacts.insert(Artifact::LLVMDialect);
  return options;
}

void CompileRun::judge(const CompileResult &result) {
  ExitCode code = ExitCode::Done;
  switch (result.status) {
  case CompileStatus::Done:
    break;
  case CompileStatus::InputError:
    code = ExitCode::InputError;
    break;
  case CompileStatus::ToolFailure:
    if (printedFailures.insert(result.failure).second)
      llvm::errs() << "tlxc: error: " << result.failure << "\n";
    code = ExitCode::ToolFailure;
    break;
  case CompileStatus::InternalError:
    code = reportBug(command, result.failure);
    break;
  }
  worst = std::max(worst, code);
}

void CompileRun::compileVariant(const Input &input, const specialize::SpecializeOptions &kernel,
                                const std::string &variant) {
  std::vector<const Arch *> targets = command.targets;
  if (targets.empty())
    targets.push_back(nullptr);
  std::vector<CompileResult> &results = variants.emplace_back();
  for (const Arch *target : targets) {
    CompileOptions options = optionsOf(command, target);
    options.kernel = kernel;
    options.variant = variant;
    // An error for one target must not stop the next: all that is wrong is said in one run.
    diag::Sink found;
    found.setPolicy(command.warnings);
    results.push_back(compile(input, options, files, found));
    for (auto [step, milliseconds] : results.back().times)
      if (command.times)
        printTime(step, milliseconds);
    for (const diag::Diagnostic &diagnostic : found.diagnostics())
      sink.report(diagnostic);
    if (found.hasPromoted())
      worst = std::max(worst, ExitCode::InputError);
    judge(results.back());
  }
}

ExitCode CompileRun::writeAll() {
  if (worst == ExitCode::InputError)
    return worst;
  // Written even after a tool failed: what exists helps to understand it.
  for (const std::vector<CompileResult> &results : variants)
    for (const CompileResult &result : results)
      if (ExitCode code = report(outputs.write(result)); code != ExitCode::Done)
        return code;
  if (worst != ExitCode::Done || command.stopAfter != Stage::Finished)
    return worst;
  for (const std::vector<CompileResult> &results : variants)
    if (ExitCode code = report(outputs.writePackage(results)); code != ExitCode::Done)
      return code;
  return ExitCode::Done;
}

std::optional<unsigned> CompileRun::configCount(const Input &input) {
  if (input.isMLIR())
    return std::nullopt;
  for (const specialize::KernelInfo &info : specialize::findKernels(*input.syntax))
    if (command.kernel.kernel.empty() || info.name == command.kernel.kernel)
      return info.configs;
  return std::nullopt;
}

ExitCode CompileRun::runInput(FileId file) {
  auto begin = std::chrono::steady_clock::now();
  Input input = parseInput(files, file, syntax, sink, command.searchPath);
  std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  if (command.times)
    printTime("parsed", taken.count());
  if (sink.hasErrors())
    return ExitCode::InputError;
  if (!command.allConfigs) {
    compileVariant(input, command.kernel, command.variant);
    return writeAll();
  }
  std::optional<unsigned> count = configCount(input);
  if (!count || *count == 0) {
    llvm::errs() << "tlxc: error: `--config all` needs a kernel with a list of triton.Config\n";
    return ExitCode::CommandLine;
  }
  for (unsigned index = 0; index < *count; ++index) {
    specialize::SpecializeOptions kernel = command.kernel;
    kernel.config = index;
    std::string variant = (command.variant.empty() ? "c" : command.variant + "-c") + std::to_string(index);
    compileVariant(input, kernel, variant);
  }
  return writeAll();
}

/// Variants and targets of one source say the same thing once.
void CompileRun::printDiagnostics() const {
  std::set<std::tuple<FileId, uint32_t, std::string>> seen;
  std::vector<const diag::Diagnostic *> printed;
  for (const diag::Diagnostic &diagnostic : sink.diagnostics())
    if (seen.insert({diagnostic.range.file, diagnostic.range.begin, diagnostic.message}).second)
      printed.push_back(&diagnostic);
  if (command.jsonDiagnostics)
    return diag::printJSON(printed, files, llvm::errs());
  for (const diag::Diagnostic *diagnostic : printed)
    diag::print(*diagnostic, files, llvm::errs());
}

ExitCode CompileRun::run() {
  sink.setPolicy(command.warnings);
  llvm::Expected<FileId> file = files.open(command.input);
  if (!file)
    return report(file.takeError());
  ExitCode code = runInput(*file);
  printDiagnostics();
  if (code == ExitCode::Done && command.artifacts.contains(Artifact::Deps))
    code = report(outputs.writeDependencies(packageStem(variants.back().front()), files));
  return code;
}

/// A crash is an internal error like any other: the user learns whose fault it is, and a build system gets code 70.
ExitCode tlx::runCompile(const CompileCommand &command) {
  ExitCode code = ExitCode::InternalError;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafely([&] { code = CompileRun(command).run(); }))
    code = reportBug(command, "the compiler stopped with signal " + std::to_string(recovery.RetCode - 128));
  llvm::CrashRecoveryContext::Disable();
  return code;
}
