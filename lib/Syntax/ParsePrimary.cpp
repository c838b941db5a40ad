// Operands: literals, displays, comprehensions, and what follows an operand without an operator.
#include "Literals.h"
#include "Parsing.h"
#include "llvm/ADT/Twine.h"

using namespace tlx;
using namespace tlx::ast;

const Expr *Parsing::parsePostfix() {
  uint32_t begin = token.begin;
  if (takeIf(TokenKind::KwAwait)) {
    Nesting deeper(*this);
    if (deeper.isTooDeep() || !parsePostfix())
      return nullptr;
    auto node = start<OpaqueExpr>();
    node.construct = "await";
    return finishExpr(node, begin);
  }
  const Expr *expr = parseAtom();
  while (expr) {
    if (is(TokenKind::LeftParen))
      expr = parseCall(begin, expr);
    else if (is(TokenKind::LeftBracket))
      expr = parseSubscript(begin, expr);
    else if (is(TokenKind::Dot))
      expr = parseAttribute(begin, expr);
    else
      return expr;
  }
  return nullptr;
}

const Expr *Parsing::parseAttribute(uint32_t begin, const Expr *base) {
  take();
  std::optional<Token> name = expectName("an attribute's name after `.`");
  if (!name)
    return nullptr;
  auto node = start<Attribute>();
  node.base = base;
  node.name = textOf(*name);
  node.nameRange = rangeOf(*name);
  return finishExpr(node, begin);
}

const Expr *Parsing::parseAtom() {
  uint32_t begin = token.begin;
  switch (token.kind) {
  case TokenKind::Identifier: {
    auto node = start<Name>();
    node.name = textOf(take());
    return finishExpr(node, begin);
  }
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    auto node = start<BoolLiteral>();
    node.value = take().is(TokenKind::KwTrue);
    return finishExpr(node, begin);
  }
  case TokenKind::KwNone:
    take();
    return finishExpr(start<NoneLiteral>(), begin);
  case TokenKind::Ellipsis:
    take();
    return finishExpr(start<EllipsisLiteral>(), begin);
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    return parseNumber();
  case TokenKind::String:
    return parseStrings();
  case TokenKind::LeftParen:
    return parseParenthesized();
  case TokenKind::LeftBracket:
    return parseListDisplay();
  case TokenKind::LeftBrace:
    return parseBraces();
  default:
    return unexpected(diag::Kind::ExpectedExpression, "an expression");
  }
}

const Expr *Parsing::parseNumber() {
  Token number = take();
  StringRef spelling = textOf(number);
  if (number.is(TokenKind::Imaginary)) {
    auto node = start<OpaqueExpr>();
    node.construct = "imaginary number";
    return finishExpr(node, number.begin);
  }
  if (number.is(TokenKind::Float)) {
    auto node = start<FloatLiteral>();
    node.value = floatValue(spelling);
    node.spelling = spelling;
    return finishExpr(node, number.begin);
  }
  IntValue value = intValue(spelling);
  auto node = start<IntLiteral>();
  node.value = value.value;
  node.overflow = value.overflow;
  node.spelling = spelling;
  return finishExpr(node, number.begin);
}

//===-- Displays ---------------------------------------------------------===//

bool Parsing::startsComprehension() {
  return is(TokenKind::KwFor) || (is(TokenKind::KwAsync) && peek().is(TokenKind::KwFor));
}

/// The rest of a comma-separated list whose first element is in `elements`, and its closing bracket.
bool Parsing::parseElements(TokenKind closing, Exprs &elements) {
  while (takeIf(TokenKind::Comma) && !is(closing)) {
    elements.push_back(parseStarredOrNamed());
    if (!elements.back())
      return false;
  }
  return expectClosing(closing, "`,` or ");
}

/// `()`, `(a)`, `(a, b)` or a generator.
const Expr *Parsing::parseParenthesized() {
  uint32_t begin = token.begin;
  takeOpening();
  Exprs elements;
  if (is(TokenKind::KwYield)) {
    const Expr *value = parseYield();
    return value && expectClosing(TokenKind::RightParen, "") ? value : nullptr;
  }
  if (!is(TokenKind::RightParen)) {
    const Expr *first = parseStarredOrNamed();
    if (!first)
      return nullptr;
    if (startsComprehension())
      return parseComprehension(begin, ComprehensionForm::Generator, first, nullptr, TokenKind::RightParen);
    if (!is(TokenKind::Comma)) {
      if (!expectClosing(TokenKind::RightParen, "`,` or "))
        return nullptr;
      if (!llvm::isa<Starred>(first))
        return first;
      report(diag::Kind::ExpectedExpression, first->range,
             "`*` stands alone; it unpacks within a call, a tuple or a list");
      return nullptr;
    }
    elements.push_back(first);
  }
  if (!parseElements(TokenKind::RightParen, elements))
    return nullptr;
  auto node = start<Tuple>();
  node.elements = copy(elements);
  return finishExpr(node, begin);
}

