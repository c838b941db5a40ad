// AMD: loads straight to LDS, and the waits that they need.
#include "Waves.h"

using namespace tlx::emu;

namespace {

const char *const head = R"(
  %tid = rocdl.workitem.id.x : i32
  %lds = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c6 = llvm.mlir.constant(6 : i32) : i32
  %c63 = llvm.mlir.constant(63 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %threads = llvm.mlir.constant(128 : i32) : i32
  %wave = llvm.lshr %tid, %c6 : i32
  %first = llvm.mul %wave, %c64 : i32
  %base = llvm.getelementptr %lds[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %from = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %own = llvm.getelementptr %lds[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %far = llvm.add %tid, %c64 : i32
  %other = llvm.urem %far, %threads : i32
  %theirs = llvm.getelementptr %lds[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %to = llvm.getelementptr %from[512] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
)";
const std::string load = "  rocdl.load.to.lds %from, %base, 4, 0, 0 : !llvm.ptr<1>\n";
const std::string again = "  rocdl.load.to.lds %from, %base, 4, 512, 0 : !llvm.ptr<1>\n";
const std::string readOwn = "  %r = llvm.load %own : !llvm.ptr<3> -> i32\n  llvm.store %r, %to : i32, !llvm.ptr<1>\n";
const std::string readTheirs =
    "  %r = llvm.load %theirs : !llvm.ptr<3> -> i32\n  llvm.store %r, %to : i32, !llvm.ptr<1>\n";

/// s_waitcnt of gfx9 with all other counters at their largest.
std::string wait(unsigned vectorMemory) {
  return "  rocdl.s.waitcnt " + std::to_string(0x0f70 | (vectorMemory & 15) | (vectorMemory >> 4) << 14) + "\n";
}

struct Outcome {
  Report report;
  std::vector<uint32_t> data;
};

Outcome runBody(const std::string &body, uint64_t seed = 0, const std::string &target = "gfx942", unsigned lds = 2048) {
  WaveKernel kernel;
  kernel.target = target;
  kernel.threads = 128;
  kernel.sharedBytes = lds;
  kernel.body = head + body + "  llvm.return";
  Outcome outcome;
  outcome.data.resize(1024);
  for (uint32_t index = 0; index < 1024; ++index)
    outcome.data[index] = 5000 + index;
  Launch launch;
  launch.buffers = {bufferOf("data", outcome.data)};
  launch.arguments = {Argument::pointer(0)};
  Options options;
  options.seed = seed;
  outcome.report = mustRun(kernel, launch, options);
  return outcome;
}

/// Clean at many seeds, with the right numbers: `distance` further in the block.
void expectClean(const std::string &body, unsigned distance) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Outcome outcome = runBody(body, seed);
    ASSERT_TRUE(outcome.report.findings.empty()) << "seed " << seed << "\n" << textOf(outcome.report);
    for (uint32_t index = 0; index < 128; ++index)
      ASSERT_EQ(outcome.data[512 + index], 5000 + (index + distance) % 128) << "seed " << seed;
  }
}

/// Found at every seed, because order does not depend on luck.
void expectFinding(const std::string &body, FindingKind kind, const std::string &text = "") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Outcome outcome = runBody(body, seed);
    EXPECT_TRUE(has(outcome.report, kind)) << "seed " << seed << "\n" << textOf(outcome.report);
    EXPECT_NE(textOf(outcome.report).find(text), std::string::npos) << "seed " << seed << "\n"
                                                                    << textOf(outcome.report);
  }
}

TEST(LdsLoadTest, AWaitMakesItReadable) {
  expectClean(load + wait(0) + readOwn, 0);
  // The line of the load: nothing else is written on that line.
  expectFinding(load + readOwn, FindingKind::InFlightAccess, "the load at line 21 may still be writing");
  expectFinding(load + readOwn, FindingKind::InFlightAccess, "must wait first until vmcnt is 0 or less");
  expectFinding(load + wait(1) + readOwn, FindingKind::InFlightAccess, "until vmcnt is 0 or less");
}

