// Strings and f-strings in the tree.
#include "Parsed.h"

using namespace tlx::ast;

static void expectString(llvm::StringRef text, llvm::StringRef tree) {
  expectTree(text, ("  ExprStmt 1:1\n" + tree).str());
}

TEST(Strings, AdjacentLiteralsAreOne) {
  expectString("'a' \"b\" r'\\n' '''c'''", "    StringLiteral 1:1 \"ab\\\\nc\"\n");
  expectString("('a'\n 'b')", "    StringLiteral 1:2 \"ab\"\n");
}

TEST(Strings, EscapesAreResolved) {
  expectString("'a\\tb\\x00'", "    StringLiteral 1:1 \"a\\x09b\\x00\"\n");
  expectString("b'\\xff'", "    StringLiteral 1:1 b\"\xFF\"\n");
}

TEST(Strings, FormattedFields) {
  expectString("f'a{b}c{d!r:>{w}.2f}'", R"(    FString 1:1
      text 1:3 "a"
      field 1:4
        value: Name 1:5 b
      text 1:7 "c"
      field 1:8 !r
        value: Name 1:9 d
        format: FString 1:13
          text 1:13 ">"
          field 1:14
            value: Name 1:15 w
          text 1:17 ".2f"
)");
}

TEST(Strings, FormattedBracesAndEscapes) {
  expectString("f'{{{a}}}\\n'", R"(    FString 1:1
      text 1:3 "{"
      field 1:5
        value: Name 1:6 a
      text 1:8 "}\n"
)");
}

TEST(Strings, FormattedJoinsPlainOnes) {
  expectString("'x' f'{a}' 'y' 'z'", R"(    FString 1:1
      text 1:1 "x"
      field 1:7
        value: Name 1:8 a
      text 1:1 "yz"
)");
}

TEST(Strings, DebugFieldKeepsItsText) {
  expectString("f'{a + b = !s}'", R"(    FString 1:1
      field 1:3 "a + b = "!s
        value: Binary 1:4 +
          Name 1:4 a
          Name 1:8 b
)");
}

TEST(Strings, FieldsMayHoldStringsColonsAndComparisons) {
  expectString("f\"{d['k:}']}{x[1:2]}{a != b}{(lambda: 1)()}{y:=5}\"", R"(    FString 1:1
      field 1:3
        value: Subscript 1:4
          Name 1:4 d
          index: StringLiteral 1:6 "k:}"
      field 1:13
        value: Subscript 1:14
          Name 1:14 x
          index: Slice 1:16
            lower: IntLiteral 1:16 1
            upper: IntLiteral 1:18 2
      field 1:21
        value: Compare 1:22 !=
          Name 1:22 a
          Name 1:27 b
      field 1:29
        value: Call 1:30
          callee: Lambda 1:31
            body: IntLiteral 1:39 1
      field 1:44
        value: Name 1:45 y
        format: FString 1:47
          text 1:47 "=5"
)");
}

TEST(Strings, FieldsMayReuseTheQuotes) {
  expectString("f'{a['k']}{f'{b}'}'", R"(    FString 1:1
      field 1:3
        value: Subscript 1:4
          Name 1:4 a
          index: StringLiteral 1:6 "k"
      field 1:11
        value: FString 1:12
          field 1:14
            value: Name 1:15 b
)");
}

TEST(Strings, FieldOverSeveralLines) {
  expectString("f'''{\na\n}'''", "    FString 1:1\n      field 1:5\n        value: Name 2:1 a\n");
}

TEST(Strings, MistakesInFields) {
  EXPECT_EQ(Parsed("x = f'{a'\n").mistakes(), "1:7 unclosed-bracket\n");
  EXPECT_EQ(Parsed("x = f'a}'\n").mistakes(), "1:8 unmatched-bracket\n");
  EXPECT_EQ(Parsed("x = f'{}'\n").mistakes(), "1:8 expected-expression\n");
  EXPECT_EQ(Parsed("x = f'{a b}'\n").mistakes(), "1:7 unclosed-bracket\n");
  EXPECT_EQ(Parsed("x = f'{a!z}'\n").mistakes(), "1:7 unclosed-bracket\n");
  EXPECT_EQ(Parsed("x = f'{(a}'\n").mistakes(), "1:10 unmatched-bracket\n");
  EXPECT_EQ(Parsed("x = f'{a:{}}'\n").mistakes(), "1:11 expected-expression\n");
}

TEST(Strings, ParsingGoesOnAfterAField) {
  Parsed parsed("x = f'{a +}'\ny = = 1\n");
  EXPECT_EQ(parsed.mistakes(), "1:11 expected-expression\n2:5 expected-expression\n");
}

TEST(Strings, OtherMistakes) {
  EXPECT_EQ(Parsed("x = 'ab\\x1'\n").mistakes(), "1:8 malformed-escape\n");
  EXPECT_EQ(Parsed("x = f'ab\\x1{a}'\n").mistakes(), "1:9 malformed-escape\n");
  EXPECT_EQ(Parsed("x = b'a' 'b'\n").mistakes(), "1:10 expected-token\n");
}
