// Lines, indentation, names and punctuators. Numbers and strings are in LexerLiterals.cpp.
#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include <array>
#include <string_view>

using namespace tlx;
using namespace tlx::ast;

llvm::StringRef ast::describe(TokenKind kind) {
  switch (kind) {
#define TLX_TOKEN(NAME, DESCRIPTION)                                                                                   \
  case TokenKind::NAME:                                                                                                \
    return DESCRIPTION;
#define TLX_PUNCTUATOR(NAME, SPELLING)                                                                                 \
  case TokenKind::NAME:                                                                                                \
    return "`" SPELLING "`";
#define TLX_KEYWORD(NAME, SPELLING)                                                                                    \
  case TokenKind::Kw##NAME:                                                                                            \
    return "`" SPELLING "`";
#include "Tokens.def"
  }
  llvm_unreachable("a kind outside the list");
}

TokenKind ast::keywordOrIdentifier(llvm::StringRef spelling) {
  return llvm::StringSwitch<TokenKind>(spelling)
#define TLX_KEYWORD(NAME, SPELLING) .Case(SPELLING, TokenKind::Kw##NAME)
#include "Tokens.def"
      .Default(TokenKind::Identifier);
}

Lexer::Lexer(llvm::StringRef text) : text(text), end(static_cast<uint32_t>(text.size())) {
  // A byte order mark is no part of the first line.
  if (text.starts_with("\xEF\xBB\xBF"))
    at = 3;
}

Lexer::Lexer(llvm::StringRef text, uint32_t begin, uint32_t end)
    : text(text), at(begin), end(end), depth(1), isField(true), atLineStart(false), atTextLineStart(false) {}

Token Lexer::make(TokenKind kind, uint32_t begin) {
  Token token;
  token.kind = kind;
  token.begin = begin;
  token.end = at;
  last = kind;
  bool isText = kind != TokenKind::Newline && kind != TokenKind::Indent && kind != TokenKind::Dedent;
  if (isText && std::exchange(atTextLineStart, false)) {
    token.startsLine = true;
    token.indentation = columnOf(begin);
  }
  return token;
}

Token Lexer::malformed(diag::Kind problem, llvm::StringRef message, uint32_t begin) {
  Token token = make(TokenKind::Malformed, begin);
  token.problem = problem;
  token.message = message;
  return token;
}

void Lexer::restartAtLineOf(uint32_t offset) {
  size_t lineEnd = text.take_front(offset).rfind('\n');
  at = lineEnd == llvm::StringRef::npos ? 0 : static_cast<uint32_t>(lineEnd + 1);
  depth = 0;
  atLineStart = atTextLineStart = true;
  last = TokenKind::Newline;
}

unsigned Lexer::columnOf(uint32_t offset) const {
  size_t lineEnd = text.take_front(offset).rfind('\n');
  unsigned column = 0;
  for (char c : text.slice(lineEnd == llvm::StringRef::npos ? 0 : lineEnd + 1, offset))
    column = c == '\t' ? (column / 8 + 1) * 8 : c == '\f' ? 0 : column + 1;
  return column;
}

void Lexer::skipComment() {
  while (at < end && text[at] != '\n')
    ++at;
}

unsigned Lexer::skipToContent() {
  unsigned column = 0;
  while (at < end) {
    char c = text[at];
    if (c == ' ') {
      ++column;
      ++at;
    } else if (c == '\t') {
      column = (column / 8 + 1) * 8;
      ++at;
    } else if (c == '\f') {
      column = 0;
      ++at;
    } else if (c == '#' || startsWith("//")) {
      skipComment();
    } else if (isLineEnd(text.slice(at, end))) {
      at += c == '\r' ? 2 : 1;
      column = 0;
    } else {
      return column;
    }
  }
  return 0;
}

