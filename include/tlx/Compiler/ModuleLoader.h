// A source file with the modules that it imports.
#ifndef TLX_COMPILER_MODULELOADER_H
#define TLX_COMPILER_MODULELOADER_H

#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"
#include "tlx/Syntax/AST.h"
#include "tlx/Syntax/Context.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace tlx {

/// Parses a file and, as far as they are found, the modules that it imports, each once. An import that is not found is
/// the host's business until a kernel uses it.
class ModuleLoader {
public:
  /// `searchPath` is asked after the folder of the importing file.
  ModuleLoader(SourceManager &files, ast::Context &context, diag::Sink &sink, std::vector<std::string> searchPath)
      : files(files), context(context), sink(sink), searchPath(std::move(searchPath)) {}

  const ast::Module *load(FileId file);

private:
  void link(ast::Module &module);
  const ast::Module *import(const ast::Module &from, unsigned level, llvm::StringRef path);
  const ast::Module *open(llvm::StringRef path);

  SourceManager &files;
  ast::Context &context;
  diag::Sink &sink;
  std::vector<std::string> searchPath;
  /// By path without links; null for a file that cannot be read.
  llvm::StringMap<const ast::Module *> loaded;
};

} // namespace tlx

#endif
