// A walk over statements that collects targets of assignments.
#include "AssignedNames.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

bool tlx::specialize::isConstexprAnnotation(const ast::Expr *annotation) {
  if (const auto *attribute = llvm::dyn_cast_if_present<ast::Attribute>(annotation))
    return attribute->name == "constexpr";
  const auto *name = llvm::dyn_cast_if_present<ast::Name>(annotation);
  return name && name->name == "constexpr";
}

namespace {
class Walk {
public:
  Walk(NameSet &names, NameLookup lookup) : names(names), lookup(lookup) {}

  void block(ast::Body body) {
    for (const ast::Stmt *statement : body)
      visit(statement);
  }

private:
  void target(const ast::Expr *expr) {
    if (const auto *name = dyn_cast<ast::Name>(expr))
      names.insert(name->name);
    else if (const auto *tuple = dyn_cast<ast::Tuple>(expr))
      targets(tuple->elements);
    else if (const auto *list = dyn_cast<ast::List>(expr))
      targets(list->elements);
  }
  void targets(ast::ExprList elements) {
    for (const ast::Expr *element : elements)
      target(element);
  }
  void conditional(const ast::If *branch) {
    auto known = [&](llvm::StringRef name) { return names.contains(name) ? std::nullopt : lookup(name); };
    auto condition = evaluateConstant(branch->condition, known);
    auto truth = condition ? condition->truth() : std::nullopt;
    if (truth.value_or(true))
      block(branch->thenBody);
    if (!truth.value_or(false))
      block(branch->elseBody);
  }
  void visit(const ast::Stmt *statement) {
    if (const auto *assign = dyn_cast<ast::Assign>(statement))
      targets(assign->targets);
    else if (const auto *annotated = dyn_cast<ast::AnnotatedAssign>(statement)) {
      if (annotated->value && !isConstexprAnnotation(annotated->annotation))
        target(annotated->target);
    } else if (const auto *augmented = dyn_cast<ast::AugmentedAssign>(statement))
      target(augmented->target);
    else if (const auto *branch = dyn_cast<ast::If>(statement))
      conditional(branch);
    else if (const auto *loop = dyn_cast<ast::For>(statement))
      block(loop->body);
    else if (const auto *loop = dyn_cast<ast::While>(statement))
      block(loop->body);
    else if (const auto *with = dyn_cast<ast::With>(statement))
      block(with->body);
  }

  NameSet &names;
  NameLookup lookup;
};
} // namespace

NameSet tlx::specialize::assignedNames(ast::Body body, NameLookup lookup) {
  NameSet names;
  Walk(names, lookup).block(body);
  return names;
}

static bool containsReturnStmt(const ast::Stmt *statement) {
  if (isa<ast::Return>(statement))
    return true;
  if (const auto *branch = dyn_cast<ast::If>(statement))
    return containsReturn(branch->thenBody) || containsReturn(branch->elseBody);
  if (const auto *loop = dyn_cast<ast::For>(statement))
    return containsReturn(loop->body);
  if (const auto *loop = dyn_cast<ast::While>(statement))
    return containsReturn(loop->body);
  if (const auto *with = dyn_cast<ast::With>(statement))
    return containsReturn(with->body);
  return false;
}

bool tlx::specialize::containsReturn(ast::Body body) {
  return llvm::any_of(body, containsReturnStmt);
}
