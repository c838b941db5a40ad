// The extent of numbers and strings. What they mean is worked out by Literals.cpp and ParseStrings.cpp.
#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace tlx;
using namespace tlx::ast;

/// How deep f-strings may hold f-strings.
static constexpr unsigned deepestField = 64;

//===-- Numbers ----------------------------------------------------------===//

static bool isDigitOf(char c, unsigned base) {
  unsigned value = llvm::hexDigitValue(c);
  return value != ~0u && value < base;
}

/// Skips digits with single underscores between them. False when there is none or an underscore is misplaced.
bool Lexer::skipDigits(unsigned base) {
  bool wellFormed = isDigitOf(peek(), base);
  while (isDigitOf(peek(), base) || peek() == '_') {
    if (peek() == '_' && !isDigitOf(peek(1), base))
      wellFormed = false;
    ++at;
  }
  return wellFormed;
}

Token Lexer::finishNumber(TokenKind kind, uint32_t begin, bool wellFormed) {
  if (kind != TokenKind::Imaginary && (peek() == 'j' || peek() == 'J')) {
    ++at;
    kind = TokenKind::Imaginary;
  }
  while (llvm::isAlnum(peek()) || peek() == '_') {
    wellFormed = false;
    ++at;
  }
  if (!wellFormed)
    return malformed(diag::Kind::MalformedNumber, "this is not how a number is written", begin);
  return make(kind, begin);
}

Token Lexer::lexNumberWithBase(uint32_t begin, unsigned base) {
  at += 2;
  if (peek() == '_')
    ++at;
  bool wellFormed = skipDigits(base);
  // An integer with a base has no imaginary form.
  if (peek() == 'j' || peek() == 'J')
    wellFormed = false;
  return finishNumber(TokenKind::Int, begin, wellFormed);
}

Token Lexer::lexNumber() {
  uint32_t begin = at;
  if (peek() == '0') {
    char letter = llvm::toLower(peek(1));
    if (letter == 'x' || letter == 'o' || letter == 'b')
      return lexNumberWithBase(begin, letter == 'x' ? 16 : letter == 'o' ? 8 : 2);
  }
  TokenKind kind = TokenKind::Int;
  bool wellFormed = peek() == '.' || skipDigits(10);
  uint32_t wholeEnd = at;
  if (peek() == '.') {
    kind = TokenKind::Float;
    ++at;
    if (llvm::isDigit(peek()))
      wellFormed &= skipDigits(10);
  }
  char letter = llvm::toLower(peek());
  unsigned sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if (letter == 'e' && llvm::isDigit(peek(1 + sign))) {
    kind = TokenKind::Float;
    at += 1 + sign;
    wellFormed &= skipDigits(10);
  }
  // Python refuses 012, which other languages read as octal.
  llvm::StringRef whole = text.slice(begin, wholeEnd);
  if (kind == TokenKind::Int && llvm::toLower(peek()) != 'j' && whole.starts_with("0") &&
      whole.find_first_not_of("0_") != llvm::StringRef::npos)
    wellFormed = false;
  return finishNumber(kind, begin, wellFormed);
}

//===-- Strings ----------------------------------------------------------===//

std::optional<uint32_t> ast::stringPrefixLength(llvm::StringRef text) {
  size_t length = text.take_front(3).find_first_of("'\"");
  if (length == llvm::StringRef::npos)
    return std::nullopt;
  std::string prefix = text.take_front(length).lower();
  for (llvm::StringRef known : {"", "r", "b", "u", "f", "rb", "br", "rf", "fr"})
    if (known == prefix)
      return static_cast<uint32_t>(length);
  return std::nullopt;
}

static bool isTripleQuote(llvm::StringRef text) {
  return text.starts_with("'''") || text.starts_with("\"\"\"");
}

