// Writing what a compile made.
#ifndef TLX_LIB_DRIVER_OUTPUTS_H
#define TLX_LIB_DRIVER_OUTPUTS_H

#include "CommandLine.h"
#include "tlx/Compiler/Compiler.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tlx {

/// "kernel.variant" or "kernel": the names of what all targets share.
std::string packageStem(const CompileResult &result);

/// Writes files for one command and remembers them for the dependency file.
class Outputs {
public:
  explicit Outputs(const CompileCommand &command) : command(command) {}

  /// Writes those artifacts of one result that the command asks for.
  [[nodiscard]] llvm::Error write(const CompileResult &result);
  /// Writes header and object for all targets of one variant.
  [[nodiscard]] llvm::Error writePackage(llvm::ArrayRef<CompileResult> results);
  /// Writes the Make rule that says on which files everything written depends.
  [[nodiscard]] llvm::Error writeDependencies(llvm::StringRef stem, const SourceManager &files);

private:
  [[nodiscard]] llvm::Error writeText(llvm::StringRef fileName, llvm::StringRef contents);
  bool isWanted(Artifact artifact) const;
  std::string pathOf(llvm::StringRef fileName) const;

  const CompileCommand &command;
  std::vector<std::string> written;
};

} // namespace tlx

#endif
