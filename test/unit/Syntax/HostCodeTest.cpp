// Files named .py: what is wrong outside kernels is passed over, what is wrong inside them is not.
#include "Parsed.h"
#include "tlx/Syntax/Kernels.h"

using namespace tlx::ast;

TEST(HostCode, MistakesOutsideKernelsArePassedOver) {
  llvm::StringRef text = "print 'x'\nx = (\n\n@triton.jit\ndef k():\n  pass\n\ntype X = int\n";
  Parsed parsed(text, "module.py");
  EXPECT_EQ(parsed.mistakes(), "");
  ASSERT_EQ(parsed.module->body.size(), 4u);
  EXPECT_TRUE(llvm::isa<OpaqueStmt>(parsed.module->body[0]));
  EXPECT_TRUE(llvm::isa<OpaqueStmt>(parsed.module->body[1]));
  EXPECT_EQ(llvm::cast<FunctionDef>(parsed.module->body[2])->name, "k");
  EXPECT_TRUE(llvm::isa<OpaqueStmt>(parsed.module->body[3]));
  // The same text as a kernel file.
  EXPECT_EQ(Parsed(text, "module.tlx").mistakes(), "1:7 expected-token\n2:5 unclosed-bracket\n8:6 expected-token\n");
}

TEST(HostCode, MistakesInsideKernelsAreReported) {
  for (llvm::StringRef decorator : {"@jit", "@triton.jit", "@triton.jit(debug=True)", "@my_jit"})
    EXPECT_EQ(Parsed((decorator + "\ndef k(a):\n  x = = 1\n").str(), "m.py").mistakes(), "3:7 expected-expression\n")
        << decorator.str();
  EXPECT_EQ(Parsed("@jit\ndef k(a b): pass\n", "m.py").mistakes(), "2:9 expected-token\n");
  EXPECT_EQ(Parsed("@jit\ndef k(a):\n    x\n  y\n", "m.py").mistakes(), "4:3 inconsistent-indentation\n");
  EXPECT_EQ(Parsed("@other\ndef k(a):\n  x = = 1\n", "m.py").mistakes(), "");
}

TEST(HostCode, MistakesInDecoratorsAreReported) {
  EXPECT_EQ(Parsed("@triton.autotune(configs=[)\n@jit\ndef k(a): pass\n", "m.py").mistakes(),
            "1:27 unmatched-bracket\n");
}

TEST(HostCode, KernelsInsideOtherBlocksAreFound) {
  Parsed parsed("try:\n  import a\nexcept E:\n  a = None\nclass C:\n  ?\n  @jit\n  def k(): pass\n", "m.py");
  EXPECT_EQ(parsed.mistakes(), "");
  const auto *definition = llvm::cast<ClassDef>(parsed.module->body[1]);
  EXPECT_TRUE(llvm::isa<FunctionDef>(definition->body[1]));
}

TEST(HostCode, AfterAKernelMistakesArePassedOverAgain) {
  EXPECT_EQ(Parsed("@jit\ndef k(): pass\nx = = 1\n", "m.py").mistakes(), "");
}

TEST(HostCode, JitFunctionsAreListed) {
  Parsed parsed("@jit\ndef a(): pass\ndef host(): pass\n@other\ndef b(): pass\n"
                "if x:\n  @triton.jit(noinline=True)\n  def c(): pass\nelse:\n  try:\n    @heuristics({})\n    @t.jit\n"
                "    def d(): pass\n  except E:\n    pass\nclass C:\n  @jit\n  def m(self): pass\n",
                "m.py");
  std::string names;
  for (const FunctionDef *function : jitFunctions(*parsed.module))
    names += function->name.str() + " ";
  EXPECT_EQ(names, "a c d ");
}