const Expr *Parsing::parseListDisplay() {
  uint32_t begin = token.begin;
  takeOpening();
  Exprs elements;
  if (!is(TokenKind::RightBracket)) {
    elements.push_back(parseStarredOrNamed());
    if (!elements.back())
      return nullptr;
    if (startsComprehension())
      return parseComprehension(begin, ComprehensionForm::List, elements.back(), nullptr, TokenKind::RightBracket);
  }
  if (!parseElements(TokenKind::RightBracket, elements))
    return nullptr;
  auto node = start<List>();
  node.elements = copy(elements);
  return finishExpr(node, begin);
}

/// A set, a dictionary, or a comprehension of either.
const Expr *Parsing::parseBraces() {
  uint32_t begin = token.begin;
  takeOpening();
  if (is(TokenKind::RightBrace) || is(TokenKind::StarStar))
    return parseDictRest(begin, nullptr);
  const Expr *first = parseStarredOrNamed();
  if (!first)
    return nullptr;
  if (is(TokenKind::Colon) && !llvm::isa<Starred>(first))
    return parseDictRest(begin, first);
  if (startsComprehension())
    return parseComprehension(begin, ComprehensionForm::Set, first, nullptr, TokenKind::RightBrace);
  Exprs elements = {first};
  if (!parseElements(TokenKind::RightBrace, elements))
    return nullptr;
  auto node = start<Set>();
  node.elements = copy(elements);
  return finishExpr(node, begin);
}

/// `key: value` or `**value`; the key is given when it has been parsed.
std::optional<DictItem> Parsing::parseDictItem(const Expr *key) {
  if (!key && takeIf(TokenKind::StarStar)) {
    Nesting deeper(*this);
    const Expr *value = deeper.isTooDeep() ? nullptr : parseBinary(1);
    return value ? std::optional<DictItem>({nullptr, value}) : std::nullopt;
  }
  if (!key)
    key = parseExpression();
  if (!key || !expect(TokenKind::Colon, "after the key"))
    return std::nullopt;
  const Expr *value = parseExpression();
  return value ? std::optional<DictItem>({key, value}) : std::nullopt;
}

const Expr *Parsing::parseDictRest(uint32_t begin, const Expr *firstKey) {
  llvm::SmallVector<DictItem, 8> items;
  while (!is(TokenKind::RightBrace)) {
    std::optional<DictItem> item = parseDictItem(items.empty() ? firstKey : nullptr);
    if (!item)
      return nullptr;
    if (items.empty() && item->key && startsComprehension())
      return parseComprehension(begin, ComprehensionForm::Dict, item->key, item->value, TokenKind::RightBrace);
    items.push_back(*item);
    if (!takeIf(TokenKind::Comma))
      break;
  }
  if (!expectClosing(TokenKind::RightBrace, "`,` or "))
    return nullptr;
  auto node = start<Dict>();
  node.items = copy(items);
  return finishExpr(node, begin);
}

//===-- Comprehensions ---------------------------------------------------===//

bool Parsing::parseClauses(llvm::SmallVectorImpl<ComprehensionClause> &clauses) {
  while (startsComprehension()) {
    ComprehensionClause clause = {};
    clause.isAsync = takeIf(TokenKind::KwAsync);
    take();
    clause.target = parseTargets();
    if (!clause.target || !expect(TokenKind::KwIn, "after the target of `for`"))
      return false;
    clause.iterable = parseOr();
    if (!clause.iterable)
      return false;
    Exprs conditions;
    while (takeIf(TokenKind::KwIf)) {
      conditions.push_back(parseOr());
      if (!conditions.back())
        return false;
    }
    clause.conditions = copy(conditions);
    clauses.push_back(clause);
  }
  return true;
}

/// From `for` to the closing bracket.
const Expr *Parsing::parseComprehension(uint32_t begin, ComprehensionForm form, const Expr *element,
                                        const Expr *dictValue, TokenKind closing) {
  llvm::SmallVector<ComprehensionClause, 2> clauses;
  if (!parseClauses(clauses) || !expectClosing(closing, ""))
    return nullptr;
  auto node = start<Comprehension>();
  node.form = form;
  node.element = element;
  node.dictValue = dictValue;
  node.clauses = copy(clauses);
  return finishExpr(node, begin);
}

