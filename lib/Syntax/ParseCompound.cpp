// Statements that hold blocks, except definitions.
#include "Parsing.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tlx;
using namespace tlx::ast;

/// `match` is a keyword only where a value follows it that could not follow a name.
bool Parsing::startsMatch() {
  if (!is(TokenKind::Identifier) || textOf(token) != "match")
    return false;
  switch (peek().kind) {
  case TokenKind::Identifier:
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::String:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    return true;
  default:
    return false;
  }
}

bool Parsing::startsCompoundStatement() {
  switch (token.kind) {
  case TokenKind::KwIf:
  case TokenKind::KwFor:
  case TokenKind::KwWhile:
  case TokenKind::KwWith:
  case TokenKind::KwTry:
  case TokenKind::KwDef:
  case TokenKind::KwClass:
  case TokenKind::KwAsync:
  case TokenKind::At:
    return true;
  default:
    return startsMatch();
  }
}

const Stmt *Parsing::parseCompoundStatement() {
  uint32_t begin = token.begin;
  switch (token.kind) {
  case TokenKind::KwIf:
    return parseIf();
  case TokenKind::KwFor:
    return parseFor(begin, /*isAsync=*/false);
  case TokenKind::KwWhile:
    return parseWhile();
  case TokenKind::KwWith:
    return parseWith(begin, /*isAsync=*/false);
  case TokenKind::KwTry:
    return parseTry();
  case TokenKind::KwDef:
    return parseFunction(begin, {}, /*isAsync=*/false);
  case TokenKind::KwClass:
    return parseClass(begin, {});
  case TokenKind::KwAsync:
    return parseAsync();
  case TokenKind::At:
    return parseDecorated();
  default:
    return parseMatch();
  }
}

//===-- Blocks -----------------------------------------------------------===//

/// `:` and what it opens: the rest of the line, or an indented block. A block that is missing is reported and counts as
/// empty, since what follows can still be understood.
bool Parsing::parseBlock(const llvm::Twine &header, SourceRange headerRange, Statements &statements) {
  if (is(TokenKind::Equal)) {
    report(diag::Kind::ExpectedToken, rangeOf(token), "found `=`, expected `:` after " + header, rangeOf(token),
           "`==` compares");
    return false;
  }
  if (!expect(TokenKind::Colon, "after " + header))
    return false;
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return false;
  if (!takeIf(TokenKind::Newline))
    return parseSimpleStatements(statements);
  if (takeIf(TokenKind::Indent)) {
    parseBlockBody(statements);
    return true;
  }
  if (is(TokenKind::Malformed))
    return unexpected(diag::Kind::ExpectedBlock, "a block"), false;
  report(diag::Kind::ExpectedBlock, {file.id(), token.begin, token.begin}, "expected an indented block after " + header,
         headerRange, "the block belongs to this");
  return true;
}

/// Statements up to the end of the block.
void Parsing::parseBlockBody(Statements &statements) {
  while (!is(TokenKind::EndOfFile) && !takeIf(TokenKind::Dedent))
    parseStatement(statements);
}

bool Parsing::parseElse(Statements &statements) {
  if (!is(TokenKind::KwElse))
    return true;
  Token keyword = take();
  return parseBlock("`else`", rangeOf(keyword), statements);
}

//===-- Statements -------------------------------------------------------===//

/// At `if` or `elif`.
const Stmt *Parsing::parseIf() {
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return nullptr;
  Token keyword = take();
  auto node = start<If>();
  node.condition = parseNamedExpression();
  Statements thenBody, elseBody;
  if (!node.condition || !parseBlock("the condition", rangeOf(keyword), thenBody))
    return nullptr;
  if (is(TokenKind::KwElif)) {
    const Stmt *elseIf = parseIf();
    if (!elseIf)
      return nullptr;
    elseBody.push_back(elseIf);
  } else if (!parseElse(elseBody)) {
    return nullptr;
  }
  node.thenBody = copy(thenBody);
  node.elseBody = copy(elseBody);
  return finish(node, keyword.begin);
}

const Stmt *Parsing::parseFor(uint32_t begin, bool isAsync) {
  Token keyword = take();
  auto node = start<For>();
  node.isAsync = isAsync;
  node.target = parseTargets();
  if (!node.target || !expect(TokenKind::KwIn, "after the loop's target"))
    return nullptr;
  node.iterable = parseExpressions(/*isYieldAllowed=*/false);
  Statements body, elseBody;
  if (!node.iterable || !parseBlock("the loop's range", rangeOf(keyword), body) || !parseElse(elseBody))
    return nullptr;
  node.body = copy(body);
  node.elseBody = copy(elseBody);
  return finish(node, begin);
}

