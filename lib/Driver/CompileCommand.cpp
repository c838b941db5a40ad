// tlxc FILE …: every variant for every target.
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
  ExitCode runVariant(const Input &input, const specialize::SpecializeOptions &kernel, const std::string &variant);
  ExitCode judge(const CompileResult &result);
  ExitCode report(llvm::Error error);
  std::optional<unsigned> configCount(const Input &input);
  void printDiagnostics() const;

  const CompileCommand &command;
  Outputs outputs;
  SourceManager files;
  ast::Context syntax;
  diag::Sink sink;
  std::string stem;
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

static CompileOptions optionsOf(const CompileCommand &command) {
  CompileOptions options;
  options.artifacts = command.artifacts;
  options.stopAfter = command.stopAfter;
  options.lineInfo = command.lineInfo;
  options.outputFolder = command.output == "-" ? "." : command.output;
  // A package is made of images and manifests; a manifest names the module that the emulator executes.
  if (command.artifacts.contains(Artifact::Header) || command.artifacts.contains(Artifact::Object)) {
    options.artifacts.insert(Artifact::Cubin);
    options.artifacts.insert(Artifact::Manifest);
  }
  if (command.artifacts.contains(Artifact::Manifest))
    options.artifacts.insert(Artifact::LLVMDialect);
  return options;
}

ExitCode CompileRun::judge(const CompileResult &result) {
  switch (result.status) {
  case CompileStatus::Done:
    return ExitCode::Done;
  case CompileStatus::InputError:
    return ExitCode::InputError;
  case CompileStatus::ToolFailure:
    llvm::errs() << "tlxc: error: " << result.failure << "\n";
    return ExitCode::ToolFailure;
  case CompileStatus::InternalError:
    return reportBug(command, result.failure);
  }
  llvm_unreachable("all statuses are handled");
}

ExitCode CompileRun::runVariant(const Input &input, const specialize::SpecializeOptions &kernel,
                                const std::string &variant) {
  CompileOptions options = optionsOf(command);
  options.kernel = kernel;
  options.variant = variant;
  std::vector<CompileResult> results;
  std::vector<const Arch *> targets = command.targets;
  if (targets.empty())
    targets.push_back(nullptr);
  for (const Arch *target : targets) {
    options.arch = target;
    results.push_back(compile(input, options, files, sink));
    for (auto [step, milliseconds] : results.back().times)
      if (command.times)
        printTime(step, milliseconds);
    if (sink.hasPromoted())
      return ExitCode::InputError;
    // Written even after a failure: what exists helps to understand it.
    if (ExitCode code = report(outputs.write(results.back())); code != ExitCode::Done)
      return code;
    if (ExitCode code = judge(results.back()); code != ExitCode::Done)
      return code;
  }
  stem = variant.empty() ? results.front().kernel : results.front().kernel + "." + variant;
  if (command.stopAfter == Stage::Finished)
    return report(outputs.writePackage(results));
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
  if (!command.allConfigs)
    return runVariant(input, command.kernel, command.variant);
  std::optional<unsigned> count = configCount(input);
  if (!count || *count == 0) {
    llvm::errs() << "tlxc: error: `--config all` needs a kernel with a list of triton.Config\n";
    return ExitCode::CommandLine;
  }
  for (unsigned index = 0; index < *count; ++index) {
    specialize::SpecializeOptions kernel = command.kernel;
    kernel.config = index;
    std::string variant = (command.variant.empty() ? "c" : command.variant + "-c") + std::to_string(index);
    if (ExitCode code = runVariant(input, kernel, variant); code != ExitCode::Done)
      return code;
  }
  return ExitCode::Done;
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
    code = report(outputs.writeDependencies(stem, files));
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
