// Tokens, above all those that lines and indentation give.
#include "Lexer.h"
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::ast;

/// The tokens in one line: layout by name, others as they are spelt.
static std::string tokens(llvm::StringRef text) {
  Lexer lexer(text);
  std::string result;
  for (Token token = lexer.next(); !token.is(TokenKind::EndOfFile); token = lexer.next()) {
    result += result.empty() ? "" : " ";
    switch (token.kind) {
    case TokenKind::Newline:
      result += "NEWLINE";
      break;
    case TokenKind::Indent:
      result += "INDENT";
      break;
    case TokenKind::Dedent:
      result += "DEDENT";
      break;
    case TokenKind::Malformed:
      result += ("<" + diag::spelling(token.problem) + ">").str();
      break;
    default:
      result += text.slice(token.begin, token.end);
    }
  }
  return result;
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(tokens("if a:\n  b\n  c\nd\n"), "if a : NEWLINE INDENT b NEWLINE c NEWLINE DEDENT d NEWLINE");
  EXPECT_EQ(tokens("a:\n b:\n  c\n"), "a : NEWLINE INDENT b : NEWLINE INDENT c NEWLINE DEDENT DEDENT");
}

TEST(Lexer, LastLineNeedsNoEnd) {
  EXPECT_EQ(tokens("a"), "a NEWLINE");
  EXPECT_EQ(tokens("a:\n b"), "a : NEWLINE INDENT b NEWLINE DEDENT");
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("\n\n  \n"), "");
}

TEST(Lexer, TabsGoToMultiplesOfEight) {
  EXPECT_EQ(tokens("a:\n\tb\n        c\n"), "a : NEWLINE INDENT b NEWLINE c NEWLINE DEDENT");
  EXPECT_EQ(tokens("a:\n   \tb\n        c\n"), "a : NEWLINE INDENT b NEWLINE c NEWLINE DEDENT");
}

TEST(Lexer, BlankAndCommentLinesHaveNoIndentation) {
  EXPECT_EQ(tokens("a:\n  b\n\n# x\n      # y\n  c\n"), "a : NEWLINE INDENT b NEWLINE c NEWLINE DEDENT");
}

TEST(Lexer, LineEndsOfBothKinds) {
  EXPECT_EQ(tokens("a:\r\n  b\r\n\r\n  c\r\n"), "a : NEWLINE INDENT b NEWLINE c NEWLINE DEDENT");
}

TEST(Lexer, ByteOrderMarkIsSkipped) {
  EXPECT_EQ(tokens("\xEF\xBB\xBF"
                   "a\n"),
            "a NEWLINE");
}

TEST(Lexer, BracketsSuspendLines) {
  EXPECT_EQ(tokens("f(a,\n      b\n)\nc\n"), "f ( a , b ) NEWLINE c NEWLINE");
  EXPECT_EQ(tokens("[{(\n1)}\n]\n"), "[ { ( 1 ) } ] NEWLINE");
}

TEST(Lexer, BackslashJoinsLines) {
  EXPECT_EQ(tokens("a + \\\n  b\nc\n"), "a + b NEWLINE c NEWLINE");
}

TEST(Lexer, StatementKeywordBreaksOutOfAnOpenBracket) {
  EXPECT_EQ(tokens("f(a\ndef g\n"), "f ( a NEWLINE def g NEWLINE");
  EXPECT_EQ(tokens("f(a\nfor b in c)\n"), "f ( a for b in c ) NEWLINE");
}

TEST(Lexer, DedentToNoBlock) {
  EXPECT_EQ(tokens("a:\n    b\n  c\n  d\ne\n"),
            "a : NEWLINE INDENT b NEWLINE <inconsistent-indentation> c NEWLINE d NEWLINE DEDENT e NEWLINE");
}

TEST(Lexer, SlashesAreACommentWhereAStatementCouldBegin) {
  EXPECT_EQ(tokens("// x\na // b\n    // y\nc\n"), "a // b NEWLINE c NEWLINE");
  EXPECT_EQ(tokens("if a: // x\n  b; // y\n"), "if a : NEWLINE INDENT b ; NEWLINE DEDENT");
  EXPECT_EQ(tokens("f(a\n // b)\n"), "f ( a // b ) NEWLINE");
  EXPECT_EQ(tokens("a //= b\n"), "a //= b NEWLINE");
}

TEST(Lexer, OperatorsAreTheLongestThatMatch) {
  EXPECT_EQ(tokens("a**=b**c*d"), "a **= b ** c * d NEWLINE");
  EXPECT_EQ(tokens("a>>=b>>c>=d>e"), "a >>= b >> c >= d > e NEWLINE");
  EXPECT_EQ(tokens("a<<=b<<c<=d<e"), "a <<= b << c <= d < e NEWLINE");
  EXPECT_EQ(tokens("a//=b//c/=d/e"), "a //= b // c /= d / e NEWLINE");
  EXPECT_EQ(tokens("->-=- :=::==== !=!"), "-> -= - := : := == = != ! NEWLINE");
  EXPECT_EQ(tokens("a@b@=c~d^=e^f|=g|h&=i&j%=k%l..."),
            "a @ b @= c ~ d ^= e ^ f |= g | h &= i & j %= k % l ... NEWLINE");
}