std::optional<Token> Lexer::changeIndentation(unsigned column) {
  if (column > indents.back()) {
    indents.push_back(column);
    return make(TokenKind::Indent, at);
  }
  if (column == indents.back())
    return std::nullopt;
  while (column < indents.back()) {
    indents.pop_back();
    ++pendingDedents;
  }
  // The line counts as one of the innermost block that is deeper, whose indentation it redefines: so one mistake is
  // reported, and within the block that it was meant for.
  if (column != indents.back()) {
    indents.push_back(column);
    --pendingDedents;
    Token problem =
        malformed(diag::Kind::InconsistentIndentation, "this indentation is that of no enclosing block", at);
    atTextLineStart = true;
    return problem;
  }
  --pendingDedents;
  return make(TokenKind::Dedent, at);
}

bool Lexer::slashesStartComment() const {
  if (depth != 0 || !startsWith("//"))
    return false;
  // After `:` a block may follow on the line; an operand has not been seen in any of these.
  return last == TokenKind::Newline || last == TokenKind::Indent || last == TokenKind::Dedent ||
         last == TokenKind::Semicolon || last == TokenKind::Colon;
}

bool Lexer::skipBlanks() {
  while (at < end) {
    char c = text[at];
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at;
    } else if (c == '#' || slashesStartComment()) {
      skipComment();
    } else if (c == '\\' && isLineEnd(text.slice(at + 1, end))) {
      at += text[at + 1] == '\r' ? 3 : 2;
    } else if (isLineEnd(text.slice(at, end))) {
      if (depth == 0)
        return true;
      at += c == '\r' ? 2 : 1;
      atTextLineStart = true;
    } else {
      return false;
    }
  }
  return false;
}

/// Keywords that begin a statement and are part of no expression: at the start of a line they show that a bracket was
/// forgotten.
static bool onlyBeginsStatements(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwAssert:
  case TokenKind::KwBreak:
  case TokenKind::KwClass:
  case TokenKind::KwContinue:
  case TokenKind::KwDef:
  case TokenKind::KwDel:
  case TokenKind::KwElif:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
  case TokenKind::KwGlobal:
  case TokenKind::KwNonlocal:
  case TokenKind::KwPass:
  case TokenKind::KwRaise:
  case TokenKind::KwReturn:
  case TokenKind::KwTry:
  case TokenKind::KwWhile:
  case TokenKind::KwWith:
    return true;
  default:
    return false;
  }
}

bool Lexer::breaksOutOfBrackets() const {
  if (!atTextLineStart || depth == 0 || isField)
    return false;
  llvm::StringRef word = text.slice(at, end).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return onlyBeginsStatements(keywordOrIdentifier(word));
}

Token Lexer::next() {
  if (pendingDedents != 0) {
    --pendingDedents;
    return make(TokenKind::Dedent, at);
  }
  if (atLineStart && depth == 0) {
    atLineStart = false;
    atTextLineStart = true;
    if (std::optional<Token> change = changeIndentation(skipToContent()))
      return *change;
  }
  bool lineEnds = skipBlanks();
  if (breaksOutOfBrackets()) {
    restartAtLineOf(at);
    return make(TokenKind::Newline, at);
  }
  if (at >= end) {
    bool isMidLine = last != TokenKind::Newline && last != TokenKind::Dedent && last != TokenKind::EndOfFile;
    if (isField || !isMidLine)
      return make(TokenKind::EndOfFile, at);
    depth = 0;
    atLineStart = true;
    return make(TokenKind::Newline, at);
  }
  if (lineEnds) {
    uint32_t begin = at;
    at += text[at] == '\r' ? 2 : 1;
    atLineStart = true;
    Token token = make(TokenKind::Newline, begin);
    token.end = begin;
    return token;
  }
  return lexToken();
}

static bool isNameStart(char c) {
  return llvm::isAlpha(c) || c == '_';
}

