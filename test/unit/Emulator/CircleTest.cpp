// Loops that never end are told from those that take long, and soon.
#include "Kernels.h"

using namespace tlx::emu;

namespace {

/// Two warps of one block, or of two; `%p` holds zeros.
Report runBody(const std::string &body, unsigned grid = 1, unsigned threads = 64) {
  KernelText kernel;
  kernel.threads = threads;
  kernel.sharedBytes = 64;
  kernel.parameters = onePointer;
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %32 = llvm.mlir.constant(32 : i32) : i32
    %flag = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
)" + body;
  std::vector<uint32_t> out(64);
  Launch launch;
  launch.grid = {grid, 1, 1};
  launch.buffers = {bufferOf("out", out)};
  launch.arguments = {Argument::pointer(0)};
  Options options;
  // Far more than a run of a second does.
  options.maxSteps = 1ull << 40;
  return mustRun(kernel, launch, options);
}

const std::string spin = R"(
  ^spin:
    %v = llvm.atomicrmw add %p, %zero syncscope("device") monotonic : !llvm.ptr<1>, i32
    %done = llvm.icmp "eq" %v, %one : i32
    llvm.cond_br %done, ^end, ^spin
  ^end:
    llvm.return)";

TEST(Circle, NobodySetsTheFlag) {
  Report report = runBody("llvm.br ^spin\n" + spin);
  ASSERT_TRUE(has(report, FindingKind::Deadlock)) << textOf(report);
  EXPECT_NE(textOf(report).find("looks for ever at what nobody changes"), std::string::npos);
}

TEST(Circle, AnotherBlockSetsTheFlag) {
  // The first block waits; the last sets the flag after a hundred thousand trips of its own.
  const std::string work = R"(
    %first = llvm.icmp "eq" %block, %zero : i32
    %many = llvm.mlir.constant(100000 : i32) : i32
    llvm.cond_br %first, ^spin, ^work(%zero : i32)
  ^work(%i: i32):
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %next, %many : i32
    llvm.cond_br %more, ^work(%next : i32), ^set
  ^set:
    )";
  EXPECT_EQ(textOf(runBody(work + R"(
    %x = llvm.atomicrmw xchg %p, %one syncscope("device") monotonic : !llvm.ptr<1>, i32
    llvm.return)" + spin,
                           2)),
            "");
  Report report = runBody(work + R"(
    %x = llvm.atomicrmw xchg %flag, %one syncscope("device") monotonic : !llvm.ptr<1>, i32
    llvm.return)" + spin,
                          2);
  EXPECT_TRUE(has(report, FindingKind::Deadlock)) << textOf(report);
}

TEST(Circle, WarpsThatMeetOnTheirWayRound) {
  Report report = runBody(R"(
    llvm.br ^again
  ^again:
    nvvm.barrier0
    %v = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %done = llvm.icmp "eq" %v, %one : i32
    llvm.cond_br %done, ^end, ^again
  ^end:
    llvm.return)");
  EXPECT_TRUE(has(report, FindingKind::Deadlock)) << textOf(report);
}

TEST(Circle, NothingIsLookedAt) {
  Report report =
      runBody("llvm.br ^loop\n^loop:\n%x = llvm.add %t, %one : i32\n%on = llvm.icmp \"ne\" %x, %zero : i32\n"
              "llvm.cond_br %on, ^loop, ^end\n^end:\nllvm.return");
  EXPECT_TRUE(has(report, FindingKind::Endless)) << textOf(report);
}

TEST(Circle, LongButNotEndless) {
  EXPECT_EQ(textOf(runBody(R"(
    %many = llvm.mlir.constant(300000 : i32) : i32
    llvm.br ^work(%zero : i32)
  ^work(%i: i32):
    %next = llvm.add %i, %one : i32
    %v = llvm.load %p : !llvm.ptr<1> -> i32
    %more = llvm.icmp "ult" %next, %many : i32
    llvm.cond_br %more, ^work(%next : i32), ^end
  ^end:
    llvm.return)")),
            "");
}

} // namespace
