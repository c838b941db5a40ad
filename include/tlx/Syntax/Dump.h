// The printed form of a syntax tree: what `--emit=ast` writes and golden files hold.
#ifndef TLX_SYNTAX_DUMP_H
#define TLX_SYNTAX_DUMP_H

#include "tlx/Syntax/AST.h"
#include "llvm/Support/raw_ostream.h"

namespace tlx::ast {

/// One node a line, indented by depth, each with the line:column where it begins.
void dump(const Module &module, llvm::raw_ostream &stream);

} // namespace tlx::ast

#endif
