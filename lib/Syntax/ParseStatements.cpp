// Statements that end with their line.
#include "Parsing.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tlx;
using namespace tlx::ast;

void Parsing::parseStatement(Statements &statements) {
  heights.clear();
  if (is(TokenKind::Malformed) && token.problem == diag::Kind::InconsistentIndentation) {
    report(token.problem, rangeOf(token), token.message);
    take();
    return;
  }
  uint32_t begin = token.begin;
  if (is(TokenKind::Indent)) {
    report(diag::Kind::UnexpectedIndentation, {file.id(), begin, begin}, "this line is deeper than the one before it");
    take();
    Nesting deeper(*this);
    if (!deeper.isTooDeep())
      parseBlockBody(statements);
    return;
  }
  uint32_t indentation = lineIndentation;
  size_t before = statements.size();
  llvm::SaveAndRestore<uint32_t> current(statementIndentation, indentation);
  bool isUnderstood;
  if (startsCompoundStatement()) {
    const Stmt *statement = parseCompoundStatement();
    isUnderstood = statement != nullptr;
    if (statement)
      statements.push_back(statement);
  } else {
    isUnderstood = parseSimpleStatements(statements);
  }
  if (isUnderstood)
    return;
  // What stands before the mistake on its line is not kept by half.
  statements.truncate(before);
  recover(begin, indentation);
  statements.push_back(finish(start<OpaqueStmt>(), begin));
}

bool Parsing::parseSimpleStatements(Statements &statements) {
  while (true) {
    const Stmt *statement = parseSimpleStatement();
    if (!statement)
      return false;
    statements.push_back(statement);
    if (takeIf(TokenKind::Semicolon)) {
      if (takeIf(TokenKind::Newline))
        return true;
      continue;
    }
    if (takeIf(TokenKind::Newline) || is(TokenKind::EndOfFile))
      return true;
    reportRestOfLine(statement->range.begin);
    return false;
  }
}

/// The statement is complete and the line is not. Says so, and if the line holds a `//` that was perhaps meant as a
/// comment, says that too.
void Parsing::reportRestOfLine(uint32_t begin) {
  StringRef line = file.text().slice(begin, token.begin);
  size_t slashes = line.rfind("//");
  if (is(TokenKind::Malformed) || slashes == StringRef::npos || line.drop_front(slashes).contains('\n')) {
    unexpected(diag::Kind::ExpectedToken, "the end of the statement");
    return;
  }
  uint32_t slashesAt = begin + static_cast<uint32_t>(slashes);
  report(diag::Kind::ExpectedToken, rangeOf(token), "found " + found() + ", expected the end of the statement",
         {file.id(), slashesAt, slashesAt + 2}, "after an operand `//` divides; a comment here begins with `#`");
}

const Stmt *Parsing::parseSimpleStatement() {
  uint32_t begin = token.begin;
  switch (token.kind) {
  case TokenKind::KwPass:
    take();
    return finish(start<Pass>(), begin);
  case TokenKind::KwBreak:
    take();
    return finish(start<Break>(), begin);
  case TokenKind::KwContinue:
    take();
    return finish(start<Continue>(), begin);
  case TokenKind::KwReturn:
    return parseReturn();
  case TokenKind::KwAssert:
    return parseAssert();
  case TokenKind::KwImport:
    return parseImport();
  case TokenKind::KwFrom:
    return parseImportFrom();
  case TokenKind::KwGlobal:
  case TokenKind::KwNonlocal:
  case TokenKind::KwDel:
  case TokenKind::KwRaise:
    return parseOpaqueSimple();
  default:
    return parseExpressionStatement();
  }
}

const Stmt *Parsing::parseReturn() {
  uint32_t begin = take().begin;
  auto node = start<Return>();
  if (!is(TokenKind::Newline) && !is(TokenKind::Semicolon) && !is(TokenKind::EndOfFile)) {
    node.value = parseExpressions(/*isYieldAllowed=*/false);
    if (!node.value)
      return nullptr;
  }
  return finish(node, begin);
}

