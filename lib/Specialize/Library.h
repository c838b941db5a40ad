// Functions of the language that are written in the language itself: the text of Library.tlx, parsed.
#ifndef TLX_SPECIALIZE_LIBRARY_H
#define TLX_SPECIALIZE_LIBRARY_H

#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"
#include "tlx/Syntax/AST.h"
#include "tlx/Syntax/Context.h"

namespace tlx::specialize {

class Library {
public:
  explicit Library(diag::Sink &sink);
  const ast::Module &module() const { return *parsed; }

private:
  SourceFile file;
  ast::Context context;
  const ast::Module *parsed;
};

/// The text of Library.tlx, put into the program by the build.
llvm::StringRef libraryText();

} // namespace tlx::specialize

#endif