TEST(LdsLoadTest, OtherWavesNeedABarrierBehindTheWait) {
  expectClean(load + wait(0) + blockBarrier + readTheirs, 64);
  // The wait between the fence and the barrier counts, too: what has landed needs no fence to be published.
  expectClean(load + "  llvm.fence syncscope(\"workgroup\") release\n" + wait(0) +
                  "  rocdl.s.barrier\n  llvm.fence syncscope(\"workgroup\") acquire\n" + readTheirs,
              64);
  // A barrier before the wait says nothing about the other wave's loads.
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Outcome outcome = runBody(load + blockBarrier + wait(0) + readTheirs, seed);
    EXPECT_TRUE(has(outcome.report, FindingKind::InFlightAccess) || has(outcome.report, FindingKind::DataRace))
        << textOf(outcome.report);
  }
  expectFinding(load + blockBarrier + readTheirs, FindingKind::InFlightAccess, "and a barrier must follow");
}

TEST(LdsLoadTest, TheCounterFallsInTheOrderOfIssue) {
  // The older of two loads is there at vmcnt 1, the younger is not.
  expectClean(load + again + wait(1) + readOwn, 0);
  expectFinding(again + load + wait(1) + readOwn, FindingKind::InFlightAccess, "until vmcnt is 0 or less");
  expectFinding(load + again + again.substr(0, again.find(", 512")) + ", 1024, 0 : !llvm.ptr<1>\n" + wait(3) + readOwn,
                FindingKind::InFlightAccess, "until vmcnt is 2 or less");
}

TEST(LdsLoadTest, WaitsMayNotRelyOnOrdinaryAccesses) {
  // LLVM may move, merge or split the ordinary load: whether it counts depends on the seed.
  const std::string ordinary = "  %x = llvm.load %from : !llvm.ptr<1> -> i32\n";
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed)
    found += has(runBody(load + ordinary + wait(1) + readOwn, seed).report, FindingKind::InFlightAccess);
  EXPECT_GT(found, 0u);
  EXPECT_LT(found, 20u);
  expectClean(load + ordinary + wait(0) + readOwn, 0);
  expectClean(ordinary + load + wait(0) + readOwn, 0);
}

TEST(LdsLoadTest, EveryBitOfTheCountIsRead) {
  // vmcnt(16), whose bit lies at bit 14 of the operand, and vmcnt(63) beside lgkmcnt(0).
  expectFinding(load + wait(16) + readOwn, FindingKind::InFlightAccess);
  expectFinding(load + "  rocdl.s.waitcnt 49279\n" + readOwn, FindingKind::InFlightAccess);
  // 0x3f70: vmcnt(0), with bits set that are not looked at.
  expectClean(load + "  rocdl.s.waitcnt 16240\n" + readOwn, 0);
  expectClean(load + "  rocdl.s.waitcnt 0\n" + readOwn, 0);
}

TEST(LdsLoadTest, BytesInFlightAreNotWritten) {
  const std::string write = "  llvm.store %c0, %own : i32, !llvm.ptr<3>\n";
  expectFinding(load + write + wait(0), FindingKind::InFlightAccess, "overwrites LDS that the load");
  // Two loads to one place, without a wait between.
  expectFinding(load + load + wait(0), FindingKind::DataRace);
  expectClean(load + wait(0) + load + wait(0) + readOwn, 0);
  // Others may still read what the next load overwrites.
  expectFinding(load + wait(0) + blockBarrier + readTheirs + again + load + wait(0), FindingKind::DataRace);
  expectClean(load + wait(0) + blockBarrier + readTheirs + blockBarrier + load + wait(0), 64);
}

TEST(LdsLoadTest, AWaveMayEndWithLoadsInFlight) {
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_TRUE(runBody(load, seed).report.findings.empty());
}

TEST(LdsLoadTest, TheOffsetCountsOnBothSides) {
  // 64 bytes: 16 elements further in memory and in LDS.
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Outcome outcome = runBody("  rocdl.global.load.lds %from, %base, 4, 64, 0\n" + wait(0) + blockBarrier +
                                  "  %at = llvm.getelementptr %own[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32\n"
                                  "  %r = llvm.load %at : !llvm.ptr<3> -> i32\n"
                                  "  llvm.store %r, %to : i32, !llvm.ptr<1>\n",
                              seed);
    EXPECT_TRUE(outcome.report.findings.empty()) << textOf(outcome.report);
    for (uint32_t index = 0; index < 128; ++index)
      EXPECT_EQ(outcome.data[512 + index], 5016 + index);
  }
}

