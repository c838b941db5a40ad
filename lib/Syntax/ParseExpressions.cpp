// Operators, from the loosest binding to the tightest.
#include "Parsing.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <string_view>

using namespace tlx;
using namespace tlx::ast;

bool ast::startsExpression(TokenKind kind) {
  switch (kind) {
  case TokenKind::Identifier:
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::Imaginary:
  case TokenKind::String:
  case TokenKind::Malformed:
  case TokenKind::Ellipsis:
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Tilde:
  case TokenKind::Star:
  case TokenKind::KwFalse:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwAwait:
  case TokenKind::KwLambda:
  case TokenKind::KwNot:
  case TokenKind::KwYield:
    return true;
  default:
    return false;
  }
}

/// One expression, or several as a tuple without brackets.
const Expr *Parsing::parseExpressions(bool isYieldAllowed) {
  if (isYieldAllowed && is(TokenKind::KwYield))
    return parseYield();
  uint32_t begin = token.begin;
  Exprs elements = {parseStarredOrNamed()};
  if (!elements.back())
    return nullptr;
  if (!is(TokenKind::Comma)) {
    if (!llvm::isa<Starred>(elements.back()))
      return elements.back();
    report(diag::Kind::ExpectedExpression, elements.back()->range,
           "`*` stands alone; it unpacks within a call, a tuple or a list");
    return nullptr;
  }
  while (takeIf(TokenKind::Comma) && startsExpression(token.kind)) {
    elements.push_back(parseStarredOrNamed());
    if (!elements.back())
      return nullptr;
  }
  auto node = start<Tuple>();
  node.elements = copy(elements);
  return finishExpr(node, begin);
}

const Expr *Parsing::parseStarredOrNamed() {
  if (!is(TokenKind::Star))
    return parseNamedExpression();
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return nullptr;
  uint32_t begin = take().begin;
  auto node = start<Starred>();
  node.value = parseBinary(1);
  return node.value ? finishExpr(node, begin) : nullptr;
}

/// An expression, or `name := expression`.
const Expr *Parsing::parseNamedExpression() {
  if (!is(TokenKind::Identifier) || !peek().is(TokenKind::ColonEqual))
    return parseExpression();
  Token name = take();
  auto target = start<Name>();
  target.name = textOf(name);
  target.range = rangeOf(name);
  take();
  auto node = start<Walrus>();
  node.target = context.make(target);
  node.value = parseExpression();
  return node.value ? finishExpr(node, name.begin) : nullptr;
}

/// `a if b else c`, a lambda, or less.
const Expr *Parsing::parseExpression() {
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return nullptr;
  if (is(TokenKind::KwLambda))
    return parseLambda();
  uint32_t begin = token.begin;
  const Expr *value = parseOr();
  if (!value || !takeIf(TokenKind::KwIf))
    return value;
  auto node = start<Conditional>();
  node.thenValue = value;
  node.condition = parseOr();
  if (!node.condition || !expect(TokenKind::KwElse, "after the condition"))
    return nullptr;
  node.elseValue = parseExpression();
  return node.elseValue ? finishExpr(node, begin) : nullptr;
}

const Expr *Parsing::parseLambda() {
  uint32_t begin = take().begin;
  Params params;
  if (!parseParams(TokenKind::Colon, /*hasAnnotations=*/false, params) ||
      !expect(TokenKind::Colon, "after the parameters of the lambda"))
    return nullptr;
  auto node = start<Lambda>();
  node.params = copy(params);
  node.body = parseExpression();
  return node.body ? finishExpr(node, begin) : nullptr;
}

const Expr *Parsing::parseYield() {
  uint32_t begin = take().begin;
  if (takeIf(TokenKind::KwFrom)) {
    if (!parseExpression())
      return nullptr;
  } else if (startsExpression(token.kind) && !parseExpressions(/*isYieldAllowed=*/false)) {
    return nullptr;
  }
  auto node = start<OpaqueExpr>();
  node.construct = "yield";
  return finishExpr(node, begin);
}

//===-- Logic and comparison ---------------------------------------------===//

const Expr *Parsing::parseOr() {
  return parseBoolOp(/*isAnd=*/false);
}

const Expr *Parsing::parseBoolOp(bool isAnd) {
  uint32_t begin = token.begin;
  TokenKind keyword = isAnd ? TokenKind::KwAnd : TokenKind::KwOr;
  Exprs operands;
  do {
    operands.push_back(isAnd ? parseNot() : parseBoolOp(/*isAnd=*/true));
    if (!operands.back())
      return nullptr;
  } while (takeIf(keyword));
  if (operands.size() == 1)
    return operands.front();
  auto node = start<BoolOp>();
  node.isAnd = isAnd;
  node.operands = copy(operands);
  return finishExpr(node, begin);
}

const Expr *Parsing::parseNot() {
  if (!is(TokenKind::KwNot))
    return parseCompare();
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return nullptr;
  uint32_t begin = take().begin;
  auto node = start<Unary>();
  node.op = UnaryOp::Not;
  node.operand = parseNot();
  return node.operand ? finishExpr(node, begin) : nullptr;
}

