// Children of syntax nodes.
#include "Scan.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::cast;
using llvm::dyn_cast;
using Exprs = llvm::SmallVector<const ast::Expr *>;

static Exprs present(std::initializer_list<const ast::Expr *> exprs) {
  Exprs result;
  for (const ast::Expr *expr : exprs)
    if (expr)
      result.push_back(expr);
  return result;
}

static Exprs listed(ast::ExprList list) {
  return Exprs(list.begin(), list.end());
}

static Exprs callChildren(const ast::Call *call) {
  Exprs result{call->callee};
  result.append(call->arguments.begin(), call->arguments.end());
  for (const ast::KeywordArgument &keyword : call->keywords)
    result.push_back(keyword.value);
  return result;
}

static Exprs comprehensionChildren(const ast::Comprehension *expr) {
  Exprs result = present({expr->element, expr->dictValue});
  for (const ast::ComprehensionClause &clause : expr->clauses) {
    result.push_back(clause.iterable);
    result.append(clause.conditions.begin(), clause.conditions.end());
  }
  return result;
}

Exprs tlx::specialize::childrenOf(const ast::Expr *expr) {
  switch (expr->kind) {
  case ast::Kind::Tuple:
    return listed(cast<ast::Tuple>(expr)->elements);
  case ast::Kind::List:
    return listed(cast<ast::List>(expr)->elements);
  case ast::Kind::Attribute:
    return {cast<ast::Attribute>(expr)->base};
  case ast::Kind::Subscript:
    return {cast<ast::Subscript>(expr)->base, cast<ast::Subscript>(expr)->index};
  case ast::Kind::Slice: {
    const auto *slice = cast<ast::Slice>(expr);
    return present({slice->lower, slice->upper, slice->step});
  }
  case ast::Kind::Call:
    return callChildren(cast<ast::Call>(expr));
  case ast::Kind::Unary:
    return {cast<ast::Unary>(expr)->operand};
  case ast::Kind::Binary:
    return {cast<ast::Binary>(expr)->left, cast<ast::Binary>(expr)->right};
  case ast::Kind::BoolOp:
    return listed(cast<ast::BoolOp>(expr)->operands);
  case ast::Kind::Compare:
    return listed(cast<ast::Compare>(expr)->operands);
  case ast::Kind::Conditional: {
    const auto *conditional = cast<ast::Conditional>(expr);
    return {conditional->condition, conditional->thenValue, conditional->elseValue};
  }
  case ast::Kind::Comprehension:
    return comprehensionChildren(cast<ast::Comprehension>(expr));
  case ast::Kind::Starred:
    return {cast<ast::Starred>(expr)->value};
  default:
    return {};
  }
}

Exprs tlx::specialize::expressionsOf(const ast::Stmt *statement) {
  switch (statement->kind) {
  case ast::Kind::Assign: {
    Exprs result{cast<ast::Assign>(statement)->value};
    result.append(cast<ast::Assign>(statement)->targets.begin(), cast<ast::Assign>(statement)->targets.end());
    return result;
  }
  case ast::Kind::AnnotatedAssign:
    return present({cast<ast::AnnotatedAssign>(statement)->target, cast<ast::AnnotatedAssign>(statement)->value});
  case ast::Kind::AugmentedAssign:
    return {cast<ast::AugmentedAssign>(statement)->target, cast<ast::AugmentedAssign>(statement)->value};
  case ast::Kind::ExprStmt:
    return {cast<ast::ExprStmt>(statement)->value};
  case ast::Kind::If:
    return {cast<ast::If>(statement)->condition};
  case ast::Kind::For:
    return {cast<ast::For>(statement)->iterable};
  case ast::Kind::While:
    return {cast<ast::While>(statement)->condition};
  case ast::Kind::With: {
    Exprs result;
    for (const ast::WithItem &item : cast<ast::With>(statement)->items)
      result.push_back(item.value);
    return result;
  }
  case ast::Kind::Return:
    return present({cast<ast::Return>(statement)->value});
  case ast::Kind::Assert:
    return {cast<ast::Assert>(statement)->condition};
  default:
    return {};
  }
}

static llvm::SmallVector<ast::Body, 2> bodiesOf(const ast::Stmt *statement) {
  if (const auto *branch = dyn_cast<ast::If>(statement))
    return {branch->thenBody, branch->elseBody};
  if (const auto *loop = dyn_cast<ast::For>(statement))
    return {loop->body, loop->elseBody};
  if (const auto *loop = dyn_cast<ast::While>(statement))
    return {loop->body, loop->elseBody};
  if (const auto *with = dyn_cast<ast::With>(statement))
    return {with->body};
  return {};
}

void tlx::specialize::forEachStmt(ast::Body body, StmtVisitor visit) {
  for (const ast::Stmt *statement : body) {
    visit(statement);
    for (ast::Body inner : bodiesOf(statement))
      forEachStmt(inner, visit);
  }
}

void tlx::specialize::forEachExpr(const ast::Expr *expr, ExprVisitor visit) {
  visit(expr);
  for (const ast::Expr *child : childrenOf(expr))
    forEachExpr(child, visit);
}

void tlx::specialize::forEachExpr(ast::Body body, ExprVisitor visit) {
  forEachStmt(body, [&](const ast::Stmt *statement) {
    for (const ast::Expr *expr : expressionsOf(statement))
      forEachExpr(expr, visit);
  });
}

llvm::StringRef tlx::specialize::calleeName(const ast::Call *call) {
  if (const auto *attribute = dyn_cast<ast::Attribute>(call->callee))
    return attribute->name;
  if (const auto *name = dyn_cast<ast::Name>(call->callee))
    return name->name;
  return {};
}
