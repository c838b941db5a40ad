#include "tlx/Syntax/AST.h"
#include "tlx/Syntax/Walk.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tlx;
using namespace tlx::ast;

StringRef ast::kindName(Kind kind) {
  switch (kind) {
#define TLX_EXPR(NAME)                                                                                                 \
  case Kind::NAME:                                                                                                     \
    return #NAME;
#define TLX_STMT(NAME)                                                                                                 \
  case Kind::NAME:                                                                                                     \
    return #NAME;
#include "tlx/Syntax/ASTNodes.def"
  }
  llvm_unreachable("a kind outside the list");
}

StringRef ast::spelling(BinaryOp op) {
  switch (op) {
#define TLX_BINARY_OP(NAME, SPELLING, PRECEDENCE)                                                                      \
  case BinaryOp::NAME:                                                                                                 \
    return SPELLING;
#include "tlx/Syntax/ASTNodes.def"
  }
  llvm_unreachable("an operator outside the list");
}

StringRef ast::spelling(UnaryOp op) {
  switch (op) {
#define TLX_UNARY_OP(NAME, SPELLING)                                                                                   \
  case UnaryOp::NAME:                                                                                                  \
    return SPELLING;
#include "tlx/Syntax/ASTNodes.def"
  }
  llvm_unreachable("an operator outside the list");
}

StringRef ast::spelling(CompareOp op) {
  switch (op) {
#define TLX_COMPARE_OP(NAME, SPELLING)                                                                                 \
  case CompareOp::NAME:                                                                                                \
    return SPELLING;
#include "tlx/Syntax/ASTNodes.def"
  }
  llvm_unreachable("an operator outside the list");
}

namespace {
/// Visits expressions of all the shapes in which nodes hold them.
struct ChildVisitor {
  llvm::function_ref<void(const Expr &)> visit;

  void one(const Expr *expr) {
    if (expr)
      visit(*expr);
  }
  template <typename... Rest> void one(const Expr *expr, Rest... rest) {
    one(expr);
    one(rest...);
  }
  void all(ExprList list) {
    for (const Expr *expr : list)
      one(expr);
  }
};
} // namespace

void ast::forEachChild(const Expr &expr, llvm::function_ref<void(const Expr &)> visit) {
  ChildVisitor children{visit};
  llvm::TypeSwitch<const Expr *>(&expr)
      .Case<FString>([&](auto *node) {
        for (const FStringPart &part : node->parts)
          children.one(part.value, part.format);
      })
      .Case<Tuple, List, Set>([&](auto *node) { children.all(node->elements); })
      .Case<Dict>([&](auto *node) {
        for (const DictItem &item : node->items)
          children.one(item.key, item.value);
      })
      .Case<Attribute>([&](auto *node) { children.one(node->base); })
      .Case<Subscript>([&](auto *node) { children.one(node->base, node->index); })
      .Case<Slice>([&](auto *node) { children.one(node->lower, node->upper, node->step); })
      .Case<Call>([&](auto *node) {
        children.one(node->callee);
        children.all(node->arguments);
        for (const KeywordArgument &keyword : node->keywords)
          children.one(keyword.value);
      })
      .Case<Unary>([&](auto *node) { children.one(node->operand); })
      .Case<Binary>([&](auto *node) { children.one(node->left, node->right); })
      .Case<BoolOp, Compare>([&](auto *node) { children.all(node->operands); })
      .Case<Conditional>([&](auto *node) { children.one(node->thenValue, node->condition, node->elseValue); })
      .Case<Lambda>([&](auto *node) {
        for (const Param &param : node->params)
          children.one(param.annotation, param.defaultValue);
        children.one(node->body);
      })
      .Case<Comprehension>([&](auto *node) {
        children.one(node->element, node->dictValue);
        for (const ComprehensionClause &clause : node->clauses) {
          children.one(clause.target, clause.iterable);
          children.all(clause.conditions);
        }
      })
      .Case<Starred>([&](auto *node) { children.one(node->value); })
      .Case<Walrus>([&](auto *node) { children.one(node->target, node->value); })
      .Default([](const Expr *) {});
}
