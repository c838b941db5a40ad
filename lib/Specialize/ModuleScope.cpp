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

using Statements = llvm::SmallVector<const ast::Stmt *>;

static MaybeValue constantBefore(const ast::Module &module, llvm::ArrayRef<const ast::Stmt *> statements,
                                 StringRef name, size_t end, unsigned &fuel);
static MaybeValue importedName(const ast::Module &module, llvm::ArrayRef<const ast::Stmt *> statements, StringRef name,
                               unsigned &fuel);

/// What a condition of the top level comes to, given the statements before it.
static std::optional<bool> decided(const ast::Module &module, llvm::ArrayRef<const ast::Stmt *> before,
                                   const ast::Expr *condition) {
  unsigned fuel = 256;
  auto value = evaluateConstant(
      condition, [&](StringRef name) { return constantBefore(module, before, name, before.size(), fuel); });
  return value ? value->truth() : std::nullopt;
}

/// `try: import x` with `x = None` beside it: an import that leads somewhere stands.
static bool yieldsToImport(const ast::Module &module, llvm::ArrayRef<const ast::Stmt *> block,
                           const ast::Stmt *statement) {
  const auto *assign = dyn_cast<ast::Assign>(statement);
  const auto *name = assign && assign->targets.size() == 1 ? dyn_cast<ast::Name>(assign->targets[0]) : nullptr;
  if (!name ||
      llvm::none_of(block, [](const ast::Stmt *other) { return llvm::isa<ast::Import, ast::ImportFrom>(other); }))
    return false;
  Statements imports;
  llvm::copy_if(block, std::back_inserter(imports),
                [](const ast::Stmt *other) { return llvm::isa<ast::Import, ast::ImportFrom>(other); });
  unsigned fuel = 256;
  return importedName(module, imports, name->name, fuel).has_value();
}

static void flatten(const ast::Module &module, ast::Body body, Statements &statements) {
  for (const ast::Stmt *statement : body) {
    statements.push_back(statement);
    if (const auto *branch = dyn_cast<ast::If>(statement)) {
      std::optional<bool> truth = decided(module, statements, branch->condition);
      if (truth.value_or(true))
        flatten(module, branch->thenBody, statements);
      if (!truth.value_or(false))
        flatten(module, branch->elseBody, statements);
    } else if (const auto *with = dyn_cast<ast::With>(statement)) {
      flatten(module, with->body, statements);
    } else if (const auto *opaque = dyn_cast<ast::OpaqueStmt>(statement)) {
      Statements block;
      flatten(module, opaque->body, block);
      for (const ast::Stmt *inside : block)
        if (!yieldsToImport(module, block, inside))
          statements.push_back(inside);
    }
  }
}