std::optional<CompareOp> Parsing::takeCompareOp() {
  static constexpr std::pair<TokenKind, CompareOp> single[] = {
      {TokenKind::EqualEqual, CompareOp::Equal}, {TokenKind::NotEqual, CompareOp::NotEqual},
      {TokenKind::Less, CompareOp::Less},        {TokenKind::LessEqual, CompareOp::LessEqual},
      {TokenKind::Greater, CompareOp::Greater},  {TokenKind::GreaterEqual, CompareOp::GreaterEqual},
      {TokenKind::KwIn, CompareOp::In},
  };
  for (auto [kind, op] : single)
    if (takeIf(kind))
      return op;
  if (takeIf(TokenKind::KwIs))
    return takeIf(TokenKind::KwNot) ? CompareOp::IsNot : CompareOp::Is;
  if (is(TokenKind::KwNot) && peek().is(TokenKind::KwIn)) {
    take();
    take();
    return CompareOp::NotIn;
  }
  return std::nullopt;
}

const Expr *Parsing::parseCompare() {
  uint32_t begin = token.begin;
  Exprs operands = {parseBinary(1)};
  llvm::SmallVector<CompareOp, 4> ops;
  while (operands.back()) {
    std::optional<CompareOp> op = takeCompareOp();
    if (!op)
      break;
    ops.push_back(*op);
    operands.push_back(parseBinary(1));
  }
  if (!operands.back() || ops.empty())
    return operands.back();
  auto node = start<Compare>();
  node.ops = copy(ops);
  node.operands = copy(operands);
  return finishExpr(node, begin);
}

//===-- Arithmetic -------------------------------------------------------===//

namespace {
struct BinaryRow {
  std::string_view spelling;
  BinaryOp op;
  unsigned precedence;
};
} // namespace

static constexpr BinaryRow binaryRows[] = {
#define TLX_BINARY_OP(NAME, SPELLING, PRECEDENCE) {SPELLING, BinaryOp::NAME, PRECEDENCE},
#include "tlx/Syntax/ASTNodes.def"
};

/// For each kind of token the row of binaryRows that is spelt like it, or -1. Worked out at compile time: the parser
/// asks after every operand.
static constexpr auto rowOfToken = [] {
  std::array<int8_t, 256> rows = {};
  rows.fill(-1);
  auto enter = [&](TokenKind kind, std::string_view spelling) {
    for (size_t row = 0; row < std::size(binaryRows); ++row)
      if (binaryRows[row].spelling == spelling)
        rows[static_cast<size_t>(kind)] = static_cast<int8_t>(row);
  };
#define TLX_PUNCTUATOR(NAME, SPELLING) enter(TokenKind::NAME, SPELLING);
#include "Tokens.def"
  return rows;
}();

/// The operator that a token is, with its precedence. `**` is left to parsePower.
static const BinaryRow *binaryRow(TokenKind kind) {
  int8_t row = rowOfToken[static_cast<size_t>(kind)];
  return row < 0 || binaryRows[row].op == BinaryOp::Power ? nullptr : &binaryRows[row];
}

const Expr *Parsing::parseBinary(unsigned minimumPrecedence) {
  uint32_t begin = token.begin;
  const Expr *left = parseUnary();
  while (left) {
    const BinaryRow *row = binaryRow(token.kind);
    if (!row || row->precedence < minimumPrecedence)
      return left;
    auto node = start<Binary>();
    node.op = row->op;
    node.opRange = rangeOf(take());
    node.left = left;
    node.right = parseBinary(row->precedence + 1);
    left = node.right ? finishExpr(node, begin) : nullptr;
  }
  return nullptr;
}

const Expr *Parsing::parseUnary() {
  UnaryOp op;
  switch (token.kind) {
  case TokenKind::Plus:
    op = UnaryOp::Plus;
    break;
  case TokenKind::Minus:
    op = UnaryOp::Negate;
    break;
  case TokenKind::Tilde:
    op = UnaryOp::Invert;
    break;
  default:
    return parsePower();
  }
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return nullptr;
  uint32_t begin = take().begin;
  auto node = start<Unary>();
  node.op = op;
  node.operand = parseUnary();
  return node.operand ? finishExpr(node, begin) : nullptr;
}

/// `a ** b`: to the right, and less tightly than a sign on its right side.
const Expr *Parsing::parsePower() {
  uint32_t begin = token.begin;
  const Expr *base = parsePostfix();
  if (!base || !is(TokenKind::StarStar))
    return base;
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return nullptr;
  auto node = start<Binary>();
  node.op = BinaryOp::Power;
  node.opRange = rangeOf(take());
  node.left = base;
  node.right = parseUnary();
  return node.right ? finishExpr(node, begin) : nullptr;
}

/// What `for` assigns to: bitwise operands at most, so that `in` ends it.
const Expr *Parsing::parseTargets() {
  uint32_t begin = token.begin;
  Exprs elements;
  bool isTuple = false;
  do {
    if (!elements.empty() && !startsExpression(token.kind))
      break;
    elements.push_back(is(TokenKind::Star) ? parseStarredOrNamed() : parseBinary(1));
    if (!elements.back() || !checkTarget(elements.back()))
      return nullptr;
    isTuple |= is(TokenKind::Comma);
  } while (takeIf(TokenKind::Comma));
  if (!isTuple)
    return elements.front();
  auto node = start<Tuple>();
  node.elements = copy(elements);
  return finishExpr(node, begin);
}