/// Whether a character beyond ASCII may stand in a name. Python asks Unicode's tables; here blocks of punctuation,
/// arrows and mathematical signs are kept out, which are what slips into sources.
static bool isNameCharacter(llvm::UTF32 c) {
  bool isSign = (c >= 0x2000 && c < 0x2C00) || (c >= 0x3000 && c < 0x3040) || c == 0xD7 || c == 0xF7;
  return c >= 0xAA && !isSign && c != 0xAB && c != 0xBB && llvm::sys::unicode::isPrintable(static_cast<int>(c));
}

/// The number of bytes of the character at the front of `text`, which lies beyond ASCII; 0 when it is no UTF-8.
static unsigned decode(llvm::StringRef text, llvm::UTF32 &character) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *cursor = begin;
  if (llvm::convertUTF8Sequence(&cursor, begin + text.size(), &character, llvm::strictConversion) != llvm::conversionOK)
    return 0;
  return static_cast<unsigned>(cursor - begin);
}

Token Lexer::lexName() {
  uint32_t begin = at;
  while (at < end) {
    char c = text[at];
    if (llvm::isAlnum(c) || c == '_') {
      ++at;
      continue;
    }
    llvm::UTF32 character;
    unsigned length = llvm::isASCII(c) ? 0 : decode(text.slice(at, end), character);
    if (length == 0 || !isNameCharacter(character))
      break;
    at += length;
  }
  if (at == begin)
    return lexUnexpected();
  return make(keywordOrIdentifier(text.slice(begin, at)), begin);
}

Token Lexer::lexUnexpected() {
  uint32_t begin = at;
  llvm::UTF32 character;
  unsigned length = llvm::isASCII(text[at]) ? 1 : decode(text.slice(at, end), character);
  at += std::max(length, 1u);
  if (length == 0)
    return malformed(diag::Kind::UnexpectedCharacter, "this byte is not UTF-8", begin);
  if (begin + 1 == at && !llvm::isPrint(text[begin]))
    return malformed(diag::Kind::UnexpectedCharacter, "a control character stands outside a string", begin);
  return malformed(diag::Kind::UnexpectedCharacter, "this character is no part of the language", begin);
}

Token Lexer::lexToken() {
  char c = text[at];
  if (std::optional<uint32_t> prefix = stringPrefixLength(text.slice(at, end)))
    return lexString(at, at + *prefix);
  if (isNameStart(c) || !llvm::isASCII(c))
    return lexName();
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
    return lexNumber();
  return lexPunctuator();
}

static constexpr std::pair<TokenKind, std::string_view> punctuators[] = {
#define TLX_PUNCTUATOR(NAME, SPELLING) {TokenKind::NAME, SPELLING},
#include "Tokens.def"
};
static_assert(std::size(punctuators) <= 64, "candidates are a set of 64 bits");

/// For each character the set of punctuators that begin with it.
static constexpr auto punctuatorsByCharacter = [] {
  std::array<uint64_t, 128> sets = {};
  for (size_t i = 0; i < std::size(punctuators); ++i)
    sets[static_cast<size_t>(punctuators[i].second[0])] |= uint64_t(1) << i;
  return sets;
}();

Token Lexer::lexPunctuator() {
  uint32_t begin = at;
  // lexToken has dealt with what lies beyond ASCII.
  uint64_t candidates = punctuatorsByCharacter[static_cast<size_t>(text[at])];
  for (; candidates != 0; candidates &= candidates - 1) {
    const auto &[kind, spelling] = punctuators[llvm::countr_zero(candidates)];
    if (!startsWith(spelling))
      continue;
    // In `{value:=8}` the colon begins the format.
    if (kind == TokenKind::ColonEqual && isField && depth == 1)
      continue;
    at += static_cast<uint32_t>(spelling.size());
    if (kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace)
      ++depth;
    else if (isClosingBracket(kind) && depth != 0)
      --depth;
    return make(kind, begin);
  }
  return lexUnexpected();
}