Statements tlx::specialize::topLevel(const ast::Module &module) {
  Statements statements;
  flatten(module, module.body, statements);
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
static MaybeValue importedName(const ast::Module &module, llvm::ArrayRef<const ast::Stmt *> statements, StringRef name,
                               unsigned &fuel) {
  for (const ast::Stmt *statement : statements) {
    MaybeValue value;
    if (const auto *import = dyn_cast<ast::Import>(statement))
      value = importedBy(module, *import, name);
    else if (const auto *from = dyn_cast<ast::ImportFrom>(statement))
      value = importedFrom(module, *from, name, fuel);
    if (value)
      return value;
  }
  return std::nullopt;
}

static MaybeValue pythonsOwn(StringRef name) {
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
    if (const auto *assign = dyn_cast<ast::Assign>(statement)) {
      if (llvm::any_of(assign->targets, binds))
        return assign->value;
      // `A, B = 1, 2`
      for (const ast::Expr *target : assign->targets)
        if (const auto *names = dyn_cast<ast::Tuple>(target), *values = dyn_cast<ast::Tuple>(assign->value);
            names && values && names->elements.size() == values->elements.size())
          for (auto [element, value] : llvm::zip_equal(names->elements, values->elements))
            if (binds(element))
              return value;
    }
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
  if (!value) {
    MaybeValue imported = importedName(module, statements, name, fuel);
    return imported ? imported : pythonsOwn(name);
  }
  return evaluateConstant(value, [&](StringRef other) { return constantBefore(module, statements, other, end, fuel); });
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

namespace {

/// Where the top level gives a name its value, and what else it does with it.
class Bindings {
public:
  Bindings(const ast::Module &module, StringRef name) : module(module), name(name) { walk(module.body, false); }

  const ast::Stmt *unsettled() const {
    if (changed)
      return changed;
    return count > 1 ? conditional : nullptr;
  }

private:
  bool isName(const ast::Expr *expr) const {
    const auto *bound = dyn_cast<ast::Name>(expr);
    return bound && bound->name == name;
  }
  void bind(const ast::Stmt *statement, bool isConditional) {
    ++count;
    if (isConditional)
      conditional = statement;
  }
  void target(const ast::Stmt *statement, const ast::Expr *expr, bool isConditional) {
    if (isName(expr))
      bind(statement, isConditional);
    else if (const auto *tuple = dyn_cast<ast::Tuple>(expr))
      for (const ast::Expr *element : tuple->elements)
        target(statement, element, isConditional);
    else
      change(statement, expr);
  }
  /// `NAME[i] = …` and `NAME.field = …`
  void change(const ast::Stmt *statement, const ast::Expr *expr) {
    const auto *element = dyn_cast<ast::Subscript>(expr);
    const auto *field = dyn_cast<ast::Attribute>(expr);
    if ((element && isName(element->base)) || (field && isName(field->base)))
      changed = statement;
  }
  /// Methods by which lists and dictionaries become others.
  void call(const ast::Stmt *statement, const ast::Expr *expr) {
    static constexpr StringRef methods[] = {"append", "extend", "insert",     "pop",  "remove",
                                            "clear",  "update", "setdefault", "sort", "reverse"};
    const auto *made = dyn_cast<ast::Call>(expr);
    const auto *method = made ? dyn_cast<ast::Attribute>(made->callee) : nullptr;
    if (method && isName(method->base) && llvm::is_contained(methods, method->name))
      changed = statement;
  }
  void walk(ast::Body body, bool isConditional) {
    for (const ast::Stmt *statement : body) {
      visit(statement, isConditional);
      before.push_back(statement);
    }
  }
  void visit(const ast::Stmt *statement, bool isConditional);

  const ast::Module &module;
  StringRef name;
  Statements before;
  unsigned count = 0;
  const ast::Stmt *changed = nullptr, *conditional = nullptr;
};

} // namespace

void Bindings::visit(const ast::Stmt *statement, bool isConditional) {
  if (const auto *assign = dyn_cast<ast::Assign>(statement)) {
    for (const ast::Expr *expr : assign->targets)
      target(statement, expr, isConditional);
  } else if (const auto *annotated = dyn_cast<ast::AnnotatedAssign>(statement)) {
    if (annotated->value)
      target(statement, annotated->target, isConditional);
  } else if (const auto *augmented = dyn_cast<ast::AugmentedAssign>(statement)) {
    if (isName(augmented->target))
      changed = statement;
    change(statement, augmented->target);
  } else if (const auto *expression = dyn_cast<ast::ExprStmt>(statement)) {
    call(statement, expression->value);
  } else if (const auto *branch = dyn_cast<ast::If>(statement)) {
    std::optional<bool> truth = decided(module, before, branch->condition);
    if (truth.value_or(true))
      walk(branch->thenBody, isConditional || !truth);
    if (!truth.value_or(false))
      walk(branch->elseBody, isConditional || !truth);
  } else if (const auto *with = dyn_cast<ast::With>(statement)) {
    walk(with->body, isConditional);
  } else if (const auto *counted = dyn_cast<ast::For>(statement)) {
    if (isName(counted->target))
      changed = statement;
    walk(counted->body, true);
  } else if (const auto *loop = dyn_cast<ast::While>(statement)) {
    walk(loop->body, true);
  } else if (const auto *opaque = dyn_cast<ast::OpaqueStmt>(statement)) {
    Statements block(opaque->body.begin(), opaque->body.end());
    for (const ast::Stmt *inside : block)
      if (!yieldsToImport(module, block, inside))
        visit(inside, true);
  }
}

const ast::Stmt *tlx::specialize::unsettledBy(const ast::Module &module, StringRef name) {
  return Bindings(module, name).unsettled();
}

MaybeValue tlx::specialize::moduleConstant(const ast::Module &module, StringRef name) {
  unsigned fuel = 4096;
  return constantOf(module, name, fuel);
}

MaybeValue tlx::specialize::moduleMember(const ast::Module &module, StringRef name) {
  unsigned fuel = 4096;
  return member(module, name, fuel);
}