const Stmt *Parsing::parseWhile() {
  Token keyword = take();
  auto node = start<While>();
  node.condition = parseNamedExpression();
  Statements body, elseBody;
  if (!node.condition || !parseBlock("the condition", rangeOf(keyword), body) || !parseElse(elseBody))
    return nullptr;
  node.body = copy(body);
  node.elseBody = copy(elseBody);
  return finish(node, keyword.begin);
}

bool Parsing::parseWithItem(llvm::SmallVectorImpl<WithItem> &items) {
  WithItem item = {};
  item.value = parseExpression();
  if (!item.value)
    return false;
  if (takeIf(TokenKind::KwAs)) {
    item.target = parseBinary(1);
    if (!item.target || !checkTarget(item.target))
      return false;
  }
  items.push_back(item);
  return true;
}

/// `(a as b, c as d)` reads as a list of items when a colon follows it, else the bracket begins a value.
bool Parsing::tryBracketedWithItems(llvm::SmallVectorImpl<WithItem> &items) {
  llvm::SaveAndRestore<bool> silence(isSilent, true);
  takeOpening();
  do {
    if (!items.empty() && is(TokenKind::RightParen))
      break;
    if (!parseWithItem(items))
      return false;
  } while (takeIf(TokenKind::Comma));
  return expectClosing(TokenKind::RightParen, "") && is(TokenKind::Colon);
}

bool Parsing::parseWithItems(llvm::SmallVectorImpl<WithItem> &items) {
  if (is(TokenKind::LeftParen)) {
    Position before = position();
    if (tryBracketedWithItems(items))
      return true;
    goTo(before);
    items.clear();
  }
  do {
    if (!parseWithItem(items))
      return false;
  } while (takeIf(TokenKind::Comma));
  return true;
}

const Stmt *Parsing::parseWith(uint32_t begin, bool isAsync) {
  Token keyword = take();
  llvm::SmallVector<WithItem, 4> items;
  Statements body;
  if (!parseWithItems(items) || !parseBlock("the `with` item", rangeOf(keyword), body))
    return nullptr;
  auto node = start<With>();
  node.isAsync = isAsync;
  node.items = copy(items);
  node.body = copy(body);
  return finish(node, begin);
}

const Stmt *Parsing::parseAsync() {
  uint32_t begin = take().begin;
  switch (token.kind) {
  case TokenKind::KwDef:
    return parseFunction(begin, {}, /*isAsync=*/true);
  case TokenKind::KwFor:
    return parseFor(begin, /*isAsync=*/true);
  case TokenKind::KwWith:
    return parseWith(begin, /*isAsync=*/true);
  default:
    unexpected(diag::Kind::ExpectedToken, "`def`, `for` or `with` after `async`");
    return nullptr;
  }
}

//===-- Statements that kernels cannot use -------------------------------===//

/// What stands between `except` and its colon.
bool Parsing::parseExceptHeader() {
  takeIf(TokenKind::Star);
  if (is(TokenKind::Colon))
    return true;
  if (!parseExpressions(/*isYieldAllowed=*/false))
    return false;
  return !takeIf(TokenKind::KwAs) || expectName("a name after `as`");
}

const Stmt *Parsing::parseTry() {
  Token keyword = take();
  Statements statements;
  if (!parseBlock("`try`", rangeOf(keyword), statements))
    return nullptr;
  if (!is(TokenKind::KwExcept) && !is(TokenKind::KwFinally)) {
    unexpected(diag::Kind::ExpectedToken, "`except` or `finally` after the block of `try`");
    return nullptr;
  }
  while (is(TokenKind::KwExcept)) {
    Token except = take();
    if (!parseExceptHeader() || !parseBlock("`except`", rangeOf(except), statements))
      return nullptr;
  }
  if (!parseElse(statements))
    return nullptr;
  if (is(TokenKind::KwFinally)) {
    Token finally = take();
    if (!parseBlock("`finally`", rangeOf(finally), statements))
      return nullptr;
  }
  auto node = start<OpaqueStmt>();
  node.construct = "try";
  node.body = copy(statements);
  return finish(node, keyword.begin);
}

/// Patterns have a grammar of their own, which nothing here needs: skips the header and the block.
const Stmt *Parsing::parseMatch() {
  uint32_t begin = token.begin;
  while (!is(TokenKind::Newline) && !is(TokenKind::EndOfFile) && !is(TokenKind::Malformed))
    take();
  if (is(TokenKind::Malformed))
    return unexpected(diag::Kind::ExpectedToken, ""), nullptr;
  take();
  unsigned depth = 0;
  do {
    if (is(TokenKind::Indent))
      ++depth;
    else if (is(TokenKind::Dedent))
      --depth;
    if (depth != 0 || is(TokenKind::Dedent))
      take();
  } while (depth != 0 && !is(TokenKind::EndOfFile));
  auto node = start<OpaqueStmt>();
  node.construct = "match";
  return finish(node, begin);
}
