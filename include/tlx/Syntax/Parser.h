// The way into this room: text to tree.
#ifndef TLX_SYNTAX_PARSER_H
#define TLX_SYNTAX_PARSER_H

#include "tlx/Support/Diagnostics.h"
#include "tlx/Syntax/AST.h"
#include "tlx/Syntax/Context.h"

namespace tlx::ast {

/// Parses a whole file and reports every mistake found. The result is never null; after errors it holds what could be
/// understood. In a file named `*.py`, a mistake outside functions that a `...jit` decorator marks is not reported: the
/// statement becomes an OpaqueStmt, since host code is none of the compiler's business.
const Module *parse(const SourceFile &file, Context &context, diag::Sink &sink);

} // namespace tlx::ast

#endif
