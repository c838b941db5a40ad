// Tensor memory: a tile that four warps store and four others load, and its broken twins, one for each rule.
#include "Kernels.h"

using namespace tlx::emu;

namespace {

/// Parts of the kernel, to be taken out or replaced.
struct Exchange {
  std::string columns = "32";
  std::string afterAlloc = "thread.tmem_relinquish";
  std::string dealloc = "thread.tmem_dealloc %base columns 32";
  std::string lane = "%rows";
  std::string store = "thread.tmem_store lanes32 %place distance 0, %t, %t : i32, i32";
  std::string waitStore = "thread.tmem_wait_store";
  std::string before = "thread.tcgen05_fence";
  std::string meet = "nvvm.barrier0";
  std::string after = "thread.tcgen05_fence after";
  std::string load = "%l:2 = thread.tmem_load lanes32 %place distance 0 : i32, i32";
  std::string waitLoad = "%w:2 = thread.tmem_wait_load %l#0, %l#1 : i32, i32 -> i32, i32";
  std::string result = "%w#1";

  KernelText kernel() const {
    KernelText text;
    text.threads = 256;
    text.sharedBytes = 16;
    text.parameters = onePointer;
    text.body = R"(
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %c3 = llvm.mlir.constant(3 : i32) : i32
      %c5 = llvm.mlir.constant(5 : i32) : i32
      %c21 = llvm.mlir.constant(21 : i32) : i32
      %c32 = llvm.mlir.constant(32 : i32) : i32
      %c128 = llvm.mlir.constant(128 : i32) : i32
      %zero = llvm.mlir.constant(0 : i32) : i32
      %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
      %warp = llvm.lshr %t, %c5 : i32
      %quarter = llvm.and %warp, %c3 : i32
      %rows = llvm.shl %quarter, %c21 : i32
      %first = llvm.icmp "ult" %t, %c32 : i32
      %writes = llvm.icmp "ult" %t, %c128 : i32
      llvm.cond_br %first, ^alloc, ^ready
    ^alloc:
      thread.tmem_alloc %s columns )" +
                columns + " : !llvm.ptr<3>\n" + afterAlloc + R"(
      llvm.br ^ready
    ^ready:
      nvvm.barrier0
      %base = llvm.load %s : !llvm.ptr<3> -> i32
      %place = llvm.add %base, )" +
                lane + R"( : i32
      llvm.cond_br %writes, ^write, ^wrote
    ^write:
      )" + store +
                "\n" + waitStore + "\n" + before + R"(
      llvm.br ^wrote
    ^wrote:
      )" + meet + R"(
      llvm.cond_br %writes, ^leave, ^read
    ^read:
      )" + after +
                "\n" + load + "\n" + waitLoad + R"(
      %q = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store )" +
                result + R"(, %q : i32, !llvm.ptr<1>
      llvm.br ^leave
    ^leave:
      nvvm.barrier0
      llvm.cond_br %first, ^dealloc, ^end
    ^dealloc:
      )" + dealloc + R"(
      llvm.br ^end
    ^end:
      llvm.return)";
    return text;
  }
};

Report runExchange(const Exchange &exchange, std::vector<uint32_t> *out = nullptr) {
  std::vector<uint32_t> result(256);
  Launch launch;
  launch.buffers = {bufferOf("out", result)};
  launch.arguments = {Argument::pointer(0)};
  Report report = mustRun(exchange.kernel(), launch);
  if (out)
    *out = result;
  return report;
}

struct Broken {
  const char *what;
  FindingKind kind;
  void (*change)(Exchange &);
};

const Broken brokenExchanges[] = {
    {"a number of columns that cannot be", FindingKind::Misuse, [](Exchange &e) { e.columns = "48"; }},
    {"an allocation after the right was given up", FindingKind::Misuse,
     [](Exchange &e) { e.afterAlloc = "thread.tmem_relinquish\nthread.tmem_alloc %s columns 32 : !llvm.ptr<3>"; }},
    {"no release", FindingKind::OutstandingAtExit, [](Exchange &e) { e.dealloc = ""; }},
    {"release of another size", FindingKind::Misuse,
     [](Exchange &e) { e.dealloc = "thread.tmem_dealloc %base columns 64"; }},
    {"lanes of another warp", FindingKind::Misuse, [](Exchange &e) { e.lane = "%zero"; }},
    {"columns beyond the allocation", FindingKind::OutOfBounds,
     [](Exchange &e) { e.load = "%far = llvm.add %place, %c32 : i32\n%l:2 = thread.tmem_load lanes32 %far distance 0 : i32, i32"; }},
    {"an element that nobody wrote", FindingKind::UninitializedRead,
     [](Exchange &e) { e.store = "thread.tmem_store lanes32 %place distance 0, %t : i32"; }},
    {"a register before its load is done", FindingKind::InFlightAccess, [](Exchange &e) { e.result = "%l#1"; }},
    {"no wait for the store", FindingKind::MissingProxyFence, [](Exchange &e) { e.waitStore = ""; }},
    {"no fence before the barrier", FindingKind::MissingProxyFence, [](Exchange &e) { e.before = ""; }},
    {"no fence after the barrier", FindingKind::MissingProxyFence, [](Exchange &e) { e.after = ""; }},
    {"no barrier", FindingKind::DataRace, [](Exchange &e) { e.meet = ""; }},
};

} // namespace

TEST(TensorMemory, WhatFourWarpsStoreFourOthersLoad) {
  std::vector<uint32_t> out;
  Report report = runExchange({}, &out);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  for (uint32_t thread = 128; thread < 256; ++thread)
    EXPECT_EQ(out[thread], thread - 128);
}

TEST(TensorMemory, SixteenLanesTwiceReachTwoPartsOfTheColumns) {
  // Threads 0 to 15 of a warp store at columns 0 and 1, threads 16 to 31 at columns 8 and 9 of the same 16 lanes; 32x32b
  // then finds both parts in lane 0 to 15.
  Exchange exchange;
  exchange.store = "thread.tmem_store lanes16_twice %place distance 8, %t, %t : i32, i32";
  exchange.load = "%l:2 = thread.tmem_load lanes16_twice %place distance 8 : i32, i32";
  std::vector<uint32_t> out;
  Report report = runExchange(exchange, &out);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  for (uint32_t thread = 128; thread < 256; ++thread)
    EXPECT_EQ(out[thread], thread - 128);
  // Loaded with another distance the second half misses what was stored.
  exchange.load = "%l:2 = thread.tmem_load lanes16_twice %place distance 4 : i32, i32";
  EXPECT_TRUE(has(runExchange(exchange), FindingKind::UninitializedRead));
}

TEST(TensorMemory, EachRuleThatIsBrokenIsFound) {
  for (const Broken &broken : brokenExchanges) {
    Exchange exchange;
    broken.change(exchange);
    Report report = runExchange(exchange);
    EXPECT_TRUE(has(report, broken.kind)) << broken.what << "\n" << textOf(report);
  }
}
