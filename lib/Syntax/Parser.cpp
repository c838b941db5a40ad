// Tokens, mistakes and recovery.
#include "tlx/Syntax/Parser.h"
#include "Parsing.h"
#include "tlx/Syntax/Walk.h"
#include "llvm/ADT/Twine.h"

using namespace tlx;
using namespace tlx::ast;

/// How deep brackets and blocks may nest: what bounds the parser's own stack.
static constexpr unsigned deepestNesting = 256;
/// How deep a tree may get by chains such as `a + b + c`, which do not nest: what bounds the stack of those who walk
/// it.
static constexpr unsigned highestTree = 1024;

const Module *ast::parse(const SourceFile &file, Context &context, diag::Sink &sink) {
  return Parsing(file, context, sink).parseModule();
}

Parsing::Parsing(const SourceFile &file, Context &context, diag::Sink &sink)
    : file(file), context(context), sink(sink), lexer(file.text()), isLenient(file.path().ends_with(".py")) {}

const Module *Parsing::parseModule() {
  take();
  Statements statements;
  while (!is(TokenKind::EndOfFile)) {
    // Ends of blocks that recovery left over.
    if (!takeIf(TokenKind::Dedent))
      parseStatement(statements);
  }
  return context.make(Module{&file, copy(statements), {}});
}

//===-- Tokens -----------------------------------------------------------===//

const Token &Parsing::peek() {
  if (!ahead)
    ahead = lexer.next();
  return *ahead;
}

Token Parsing::take() {
  Token taken = token;
  token = ahead ? *std::exchange(ahead, std::nullopt) : lexer.next();
  bool isLayout = taken.is(TokenKind::Newline) || taken.is(TokenKind::Indent) || taken.is(TokenKind::Dedent);
  if (!isLayout)
    lastEnd = taken.end;
  if (token.startsLine) {
    lineStart = token;
    lineIndentation = token.indentation;
  }
  return taken;
}

bool Parsing::takeIf(TokenKind kind) {
  if (!is(kind))
    return false;
  take();
  return true;
}

void Parsing::goTo(const Position &position) {
  lexer = position.lexer;
  token = position.token;
  ahead = position.ahead;
  lastEnd = position.lastEnd;
  lineStart = position.lineStart;
  lineIndentation = position.lineIndentation;
  openBrackets = position.openBrackets;
}

//===-- Mistakes ---------------------------------------------------------===//

void Parsing::report(diag::Kind kind, SourceRange range, const llvm::Twine &message, SourceRange noteRange,
                     const llvm::Twine &note) {
  if (isSilent || !isReported())
    return;
  diag::Builder builder = sink.error(kind, range);
  builder << message;
  if (noteRange.isKnown())
    builder.note(noteRange, note);
}

std::string Parsing::found() const {
  switch (token.kind) {
  case TokenKind::Identifier:
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    return ("`" + textOf(token) + "`").str();
  case TokenKind::EndOfFile:
    return isInField ? "end of string" : "end of file";
  default:
    return describe(token.kind).str();
  }
}

/// The bracket that closes `opening`.
static TokenKind closingOf(TokenKind opening) {
  return opening == TokenKind::LeftParen     ? TokenKind::RightParen
         : opening == TokenKind::LeftBracket ? TokenKind::RightBracket
                                             : TokenKind::RightBrace;
}

/// Keywords that go on with the statement of an earlier line.
static bool continuesStatement(TokenKind kind) {
  return kind == TokenKind::KwElif || kind == TokenKind::KwElse || kind == TokenKind::KwExcept ||
         kind == TokenKind::KwFinally;
}

static bool canBeginStatement(TokenKind kind) {
  return !isClosingBracket(kind) && !continuesStatement(kind);
}

/// Whether the line of the current token stands within brackets only because one was forgotten: it is no deeper than
/// the statement that the brackets are part of.
bool Parsing::isPastOpenBracket() const {
  return !openBrackets.empty() && lineStart.begin > openBrackets.back().begin &&
         lineIndentation <= statementIndentation && canBeginStatement(lineStart.kind);
}

