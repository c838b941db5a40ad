// One tree for each form of statement.
#include "Parsed.h"

using namespace tlx::ast;

TEST(Statements, Assignment) {
  expectTree("a = b, c[0] = d\n", R"(
  Assign 1:1
    target: Name 1:1 a
    target: Tuple 1:5
      Name 1:5 b
      Subscript 1:8
        Name 1:8 c
        index: IntLiteral 1:10 0
    value: Name 1:15 d
)");
}

TEST(Statements, AnnotatedAssignment) {
  expectTree("a: int = 1\nb.c: int\n", R"(
  AnnotatedAssign 1:1
    target: Name 1:1 a
    annotation: Name 1:4 int
    value: IntLiteral 1:10 1
  AnnotatedAssign 2:1
    target: Attribute 2:1 c
      Name 2:1 b
    annotation: Name 2:6 int
)");
}

TEST(Statements, AugmentedAssignment) {
  for (llvm::StringRef op : {"+", "-", "*", "/", "//", "%", "@", "&", "|", "^", "<<", ">>", "**"})
    expectTree(("a " + op + "= 1\n").str(), "  AugmentedAssign 1:1 " + op.str() + "=\n    target: Name 1:1 a\n" +
                                                "    value: IntLiteral 1:" + std::to_string(op.size() + 5) + " 1\n");
}

TEST(Statements, SeveralOnALine) {
  expectTree("pass; break; continue;\n", "  Pass 1:1\n  Break 1:7\n  Continue 1:14\n");
}

TEST(Statements, ReturnAndAssert) {
  expectTree("return\nreturn a, b\nassert a, 'm'\n", R"(
  Return 1:1
  Return 2:1
    Tuple 2:8
      Name 2:8 a
      Name 2:11 b
  Assert 3:1
    condition: Name 3:8 a
    message: StringLiteral 3:11 "m"
)");
}

TEST(Statements, Imports) {
  expectTree("import a.b as c, d\nfrom ..e.f import g as h, i\nfrom . import (j,\n  k,)\nfrom l import *\n", R"(
  Import 1:1
    name 1:8 a.b as c
    name 1:18 d
  ImportFrom 2:1 ..e.f
    name 2:19 g as h
    name 2:27 i
  ImportFrom 3:1 .
    name 3:16 j
    name 4:3 k
  ImportFrom 5:1 l
    name 5:15 *
)");
}

TEST(Statements, IfElifElse) {
  expectTree("if a:\n  b\nelif c:\n  d\nelse:\n  e\n", R"(
  If 1:1
    condition: Name 1:4 a
    then
      ExprStmt 2:3
        Name 2:3 b
    else
      If 3:1
        condition: Name 3:6 c
        then
          ExprStmt 4:3
            Name 4:3 d
        else
          ExprStmt 6:3
            Name 6:3 e
)");
}

TEST(Statements, BlockOnTheLine) {
  expectTree("if a: b = 1; c\nelse: d\n", R"(
  If 1:1
    condition: Name 1:4 a
    then
      Assign 1:7
        target: Name 1:7 b
        value: IntLiteral 1:11 1
      ExprStmt 1:14
        Name 1:14 c
    else
      ExprStmt 2:7
        Name 2:7 d
)");
}

TEST(Statements, Loops) {
  expectTree("for a, b in c:\n  break\nelse:\n  pass\nwhile a:\n  continue\nelse:\n  pass\n", R"(
  For 1:1
    target: Tuple 1:5
      Name 1:5 a
      Name 1:8 b
    in: Name 1:13 c
    body
      Break 2:3
    else
      Pass 4:3
  While 5:1
    condition: Name 5:7 a
    body
      Continue 6:3
    else
      Pass 8:3
)");
}

TEST(Statements, With) {
  expectTree("with tlx.async_tasks(), a as b:\n  pass\n", R"(
  With 1:1
    item: Call 1:6
      callee: Attribute 1:6 async_tasks
        Name 1:6 tlx
    item: Name 1:25 a
    as: Name 1:30 b
    body
      Pass 2:3
)");
}