const Stmt *Parsing::parseAssert() {
  uint32_t begin = take().begin;
  auto node = start<Assert>();
  node.condition = parseExpression();
  if (!node.condition)
    return nullptr;
  if (takeIf(TokenKind::Comma)) {
    node.message = parseExpression();
    if (!node.message)
      return nullptr;
  }
  return finish(node, begin);
}

const Stmt *Parsing::parseOpaqueSimple() {
  Token keyword = take();
  auto node = start<OpaqueStmt>();
  node.construct = textOf(keyword);
  bool isRaise = keyword.is(TokenKind::KwRaise);
  if (isRaise && (is(TokenKind::Newline) || is(TokenKind::Semicolon)))
    return finish(node, keyword.begin);
  if (!parseExpressions(/*isYieldAllowed=*/false))
    return nullptr;
  if (isRaise && takeIf(TokenKind::KwFrom) && !parseExpression())
    return nullptr;
  return finish(node, keyword.begin);
}

//===-- Imports ----------------------------------------------------------===//

/// The spelling of `a.b.c`, as one piece of the source when it stands there as one.
std::optional<StringRef> Parsing::parseDottedName() {
  std::string path;
  do {
    std::optional<Token> name = expectName("a module's name");
    if (!name)
      return std::nullopt;
    path += (path.empty() ? "" : ".") + textOf(*name).str();
  } while (takeIf(TokenKind::Dot));
  return context.copy(path);
}

std::optional<ImportedName> Parsing::parseImportedName(bool isDotted) {
  uint32_t begin = token.begin;
  ImportedName imported;
  if (isDotted) {
    std::optional<StringRef> path = parseDottedName();
    if (!path)
      return std::nullopt;
    imported.path = *path;
  } else {
    std::optional<Token> name = expectName("a name to import");
    if (!name)
      return std::nullopt;
    imported.path = textOf(*name);
  }
  if (takeIf(TokenKind::KwAs)) {
    std::optional<Token> name = expectName("a name after `as`");
    if (!name)
      return std::nullopt;
    imported.asName = textOf(*name);
  }
  imported.range = rangeFrom(begin);
  return imported;
}

const Stmt *Parsing::parseImport() {
  uint32_t begin = take().begin;
  llvm::SmallVector<ImportedName, 4> names;
  do {
    std::optional<ImportedName> name = parseImportedName(/*isDotted=*/true);
    if (!name)
      return nullptr;
    names.push_back(*name);
  } while (takeIf(TokenKind::Comma));
  auto node = start<Import>();
  node.names = copy(names);
  return finish(node, begin);
}

bool Parsing::parseImportedNames(llvm::SmallVectorImpl<ImportedName> &names) {
  if (is(TokenKind::Star)) {
    Token star = take();
    names.push_back({rangeOf(star), "*", ""});
    return true;
  }
  bool isBracketed = is(TokenKind::LeftParen);
  if (isBracketed)
    takeOpening();
  do {
    if (isBracketed && !names.empty() && is(TokenKind::RightParen))
      break;
    std::optional<ImportedName> name = parseImportedName(/*isDotted=*/false);
    if (!name)
      return false;
    names.push_back(*name);
  } while (takeIf(TokenKind::Comma));
  return !isBracketed || expectClosing(TokenKind::RightParen, "`,` or ");
}

const Stmt *Parsing::parseImportFrom() {
  uint32_t begin = take().begin;
  auto node = start<ImportFrom>();
  while (is(TokenKind::Dot) || is(TokenKind::Ellipsis))
    node.level += take().is(TokenKind::Dot) ? 1 : 3;
  if (node.level == 0 || !is(TokenKind::KwImport)) {
    std::optional<StringRef> path = parseDottedName();
    if (!path)
      return nullptr;
    node.module = *path;
  }
  if (!expect(TokenKind::KwImport, "after the module's name"))
    return nullptr;
  llvm::SmallVector<ImportedName, 8> names;
  if (!parseImportedNames(names))
    return nullptr;
  node.names = copy(names);
  return finish(node, begin);
}

//===-- Assignments ------------------------------------------------------===//