/// The offset after the closing quote of the string whose opening quote is at `quoteAt`. A backslash hides the next
/// character in raw strings too.
std::optional<uint32_t> Lexer::skipStringBody(uint32_t quoteAt, bool isFormatted, unsigned depth) const {
  bool isTriple = isTripleQuote(text.slice(quoteAt, end));
  llvm::StringRef quote = text.substr(quoteAt, isTriple ? 3 : 1);
  uint32_t cursor = quoteAt + static_cast<uint32_t>(quote.size());
  while (cursor < end) {
    llvm::StringRef rest = text.slice(cursor, end);
    if (rest.starts_with(quote))
      return cursor + static_cast<uint32_t>(quote.size());
    if (rest.front() == '\n' && !isTriple)
      return std::nullopt;
    if (rest.front() == '\\') {
      cursor += rest.starts_with("\\\r\n") ? 3 : 2;
    } else if (isFormatted && (rest.starts_with("{{") || rest.starts_with("}}"))) {
      cursor += 2;
    } else if (isFormatted && rest.front() == '{') {
      std::optional<uint32_t> fieldEnd = skipReplacementField(cursor + 1, isTriple, depth + 1);
      if (!fieldEnd)
        return std::nullopt;
      cursor = *fieldEnd;
    } else {
      ++cursor;
    }
  }
  return std::nullopt;
}

/// The offset after the `}` of a replacement field that begins before `from`. Strings inside may use any quotes.
std::optional<uint32_t> Lexer::skipReplacementField(uint32_t from, bool isTriple, unsigned depth) const {
  unsigned open = 0;
  uint32_t cursor = from;
  while (cursor < end && depth < deepestField) {
    llvm::StringRef rest = text.slice(cursor, end);
    char c = rest.front();
    if (c == '\n' && !isTriple)
      return std::nullopt;
    if (std::optional<uint32_t> prefix = stringPrefixLength(rest)) {
      bool isFormatted = rest.take_front(*prefix).contains_insensitive("f");
      std::optional<uint32_t> stringEnd = skipStringBody(cursor + *prefix, isFormatted, depth + 1);
      if (!stringEnd)
        return std::nullopt;
      cursor = *stringEnd;
      continue;
    }
    if (llvm::isAlnum(c) || c == '_') {
      cursor += static_cast<uint32_t>(rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).size());
      continue;
    }
    ++cursor;
    if (c == '(' || c == '[' || c == '{')
      ++open;
    else if (c == '}' && open == 0)
      return cursor;
    else if (c == ')' || c == ']' || c == '}')
      open -= open != 0;
    else if (c == ':' && open == 0)
      return skipFormat(cursor, isTriple, depth);
  }
  return std::nullopt;
}

/// As skipReplacementField, from after the colon: here quotes are text, and fields may nest.
std::optional<uint32_t> Lexer::skipFormat(uint32_t from, bool isTriple, unsigned depth) const {
  uint32_t cursor = from;
  while (cursor < end) {
    char c = text[cursor++];
    if (c == '}')
      return cursor;
    if (c == '\n' && !isTriple)
      return std::nullopt;
    if (c != '{')
      continue;
    std::optional<uint32_t> fieldEnd = skipReplacementField(cursor, isTriple, depth + 1);
    if (!fieldEnd)
      return std::nullopt;
    cursor = *fieldEnd;
  }
  return std::nullopt;
}

Token Lexer::lexString(uint32_t begin, uint32_t quoteAt) {
  bool isFormatted = text.slice(begin, quoteAt).contains_insensitive("f");
  std::optional<uint32_t> stringEnd = skipStringBody(quoteAt, isFormatted, 0);
  // A field that does not close must not swallow the file: take the string as plain, and let the parser find the field.
  if (!stringEnd && isFormatted)
    stringEnd = skipStringBody(quoteAt, /*isFormatted=*/false, 0);
  if (stringEnd) {
    at = *stringEnd;
    return make(TokenKind::String, begin);
  }
  bool isTriple = isTripleQuote(text.slice(quoteAt, end));
  if (isTriple) {
    // Mark the quotes, not the rest of the file.
    at = end;
    Token token = malformed(diag::Kind::UnterminatedString, "this string is open at the end of the file", begin);
    token.end = quoteAt + 3;
    return token;
  }
  at = quoteAt;
  while (at < end && !isLineEnd(text.slice(at, end)))
    ++at;
  return malformed(diag::Kind::UnterminatedString, "this string is open at the end of the line", begin);
}
