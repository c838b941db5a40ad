// Where mistakes are reported, and that parsing goes on after them.
#include "Parsed.h"

using namespace tlx;
using namespace tlx::ast;

namespace {
struct Mistake {
  const char *text;
  const char *expected;
};
void PrintTo(const Mistake &mistake, std::ostream *stream) {
  *stream << mistake.text;
}
struct Mistakes : testing::TestWithParam<Mistake> {};
} // namespace

TEST_P(Mistakes, AreReportedOnceAtTheirPlace) {
  Parsed parsed(GetParam().text);
  EXPECT_EQ(parsed.mistakes(), std::string(GetParam().expected) + "\n") << parsed.firstMessage();
}

static const Mistake mistakes[] = {
    {"x = \n", "1:5 expected-expression"},
    {"x = 1 +\n", "1:8 expected-expression"},
    {"x = 1 2\n", "1:7 expected-token"},
    {"x = a b c\n", "1:7 expected-token"},
    {"x = (1, 2\ndef f(): pass\n", "1:5 unclosed-bracket"},
    {"x = foo(1,\n", "1:8 unclosed-bracket"},
    {"x = [1, 2)\n", "1:10 unmatched-bracket"},
    {"x = 1)\n", "1:6 unmatched-bracket"},
    {"}\n", "1:1 unmatched-bracket"},
    {"f(a b)\n", "1:5 expected-token"},
    {"f(a=1, 2)\n", "1:8 argument-order"},
    {"f(a=1, a=2)\n", "1:8 duplicate-name"},
    {"def f(a, a): pass\n", "1:10 duplicate-name"},
    {"def f(a=1, b): pass\n", "1:12 parameter-order"},
    {"def f(**k, a): pass\n", "1:12 parameter-order"},
    {"def f(*, *a): pass\n", "1:7 parameter-order"},
    {"def f(*a, *b): pass\n", "1:11 parameter-order"},
    {"def f(*): pass\n", "1:7 parameter-order"},
    {"def f(/, a): pass\n", "1:7 parameter-order"},
    {"def f(1): pass\n", "1:7 expected-token"},
    {"def (a): pass\n", "1:5 expected-token"},
    {"def f: pass\n", "1:6 expected-token"},
    {"def f()\n  pass\n", "1:8 expected-token"},
    {"def f():\npass\n", "2:1 expected-block"},
    {"if a\n  b\n", "1:5 expected-token"},
    {"if a = 1:\n  b\n", "1:6 expected-token"},
    {"if a:\n", "2:1 expected-block"},
    {"if a:\n  b\n else:\n  c\n", "3:2 inconsistent-indentation\n3:2 expected-statement"},
    {"a\n  b\nc\n", "2:3 unexpected-indentation"},
    {"if a:\n    b\n  c\n  d\n", "3:3 inconsistent-indentation"},
    {"else:\n  a\n", "1:1 expected-statement"},
    {"for a of b:\n  c\n", "1:7 expected-token"},
    {"for 1 in b:\n  c\n", "1:5 not-assignable"},
    {"while :\n  a\n", "1:7 expected-expression"},
    {"with a as 1:\n  b\n", "1:11 not-assignable"},
    {"with a as :\n  b\n", "1:11 expected-expression"},
    {"try:\n  a\nb\n", "3:1 expected-token"},
    {"f() = 1\n", "1:1 not-assignable"},
    {"a, f() = 1\n", "1:4 not-assignable"},
    {"a + 1 += 1\n", "1:1 not-assignable"},
    {"(a, b) += 1\n", "1:1 not-assignable"},
    {"a, b: int\n", "1:5 expected-token"},
    {"import\n", "1:7 expected-token"},
    {"import a.\n", "1:10 expected-token"},
    {"from a import\n", "1:14 expected-token"},
    {"from a import (b\n", "1:15 unclosed-bracket"},
    {"from a imp b\n", "1:8 expected-token"},
    {"@a b\ndef f(): pass\n", "1:4 expected-token"},
    {"@a\nx = 1\n", "2:1 expected-token"},
    {"x = 'abc\n", "1:5 unterminated-string"},
    {"x = '''abc\n", "1:5 unterminated-string"},
    {"x = a ? b\n", "1:7 unexpected-character"},
    {"x = 0x\n", "1:5 malformed-number"},
    {"x = 012\n", "1:5 malformed-number"},
    {"x = a if b\n", "1:11 expected-token"},
    {"x = lambda a b: c\n", "1:14 expected-token"},
    {"x = [a for b]\n", "1:13 expected-token"},
    {"x = {a: b, c}\n", "1:13 expected-token"},
    {"x = a[]\n", "1:7 expected-expression"},
    {"x = a.1\n", "1:6 expected-token"},
    {"x = a.\n", "1:7 expected-token"},
    {"x = *a\n", "1:5 expected-expression"},
    {"x = not\n", "1:8 expected-expression"},
    {"x == = 1\n", "1:6 expected-expression"},
    {"async x\n", "1:7 expected-token"},
    {"x = 1 // a comment\n", "1:12 expected-token"},
    {"class A(B:\n  pass\n", "1:10 expected-token"},
    {"return return\n", "1:8 expected-expression"},
};

