// AMD: what orders the accesses of lanes, waves and workgroups, and what does not.
#include "Waves.h"

using namespace tlx::emu;

namespace {

Report runOn(const WaveKernel &kernel, std::vector<uint32_t> &data, unsigned groups = 1, uint64_t seed = 0) {
  Launch launch;
  launch.grid = {groups, 1, 1};
  launch.buffers = {bufferOf("out", data)};
  launch.arguments = {Argument::pointer(0)};
  Options options;
  options.seed = seed;
  return mustRun(kernel, launch, options);
}

/// Each thread writes its number to LDS and, behind `between`, reads that of the thread `distance` further.
WaveKernel exchange(const std::string &between, unsigned threads, unsigned distance) {
  WaveKernel kernel;
  kernel.threads = threads;
  kernel.sharedBytes = threads * 4;
  kernel.body = R"(
  %tid = rocdl.workitem.id.x : i32
  %lds = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
  %mine = llvm.getelementptr %lds[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %tid, %mine : i32, !llvm.ptr<3>
)" + between + "  %d = llvm.mlir.constant(" +
                std::to_string(distance) + " : i32) : i32\n  %n = llvm.mlir.constant(" + std::to_string(threads) +
                R"( : i32) : i32
  %far = llvm.add %tid, %d : i32
  %other = llvm.urem %far, %n : i32
  %theirs = llvm.getelementptr %lds[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %r = llvm.load %theirs : !llvm.ptr<3> -> i32
  %address = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %r, %address : i32, !llvm.ptr<1>
  llvm.return)";
  return kernel;
}

TEST(WaveOrderTest, FencesAndBarrierOrderWaves) {
  const std::string release = "  llvm.fence syncscope(\"workgroup\") release\n",
                    acquire = "  llvm.fence syncscope(\"workgroup\") acquire\n", barrier = "  rocdl.s.barrier\n";
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<uint32_t> data(256);
    Report report = runOn(exchange(blockBarrier, 256, 64), data, 1, seed);
    ASSERT_TRUE(report.findings.empty()) << textOf(report);
    for (uint32_t index = 0; index < 256; ++index)
      ASSERT_EQ(data[index], (index + 64) % 256);
    // The dialect's own barrier is the same three.
    EXPECT_TRUE(runOn(exchange("  rocdl.barrier\n", 256, 64), data, 1, seed).findings.empty());
    // One of the three is missing, or the fences reach only the wave.
    for (const std::string &broken : {std::string(), release + acquire, barrier, release + barrier, barrier + acquire,
                                      std::string("  llvm.fence syncscope(\"wavefront\") release\n  rocdl.s.barrier\n"
                                                  "  llvm.fence syncscope(\"wavefront\") acquire\n")}) {
      Report raced = runOn(exchange(broken, 256, 64), data, 1, seed);
      EXPECT_TRUE(has(raced, FindingKind::DataRace) || has(raced, FindingKind::UninitializedRead)) << broken;
    }
  }
}

TEST(WaveOrderTest, FindingsSpeakOfWavesAndLds) {
  std::vector<uint32_t> data(256);
  Report report = runOn(exchange("  rocdl.s.barrier\n", 256, 64), data);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_NE(textOf(report).find("read of LDS races with an earlier write"), std::string::npos) << textOf(report);
  EXPECT_NE(textOf(report).find("of workgroup 0"), std::string::npos) << textOf(report);
  EXPECT_EQ(textOf(report).find("warp"), std::string::npos) << textOf(report);
}

TEST(WaveOrderTest, AFenceOrdersTheLanesOfAWave) {
  std::vector<uint32_t> data(64);
  Report report = runOn(exchange("  llvm.fence syncscope(\"wavefront\") acq_rel\n", 64, 5), data);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  EXPECT_EQ(data[63], 4u);
  report = runOn(exchange("", 64, 5), data);
  EXPECT_TRUE(has(report, FindingKind::DataRace)) << textOf(report);
  EXPECT_NE(textOf(report).find("lanes of one wave"), std::string::npos) << textOf(report);
  EXPECT_TRUE(runOn(exchange("", 64, 0), data).findings.empty());
}

TEST(WaveOrderTest, LdsHasBoundsAndBeginsUnwritten) {
  WaveKernel kernel = exchange("", 64, 0);
  std::vector<uint32_t> data(64);
  kernel.sharedBytes = 252;
  Report report = runOn(kernel, data);
  EXPECT_TRUE(has(report, FindingKind::OutOfBounds)) << textOf(report);
  EXPECT_NE(textOf(report).find("at offset 252 of LDS; the kernel has 252"), std::string::npos) << textOf(report);
  kernel = WaveKernel();
  kernel.sharedBytes = 256;
  kernel.body = R"(
  %lds = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
  %r = llvm.load %lds : !llvm.ptr<3> -> i32
  llvm.return)";
  report = runOn(kernel, data);
  EXPECT_TRUE(has(report, FindingKind::UninitializedRead)) << textOf(report);
}