std::nullptr_t Parsing::unexpected(diag::Kind kind, const llvm::Twine &expectation) {
  bool isEnd = is(TokenKind::Newline) || is(TokenKind::EndOfFile);
  if (is(TokenKind::Malformed)) {
    report(token.problem, rangeOf(token), token.message);
  } else if (!openBrackets.empty() && (isEnd || isPastOpenBracket())) {
    Token opening = openBrackets.back();
    report(diag::Kind::UnclosedBracket, rangeOf(opening), describe(opening.kind) + " is never closed");
  } else if (!openBrackets.empty() && isClosingBracket(token.kind) && !is(closingOf(openBrackets.back().kind))) {
    Token opening = openBrackets.back();
    report(diag::Kind::UnmatchedBracket, rangeOf(token),
           describe(token.kind) + " stands where " + describe(closingOf(opening.kind)) + " is expected",
           rangeOf(opening), describe(opening.kind) + " was opened here");
  } else if (isClosingBracket(token.kind) && openBrackets.empty() && !isInField) {
    report(diag::Kind::UnmatchedBracket, rangeOf(token), describe(token.kind) + " closes no bracket");
  } else {
    report(kind, rangeOf(token), "found " + found() + ", expected " + expectation);
  }
  return nullptr;
}

bool Parsing::expect(TokenKind kind, const llvm::Twine &where) {
  if (takeIf(kind))
    return true;
  unexpected(diag::Kind::ExpectedToken, describe(kind) + " " + where);
  return false;
}

std::optional<Token> Parsing::expectName(const llvm::Twine &what) {
  if (is(TokenKind::Identifier))
    return take();
  unexpected(diag::Kind::ExpectedToken, what);
  return std::nullopt;
}

void Parsing::takeOpening() {
  openBrackets.push_back(take());
}

bool Parsing::expectClosing(TokenKind kind, const llvm::Twine &alternative) {
  if (!is(kind)) {
    unexpected(diag::Kind::ExpectedToken, alternative + describe(kind));
    return false;
  }
  take();
  openBrackets.pop_back();
  return true;
}

bool Parsing::Nesting::isTooDeep() {
  if (parsing.nesting <= deepestNesting)
    return false;
  parsing.report(diag::Kind::NestingTooDeep, parsing.rangeOf(parsing.token),
                 "this is nested " + llvm::Twine(parsing.nesting) + " deep; at most " + llvm::Twine(deepestNesting) +
                     " is supported");
  return true;
}

const Expr *Parsing::checkHeight(const Expr *expr) {
  unsigned highest = 0;
  // Leaves are not in the table: most expressions are.
  forEachChild(*expr, [&](const Expr &child) { highest = std::max(highest, heights.lookup(&child) + 1); });
  if (highest > highestTree) {
    report(diag::Kind::NestingTooDeep, expr->range,
           "this chain of operators is " + llvm::Twine(highest) + " long; at most " + llvm::Twine(highestTree) +
               " is supported");
    return nullptr;
  }
  if (highest != 0)
    heights[expr] = highest;
  return expr;
}

/// Goes on to the next statement that is not deeper than the one that began at `begin`, or to the end of its block.
void Parsing::recover(uint32_t begin, uint32_t indentation) {
  // The statement that was to come next may stand behind the current token's back.
  bool isPast = isPastOpenBracket();
  openBrackets.clear();
  if (isPast && lineStart.begin > begin)
    restartAtLineOf(lineStart.begin);
  unsigned deeper = 0;
  std::optional<uint32_t> restartedAt;
  while (!is(TokenKind::EndOfFile)) {
    if (is(TokenKind::Dedent)) {
      if (deeper == 0)
        return;
      --deeper;
    } else if (is(TokenKind::Indent)) {
      ++deeper;
    } else if (token.startsLine && token.begin > begin && token.indentation <= indentation &&
               canBeginStatement(token.kind)) {
      if (restartedAt != token.begin) {
        // A bracket may still be open, and hide the ends of lines and blocks.
        restartedAt = token.begin;
        restartAtLineOf(token.begin);
        continue;
      }
      if (deeper == 0)
        return;
    }
    take();
  }
}

void Parsing::restartAtLineOf(uint32_t offset) {
  lexer.restartAtLineOf(offset);
  ahead.reset();
  take();
}
