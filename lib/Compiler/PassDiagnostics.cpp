// MLIR diagnostics to diagnostics of the source.
#include "PassDiagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlx;

static SourceRange rangeOf(FileLineColRange place, const SourceManager &files) {
  for (FileId id = 0; id < files.fileCount(); ++id) {
    const SourceFile &file = files.file(id);
    if (file.path() != place.getFilename().getValue())
      continue;
    llvm::ArrayRef<uint32_t> starts = file.lineStarts();
    auto offset = [&](unsigned line, unsigned column) {
      if (line == 0 || line > starts.size())
        return static_cast<uint32_t>(file.text().size());
      return std::min<uint32_t>(starts[line - 1] + (column ? column - 1 : 0), file.text().size());
    };
    uint32_t begin = offset(place.getStartLine(), place.getStartColumn());
    uint32_t end = offset(place.getEndLine(), place.getEndColumn());
    // A point: underline the word that stands there.
    if (end <= begin) {
      llvm::StringRef rest = file.text().drop_front(begin);
      end = begin + rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }).size();
    }
    return {id, begin, end};
  }
  return {};
}

SourceRange tlx::rangeOf(Location location, const SourceManager &files) {
  if (auto place = dyn_cast<FileLineColRange>(location))
    return ::rangeOf(place, files);
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return rangeOf(call.getCallee(), files);
  if (auto name = dyn_cast<NameLoc>(location))
    return rangeOf(name.getChildLoc(), files);
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (SourceRange range = rangeOf(part, files); range.isKnown())
        return range;
  return {};
}

static diag::Severity severityIn(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return diag::Severity::Error;
  case DiagnosticSeverity::Warning:
    return diag::Severity::Warning;
  default:
    return diag::Severity::Remark;
  }
}

/// Passes may end a message with the kind in brackets, as it will be printed. The severity is the pass's, so a kind of
/// another severity stays in the text.
static diag::Kind takeKind(std::string &message, DiagnosticSeverity severity) {
  llvm::StringRef text = message;
  size_t open = text.rfind(" [");
  if (text.ends_with("]") && open != llvm::StringRef::npos) {
    std::optional<diag::Kind> kind = diag::kindOfSpelling(text.slice(open + 2, text.size() - 1));
    if (kind && diag::severityOf(*kind) == severityIn(severity)) {
      message.resize(open);
      return *kind;
    }
  }
  if (severity == DiagnosticSeverity::Error)
    return diag::Kind::KernelRefused;
  return severity == DiagnosticSeverity::Warning ? diag::Kind::PassWarning : diag::Kind::PassRemark;
}

/// "'tlx.local_view' op …".
static bool speaksOfOperations(llvm::StringRef message) {
  return message.starts_with("'") && message.contains("' op ");
}

PassDiagnostics::PassDiagnostics(MLIRContext &context, const SourceManager &files, diag::Sink &sink)
    : files(files), sink(sink), handler(&context, [this](Diagnostic &diagnostic) { return receive(diagnostic); }) {}

PassDiagnostics::PassDiagnostics(MLIRContext &context, const SourceManager &files, diag::Sink &sink, diag::Kind kind)
    : PassDiagnostics(context, files, sink) {
  only = kind;
}

/// Where the code was called from, one note for each call.
static void addCallers(Location location, const SourceManager &files, diag::Diagnostic &result) {
  while (auto call = dyn_cast<CallSiteLoc>(location)) {
    if (SourceRange range = rangeOf(call.getCaller(), files); range.isKnown())
      result.notes.push_back({range, "called here"});
    location = call.getCaller();
  }
}

LogicalResult PassDiagnostics::receive(Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  if (!only && diagnostic.getSeverity() == DiagnosticSeverity::Error && speaksOfOperations(message)) {
    if (internal.empty())
      llvm::raw_string_ostream(internal) << diagnostic.getLocation() << ": " << message;
    return success();
  }
  diag::Kind kind = only ? *only : takeKind(message, diagnostic.getSeverity());
  diag::Diagnostic result{kind, rangeOf(diagnostic.getLocation(), files), message, {}, {}};
  addCallers(diagnostic.getLocation(), files, result);
  for (Diagnostic &note : diagnostic.getNotes())
    if (SourceRange range = rangeOf(note.getLocation(), files); range.isKnown())
      result.notes.push_back({range, note.str()});
  sink.report(std::move(result));
  return success();
}