/// The waves from 1 on execute `more` barriers more than the first; wave 0 ends.
WaveKernel unequal(unsigned first, unsigned others) {
  WaveKernel kernel;
  kernel.threads = 128;
  kernel.body = R"(
  %tid = rocdl.workitem.id.x : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %low = llvm.icmp "ult" %tid, %c64 : i32
  llvm.cond_br %low, ^one, ^two
^one:
)";
  for (unsigned index = 0; index < first; ++index)
    kernel.body += "  rocdl.s.barrier\n";
  kernel.body += "  llvm.return\n^two:\n";
  for (unsigned index = 0; index < others; ++index)
    kernel.body += "  rocdl.s.barrier\n";
  kernel.body += "  llvm.return";
  return kernel;
}

TEST(WaveOrderTest, AllWavesExecuteAsManyBarriers) {
  std::vector<uint32_t> data(64);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_TRUE(runOn(unequal(3, 3), data, 1, seed).findings.empty());
    // The hardware goes on without the wave that has ended; that is no deadlock, but never meant.
    Report report = runOn(unequal(2, 3), data, 1, seed);
    EXPECT_TRUE(has(report, FindingKind::ParticipantMismatch)) << textOf(report);
    EXPECT_FALSE(has(report, FindingKind::Deadlock)) << textOf(report);
    EXPECT_NE(textOf(report).find("without wave 0, which has ended after 2 of them; this is number 3"),
              std::string::npos)
        << textOf(report);
  }
}

/// Every thread of every workgroup adds to one counter, and the last of a group reads it.
WaveKernel counter(const std::string &scope) {
  WaveKernel kernel;
  kernel.body = R"(
  %one = llvm.mlir.constant(1 : i32) : i32
  %old = llvm.atomicrmw add %p, %one )" +
                scope + R"( monotonic : !llvm.ptr<1>, i32
  llvm.return)";
  return kernel;
}

TEST(WaveOrderTest, AtomicsReachAsFarAsTheirScope) {
  std::vector<uint32_t> data(64);
  EXPECT_TRUE(runOn(counter("syncscope(\"agent\")"), data, 4).findings.empty());
  EXPECT_EQ(data[0], 256u);
  EXPECT_TRUE(runOn(counter(""), data, 4).findings.empty());
  // Within a workgroup the smaller scope is enough; several workgroups lose counts.
  EXPECT_TRUE(runOn(counter("syncscope(\"workgroup\")"), data, 1).findings.empty());
  Report report = runOn(counter("syncscope(\"workgroup\")"), data, 4);
  EXPECT_TRUE(has(report, FindingKind::DataRace)) << textOf(report);
  EXPECT_NE(textOf(report).find("scope `workgroup`"), std::string::npos) << textOf(report);
}

/// Lane 0 of wave 0 writes data and raises a flag in LDS; wave 1 looks at it until it is up, and reads.
WaveKernel flag(const std::string &store, const std::string &load) {
  WaveKernel kernel;
  kernel.threads = 128;
  kernel.sharedBytes = 8;
  kernel.body = R"(
  %tid = rocdl.workitem.id.x : i32
  %lds = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
  %up = llvm.getelementptr %lds[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %isFirst = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %isFirst, ^clear, ^begin
^clear:
  llvm.store %c0, %up : i32, !llvm.ptr<3>
  llvm.br ^begin
^begin:
)" + std::string(blockBarrier) +
                R"(
  %isLow = llvm.icmp "ult" %tid, %c64 : i32
  llvm.cond_br %isLow, ^low, ^look
^low:
  llvm.cond_br %isFirst, ^raise, ^end
^raise:
  llvm.store %c64, %lds : i32, !llvm.ptr<3>
  llvm.store %c1, %up )" +
                store + R"( {alignment = 4 : i64} : i32, !llvm.ptr<3>
  llvm.br ^end
^look:
  %seen = llvm.load %up )" +
                load + R"( {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  %is = llvm.icmp "eq" %seen, %c1 : i32
  llvm.cond_br %is, ^take, ^look
^take:
  %v = llvm.load %lds : !llvm.ptr<3> -> i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return)";
  return kernel;
}

TEST(WaveOrderTest, AFlagReleasesAndAcquires) {
  const std::string release = "atomic syncscope(\"workgroup\") release",
                    acquire = "atomic syncscope(\"workgroup\") acquire",
                    relaxed = "atomic syncscope(\"workgroup\") monotonic";
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> data(64);
    Report report = runOn(flag(release, acquire), data, 1, seed);
    EXPECT_TRUE(report.findings.empty()) << textOf(report);
    EXPECT_EQ(data[0], 64u);
    EXPECT_TRUE(has(runOn(flag(relaxed, acquire), data, 1, seed), FindingKind::DataRace));
    EXPECT_TRUE(has(runOn(flag(release, relaxed), data, 1, seed), FindingKind::DataRace));
  }
}

} // namespace
