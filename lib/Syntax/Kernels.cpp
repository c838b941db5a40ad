#include "tlx/Syntax/Kernels.h"
#include "llvm/ADT/STLExtras.h"

using namespace tlx;
using namespace tlx::ast;

bool ast::marksJit(const Expr &decorator) {
  const Expr *named = &decorator;
  while (const auto *call = llvm::dyn_cast<Call>(named))
    named = call->callee;
  if (const auto *attribute = llvm::dyn_cast<Attribute>(named))
    return attribute->name.ends_with("jit");
  const auto *name = llvm::dyn_cast<Name>(named);
  return name && name->name.ends_with("jit");
}

bool ast::isJit(const FunctionDef &function) {
  return llvm::any_of(function.decorators, [](const Expr *decorator) { return marksJit(*decorator); });
}

static void collect(Body body, llvm::SmallVectorImpl<const FunctionDef *> &functions) {
  for (const Stmt *statement : body) {
    const auto *function = llvm::dyn_cast<FunctionDef>(statement);
    if (function && isJit(*function))
      functions.push_back(function);
    else if (function)
      collect(function->body, functions);
    if (const auto *branch = llvm::dyn_cast<If>(statement)) {
      collect(branch->thenBody, functions);
      collect(branch->elseBody, functions);
    } else if (const auto *with = llvm::dyn_cast<With>(statement)) {
      collect(with->body, functions);
    } else if (const auto *opaque = llvm::dyn_cast<OpaqueStmt>(statement)) {
      collect(opaque->body, functions);
    }
  }
}

llvm::SmallVector<const FunctionDef *> ast::jitFunctions(const Module &module) {
  llvm::SmallVector<const FunctionDef *> functions;
  collect(module.body, functions);
  return functions;
}