static std::optional<BinaryOp> augmentedOp(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOp::Add;
  case TokenKind::MinusEqual:
    return BinaryOp::Subtract;
  case TokenKind::StarEqual:
    return BinaryOp::Multiply;
  case TokenKind::SlashEqual:
    return BinaryOp::Divide;
  case TokenKind::SlashSlashEqual:
    return BinaryOp::FloorDivide;
  case TokenKind::PercentEqual:
    return BinaryOp::Modulo;
  case TokenKind::AtEqual:
    return BinaryOp::MatrixMultiply;
  case TokenKind::AmpersandEqual:
    return BinaryOp::BitAnd;
  case TokenKind::PipeEqual:
    return BinaryOp::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOp::BitXor;
  case TokenKind::LessLessEqual:
    return BinaryOp::ShiftLeft;
  case TokenKind::GreaterGreaterEqual:
    return BinaryOp::ShiftRight;
  case TokenKind::StarStarEqual:
    return BinaryOp::Power;
  default:
    return std::nullopt;
  }
}

const Stmt *Parsing::parseExpressionStatement() {
  uint32_t begin = token.begin;
  const Expr *first = startsExpression(token.kind) ? parseExpressions(/*isYieldAllowed=*/true)
                                                   : unexpected(diag::Kind::ExpectedStatement, "a statement");
  if (!first)
    return nullptr;
  if (is(TokenKind::Colon))
    return parseAnnotated(begin, first);
  if (is(TokenKind::Equal))
    return parseAssign(begin, first);
  if (std::optional<BinaryOp> op = augmentedOp(token.kind))
    return parseAugmented(begin, first, *op);
  auto node = start<ExprStmt>();
  node.value = first;
  return finish(node, begin);
}

const Stmt *Parsing::parseAnnotated(uint32_t begin, const Expr *target) {
  if (!llvm::isa<Name, Attribute, Subscript>(target))
    return unexpected(diag::Kind::ExpectedToken, "the end of the statement"), nullptr;
  take();
  auto node = start<AnnotatedAssign>();
  node.target = target;
  node.annotation = parseExpression();
  if (!node.annotation)
    return nullptr;
  if (takeIf(TokenKind::Equal)) {
    node.value = parseExpressions(/*isYieldAllowed=*/true);
    if (!node.value)
      return nullptr;
  }
  return finish(node, begin);
}

const Stmt *Parsing::parseAugmented(uint32_t begin, const Expr *target, BinaryOp op) {
  if (!llvm::isa<Name, Attribute, Subscript>(target)) {
    report(diag::Kind::NotAssignable, target->range,
           "this takes no value; " + describe(token.kind) + " stands after a name, an attribute or a subscript");
    return nullptr;
  }
  take();
  auto node = start<AugmentedAssign>();
  node.op = op;
  node.target = target;
  node.value = parseExpressions(/*isYieldAllowed=*/true);
  return node.value ? finish(node, begin) : nullptr;
}

const Stmt *Parsing::parseAssign(uint32_t begin, const Expr *first) {
  Exprs values = {first};
  while (takeIf(TokenKind::Equal)) {
    if (!checkTarget(values.back()))
      return nullptr;
    values.push_back(parseExpressions(/*isYieldAllowed=*/true));
    if (!values.back())
      return nullptr;
  }
  auto node = start<Assign>();
  node.value = values.pop_back_val();
  node.targets = copy(values);
  return finish(node, begin);
}

/// Reports the innermost part of a target that cannot take a value.
bool Parsing::checkTarget(const Expr *target) {
  if (llvm::isa<Name, Attribute, Subscript>(target))
    return true;
  if (const auto *starred = llvm::dyn_cast<Starred>(target))
    return checkTarget(starred->value);
  if (const auto *tuple = llvm::dyn_cast<Tuple>(target))
    return llvm::all_of(tuple->elements, [&](const Expr *element) { return checkTarget(element); });
  if (const auto *list = llvm::dyn_cast<List>(target))
    return llvm::all_of(list->elements, [&](const Expr *element) { return checkTarget(element); });
  report(diag::Kind::NotAssignable, target->range,
         "this takes no value; names, attributes, subscripts and tuples of these do");
  return false;
}
