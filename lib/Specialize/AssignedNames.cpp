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

  LoopExits exits;

private:
  void loop(ast::Body body, ast::Body elseBody) {
    ++depth;
    block(body);
    --depth;
    block(elseBody);
  }
  void target(const ast::Expr *expr) {
    if (const auto *name = dyn_cast<ast::Name>(expr))
      names.insert(name->name);
    else if (const auto *tuple = dyn_cast<ast::Tuple>(expr))
      targets(tuple->elements);
    else if (const auto *list = dyn_cast<ast::List>(expr))
      targets(list->elements);
    else if (const auto *starred = dyn_cast<ast::Starred>(expr))
      target(starred->value);
    // `self.field = value` gives `self` another value.
    else if (const auto *attribute = dyn_cast<ast::Attribute>(expr))
      target(attribute->base);
  }
  /// `list.append(value)`
  void append(const ast::Expr *expr) {
    const auto *call = dyn_cast<ast::Call>(expr);
    const auto *method = call ? dyn_cast<ast::Attribute>(call->callee) : nullptr;
    if (method && method->name == "append")
      target(method->base);
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
    else if (const auto *expression = dyn_cast<ast::ExprStmt>(statement))
      append(expression->value);
    else if (const auto *branch = dyn_cast<ast::If>(statement))
      conditional(branch);
    else if (const auto *counted = dyn_cast<ast::For>(statement))
      loop(counted->body, counted->elseBody);
    else if (const auto *conditioned = dyn_cast<ast::While>(statement))
      loop(conditioned->body, conditioned->elseBody);
    else if (const auto *with = dyn_cast<ast::With>(statement))
      block(with->body);
    exits.returns |= isa<ast::Return>(statement);
    exits.breaks |= isa<ast::Break>(statement) && depth == 0;
  }

  NameSet &names;
  NameLookup lookup;
  /// Loops inside the block.
  unsigned depth = 0;
};
} // namespace

NameSet tlx::specialize::assignedNames(ast::Body body, NameLookup lookup) {
  NameSet names;
  Walk(names, lookup).block(body);
  return names;
}

NameSet tlx::specialize::assignedNames(const ast::Stmt *statement) {
  return assignedNames(ast::Body(statement), [](llvm::StringRef) { return std::nullopt; });
}

LoopExits tlx::specialize::exitsOf(ast::Body loopBody, NameLookup lookup) {
  NameSet names;
  Walk walk(names, lookup);
  walk.block(loopBody);
  return walk.exits;
}
