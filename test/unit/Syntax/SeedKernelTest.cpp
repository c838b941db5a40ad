// The kernel that the language was first shown by parses as it stands, with its `//` comments.
#include "Parsed.h"

using namespace tlx;
using namespace tlx::ast;

TEST(SeedKernel, ParsesUnchanged) {
  SourceManager files;
  llvm::Expected<FileId> id = files.open(TLX_TEST_INPUTS "/warp_specialized_gemm.tlx");
  ASSERT_TRUE(static_cast<bool>(id));
  Context context;
  diag::Sink sink;
  const Module *module = parse(files.file(*id), context, sink);
  EXPECT_EQ(sink.errorCount(), 0u);
  ASSERT_EQ(module->body.size(), 4u);
  const auto *kernel = llvm::cast<FunctionDef>(module->body.back());
  EXPECT_EQ(kernel->name, "warp_specialized_gemm_kernel");
  EXPECT_EQ(kernel->params.size(), 16u);
  EXPECT_EQ(kernel->body.size(), 9u);
  const auto *roles = llvm::cast<If>(kernel->body.back());
  EXPECT_EQ(roles->thenBody.size(), 1u);
  EXPECT_EQ(roles->elseBody.size(), 6u);
  const auto *consumer = llvm::cast<For>(roles->elseBody[1]);
  EXPECT_EQ(consumer->body.size(), 3u);
}
