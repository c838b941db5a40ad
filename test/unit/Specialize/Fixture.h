// Text in, printed IR or diagnostics out.
#ifndef TLX_TEST_SPECIALIZE_FIXTURE_H
#define TLX_TEST_SPECIALIZE_FIXTURE_H

#include "tlx/Source/DiagnosticPrinter.h"
#include "tlx/Specialize/Specialize.h"
#include "tlx/Syntax/Parser.h"
#include "gtest/gtest.h"

namespace tlx::specialize {

/// Imports that every kernel begins with: one line.
inline const std::string imports =
    "import triton; import triton.language as tl; import triton.language.extra.tlx as tlx\n";

struct Outcome {
  /// Printed module, empty after errors.
  std::string ir;
  /// The same with locations.
  std::string locations;
  /// As the user sees them.
  std::string diagnostics;
  /// `line:column kind` of each.
  std::vector<std::string> places;

  bool holds(llvm::StringRef text) const { return llvm::StringRef(ir).contains(text); }
  unsigned count(llvm::StringRef text) const { return llvm::StringRef(ir).count(text); }
};

inline Outcome compile(const std::string &text, const SpecializeOptions &options = {}) {
  SourceManager files;
  FileId id = files.add("test.tlx", text);
  ast::Context arena;
  diag::Sink sink;
  const ast::Module *module = ast::parse(files.file(id), arena, sink);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  if (!sink.hasErrors())
    if (auto result = specialize(*module, options, context, files, sink)) {
      llvm::raw_string_ostream stream(outcome.ir);
      result->print(stream);
      llvm::raw_string_ostream located(outcome.locations);
      result->print(located, mlir::OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/false).useLocalScope());
    }
  llvm::raw_string_ostream stream(outcome.diagnostics);
  diag::print(sink, files, stream);
  for (const diag::Diagnostic &diagnostic : sink.diagnostics()) {
    std::string place = "-";
    if (diagnostic.range.isKnown()) {
      LineAndColumn at = files.file(diagnostic.range.file).lineAndColumn(diagnostic.range.begin);
      place = std::to_string(at.line) + ":" + std::to_string(at.column);
    }
    outcome.places.push_back(place + " " + diag::spelling(diagnostic.kind).str());
  }
  return outcome;
}

/// A kernel `k` with these parameters; the body's lines are indented by four. Its first line is line 4.
inline Outcome compileBody(const std::string &params, const std::string &body, const SpecializeOptions &options = {}) {
  std::string text = imports + "@triton.jit\ndef k(" + params + "):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n', -1, /*KeepEmpty=*/true);
  for (llvm::StringRef line : lines)
    text += ("    " + line + "\n").str();
  return compile(text, options);
}

#define EXPECT_HOLDS(OUTCOME, TEXT)                                                                                    \
  EXPECT_TRUE((OUTCOME).holds(TEXT)) << "missing: " << (TEXT) << "\n" << (OUTCOME).ir << (OUTCOME).diagnostics
#define EXPECT_LACKS(OUTCOME, TEXT)                                                                                    \
  EXPECT_TRUE(!(OUTCOME).ir.empty() && !(OUTCOME).holds(TEXT)) << "present: " << (TEXT) << "\n"                        \
                                                               << (OUTCOME).ir << (OUTCOME).diagnostics
/// The only diagnostic, as `line:column kind`.
#define EXPECT_ERROR(OUTCOME, PLACE)                                                                                   \
  EXPECT_EQ((OUTCOME).places, std::vector<std::string>{PLACE}) << (OUTCOME).ir << (OUTCOME).diagnostics

} // namespace tlx::specialize

#endif
