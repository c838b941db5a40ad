// Barriers between warps: named, mbarrier, cluster; and shared memory ordered by them.
#include "Kernels.h"

using namespace tlx::emu;

namespace {

Report runOut(KernelText kernel, std::vector<uint32_t> &out, unsigned grid = 1, uint64_t seed = 0) {
  kernel.parameters = onePointer;
  Launch launch;
  launch.grid = {grid, 1, 1};
  launch.buffers = {bufferOf("out", out)};
  launch.arguments = {Argument::pointer(0)};
  Options options;
  options.seed = seed;
  return mustRun(kernel, launch, options);
}

/// Each thread writes its number to shared memory and reads that of thread 127 - t behind `barrier`.
KernelText exchange(const std::string &barrier) {
  KernelText kernel;
  kernel.threads = 128;
  kernel.sharedBytes = 512;
  kernel.attributes =
      R"(, tlx.shared = [{name = "tile", offset = 0 : i32, bytes = 256 : i32, count = 2 : i32, line = 7 : i32}])";
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %mine = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %mine : i32, !llvm.ptr<3>
    )" + barrier +
                R"(
    %last = llvm.mlir.constant(127 : i32) : i32
    %o = llvm.sub %last, %t : i32
    %theirs = llvm.getelementptr %s[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %theirs : !llvm.ptr<3> -> i32
    %q = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %q : i32, !llvm.ptr<1>
    llvm.return)";
  return kernel;
}

TEST(Barrier, OrdersSharedMemory) {
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (const char *barrier : {"nvvm.barrier0", "thread.named_barrier 3 threads 128"}) {
      std::vector<uint32_t> out(128);
      EXPECT_EQ(textOf(runOut(exchange(barrier), out, 1, seed)), "");
      for (uint32_t t = 0; t < 128; ++t)
        EXPECT_EQ(out[t], 127 - t);
    }
}

TEST(Barrier, MissingBarrierIsARace) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> out(128);
    Report report = runOut(exchange(""), out, 1, seed);
    bool named = false;
    for (const Finding &finding : report.findings)
      if (finding.kind == FindingKind::DataRace)
        named |= finding.buffer == "tile" && finding.other && finding.other->line != finding.where.line;
    EXPECT_TRUE(named) << textOf(report);
  }
}

TEST(Barrier, UnequalThreadsAreFound) {
  KernelText kernel;
  kernel.threads = 64;
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %w = llvm.mlir.constant(32 : i32) : i32
    %first = llvm.icmp "ult" %t, %w : i32
    llvm.cond_br %first, ^a, ^b
  ^a:
    thread.named_barrier 1 threads 64
    llvm.return
  ^b:
    thread.named_barrier 1 threads 32
    llvm.return)";
  // When the warp with the smaller number comes first it passes alone, and the other waits for ever.
  unsigned mismatches = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<uint32_t> out(1);
    Report report = runOut(kernel, out, 1, seed);
    mismatches += has(report, FindingKind::ParticipantMismatch);
    EXPECT_TRUE(has(report, FindingKind::ParticipantMismatch) || has(report, FindingKind::Deadlock));
  }
  EXPECT_GT(mismatches, 0u);
}

/// Warp 0 writes, meets, and one lane arrives; warp 1 waits, reads. `count` arrivals are expected, the writer makes
/// `arrivals`.
KernelText handOver(unsigned count, unsigned arrivals, bool meets = true) {
  KernelText kernel;
  kernel.threads = 64;
  kernel.sharedBytes = 256;
  kernel.attributes =
      R"(, tlx.barriers = [{name = "full", offset = 128 : i32, count = 1 : i32, arrivals = 1 : i32, line = 3 : i32}],
    tlx.tasks = [{name = "writer", first_warp = 0 : i32, warps = 1 : i32, registers = 0 : i32, replica = 0 : i32},
                 {name = "reader", first_warp = 1 : i32, warps = 1 : i32, registers = 0 : i32, replica = 0 : i32}])";
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %count = llvm.mlir.constant()" +
                std::to_string(count) + R"( : i32) : i32
    %w = llvm.mlir.constant(32 : i32) : i32
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %b = llvm.getelementptr %s[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^init, ^ready
  ^init:
    nvvm.mbarrier.init %b, %count : !llvm.ptr<3>, i32
    llvm.br ^ready
  ^ready:
    nvvm.barrier0
    %l = llvm.urem %t, %w : i32
    %a = llvm.getelementptr %s[%l] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %writes = llvm.icmp "ult" %t, %w : i32
    llvm.cond_br %writes, ^writer, ^reader
  ^writer:
    llvm.store %t, %a : i32, !llvm.ptr<3>
    )";
  if (meets)
    kernel.body += "%full = llvm.mlir.constant(-1 : i32) : i32\nnvvm.bar.warp.sync %full : i32\n";
  kernel.body += R"(
    llvm.cond_br %first, ^arrive, ^end
  ^arrive:
    )";
  for (unsigned index = 0; index < arrivals; ++index)
    kernel.body += "thread.mbarrier_arrive %b count 1 : !llvm.ptr<3>\n";
  kernel.body += R"(
    llvm.br ^end
  ^reader:
    thread.mbarrier_wait %b phase %zero : !llvm.ptr<3>
    %v = llvm.load %a : !llvm.ptr<3> -> i32
    %q = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %q : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return)";
  return kernel;
}

