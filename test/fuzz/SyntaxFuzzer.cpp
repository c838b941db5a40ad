// Any bytes at all give a tree or diagnostics, and never a crash: parsed as a kernel file and as host code, dumped, and
// every diagnostic printed.
#include "tlx/Source/DiagnosticPrinter.h"
#include "tlx/Syntax/Dump.h"
#include "tlx/Syntax/Parser.h"
#include <cstdlib>

using namespace tlx;

/// Ranges lie within the file, and a note lies in the same one.
static void checkRange(SourceRange range, const SourceFile &file) {
  if (range.file != file.id() || range.begin > range.end || range.end > file.text().size())
    std::abort();
}

static void parseAs(llvm::StringRef path, llvm::StringRef text) {
  SourceManager files;
  FileId id = files.add(path.str(), text.str());
  ast::Context context;
  diag::Sink sink;
  const ast::Module *module = ast::parse(files.file(id), context, sink);
  for (const diag::Diagnostic &diagnostic : sink.diagnostics()) {
    checkRange(diagnostic.range, files.file(id));
    for (const diag::Note &note : diagnostic.notes)
      checkRange(note.range, files.file(id));
  }
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  ast::dump(*module, stream);
  diag::print(sink, files, stream);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  parseAs("fuzz.tlx", text);
  parseAs("fuzz.py", text);
  return 0;
}
