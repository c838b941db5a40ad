// One file that an editor has open: what is wrong with it, and what stands at a place.
#ifndef TLX_LIB_DRIVER_DOCUMENT_H
#define TLX_LIB_DRIVER_DOCUMENT_H

#include "tlx/Compiler/Compiler.h"
#include "tlx/Specialize/Language.h"
#include <optional>
#include <string>
#include <vector>

namespace tlx {

class Document {
public:
  /// Parses the text. Lines of the form `# tlxc: -D NAME=VALUE --signature "LIST" -I DIR` give what kernels need.
  Document(std::string path, std::string text);

  /// Compiles each kernel as far as possible without a target, and reports. What the command line would have to give is
  /// no mistake.
  llvm::ArrayRef<diag::Diagnostic> check();

  struct Completion {
    std::string label, detail, documentation;
  };
  std::vector<Completion> complete(uint32_t offset) const;
  /// Markdown, or nothing.
  std::optional<std::string> hover(uint32_t offset) const;
  std::optional<SourceRange> definition(uint32_t offset) const;

  const SourceFile &file() const { return files.file(input.file); }
  const SourceManager &sources() const { return files; }

private:
  void readOptions();
  void checkKernel(const std::string &name);
  llvm::StringRef wordAt(uint32_t offset) const;
  std::string fullName(llvm::StringRef word) const;
  const ast::FunctionDef *functionAround(uint32_t offset) const;
  std::optional<std::string> hoverBuffer(llvm::StringRef name, const ast::FunctionDef &function) const;

  SourceManager files;
  ast::Context context;
  diag::Sink sink;
  Input input;
  specialize::SpecializeOptions options;
  std::vector<std::string> searchPath;
  std::vector<diag::Diagnostic> reported;
};

} // namespace tlx

#endif