//===-- Calls and subscripts ---------------------------------------------===//

const Expr *Parsing::parseCall(uint32_t begin, const Expr *callee) {
  Exprs arguments;
  Keywords keywords;
  if (!parseArguments(arguments, keywords))
    return nullptr;
  auto node = start<Call>();
  node.callee = callee;
  node.arguments = copy(arguments);
  node.keywords = copy(keywords);
  return finishExpr(node, begin);
}

/// From `(` to `)`.
bool Parsing::parseArguments(Exprs &arguments, Keywords &keywords) {
  uint32_t begin = token.begin;
  takeOpening();
  while (!is(TokenKind::RightParen)) {
    if (!parseArgument(arguments, keywords))
      return false;
    // A generator that is the only argument shares the call's brackets.
    if (startsComprehension() && arguments.size() == 1 && keywords.empty()) {
      arguments.back() =
          parseComprehension(begin, ComprehensionForm::Generator, arguments.back(), nullptr, TokenKind::RightParen);
      return arguments.back() != nullptr;
    }
    if (!takeIf(TokenKind::Comma))
      break;
  }
  return expectClosing(TokenKind::RightParen, "`,` or ");
}

bool Parsing::parseArgument(Exprs &arguments, Keywords &keywords) {
  if (is(TokenKind::StarStar)) {
    SourceRange stars = rangeOf(take());
    keywords.push_back({stars, "", parseExpression()});
    return keywords.back().value != nullptr;
  }
  if (is(TokenKind::Identifier) && peek().is(TokenKind::Equal)) {
    Token name = take();
    take();
    for (const KeywordArgument &earlier : keywords)
      if (earlier.name == textOf(name)) {
        report(diag::Kind::DuplicateName, rangeOf(name), "the argument `" + earlier.name + "` is given twice",
               earlier.nameRange, "it is given here first");
        return false;
      }
    keywords.push_back({rangeOf(name), textOf(name), parseExpression()});
    return keywords.back().value != nullptr;
  }
  const Expr *argument = parseArgumentValue();
  if (!argument)
    return false;
  if (!keywords.empty() && !llvm::isa<Starred>(argument)) {
    report(diag::Kind::ArgumentOrder, argument->range, "a positional argument follows a keyword argument",
           keywords.back().nameRange, "the keyword argument is here");
    return false;
  }
  arguments.push_back(argument);
  return true;
}

/// As parseStarredOrNamed, but here `*` takes any expression.
const Expr *Parsing::parseArgumentValue() {
  if (!is(TokenKind::Star))
    return parseNamedExpression();
  uint32_t begin = take().begin;
  auto node = start<Starred>();
  node.value = parseExpression();
  return node.value ? finishExpr(node, begin) : nullptr;
}

const Expr *Parsing::parseSubscript(uint32_t begin, const Expr *base) {
  takeOpening();
  uint32_t indexBegin = token.begin;
  Exprs indices = {parseIndex()};
  if (!indices.back())
    return nullptr;
  bool isTuple = is(TokenKind::Comma) || llvm::isa<Starred>(indices.back());
  while (takeIf(TokenKind::Comma) && !is(TokenKind::RightBracket)) {
    indices.push_back(parseIndex());
    if (!indices.back())
      return nullptr;
  }
  auto node = start<Subscript>();
  node.base = base;
  node.index = indices.front();
  if (isTuple) {
    auto tuple = start<Tuple>();
    tuple.elements = copy(indices);
    node.index = finishExpr(tuple, indexBegin);
  }
  if (!node.index || !expectClosing(TokenKind::RightBracket, "`,` or "))
    return nullptr;
  return finishExpr(node, begin);
}

/// An index or `lower:upper:step`.
const Expr *Parsing::parseIndex() {
  uint32_t begin = token.begin;
  auto node = start<Slice>();
  if (!is(TokenKind::Colon)) {
    const Expr *index = parseStarredOrNamed();
    if (!index || !is(TokenKind::Colon) || llvm::isa<Starred, Walrus>(index))
      return index;
    node.lower = index;
  }
  const Expr **parts[] = {&node.upper, &node.step};
  for (const Expr **part : parts) {
    if (!takeIf(TokenKind::Colon))
      break;
    if (is(TokenKind::Colon) || is(TokenKind::Comma) || is(TokenKind::RightBracket))
      continue;
    *part = parseExpression();
    if (!*part)
      return nullptr;
  }
  return finishExpr(node, begin);
}
