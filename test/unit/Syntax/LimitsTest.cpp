// Sizes: large files are fast, deep ones are refused and not a crash.
#include "Parsed.h"
#include <ctime>

using namespace tlx::ast;

static std::string repeated(llvm::StringRef piece, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += piece;
  return text;
}

TEST(Limits, HundredThousandLinesTakeLessThanASecond) {
  std::string text = "def f(a):\n" + repeated("  x = a[0, 1:n] * 2 + g(b, c=1)  # c\n", 100000);
  std::clock_t start = std::clock();
  Parsed parsed(text);
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(parsed.mistakes(), "");
#if !__has_feature(address_sanitizer)
  EXPECT_LT(seconds, 1.0);
#endif
}

TEST(Limits, DeepNestingIsAMistake) {
  for (llvm::StringRef piece : {"(", "[", "{", "f(", "a[", "-", "not ", "lambda: ", "a ** ", "1 if a else ", "await ",
                                "*", "(*", "[*", "{**", "f(*", "{1: ", "(a := "}) {
    Parsed parsed("x = " + repeated(piece, 10000));
    ASSERT_EQ(parsed.sink.errorCount(), 1u) << piece.str();
    tlx::diag::Kind expected = piece == "*" ? tlx::diag::Kind::ExpectedExpression : tlx::diag::Kind::NestingTooDeep;
    EXPECT_EQ(parsed.sink.diagnostics().front().kind, expected) << piece.str();
  }
}

TEST(Limits, BalancedBracketsAreNoBetter) {
  Parsed parsed("x = " + repeated("(", 10000) + "1" + repeated(")", 10000) + "\ny = = 1\n");
  ASSERT_EQ(parsed.sink.errorCount(), 2u);
  EXPECT_EQ(parsed.firstMessage(), "this is nested 257 deep; at most 256 is supported");
}

TEST(Limits, NestingUpToTheLimitIsFine) {
  // The expression itself is the first level.
  EXPECT_EQ(Parsed("x = " + repeated("(", 255) + "1" + repeated(")", 255) + "\n").mistakes(), "");
  EXPECT_EQ(Parsed("x = " + repeated("(", 256) + "1" + repeated(")", 256) + "\n").mistakes(),
            "1:261 nesting-too-deep\n");
}

TEST(Limits, LongChainsAreAMistake) {
  for (llvm::StringRef piece : {" + a", ".b", "(1)", "[1]"}) {
    EXPECT_EQ(Parsed("x = a" + repeated(piece, 1000) + "\n").mistakes(), "") << piece.str();
    EXPECT_EQ(Parsed("x = a" + repeated(piece, 100000) + "\n").mistakes(), "1:5 nesting-too-deep\n") << piece.str();
  }
}

TEST(Limits, FlatListsMayBeLong) {
  EXPECT_EQ(Parsed("x = [" + repeated("1, ", 100000) + "]\ny = " + repeated("a and ", 100000) + "b\n").mistakes(), "");
}

TEST(Limits, DeepBlocksAreAMistake) {
  std::string text;
  for (unsigned i = 0; i < 1000; ++i)
    text += std::string(i, ' ') + "if a:\n";
  EXPECT_EQ(Parsed(text).sink.diagnostics().front().kind, tlx::diag::Kind::NestingTooDeep);
}

TEST(Limits, LongElifChainsAreAMistake) {
  EXPECT_EQ(Parsed("if a: b\n" + repeated("elif a: b\n", 200)).mistakes(), "");
  Parsed parsed("if a: b\n" + repeated("elif a: b\n", 10000));
  ASSERT_EQ(parsed.sink.errorCount(), 1u);
  EXPECT_EQ(parsed.sink.diagnostics().front().kind, tlx::diag::Kind::NestingTooDeep);
}

TEST(Limits, DeepFStringsAreAMistake) {
  std::string text = "x = " + repeated("f'{", 10000);
  EXPECT_GE(Parsed(text + "\n").sink.errorCount(), 1u);
  EXPECT_GE(Parsed(text + repeated("}'", 10000) + "\n").sink.errorCount(), 1u);
  EXPECT_GE(Parsed("x = f'" + repeated("{a:", 10000) + repeated("}", 10000) + "'\n").sink.errorCount(), 1u);
}

TEST(Limits, ManyMistakesDoNotTakeQuadraticTime) {
  std::clock_t start = std::clock();
  Parsed parsed(repeated("x = (1 2\n", 20000) + repeated("f(\n", 20000));
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_GE(parsed.sink.errorCount(), 20000u);
#if !__has_feature(address_sanitizer)
  EXPECT_LT(seconds, 2.0);
#endif
}
