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

/// What is shown of a line that no screen holds: a part around the place, with room in front of it.
static constexpr size_t widestLine = 160, roomInFront = 60;

namespace {
/// The part of a line that is shown, in bytes.
struct Window {
  size_t begin, end;
};
} // namespace

/// The byte where the character begins that is `count` characters from `at`, at most at the ends of the line.
static size_t stepCharacters(llvm::StringRef line, size_t at, int64_t count) {
  for (; count > 0 && at < line.size(); --count)
    for (++at; at < line.size() && continuesCharacter(line[at]);)
      ++at;
  for (; count < 0 && at > 0; ++count)
    for (--at; at > 0 && continuesCharacter(line[at]);)
      --at;
  return at;
}

static Window windowOf(llvm::StringRef line, size_t place) {
  if (stepCharacters(line, 0, widestLine) == line.size())
    return {0, line.size()};
  size_t begin = stepCharacters(line, place, -static_cast<int64_t>(roomInFront));
  size_t end = stepCharacters(line, begin, widestLine);
  // Near the end of the line the room behind it goes to the front.
  return {end == line.size() ? stepCharacters(line, end, -static_cast<int64_t>(widestLine)) : begin, end};
}

/// The source line with a caret under where the range begins and tildes to its end or the end of the line. Dots stand
/// for what is left out of a long line.
static void printExcerpt(SourceRange range, const SourceFile &file, llvm::raw_ostream &stream) {
  LineAndColumn at = file.lineAndColumn(range.begin);
  llvm::StringRef line = file.line(at.line);
  size_t begin = std::min<size_t>(at.column - 1, line.size());
  Window window = windowOf(line, begin);
  llvm::StringRef front = window.begin > 0 ? "..." : "", back = window.end < line.size() ? "..." : "";
  stream << "  " << front << line.slice(window.begin, window.end) << back << "\n  ";
  stream.indent(front.size());
  for (char c : line.slice(window.begin, begin))
    if (!continuesCharacter(c))
      // A tab is repeated, so that the caret stands right however wide the terminal makes it.
      stream << (c == '\t' ? '\t' : ' ');
  stream << '^';
  size_t end = std::min<size_t>(begin + (range.end - range.begin), window.end);
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
