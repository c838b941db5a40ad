// Children of syntax nodes.
#include "Scan.h"
#include "tlx/Syntax/Walk.h"

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

Exprs tlx::specialize::childrenOf(const ast::Expr *expr) {
  Exprs children;
  ast::forEachChild(*expr, [&](const ast::Expr &child) { children.push_back(&child); });
  return children;
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
