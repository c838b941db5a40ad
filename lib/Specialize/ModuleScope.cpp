// Functions, classes, constants and imports of a module. `fuel` ends what would go round in circles or double at each
// step.
#include "ModuleScope.h"
#include "Builtins.h"
#include "tlx/Syntax/Kernels.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;
using MaybeValue = std::optional<Datum>;

static void flatten(ast::Body body, llvm::SmallVectorImpl<const ast::Stmt *> &statements) {
  for (const ast::Stmt *statement : body) {
    statements.push_back(statement);
    if (const auto *branch = dyn_cast<ast::If>(statement)) {
      flatten(branch->thenBody, statements);
      flatten(branch->elseBody, statements);
    } else if (const auto *with = dyn_cast<ast::With>(statement)) {
      flatten(with->body, statements);
    } else if (const auto *opaque = dyn_cast<ast::OpaqueStmt>(statement)) {
      flatten(opaque->body, statements);
    }
  }
}

llvm::SmallVector<const ast::Stmt *> tlx::specialize::topLevel(const ast::Module &module) {
  llvm::SmallVector<const ast::Stmt *> statements;
  flatten(module.body, statements);
  return statements;
}

const ast::FunctionDef *tlx::specialize::findFunction(const ast::Module &module, StringRef name) {
  const ast::FunctionDef *found = nullptr;
  for (const ast::Stmt *statement : topLevel(module))
    if (const auto *function = dyn_cast<ast::FunctionDef>(statement); function && function->name == name)
      found = function;
  if (found)
    return found;
  for (const ast::FunctionDef *function : ast::jitFunctions(module))
    if (function->name == name)
      found = function;
  return found;
}

const ast::ClassDef *tlx::specialize::findClass(const ast::Module &module, StringRef name) {
  const ast::ClassDef *found = nullptr;
  for (const ast::Stmt *statement : topLevel(module))
    if (const auto *definition = dyn_cast<ast::ClassDef>(statement); definition && definition->name == name)
      found = definition;
  return found;
}

const ast::Module *tlx::specialize::findImport(const ast::Module &module, const llvm::Twine &path) {
  std::string wanted = path.str();
  for (const ast::ImportedModule &imported : module.imports)
    if (imported.path == wanted)
      return imported.module;
  return nullptr;
}

static std::string pathOf(const ast::ImportFrom &import) {
  return std::string(import.level, '.') + import.module.str();
}

static StringRef boundName(const ast::ImportedName &imported) {
  return imported.asName.empty() ? imported.path : imported.asName;
}

static MaybeValue member(const ast::Module &module, StringRef name, unsigned &fuel);

static MaybeValue importedBy(const ast::Module &module, const ast::Import &import, StringRef name) {
  for (const ast::ImportedName &imported : import.names) {
    if (name != boundName(imported)) {
      // `import a.b` binds `a`.
      if (imported.asName.empty() && imported.path.starts_with((name + ".").str()) && findImport(module, imported.path))
        return Datum(NamespaceValue{"import " + name.str()});
      continue;
    }
    if (std::string prefix = prefixOfModule(imported.path); !prefix.empty())
      return Datum(NamespaceValue{prefix});
    if (const ast::Module *found = findImport(module, imported.path))
      return Datum(found);
  }
  return std::nullopt;
}

static MaybeValue importedFrom(const ast::Module &module, const ast::ImportFrom &import, StringRef name,
                               unsigned &fuel) {
  const ast::Module *source = findImport(module, pathOf(import));
  for (const ast::ImportedName &imported : import.names) {
    bool isStar = imported.path == "*" && !name.starts_with("_");
    if (!isStar && name != boundName(imported))
      continue;
    StringRef original = isStar ? name : imported.path;
    if (source)
      if (MaybeValue value = member(*source, original, fuel))
        return value;
    std::string separator = import.module.empty() ? "" : ".";
    if (const ast::Module *submodule = findImport(module, pathOf(import) + separator + original))
      return Datum(submodule);
    std::string whole = (import.module + "." + original).str();
    if (std::string prefix = prefixOfModule(whole); !prefix.empty())
      return Datum(NamespaceValue{prefix});
    std::string full = prefixOfModule(import.module) + "." + original.str();
    if (MaybeValue constant = findConstant(full))
      return constant;
    if (const Builtin *builtin = findBuiltin(full))
      return Datum(builtin);
  }
  return std::nullopt;
}

