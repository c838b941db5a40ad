// What the compiler has to say to its user: kinds, one diagnostic, the sink that collects them, and the builder that
// makes giving one a single expression: `sink.error(Kind::DuplicateName, range) << "`" << name << "` is named twice";`
#ifndef TLX_SUPPORT_DIAGNOSTICS_H
#define TLX_SUPPORT_DIAGNOSTICS_H

#include "tlx/Support/SourceRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tlx::diag {

enum class Severity { Error, Warning, Remark };

enum class Kind {
#define TLX_DIAGNOSTIC(NAME, SPELLING, SEVERITY, RULE) NAME,
#include "tlx/Support/Diagnostics.def"
};

/// The kebab-case name printed in brackets after the message.
llvm::StringRef spelling(Kind kind);
/// The severity that Diagnostics.def gives the kind.
Severity severityOf(Kind kind);
/// The one-line rule behind the kind.
llvm::StringRef rule(Kind kind);
/// The kind of that kebab-case name.
std::optional<Kind> kindOfSpelling(llvm::StringRef spelling);
/// All kinds, in the order of Diagnostics.def.
llvm::ArrayRef<Kind> allKinds();

/// Whether a warning is given only when the user asks for it (`-W…`).
bool isOffByDefault(Kind kind);

/// What the command line says about warnings.
struct WarningPolicy {
  std::set<Kind> enabled, disabled;
  /// `-Werror`: a warning fails the compile.
  bool areErrors = false;

  bool isOn(Kind kind) const {
    return enabled.count(kind) != 0 || (!isOffByDefault(kind) && disabled.count(kind) == 0);
  }
};

/// Another place that belongs to a diagnostic, with what it has to do with it.
struct Note {
  SourceRange range;
  std::string message;
};

struct Diagnostic {
  Kind kind;
  SourceRange range;
  std::string message;
  llvm::SmallVector<Note, 2> notes;
  /// Text to write in place of `range`; empty when there is no single repair.
  std::string fixIt;
  /// A warning that `-Werror` made an error.
  bool isPromoted = false;
};

class Sink;

/// Collects the text and notes of one diagnostic and reports it when the full expression ends.
class [[nodiscard]] Builder {
public:
  Builder(Sink &sink, Kind kind, SourceRange range);
  Builder(Builder &&other) noexcept;
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;
  Builder &operator=(Builder &&) = delete;
  ~Builder();

  /// Appends to the message whatever raw_ostream can print.
  template <typename T> Builder &operator<<(const T &value) {
    llvm::raw_string_ostream(diagnostic.message) << value;
    return *this;
  }
  Builder &note(SourceRange range, const llvm::Twine &message);
  Builder &fixIt(const llvm::Twine &replacement);

private:
  /// Null once moved from.
  Sink *sink;
  Diagnostic diagnostic;
};

/// Receives diagnostics in the order in which they are found. One sink serves one compile.
class Sink {
public:
  Sink() = default;
  Sink(const Sink &) = delete;
  Sink &operator=(const Sink &) = delete;

  void report(Diagnostic diagnostic);

  /// From now on, what is found in `file` (text that the user did not write) is reported at `place`. Returns what was
  /// in force, for the end.
  SourceRange redirect(FileId file, SourceRange place);

  /// Start a diagnostic of that kind; the kind's own severity must be the one named.
  Builder error(Kind kind, SourceRange range);
  Builder warning(Kind kind, SourceRange range);
  Builder remark(Kind kind, SourceRange range);

  /// Warnings that the policy leaves out are dropped.
  void setPolicy(WarningPolicy newPolicy) { policy = std::move(newPolicy); }
  bool isOn(Kind kind) const { return policy.isOn(kind); }

  unsigned errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }
  /// `-Werror` made an error of a warning. The compile goes on, but fails.
  bool hasPromoted() const { return promoted != 0; }
  llvm::ArrayRef<Diagnostic> diagnostics() const { return reported; }

private:
  std::vector<Diagnostic> reported;
  WarningPolicy policy;
  unsigned errors = 0, promoted = 0;
  FileId redirectedFile = noFile;
  SourceRange redirectedTo;
};

} // namespace tlx::diag

#endif
