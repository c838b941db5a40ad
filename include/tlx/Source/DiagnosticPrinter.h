// Turns diagnostics into the text that people and editors read. In Source, not in Support, because it shows the line.
#ifndef TLX_SOURCE_DIAGNOSTICPRINTER_H
#define TLX_SOURCE_DIAGNOSTICPRINTER_H

#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"

namespace tlx::diag {

/// Prints `file:line:column: error: message [kind]`, the source line and an underline, then each note likewise.
void print(const Diagnostic &diagnostic, const SourceManager &files, llvm::raw_ostream &stream);
/// Prints all that the sink holds.
void print(const Sink &sink, const SourceManager &files, llvm::raw_ostream &stream);

} // namespace tlx::diag

#endif