TEST(Mbarrier, HandsOver) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> out(32);
    EXPECT_EQ(textOf(runOut(handOver(1, 1), out, 1, seed)), "");
    for (uint32_t t = 0; t < 32; ++t)
      EXPECT_EQ(out[t], t);
  }
}

TEST(Mbarrier, AnArrivalSpeaksForItsLaneUntilTheWarpMeets) {
  std::vector<uint32_t> out(32);
  Report report = runOut(handOver(1, 1, /*meets=*/false), out);
  ASSERT_EQ(report.findings.size(), 1u) << textOf(report);
  EXPECT_EQ(report.findings[0].kind, FindingKind::DataRace);
}

/// Every lane writes a word and reads that of its neighbour; `between` stands between the two.
KernelText neighbours(const std::string &between) {
  KernelText kernel;
  kernel.sharedBytes = 256;
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %w = llvm.mlir.constant(32 : i32) : i32
    %full = llvm.mlir.constant(-1 : i32) : i32
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %a = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %a : i32, !llvm.ptr<3>
    )" + between +
                R"(
    %n = llvm.add %t, %one : i32
    %m = llvm.urem %n, %w : i32
    %b = llvm.getelementptr %s[%m] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %b : !llvm.ptr<3> -> i32
    %q = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %q : i32, !llvm.ptr<1>
    llvm.return)";
  return kernel;
}

TEST(Lanes, MeetBeforeOneReadsWhatAnotherWrote) {
  std::vector<uint32_t> out(32);
  EXPECT_EQ(textOf(runOut(neighbours("nvvm.bar.warp.sync %full : i32"), out)), "");
  EXPECT_EQ(textOf(runOut(neighbours("nvvm.barrier0"), out)), "");
  EXPECT_EQ(out[31], 0u);
  Report report = runOut(neighbours(""), out);
  ASSERT_EQ(report.findings.size(), 1u) << textOf(report);
  EXPECT_EQ(report.findings[0].kind, FindingKind::DataRace);
  ASSERT_TRUE(report.findings[0].other);
  EXPECT_LT(report.findings[0].other->line, report.findings[0].where.line);
  ASSERT_FALSE(report.findings[0].notes.empty());
  EXPECT_NE(report.findings[0].notes[0].find("lanes of one warp"), std::string::npos);
  // A shuffle exchanges registers and orders nothing in memory.
  Report shuffled = runOut(neighbours("%x = nvvm.shfl.sync idx %full, %t, %one, %w : i32 -> i32"), out);
  EXPECT_TRUE(has(shuffled, FindingKind::DataRace));
}

/// Two warps write one word without an order between them.
KernelText writers(const std::string &value) {
  KernelText kernel;
  kernel.threads = 64;
  kernel.sharedBytes = 64;
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %five = llvm.mlir.constant(5 : i32) : i32
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %w = llvm.lshr %t, %five : i32
    llvm.store )" +
                value + R"(, %s : i32, !llvm.ptr<3>
    llvm.return)";
  return kernel;
}

TEST(Copies, OfOneValueMayBeWrittenByAll) {
  std::vector<uint32_t> out(1);
  EXPECT_EQ(textOf(runOut(writers("%five"), out)), "");
  EXPECT_TRUE(has(runOut(writers("%w"), out), FindingKind::DataRace));
}

