#include "tlx/Source/DiagnosticJSON.h"
#include "llvm/Support/JSON.h"

using namespace tlx;
using namespace tlx::diag;

static void writePlace(llvm::json::OStream &json, SourceRange range, const SourceManager &files) {
  if (!range.isKnown())
    return;
  const SourceFile &file = files.file(range.file);
  LineAndColumn begin = file.lineAndColumn(range.begin), end = file.lineAndColumn(range.end);
  json.attribute("file", llvm::json::fixUTF8(file.path()));
  json.attribute("line", begin.line);
  json.attribute("column", begin.column);
  json.attribute("endLine", end.line);
  json.attribute("endColumn", end.column);
}

static llvm::StringRef severityOf(const Diagnostic &diagnostic) {
  if (diagnostic.isPromoted)
    return "error";
  switch (diag::severityOf(diagnostic.kind)) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  }
  return "error";
}

static void writeOne(llvm::json::OStream &json, const Diagnostic &diagnostic, const SourceManager &files) {
  json.attribute("kind", spelling(diagnostic.kind));
  json.attribute("severity", ::severityOf(diagnostic));
  json.attribute("message", llvm::json::fixUTF8(diagnostic.message));
  writePlace(json, diagnostic.range, files);
  if (!diagnostic.fixIt.empty())
    json.attribute("fixIt", llvm::json::fixUTF8(diagnostic.fixIt));
  json.attributeArray("notes", [&] {
    for (const Note &note : diagnostic.notes)
      json.object([&] {
        json.attribute("message", llvm::json::fixUTF8(note.message));
        writePlace(json, note.range, files);
      });
  });
}

void diag::printJSON(llvm::ArrayRef<const Diagnostic *> diagnostics, const SourceManager &files,
                     llvm::raw_ostream &stream) {
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attributeArray("diagnostics", [&] {
      for (const Diagnostic *diagnostic : diagnostics)
        json.object([&] { writeOne(json, *diagnostic, files); });
    });
  });
  stream << '\n';
}
