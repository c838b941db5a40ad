#include "tlx/Source/DiagnosticPrinter.h"
#include <algorithm>

using namespace tlx;
using namespace tlx::diag;

static llvm::StringRef word(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  }
  return "error";
}

/// A byte that continues a UTF-8 character takes no column of its own on the screen.
static bool continuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The source line with a caret under where the range begins and tildes to its end or the end of the line.
static void printExcerpt(SourceRange range, const SourceFile &file, llvm::raw_ostream &stream) {
  LineAndColumn at = file.lineAndColumn(range.begin);
  llvm::StringRef line = file.line(at.line);
  stream << "  " << line << "\n  ";
  size_t begin = std::min<size_t>(at.column - 1, line.size());
  for (char c : line.take_front(begin))
    if (!continuesCharacter(c))
      // A tab is repeated, so that the caret stands right however wide the terminal makes it.
      stream << (c == '\t' ? '\t' : ' ');
  stream << '^';
  size_t end = std::min<size_t>(begin + (range.end - range.begin), line.size());
  for (size_t i = begin + 1; i < end; ++i)
    if (!continuesCharacter(line[i]))
      stream << '~';
  stream << '\n';
}

static void printOne(SourceRange range, llvm::StringRef label, const llvm::Twine &message, const SourceManager &files,
                     llvm::raw_ostream &stream) {
  if (range.isKnown())
    stream << files.describe(range) << ": ";
  else
    stream << "tlxc: ";
  stream << label << ": " << message << '\n';
  if (range.isKnown())
    printExcerpt(range, files.file(range.file), stream);
}

void diag::print(const Diagnostic &diagnostic, const SourceManager &files, llvm::raw_ostream &stream) {
  printOne(diagnostic.range, diagnostic.isPromoted ? "error" : word(severityOf(diagnostic.kind)),
           llvm::Twine(diagnostic.message) + (diagnostic.isPromoted ? " [-Werror," : " [") + spelling(diagnostic.kind) +
               "]",
           files, stream);
  if (!diagnostic.fixIt.empty())
    printOne(diagnostic.range, "note", "write `" + llvm::Twine(diagnostic.fixIt) + "` here", files, stream);
  for (const Note &note : diagnostic.notes)
    printOne(note.range, "note", note.message, files, stream);
}

void diag::print(const Sink &sink, const SourceManager &files, llvm::raw_ostream &stream) {
  for (const Diagnostic &diagnostic : sink.diagnostics())
    print(diagnostic, files, stream);
}
