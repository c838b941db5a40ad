// What the top level of a module binds to names, read without running it.
#ifndef TLX_SPECIALIZE_MODULESCOPE_H
#define TLX_SPECIALIZE_MODULESCOPE_H

#include "ConstEval.h"

namespace tlx::specialize {

/// The statements of the top level, those inside `if`, `try` and `with` blocks too; of an `if` whose condition is known
/// the side that runs.
llvm::SmallVector<const ast::Stmt *> topLevel(const ast::Module &module);

/// The function of a module with that name, or null; one that a host function defines when there is no other.
const ast::FunctionDef *findFunction(const ast::Module &module, llvm::StringRef name);
const ast::ClassDef *findClass(const ast::Module &module, llvm::StringRef name);
/// The expression that the top level last assigns to a name, or null.
const ast::Expr *assignedExpression(const ast::Module &module, llvm::StringRef name);
/// The statement for which the value of a name is not known without running the module: it changes what the name stands
/// for, or gives it one of several values under a condition that cannot be decided here. Null where the value is plain.
const ast::Stmt *unsettledBy(const ast::Module &module, llvm::StringRef name);
/// The statement that imports a name from a module which was not found, or null.
const ast::Stmt *foreignImport(const ast::Module &module, llvm::StringRef name);
/// The module that an import of that path led to, or null.
const ast::Module *findImport(const ast::Module &module, const llvm::Twine &path);

/// The value that the module's top level last assigns to a name, if constant; or what it imports under that name.
std::optional<Datum> moduleConstant(const ast::Module &module, llvm::StringRef name);
/// A function, class, constant or import of the module.
std::optional<Datum> moduleMember(const ast::Module &module, llvm::StringRef name);

} // namespace tlx::specialize

#endif