TEST(LdsLoadTest, SixteenBytesOfALaneLieTogether) {
  const std::string body = R"(
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c1024 = llvm.mlir.constant(1024 : i32) : i32
  %skip = llvm.mul %wave, %c1024 : i32
  %wide = llvm.getelementptr %lds[%skip] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %quarter = llvm.mul %tid, %c4 : i32
  %source = llvm.getelementptr %p[%quarter] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  rocdl.load.to.lds %source, %wide, 16, 0, 0 : !llvm.ptr<1>
)" + wait(0) + blockBarrier +
                           R"(
  %r = llvm.load %theirs : !llvm.ptr<3> -> i32
  %end = llvm.getelementptr %from[512] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  llvm.store %r, %end : i32, !llvm.ptr<1>
)";
  Outcome outcome = runBody(body, 3, "gfx950");
  EXPECT_TRUE(outcome.report.findings.empty()) << textOf(outcome.report);
  for (uint32_t index = 0; index < 128; ++index)
    EXPECT_EQ(outcome.data[512 + index], 5000 + (index + 64) % 128);
  WaveKernel older;
  older.sharedBytes = 4096;
  older.body = head + body + "  llvm.return";
  EXPECT_NE(refusal(older).find("loads 16 bytes to LDS; gfx942 has 4"), std::string::npos) << refusal(older);
}

TEST(LdsLoadTest, TheAddressIsOneOfTheWave) {
  expectFinding("  rocdl.load.to.lds %from, %own, 4, 0, 0 : !llvm.ptr<1>\n", FindingKind::Misuse,
                "different addresses");
  // The last lane's bytes lie beyond.
  Outcome outcome = runBody(load, 0, "gfx942", 508);
  EXPECT_TRUE(has(outcome.report, FindingKind::OutOfBounds)) << textOf(outcome.report);
}

TEST(LdsLoadTest, MaskedLanesReadConstantZeros) {
  const std::string zeros =
      "llvm.mlir.global internal constant @tlx_zeros(dense<0> : tensor<16xi8>) {addr_space = 1 : i32, "
      "alignment = 16 : i64} : !llvm.array<16 x i8>\n";
  WaveKernel kernel;
  kernel.threads = 128;
  kernel.sharedBytes = 512;
  kernel.body = head + std::string(R"(
  %nothing = llvm.mlir.addressof @tlx_zeros : !llvm.ptr<1>
  %low = llvm.icmp "ult" %tid, %c64 : i32
  %source = llvm.select %low, %from, %nothing : i1, !llvm.ptr<1>
  rocdl.load.to.lds %source, %base, 4, 0, 0 : !llvm.ptr<1>
)") + wait(0) + readOwn +
                "  llvm.return";
  std::string text = kernel.module();
  text.insert(text.find("llvm.func"), zeros);
  std::vector<uint32_t> data(1024, 7);
  Launch launch;
  launch.buffers = {bufferOf("data", data)};
  launch.arguments = {Argument::pointer(0)};
  llvm::Expected<Report> report = runText(text, launch);
  ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
  EXPECT_TRUE(report->findings.empty()) << textOf(*report);
  for (uint32_t index = 0; index < 128; ++index)
    EXPECT_EQ(data[512 + index], index < 64 ? 7u : 0u);
  // Another constant is refused.
  text.replace(text.find("dense<0>"), 8, "dense<1>");
  llvm::Expected<Report> ones = runText(text, launch);
  EXPECT_NE(llvm::toString(ones.takeError()).find("a few constant zeros"), std::string::npos);
}

TEST(LdsLoadTest, BuffersFillWithZeros) {
  const std::string body = R"(
  %records = llvm.mlir.constant(400 : i64) : i64
  %stride = llvm.mlir.constant(0 : i16) : i16
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %offset = llvm.mul %tid, %c4 : i32
  %buffer = rocdl.make.buffer.rsrc %p, %stride, %records, %flags : !llvm.ptr<1> to <8>
  rocdl.raw.ptr.buffer.load.lds %buffer, %base, %c4, %offset, %c0, %c0, %c0
)" + wait(0) + blockBarrier +
                           readTheirs;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Outcome outcome = runBody(body, seed);
    EXPECT_TRUE(outcome.report.findings.empty()) << textOf(outcome.report);
    for (uint32_t index = 0; index < 128; ++index) {
      uint32_t from = (index + 64) % 128;
      EXPECT_EQ(outcome.data[512 + index], from < 100 ? 5000 + from : 0);
    }
  }
}

} // namespace
