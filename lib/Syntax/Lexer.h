// Text to tokens by Python's lexical rules, one token at a time, so that the parser can set the lexer right after a
// mistake. One rule is ours: where a statement could begin, `//` starts a comment.
#ifndef TLX_LIB_SYNTAX_LEXER_H
#define TLX_LIB_SYNTAX_LEXER_H

#include "Token.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tlx::ast {

class Lexer {
public:
  /// Tokens of a whole file.
  explicit Lexer(llvm::StringRef text);
  /// Tokens of the expression in a replacement field of an f-string: text[begin, end), where line ends mean nothing and
  /// the `}` that closes the field is the first unmatched one. Offsets stay those of the file.
  Lexer(llvm::StringRef text, uint32_t begin, uint32_t end);

  /// EndOfFile again and again once the end is reached.
  Token next();

  /// Forgets open brackets and goes on at the start of the line that holds `offset`.
  void restartAtLineOf(uint32_t offset);

private:
  /// Skips blank and comment lines; leaves `at` at the first character of a line with content and returns its column.
  unsigned skipToContent();
  std::optional<Token> changeIndentation(unsigned column);
  /// Skips blanks, comments and joined lines. True at a line end that matters.
  bool skipBlanks();
  void skipComment();
  bool slashesStartComment() const;
  bool breaksOutOfBrackets() const;
  unsigned columnOf(uint32_t offset) const;

  Token lexToken();
  Token lexName();
  Token lexPunctuator();
  Token lexUnexpected();
  Token lexNumber();
  Token lexNumberWithBase(uint32_t begin, unsigned base);
  Token finishNumber(TokenKind kind, uint32_t begin, bool wellFormed);
  bool skipDigits(unsigned base);

  Token lexString(uint32_t begin, uint32_t quoteAt);
  std::optional<uint32_t> skipStringBody(uint32_t quoteAt, bool isFormatted, unsigned depth) const;
  std::optional<uint32_t> skipReplacementField(uint32_t from, bool isTriple, unsigned depth) const;
  std::optional<uint32_t> skipFormat(uint32_t from, bool isTriple, unsigned depth) const;

  char peek(uint32_t ahead = 0) const { return at + ahead < end ? text[at + ahead] : '\0'; }
  bool startsWith(llvm::StringRef prefix) const { return text.slice(at, end).starts_with(prefix); }
  Token make(TokenKind kind, uint32_t begin);
  Token malformed(diag::Kind problem, llvm::StringRef message, uint32_t begin);

  llvm::StringRef text;
  uint32_t at = 0;
  uint32_t end;
  llvm::SmallVector<unsigned, 16> indents = {0};
  unsigned pendingDedents = 0;
  unsigned depth = 0;
  bool isField = false;
  /// The next token is the first of a logical line.
  bool atLineStart = true;
  /// The next token is the first of a line of text.
  bool atTextLineStart = true;
  TokenKind last = TokenKind::Newline;
};

inline bool isLineEnd(llvm::StringRef text) {
  return text.starts_with("\n") || text.starts_with("\r\n");
}

/// The length of the prefix (r, b, u, f and pairs of these) of a string that begins with `text`, if it begins one.
std::optional<uint32_t> stringPrefixLength(llvm::StringRef text);

} // namespace tlx::ast

#endif