TEST(Lexer, KeywordsAreNoNames) {
  Lexer lexer("None nonlocal Nonet");
  EXPECT_EQ(lexer.next().kind, TokenKind::KwNone);
  EXPECT_EQ(lexer.next().kind, TokenKind::KwNonlocal);
  EXPECT_EQ(lexer.next().kind, TokenKind::Identifier);
}

TEST(Lexer, NumbersOfAllForms) {
  EXPECT_EQ(tokens("0 00 10 1_000 0xFf 0o17 0b1_0 0x_f"), "0 00 10 1_000 0xFf 0o17 0b1_0 0x_f NEWLINE");
  EXPECT_EQ(tokens("1. .5 1.5 1e3 1E-3 1.e+3 1_0.0_1e1_0 3j 1.5J"),
            "1. .5 1.5 1e3 1E-3 1.e+3 1_0.0_1e1_0 3j 1.5J NEWLINE");
  EXPECT_EQ(tokens("1..real"), "1. . real NEWLINE");
}

TEST(Lexer, MalformedNumbers) {
  for (llvm::StringRef text : {"1_", "1__0", "0x", "0xg", "0b2", "0o8", "012", "1a", "1.5x", "0x1j", "1e", "1.0_"})
    EXPECT_EQ(tokens(text), "<malformed-number> NEWLINE") << text.str();
}

TEST(Lexer, StringsOfAllForms) {
  for (llvm::StringRef text : {"''", "\"a\"", "'\\''", "r'\\'", "'''a\n'b''c'''", "\"\"\"\"\"\"", "b'x'", "Rb'x'",
                               "u'x'", "f'x{y}'", "fR'x'", "f\"{a[\"k\"]}\"", "f'{a:{b}}'", "f'{{'", "f'{f\"{x}\"}'"}) {
    // Raw strings end at a quote behind one backslash only when another hides it.
    if (text == "r'\\'")
      EXPECT_EQ(tokens(text), "<unterminated-string> NEWLINE");
    else
      EXPECT_EQ(tokens(text), (text + " NEWLINE").str());
  }
}

TEST(Lexer, PrefixMustBeKnown) {
  EXPECT_EQ(tokens("bu'x'"), "bu 'x' NEWLINE");
}

TEST(Lexer, UnterminatedStrings) {
  EXPECT_EQ(tokens("'abc\nd\n"), "<unterminated-string> NEWLINE d NEWLINE");
  EXPECT_EQ(tokens("'''abc\nd\n"), "<unterminated-string> NEWLINE");
  EXPECT_EQ(tokens("'abc\\"), "<unterminated-string> NEWLINE");
}

TEST(Lexer, NamesBeyondAscii) {
  EXPECT_EQ(tokens("\xCE\xB1_1 = 2"), "\xCE\xB1_1 = 2 NEWLINE");
  EXPECT_EQ(tokens("a \xC3\x97 b"), "a <unexpected-character> b NEWLINE");
  EXPECT_EQ(tokens("\xE2\x80\x9C"
                   "a"),
            "<unexpected-character> a NEWLINE");
  EXPECT_EQ(tokens("a \xFF b"), "a <unexpected-character> b NEWLINE");
  EXPECT_EQ(tokens("a ? $"), "a <unexpected-character> <unexpected-character> NEWLINE");
}

TEST(Lexer, TokensKnowTheirLine) {
  Lexer lexer("a b\n  c\n(\n   d)");
  EXPECT_TRUE(lexer.next().startsLine);
  EXPECT_FALSE(lexer.next().startsLine);
  lexer.next();
  EXPECT_EQ(lexer.next().kind, TokenKind::Indent);
  Token c = lexer.next();
  EXPECT_TRUE(c.startsLine);
  EXPECT_EQ(c.indentation, 2u);
  while (!lexer.next().is(TokenKind::LeftParen))
    continue;
  Token d = lexer.next();
  EXPECT_TRUE(d.startsLine);
  EXPECT_EQ(d.indentation, 3u);
}

TEST(Lexer, RestartForgetsBrackets) {
  llvm::StringRef text = "f(\nx = 1\ny\n";
  Lexer lexer(text);
  lexer.next();
  lexer.next();
  Token x = lexer.next();
  lexer.restartAtLineOf(x.begin);
  EXPECT_EQ(lexer.next().begin, x.begin);
  lexer.next();
  lexer.next();
  EXPECT_EQ(lexer.next().kind, TokenKind::Newline);
}
