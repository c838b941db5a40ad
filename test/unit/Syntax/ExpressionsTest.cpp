// One tree for each form of expression. Each text stands on line 1, so columns are what differs.
#include "Parsed.h"

using namespace tlx::ast;

/// The tree of an expression, without the statement around it.
static void expectExpr(llvm::StringRef text, llvm::StringRef tree) {
  Parsed parsed(text);
  EXPECT_EQ(parsed.mistakes(), "") << text.str();
  std::string shallow;
  std::string whole = parsed.tree();
  for (llvm::StringRef rest = llvm::StringRef(whole).split('\n').second; !rest.empty(); rest = rest.split('\n').second)
    shallow += rest.split('\n').first.drop_front(4).str() + "\n";
  EXPECT_EQ(shallow, tree.ltrim('\n').str()) << text.str();
}

TEST(Expressions, Literals) {
  expectExpr("17", "IntLiteral 1:1 17\n");
  expectExpr("0x1_0000_0000_0000_0001", "IntLiteral 1:1 1 overflow\n");
  expectExpr("1.50", "FloatLiteral 1:1 1.50\n");
  expectExpr("2j", "OpaqueExpr 1:1 imaginary number\n");
  expectExpr("True", "BoolLiteral 1:1 True\n");
  expectExpr("None", "NoneLiteral 1:1\n");
  expectExpr("...", "EllipsisLiteral 1:1\n");
  expectExpr("a", "Name 1:1 a\n");
}

TEST(Expressions, SumsAndProductsGroupToTheLeft) {
  expectExpr("a - b - c * d", R"(
Binary 1:1 -
  Binary 1:1 -
    Name 1:1 a
    Name 1:5 b
  Binary 1:9 *
    Name 1:9 c
    Name 1:13 d
)");
}

TEST(Expressions, BitOperatorsBindMoreThanComparison) {
  expectExpr("a | b ^ c & d << e == f", R"(
Compare 1:1 ==
  Binary 1:1 |
    Name 1:1 a
    Binary 1:5 ^
      Name 1:5 b
      Binary 1:9 &
        Name 1:9 c
        Binary 1:13 <<
          Name 1:13 d
          Name 1:18 e
  Name 1:23 f
)");
}

TEST(Expressions, PowerGroupsToTheRightAndBeneathASign) {
  expectExpr("-a ** -b ** c", R"(
Unary 1:1 -
  Binary 1:2 **
    Name 1:2 a
    Unary 1:7 -
      Binary 1:8 **
        Name 1:8 b
        Name 1:13 c
)");
}

TEST(Expressions, LogicKeepsChainsFlat) {
  expectExpr("a or not b and c or d", R"(
BoolOp 1:1 or
  Name 1:1 a
  BoolOp 1:6 and
    Unary 1:6 not
      Name 1:10 b
    Name 1:16 c
  Name 1:21 d
)");
}

TEST(Expressions, ComparisonsChain) {
  expectExpr("a < b <= c is not d not in e", R"(
Compare 1:1 <, <=, is not, not in
  Name 1:1 a
  Name 1:5 b
  Name 1:10 c
  Name 1:19 d
  Name 1:28 e
)");
}

TEST(Expressions, NotOfAComparison) {
  expectExpr("not a in b", "Unary 1:1 not\n  Compare 1:5 in\n    Name 1:5 a\n    Name 1:10 b\n");
}

TEST(Expressions, Conditional) {
  expectExpr("a if b else c if d else e", R"(
Conditional 1:1
  if: Name 1:6 b
  then: Name 1:1 a
  else: Conditional 1:13
    if: Name 1:18 d
    then: Name 1:13 c
    else: Name 1:25 e
)");
}

TEST(Expressions, BracketsLeaveNoTrace) {
  expectExpr("(a + b) * c", R"(
Binary 1:1 *
  Binary 1:2 +
    Name 1:2 a
    Name 1:6 b
  Name 1:11 c
)");
}

TEST(Expressions, TuplesListsSets) {
  expectExpr("()", "Tuple 1:1\n");
  expectExpr("(a,)", "Tuple 1:1\n  Name 1:2 a\n");
  expectExpr("a, *b", "Tuple 1:1\n  Name 1:1 a\n  Starred 1:4\n    Name 1:5 b\n");
  expectExpr("a,", "Tuple 1:1\n  Name 1:1 a\n");
  expectExpr("[]", "List 1:1\n");
  expectExpr("[a, *b,]", "List 1:1\n  Name 1:2 a\n  Starred 1:5\n    Name 1:6 b\n");
  expectExpr("{a, b}", "Set 1:1\n  Name 1:2 a\n  Name 1:5 b\n");
}

TEST(Expressions, Dictionaries) {
  expectExpr("{}", "Dict 1:1\n");
  expectExpr("{a: 1, **b, 'c': 2,}", R"(
Dict 1:1
  key: Name 1:2 a
  value: IntLiteral 1:5 1
  **: Name 1:10 b
  key: StringLiteral 1:13 "c"
  value: IntLiteral 1:18 2
)");
}