/// What `import` statements and Python itself bind at the top of a module.
static MaybeValue importedName(const ast::Module &module, StringRef name, unsigned &fuel) {
  for (const ast::Stmt *statement : topLevel(module)) {
    MaybeValue value;
    if (const auto *import = dyn_cast<ast::Import>(statement))
      value = importedBy(module, *import, name);
    else if (const auto *from = dyn_cast<ast::ImportFrom>(statement))
      value = importedFrom(module, *from, name, fuel);
    if (value)
      return value;
  }
  if (name == "tl" || name == "tlx" || name == "triton")
    return Datum(NamespaceValue{name.str()});
  if (const Builtin *builtin = name.contains('.') ? nullptr : findBuiltin(name))
    return Datum(builtin);
  return std::nullopt;
}

const ast::Stmt *tlx::specialize::foreignImport(const ast::Module &module, StringRef name) {
  for (const ast::Stmt *statement : topLevel(module)) {
    llvm::ArrayRef<ast::ImportedName> names;
    if (const auto *import = dyn_cast<ast::Import>(statement))
      names = import->names;
    else if (const auto *from = dyn_cast<ast::ImportFrom>(statement))
      names = from->names;
    for (const ast::ImportedName &imported : names)
      if (boundName(imported) == name || (imported.asName.empty() && imported.path.split('.').first == name))
        return statement;
  }
  return nullptr;
}

/// The last assignment among the first `end` statements; `end` becomes its index.
static const ast::Expr *lastAssigned(llvm::ArrayRef<const ast::Stmt *> statements, StringRef name, size_t &end) {
  auto binds = [&](const ast::Expr *target) {
    const auto *bound = dyn_cast<ast::Name>(target);
    return bound && bound->name == name;
  };
  while (end > 0) {
    const ast::Stmt *statement = statements[--end];
    if (const auto *assign = dyn_cast<ast::Assign>(statement); assign && llvm::any_of(assign->targets, binds))
      return assign->value;
    if (const auto *annotated = dyn_cast<ast::AnnotatedAssign>(statement))
      if (annotated->value && binds(annotated->target))
        return annotated->value;
  }
  return nullptr;
}

const ast::Expr *tlx::specialize::assignedExpression(const ast::Module &module, StringRef name) {
  auto statements = topLevel(module);
  size_t end = statements.size();
  return lastAssigned(statements, name, end);
}

/// Only statements before `end` count, so that mutual references end.
static MaybeValue constantBefore(const ast::Module &module, llvm::ArrayRef<const ast::Stmt *> statements,
                                 StringRef name, size_t end, unsigned &fuel) {
  if (fuel == 0)
    return std::nullopt;
  --fuel;
  const ast::Expr *value = lastAssigned(statements, name, end);
  if (!value)
    return importedName(module, name, fuel);
  return evaluateConstant(
      value, [&](StringRef other) { return constantBefore(module, statements, other, end, fuel); });
}

static MaybeValue constantOf(const ast::Module &module, StringRef name, unsigned &fuel) {
  auto statements = topLevel(module);
  return constantBefore(module, statements, name, statements.size(), fuel);
}

static MaybeValue member(const ast::Module &module, StringRef name, unsigned &fuel) {
  if (fuel == 0)
    return std::nullopt;
  --fuel;
  if (const ast::FunctionDef *function = findFunction(module, name))
    return Datum(function);
  if (const ast::ClassDef *definition = findClass(module, name))
    return Datum(definition);
  return constantOf(module, name, fuel);
}

MaybeValue tlx::specialize::moduleConstant(const ast::Module &module, StringRef name) {
  unsigned fuel = 4096;
  return constantOf(module, name, fuel);
}

MaybeValue tlx::specialize::moduleMember(const ast::Module &module, StringRef name) {
  unsigned fuel = 4096;
  return member(module, name, fuel);
}