TEST(Mbarrier, MissingArrivalIsADeadlockThatSaysSo) {
  std::vector<uint32_t> out(32);
  Report report = runOut(handOver(2, 1), out);
  ASSERT_EQ(report.findings.size(), 1u) << textOf(report);
  const Finding &finding = report.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::Deadlock);
  EXPECT_EQ(finding.where.task, "reader");
  EXPECT_EQ(finding.barrier, "full");
  EXPECT_EQ(finding.phase, 0);
  ASSERT_TRUE(finding.other.has_value());
  EXPECT_EQ(finding.other->task, "writer");
  EXPECT_NE(render(finding).find("1 of 2 arrivals are missing"), std::string::npos) << render(finding);
}

TEST(Mbarrier, TooManyArrivals) {
  std::vector<uint32_t> out(32);
  KernelText kernel = handOver(2, 1);
  size_t at = kernel.body.find("count 1 :");
  kernel.body.replace(at, 9, "count 3 :");
  Report report = runOut(kernel, out);
  EXPECT_TRUE(has(report, FindingKind::BarrierMisuse)) << textOf(report);
}

TEST(Mbarrier, UseWithoutInitialisation) {
  KernelText kernel = handOver(1, 1);
  size_t at = kernel.body.find("nvvm.mbarrier.init %b, %count : !llvm.ptr<3>, i32");
  kernel.body.erase(at, 49);
  std::vector<uint32_t> out(32);
  EXPECT_TRUE(has(runOut(kernel, out), FindingKind::BarrierMisuse));
}

TEST(Mbarrier, InitialisationMustBeOrdered) {
  KernelText kernel = handOver(1, 1);
  size_t at = kernel.body.find("nvvm.barrier0");
  kernel.body.erase(at, 13);
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<uint32_t> out(32);
    found += !runOut(kernel, out, 1, seed).findings.empty();
  }
  EXPECT_EQ(found, 20u);
}

/// CTA 0 of a pair waits for an arrival from CTA 1; `tail` is what both do in the end.
KernelText remoteArrive(const std::string &tail) {
  KernelText kernel;
  kernel.cluster = 2;
  kernel.sharedBytes = 64;
  kernel.attributes =
      R"(, tlx.barriers = [{name = "peer", offset = 0 : i32, count = 1 : i32, arrivals = 1 : i32, line = 3 : i32}])";
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %b = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^init, ^ready
  ^init:
    nvvm.mbarrier.init %b, %one : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    llvm.br ^ready
  ^ready:
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %waits = llvm.icmp "eq" %rank, %zero : i32
    llvm.cond_br %waits, ^wait, ^other
  ^wait:
    thread.mbarrier_wait %b phase %zero : !llvm.ptr<3>
    llvm.br ^tail
  ^other:
    llvm.cond_br %first, ^arrive, ^tail
  ^arrive:
    thread.mbarrier_arrive %b count 1 rank %zero : !llvm.ptr<3>
    llvm.br ^tail
  ^tail:
    )" + tail + R"(
    llvm.return)";
  return kernel;
}

TEST(Cluster, RemoteArrive) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> out(1);
    EXPECT_EQ(textOf(runOut(remoteArrive(""), out, 4, seed)), "");
  }
}

TEST(Cluster, ArrivalAfterThePeerHasLeft) {
  // CTA 0 does not wait for the arrival, so nothing keeps it there.
  KernelText kernel = remoteArrive("");
  size_t at = kernel.body.find("thread.mbarrier_wait");
  kernel.body.erase(at, kernel.body.find('\n', at) - at);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> out(1);
    Report report = runOut(kernel, out, 2, seed);
    EXPECT_TRUE(has(report, FindingKind::OutstandingAtExit)) << textOf(report);
  }
  // A cluster barrier in the end makes it right.
  kernel = remoteArrive("nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}");
  at = kernel.body.find("thread.mbarrier_wait");
  kernel.body.erase(at, kernel.body.find('\n', at) - at);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> out(1);
    EXPECT_EQ(textOf(runOut(kernel, out, 2, seed)), "");
  }
}

TEST(Cluster, WaitWithoutArrive) {
  KernelText kernel;
  kernel.body = "nvvm.cluster.wait {aligned}\nllvm.return";
  std::vector<uint32_t> out(1);
  EXPECT_TRUE(has(runOut(kernel, out), FindingKind::BarrierMisuse));
}

