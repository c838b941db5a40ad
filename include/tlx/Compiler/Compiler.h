// The whole chain: source text to image and manifest. The only room that knows all steps.
#ifndef TLX_COMPILER_COMPILER_H
#define TLX_COMPILER_COMPILER_H

#include "mlir/IR/DialectRegistry.h"
#include "tlx/Compiler/Options.h"
#include "tlx/Manifest/Manifest.h"
#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"
#include "tlx/Syntax/Context.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tlx {

/// A source file, parsed: many kernels, variants and targets are compiled from one.
struct Input {
  FileId file = noFile;
  /// Null for a file in the tlx dialect.
  const ast::Module *syntax = nullptr;
  bool isMLIR() const { return syntax == nullptr; }
};

enum class CompileStatus {
  Done,
  /// The sink holds at least one error.
  InputError,
  /// A program or file that the compile needs is missing or failed; `failure` says which.
  ToolFailure,
  /// Our own bug; `failure` says what to report.
  InternalError,
};

struct CompileResult {
  CompileStatus status = CompileStatus::Done;
  std::string failure;
  std::string kernel;
  std::string variant;
  /// The target compiled for: the one asked for, or its accelerated form.
  const Arch *arch = nullptr;
  /// Texts and images that exist, those asked for and those that they needed.
  std::map<Artifact, std::string> artifacts;
  rt::Manifest manifest;
  /// Milliseconds that each step took, by the gate that it ends at.
  std::vector<std::pair<const char *, double>> times;

  bool ok() const { return status == CompileStatus::Done; }
  /// "kernel.variant.target" or "kernel.target".
  std::string stem() const;
  /// The file name of one of its artifacts, without a folder.
  std::string fileName(Artifact artifact) const;
};

/// Parses a file that `files` holds, and what it imports from its folder and from `searchPath`. Mistakes go to the
/// sink.
Input parseInput(SourceManager &files, FileId file, ast::Context &context, diag::Sink &sink,
                 const std::vector<std::string> &searchPath = {});

/// Compiles one kernel for one target. Mistakes of the user go to the sink, with their places.
CompileResult compile(const Input &input, const CompileOptions &options, const SourceManager &files, diag::Sink &sink);

/// Every dialect and translation that a compile or tlx-opt may meet.
void registerDialects(mlir::DialectRegistry &registry);

/// Version of tlxc itself.
llvm::StringRef compilerVersion();

} // namespace tlx

#endif
