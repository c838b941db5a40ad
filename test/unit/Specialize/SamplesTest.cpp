// The samples of the project specialize, each configuration of each.
#include "Fixture.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tlx::specialize;

static std::string sample(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(TLX_SAMPLES "/" + name);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

TEST(Samples, VectorAdd) {
  auto outcome = compile(sample("vector_add.tlx"));
  EXPECT_HOLDS(outcome, "tlx.divisibility = 16 : i32, tlx.name = \"x_ptr\", tlx.type = \"*fp32\"");
  EXPECT_EQ(outcome.count("tlx.load"), 2u);
}

TEST(Samples, PersistentGemm) {
  for (int config : {0, 1, 2}) {
    auto outcome = compile(sample("gemm_ws.tlx"), {.config = config});
    EXPECT_HOLDS(outcome, "tlx.async_tasks warps [4, 4, 4] registers [0, 232, 232] first_warp [0, 4, 8] names "
                          "[\"default\", \"task1\", \"task1\"] replicas [0, 0, 1]");
    EXPECT_EQ(outcome.count("tlx.descriptor_store"), 8u);
    EXPECT_EQ(outcome.holds("multicast %"), config == 0);
  }
  EXPECT_HOLDS(compile(sample("gemm_ws.tlx"), {.defines = {{"A_ROW_MAJOR", "False"}, {"DTYPE", "bf16"}}, .config = 1}),
               "tlx.local_trans");
}

TEST(Samples, Attention) {
  for (int config : {0, 1, 2})
    for (const char *causal : {"True", "False"}) {
      auto outcome = compile(sample("attention_ws.tlx"), {.defines = {{"CAUSAL", causal}}, .config = config});
      EXPECT_HOLDS(outcome, "tlx.named_barrier_wait 10 threads 256");
    }
}

TEST(Samples, PipelinedGemm) {
  EXPECT_HOLDS(compile(sample("gemm_pipelined.tlx")), "tlx.async_wait 1");
}

TEST(Samples, GemmByRoles) {
  auto outcome = compile(sample("gemm_roles.tlx"));
  EXPECT_HOLDS(outcome, "tlx.async_tasks warps [4, 8]");
  EXPECT_HOLDS(outcome, "tlx.tensor_map = {pointer = \"a_ptr\", strides = [\"stride_am\", \"stride_ak\"]}");
}

TEST(Samples, SeedKernelInfersItsStrides) {
  SpecializeOptions options;
  options.defines = {{"BLOCK_M", "128"}, {"BLOCK_N", "256"}, {"BLOCK_K", "64"}, {"NUM_STAGES", "4"}};
  options.signature = "A_ptr=*fp16:16, B_ptr=*fp16:16, C_ptr=*fp16:16";
  auto outcome = compile(sample("warp_specialized_gemm.tlx"), options);
  EXPECT_HOLDS(outcome, "tlx.alloc_channel \"barriers\" : <4>");
  EXPECT_HOLDS(outcome, "tlx.tensor_map = {pointer = \"B_ptr\", strides = [\"stride_bk\", \"stride_bn\"]}");
  EXPECT_HOLDS(outcome, "tlx.equal_to = 1 : i32, tlx.name = \"stride_ak\"");
  EXPECT_HOLDS(outcome, "tlx.num_warps = 4 : i32");
}
