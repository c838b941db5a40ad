// Diagnostics for programs: editors, build systems, scripts.
#ifndef TLX_SOURCE_DIAGNOSTICJSON_H
#define TLX_SOURCE_DIAGNOSTICJSON_H

#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tlx::diag {

/// One line: `{"diagnostics": [{"kind", "severity", "message", "file", "line", "column", "endLine", "endColumn",
/// "fixIt", "notes": [{"message", "file", …}]}, …]}`. Lines and columns count from one, columns count bytes. What has
/// no place has no file.
void printJSON(llvm::ArrayRef<const Diagnostic *> diagnostics, const SourceManager &files, llvm::raw_ostream &stream);

} // namespace tlx::diag

#endif
