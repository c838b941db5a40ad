#include "tlx/Support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cassert>

using namespace tlx;
using namespace tlx::diag;

namespace {
struct KindRow {
  Kind kind;
  llvm::StringLiteral spelling;
  Severity severity;
  llvm::StringLiteral rule;
};
} // namespace

static constexpr KindRow kindTable[] = {
#define TLX_DIAGNOSTIC(NAME, SPELLING, SEVERITY, RULE) {Kind::NAME, SPELLING, Severity::SEVERITY, RULE},
#include "tlx/Support/Diagnostics.def"
};

static constexpr Kind kindList[] = {
#define TLX_DIAGNOSTIC(NAME, SPELLING, SEVERITY, RULE) Kind::NAME,
#include "tlx/Support/Diagnostics.def"
};

static const KindRow &rowOf(Kind kind) {
  return kindTable[static_cast<size_t>(kind)];
}

llvm::StringRef diag::spelling(Kind kind) {
  return rowOf(kind).spelling;
}
Severity diag::severityOf(Kind kind) {
  return rowOf(kind).severity;
}
llvm::StringRef diag::rule(Kind kind) {
  return rowOf(kind).rule;
}
llvm::ArrayRef<Kind> diag::allKinds() {
  return kindList;
}

bool diag::isOffByDefault(Kind kind) {
  switch (kind) {
#define TLX_DIAGNOSTIC(NAME, SPELLING, SEVERITY, RULE)
#define TLX_OFF_BY_DEFAULT(NAME) case Kind::NAME:
#include "tlx/Support/Diagnostics.def"
    return true;
  default:
    return false;
  }
}

std::optional<Kind> diag::kindOfSpelling(llvm::StringRef spelling) {
  for (const KindRow &row : kindTable)
    if (row.spelling == spelling)
      return row.kind;
  return std::nullopt;
}

Builder::Builder(Sink &sink, Kind kind, SourceRange range) : sink(&sink) {
  diagnostic.kind = kind;
  diagnostic.range = range;
}

Builder::Builder(Builder &&other) noexcept
    : sink(std::exchange(other.sink, nullptr)), diagnostic(std::move(other.diagnostic)) {}

Builder::~Builder() {
  if (sink)
    sink->report(std::move(diagnostic));
}

Builder &Builder::note(SourceRange range, const llvm::Twine &message) {
  diagnostic.notes.push_back({range, message.str()});
  return *this;
}

Builder &Builder::fixIt(const llvm::Twine &replacement) {
  diagnostic.fixIt = replacement.str();
  return *this;
}

SourceRange Sink::redirect(FileId file, SourceRange place) {
  redirectedFile = file;
  // Between functions of that text the user's place stays.
  if (place.isKnown() && place.file == file)
    return redirectedTo;
  return std::exchange(redirectedTo, place);
}

void Sink::report(Diagnostic diagnostic) {
  auto isRedirected = [&](SourceRange range) { return range.isKnown() && range.file == redirectedFile; };
  if (isRedirected(diagnostic.range))
    diagnostic.range = redirectedTo;
  llvm::erase_if(diagnostic.notes, [&](const Note &note) { return isRedirected(note.range); });
  Severity severity = severityOf(diagnostic.kind);
  if (severity == Severity::Error)
    ++errors;
  if (severity == Severity::Remark && !policy.isOn(diagnostic.kind))
    return;
  if (severity == Severity::Warning) {
    if (!policy.isOn(diagnostic.kind))
      return;
    diagnostic.isPromoted = policy.areErrors;
    promoted += policy.areErrors;
  }
  reported.push_back(std::move(diagnostic));
}

Builder Sink::error(Kind kind, SourceRange range) {
  assert(severityOf(kind) == Severity::Error && "the table says otherwise");
  return Builder(*this, kind, range);
}

Builder Sink::warning(Kind kind, SourceRange range) {
  assert(severityOf(kind) == Severity::Warning && "the table says otherwise");
  return Builder(*this, kind, range);
}

Builder Sink::remark(Kind kind, SourceRange range) {
  assert(severityOf(kind) == Severity::Remark && "the table says otherwise");
  return Builder(*this, kind, range);
}
