// What MLIR says while passes run, turned into diagnostics of the user's source.
#ifndef TLX_LIB_COMPILER_PASSDIAGNOSTICS_H
#define TLX_LIB_COMPILER_PASSDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"
#include <string>

namespace tlx {

/// The place in the user's files that a location names, following call sites and fusions to the innermost one; unknown
/// when none of the files held is named.
SourceRange rangeOf(mlir::Location location, const SourceManager &files);

/// While it lives, MLIR's diagnostics of the context go to the sink. Passes speak to the user through `emitError`; the
/// verifier and `emitOpError` speak of operations, which no user has written: that is a bug of ours, kept apart.
class PassDiagnostics {
public:
  PassDiagnostics(mlir::MLIRContext &context, const SourceManager &files, diag::Sink &sink);
  /// Reports everything as `kind`: for text that the user wrote as MLIR.
  PassDiagnostics(mlir::MLIRContext &context, const SourceManager &files, diag::Sink &sink, diag::Kind kind);

  /// Text of the first diagnostic that speaks of our operations; empty when there was none.
  const std::string &internalError() const { return internal; }

private:
  mlir::LogicalResult receive(mlir::Diagnostic &diagnostic);

  const SourceManager &files;
  diag::Sink &sink;
  std::optional<diag::Kind> only;
  std::string internal;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tlx

#endif