TEST(Expressions, Calls) {
  expectExpr("f()", "Call 1:1\n  callee: Name 1:1 f\n");
  expectExpr("tl.f(a, *b, c=1, **d)", R"(
Call 1:1
  callee: Attribute 1:1 f
    Name 1:1 tl
  Name 1:6 a
  Starred 1:9
    Name 1:10 b
  keyword c: IntLiteral 1:15 1
  **: Name 1:20 d
)");
}

TEST(Expressions, KeywordNamesMayBeValuesToo) {
  expectExpr("f(a == b, a=a)", R"(
Call 1:1
  callee: Name 1:1 f
  Compare 1:3 ==
    Name 1:3 a
    Name 1:8 b
  keyword a: Name 1:13 a
)");
}

TEST(Expressions, Subscripts) {
  expectExpr("a[0]", "Subscript 1:1\n  Name 1:1 a\n  index: IntLiteral 1:3 0\n");
  expectExpr("a[:, None]", R"(
Subscript 1:1
  Name 1:1 a
  index: Tuple 1:3
    Slice 1:3
    NoneLiteral 1:6
)");
  expectExpr("a[1:n:2]", R"(
Subscript 1:1
  Name 1:1 a
  index: Slice 1:3
    lower: IntLiteral 1:3 1
    upper: Name 1:5 n
    step: IntLiteral 1:7 2
)");
  expectExpr("a[::2, ...]", R"(
Subscript 1:1
  Name 1:1 a
  index: Tuple 1:3
    Slice 1:3
      step: IntLiteral 1:5 2
    EllipsisLiteral 1:8
)");
}

TEST(Expressions, IndexWithACommaIsATuple) {
  expectExpr("a[0,]", "Subscript 1:1\n  Name 1:1 a\n  index: Tuple 1:3\n    IntLiteral 1:3 0\n");
}

TEST(Expressions, LaunchSyntax) {
  expectExpr("k[(1,)](x)", R"(
Call 1:1
  callee: Subscript 1:1
    Name 1:1 k
    index: Tuple 1:3
      IntLiteral 1:4 1
  Name 1:9 x
)");
}

TEST(Expressions, Lambda) {
  expectExpr("lambda a, b=1, *c: a", R"(
Lambda 1:1
  param 1:8 a
  param 1:11 b
    default: IntLiteral 1:13 1
  param 1:16 c *
  body: Name 1:20 a
)");
  expectExpr("lambda: 0", "Lambda 1:1\n  body: IntLiteral 1:9 0\n");
}

TEST(Expressions, Comprehensions) {
  expectExpr("[a for a, b in c if d if e]", R"(
Comprehension 1:1 list
  Name 1:2 a
  for 1:8
    target: Tuple 1:8
      Name 1:8 a
      Name 1:11 b
    in: Name 1:16 c
    if: Name 1:21 d
    if: Name 1:26 e
)");
  expectExpr("{k: v for k in a for v in b}", R"(
Comprehension 1:1 dict
  key: Name 1:2 k
  value: Name 1:5 v
  for 1:11
    target: Name 1:11 k
    in: Name 1:16 a
  for 1:22
    target: Name 1:22 v
    in: Name 1:27 b
)");
  expectExpr("{a for a in b}",
             "Comprehension 1:1 set\n  Name 1:2 a\n  for 1:8\n    target: Name 1:8 a\n    in: Name 1:13 b\n");
}

TEST(Expressions, GeneratorAsTheOnlyArgument) {
  expectExpr("f(a for a in b)", R"(
Call 1:1
  callee: Name 1:1 f
  Comprehension 1:2 generator
    Name 1:3 a
    for 1:9
      target: Name 1:9 a
      in: Name 1:14 b
)");
}

TEST(Expressions, Walrus) {
  expectExpr("(n := 1)", "Walrus 1:2\n  target: Name 1:2 n\n  value: IntLiteral 1:7 1\n");
}

TEST(Expressions, AwaitAndYieldAreOpaque) {
  expectExpr("await a.b(c)", "OpaqueExpr 1:1 await\n");
  expectExpr("yield a, b", "OpaqueExpr 1:1 yield\n");
  expectExpr("(yield from a)", "OpaqueExpr 1:2 yield\n");
}

TEST(Expressions, NodesKnowTheirOperator) {
  Parsed parsed("aa // bb\n");
  const auto *statement = llvm::cast<ExprStmt>(parsed.module->body.front());
  const auto *binary = llvm::dyn_cast<Binary>(statement->value);
  ASSERT_NE(binary, nullptr);
  EXPECT_TRUE(llvm::isa<Expr>(static_cast<const Node *>(binary)));
  EXPECT_FALSE(llvm::isa<Stmt>(static_cast<const Node *>(binary)));
  EXPECT_EQ(binary->op, BinaryOp::FloorDivide);
  EXPECT_EQ(parsed.module->file->text(binary->opRange), "//");
  EXPECT_EQ(parsed.module->file->text(binary->range), "aa // bb");
}