TEST(Statements, WithInBrackets) {
  expectTree("with (a as b,\n      c,):\n  pass\n", R"(
  With 1:1
    item: Name 1:7 a
    as: Name 1:12 b
    item: Name 2:7 c
    body
      Pass 3:3
)");
  // Here the brackets belong to the value.
  expectTree("with (a).b as c:\n  pass\n", R"(
  With 1:1
    item: Attribute 1:6 b
      Name 1:7 a
    as: Name 1:15 c
    body
      Pass 2:3
)");
}

TEST(Statements, Function) {
  expectTree("@triton.jit\n@a(1)\ndef f(p, /, a: tl.constexpr, b: int = 1, *c, d, e=2, **g) -> int:\n  pass\n", R"(
  FunctionDef 1:1 f
    decorator: Attribute 1:2 jit
      Name 1:2 triton
    decorator: Call 2:2
      callee: Name 2:2 a
      IntLiteral 2:4 1
    param 3:7 p positional-only
    param 3:13 a
      annotation: Attribute 3:16 constexpr
        Name 3:16 tl
    param 3:30 b
      annotation: Name 3:33 int
      default: IntLiteral 3:39 1
    param 3:42 c *
    param 3:46 d keyword-only
    param 3:49 e keyword-only
      default: IntLiteral 3:51 2
    param 3:54 g **
    returns: Name 3:62 int
    body
      Pass 4:3
)");
}

TEST(Statements, BareStarBeginsKeywordOnly) {
  expectTree("def f(a, *, b,): pass\n", R"(
  FunctionDef 1:1 f
    param 1:7 a
    param 1:13 b keyword-only
    body
      Pass 1:18
)");
}

TEST(Statements, Class) {
  expectTree("@agg\nclass A(B, metaclass=M):\n  x: int\n  def f(self): pass\n", R"(
  ClassDef 1:1 A
    decorator: Name 1:2 agg
    base: Name 2:9 B
    keyword metaclass: Name 2:22 M
    body
      AnnotatedAssign 3:3
        target: Name 3:3 x
        annotation: Name 3:6 int
      FunctionDef 4:3 f
        param 4:9 self
        body
          Pass 4:16
)");
}

TEST(Statements, OpaqueSimple) {
  expectTree("global a, b\nnonlocal c\ndel d[0]\nraise E from x\nraise\n", R"(
  OpaqueStmt 1:1 global
  OpaqueStmt 2:1 nonlocal
  OpaqueStmt 3:1 del
  OpaqueStmt 4:1 raise
  OpaqueStmt 5:1 raise
)");
}

TEST(Statements, TryKeepsWhatItHolds) {
  expectTree("try:\n  import a\nexcept (E, F) as e:\n  b\nexcept:\n  c\nelse:\n  d\nfinally:\n  pass\n", R"(
  OpaqueStmt 1:1 try
    Import 2:3
      name 2:10 a
    ExprStmt 4:3
      Name 4:3 b
    ExprStmt 6:3
      Name 6:3 c
    ExprStmt 8:3
      Name 8:3 d
    Pass 10:3
)");
}

TEST(Statements, MatchIsSkipped) {
  expectTree("match a:\n  case [1, *_] if b:\n    pass\n  case {'x': y}:\n    pass\nmatch = 1\n", R"(
  OpaqueStmt 1:1 match
  Assign 6:1
    target: Name 6:1 match
    value: IntLiteral 6:9 1
)");
}

TEST(Statements, Async) {
  expectTree("async def f():\n  async with a: pass\n  async for b in c: pass\n", R"(
  FunctionDef 1:1 async f
    body
      With 2:3 async
        item: Name 2:14 a
        body
          Pass 2:17
      For 3:3 async
        target: Name 3:13 b
        in: Name 3:18 c
        body
          Pass 3:21
)");
}

TEST(Statements, RangesCoverTheStatement) {
  Parsed parsed("if a:\n  b = f(\n    c)\n\n# end\nd\n");
  const auto *branch = llvm::cast<If>(parsed.module->body.front());
  EXPECT_EQ(parsed.module->file->text(branch->range), "if a:\n  b = f(\n    c)");
}

TEST(Statements, EmptyModule) {
  expectTree("", "");
  expectTree("# nothing\n\n", "");
}