/// Each CTA writes the upper byte of its shared memory's address; then `tail`.
KernelText addressKernel(const std::string &tail) {
  KernelText kernel;
  kernel.cluster = 2;
  kernel.sharedBytes = 64;
  kernel.body = R"(
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %shift = llvm.mlir.constant(24 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %a = llvm.ptrtoint %s : !llvm.ptr<3> to i32
    %r = llvm.lshr %a, %shift : i32
    %q = llvm.getelementptr %p[%rank] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %q : i32, !llvm.ptr<1>
    llvm.store %r, %s : i32, !llvm.ptr<3>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %other = llvm.xor %rank, %one : i32
    %peer = nvvm.mapa %s, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    )" + tail + R"(
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.return)";
  return kernel;
}

TEST(Cluster, AddressesHoldTheRank) {
  std::vector<uint32_t> out(2);
  EXPECT_EQ(textOf(runOut(addressKernel(""), out, 2)), "");
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 1}));
}

TEST(Cluster, PeersAreReadThroughTheirOwnForm) {
  std::vector<uint32_t> out(2);
  const std::string store = "llvm.store %v, %q : i32, !llvm.ptr<1>";
  EXPECT_EQ(textOf(runOut(addressKernel("%v = llvm.load %peer : !llvm.ptr<7> -> i32\n" + store), out, 2)), "");
  EXPECT_EQ(out, (std::vector<uint32_t>{1, 0}));
  // The local form does not reach a mapped address.
  Report report = runOut(addressKernel(R"(%w = llvm.ptrtoint %peer : !llvm.ptr<7> to i32
    %local = llvm.inttoptr %w : i32 to !llvm.ptr<3>
    %v = llvm.load %local : !llvm.ptr<3> -> i32
    )" + store),
                         out, 2);
  EXPECT_TRUE(has(report, FindingKind::OutOfBounds)) << textOf(report);
}

TEST(Cluster, ExitedThreadsDoNotCount) {
  // The second warp leaves at once; the first one still passes the barrier.
  KernelText kernel;
  kernel.threads = 64;
  kernel.cluster = 2;
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %w = llvm.mlir.constant(32 : i32) : i32
    %stays = llvm.icmp "ult" %t, %w : i32
    llvm.cond_br %stays, ^on, ^off
  ^on:
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.return
  ^off:
    llvm.return)";
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> out(1);
    EXPECT_EQ(textOf(runOut(kernel, out, 2, seed)), "");
  }
}

/// Two groups of four warps: the first asks for `first` registers less, the second for `second` more.
KernelText registerKernel(unsigned first, unsigned second) {
  KernelText kernel;
  kernel.threads = 384;
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %w = llvm.mlir.constant(128 : i32) : i32
    %less = llvm.icmp "ult" %t, %w : i32
    llvm.cond_br %less, ^down, ^up
  ^down:
    nvvm.setmaxregister decrease )" +
                std::to_string(first) + R"(
    llvm.return
  ^up:
    nvvm.setmaxregister increase )" +
                std::to_string(second) + R"(
    llvm.return)";
  return kernel;
}

TEST(Registers, IncreaseWaitsForTheDecrease) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<uint32_t> out(1);
    // 40 + 232 + 232 = 504 of 512 registers for each lane of the three groups.
    EXPECT_EQ(textOf(runOut(registerKernel(40, 232), out, 1, seed)), "");
    // 40 + 240 + 240 = 520 do not exist.
    Report report = runOut(registerKernel(40, 240), out, 1, seed);
    EXPECT_TRUE(has(report, FindingKind::Deadlock)) << textOf(report);
  }
}

TEST(Shared, UninitializedReadIsFound) {
  KernelText kernel;
  kernel.sharedBytes = 128;
  kernel.attributes =
      R"(, tlx.shared = [{name = "a", offset = 0 : i32, bytes = 64 : i32, count = 2 : i32, line = 1 : i32}])";
  kernel.body = R"(
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %a = llvm.getelementptr %s[100] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %v = llvm.load %a : !llvm.ptr<3> -> i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return)";
  std::vector<uint32_t> out(1);
  Report report = runOut(kernel, out);
  ASSERT_EQ(report.findings.size(), 1u) << textOf(report);
  EXPECT_EQ(report.findings[0].kind, FindingKind::UninitializedRead);
  EXPECT_EQ(report.findings[0].buffer, "a");
  EXPECT_EQ(report.findings[0].slot, 1);
}

} // namespace