INSTANTIATE_TEST_SUITE_P(Syntax, Mistakes, testing::ValuesIn(mistakes));

TEST(MistakeRecovery, SeveralInOneRun) {
  Parsed parsed("@jit\ndef f(a):\n  x = = 1\n  y = 2\n  if a:\n    z = (\n  w = 3 3\n  return w\n\nv = 1 1\n");
  EXPECT_EQ(parsed.mistakes(),
            "3:7 expected-expression\n6:9 unclosed-bracket\n7:9 expected-token\n10:7 expected-token\n");
}

TEST(MistakeRecovery, StatementsAroundAMistakeAreKept) {
  Parsed parsed("a = 1\nf(x,\n  y z,\n)\nb = 2\n");
  EXPECT_EQ(parsed.mistakes(), "3:5 expected-token\n");
  ASSERT_EQ(parsed.module->body.size(), 3u);
  EXPECT_TRUE(llvm::isa<Assign>(parsed.module->body[0]));
  EXPECT_EQ(llvm::cast<OpaqueStmt>(parsed.module->body[1])->construct, "");
  EXPECT_TRUE(llvm::isa<Assign>(parsed.module->body[2]));
}

TEST(MistakeRecovery, BrokenHeaderTakesItsBlockAlong) {
  Parsed parsed("if a b:\n  x = = 1\nelif c:\n  y\nelse:\n  z\nd = 1\n");
  EXPECT_EQ(parsed.mistakes(), "1:6 expected-token\n");
  EXPECT_EQ(parsed.module->body.size(), 2u);
}

TEST(MistakeRecovery, NotesPointAtTheOtherPlace) {
  Parsed parsed("x = f(1,\n      2]\n");
  ASSERT_EQ(parsed.sink.diagnostics().size(), 1u);
  const diag::Diagnostic &diagnostic = parsed.sink.diagnostics().front();
  EXPECT_EQ(diagnostic.message, "`]` stands where `)` is expected");
  ASSERT_EQ(diagnostic.notes.size(), 1u);
  EXPECT_EQ(diagnostic.notes.front().range.begin, 5u);
}

TEST(MistakeRecovery, SlashCommentAfterAnOperandIsExplained) {
  Parsed parsed("x = 1 // a comment\n");
  ASSERT_EQ(parsed.sink.diagnostics().size(), 1u);
  ASSERT_EQ(parsed.sink.diagnostics().front().notes.size(), 1u);
  EXPECT_EQ(parsed.sink.diagnostics().front().notes.front().message,
            "after an operand `//` divides; a comment here begins with `#`");
  Parsed twin("x = 1 a\n");
  EXPECT_TRUE(twin.sink.diagnostics().front().notes.empty());
}

TEST(MistakeRecovery, MessagesSayWhatWasFound) {
  EXPECT_EQ(Parsed("x = \n").firstMessage(), "found end of line, expected an expression");
  EXPECT_EQ(Parsed("for a of b: c\n").firstMessage(), "found `of`, expected `in` after the loop's target");
  EXPECT_EQ(Parsed("f(\n").firstMessage(), "`(` is never closed");
  EXPECT_EQ(Parsed("if a:\nb\n").firstMessage(), "expected an indented block after the condition");
}

TEST(MistakeRecovery, IndentationOfAFinishedBlockIsForgotten) {
  // The second line of the condition is deeper than `elif`, though not than the block before it.
  EXPECT_EQ(Parsed("if a:\n        b\nelif (c and\n    d e):\n  f\n").mistakes(), "4:7 expected-token\n");
}
