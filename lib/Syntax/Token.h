// One token, and what can be asked of its kind.
#ifndef TLX_LIB_SYNTAX_TOKEN_H
#define TLX_LIB_SYNTAX_TOKEN_H

#include "tlx/Support/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tlx::ast {

enum class TokenKind : uint8_t {
#define TLX_TOKEN(NAME, DESCRIPTION) NAME,
#define TLX_PUNCTUATOR(NAME, SPELLING) NAME,
#define TLX_KEYWORD(NAME, SPELLING) Kw##NAME,
#include "Tokens.def"
};

/// What a message calls a token of this kind: "`+=`", "end of line".
llvm::StringRef describe(TokenKind kind);
/// The keyword that is spelt so, or Identifier.
TokenKind keywordOrIdentifier(llvm::StringRef spelling);

inline bool isClosingBracket(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  /// First token of a line of text.
  bool startsLine = false;
  uint32_t begin = 0;
  uint32_t end = 0;
  /// Of the line, when startsLine: in columns from zero, with tabs to multiples of eight.
  uint32_t indentation = 0;
  /// Why the token is Malformed.
  diag::Kind problem = diag::Kind::UnexpectedCharacter;
  llvm::StringRef message;

  bool is(TokenKind other) const { return kind == other; }
};

} // namespace tlx::ast

#endif
