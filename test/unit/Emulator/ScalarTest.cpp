// Scalar code: arithmetic, memory, divergence, warp operations, atomics.
#include "Kernels.h"

using namespace tlx::emu;

namespace {

/// Runs `body` for one warp; `%t` is the thread, `%q` the address of the thread's i32 result.
std::vector<uint32_t> perLane(const std::string &body, FindingKind *found = nullptr, unsigned threads = 32) {
  KernelText kernel;
  kernel.threads = threads;
  kernel.parameters = onePointer;
  kernel.body = "%t = nvvm.read.ptx.sreg.tid.x : i32\n"
                "%q = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n" +
                body;
  std::vector<uint32_t> out(threads, 0xdeadbeef);
  Launch launch;
  launch.buffers = {bufferOf("out", out)};
  launch.arguments = {Argument::pointer(0)};
  Report report = mustRun(kernel, launch);
  if (found && !report.findings.empty())
    *found = report.findings[0].kind;
  else
    EXPECT_EQ(textOf(report), "");
  return out;
}

TEST(Scalar, VectorAdd) {
  KernelText kernel;
  kernel.threads = 64;
  kernel.parameters = "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %n: i32";
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %size = nvvm.read.ptx.sreg.ntid.x : i32
    %base = llvm.mul %block, %size : i32
    %i = llvm.add %base, %t : i32
    %inside = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %inside, ^work, ^end
  ^work:
    %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %pc = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %pa : !llvm.ptr<1> -> f32
    %y = llvm.load %pb : !llvm.ptr<1> -> f32
    %z = llvm.fadd %x, %y : f32
    llvm.store %z, %pc : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return)";
  constexpr unsigned n = 150;
  std::vector<float> a(n), b(n), c(n, -1);
  for (unsigned i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f * static_cast<float>(i);
  }
  Launch launch;
  launch.grid = {3, 1, 1};
  launch.buffers = {bufferOf("a", a), bufferOf("b", b), bufferOf("c", c)};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2), Argument::scalar(n)};
  EXPECT_EQ(textOf(mustRun(kernel, launch)), "");
  for (unsigned i = 0; i < n; ++i)
    EXPECT_EQ(c[i], 1.5f * static_cast<float>(i));
}

TEST(Scalar, LanesLeaveALoopOneByOne) {
  // Lane t adds 0 + 1 + ... + t, so every lane leaves the loop at another trip.
  std::vector<uint32_t> out = perLane(R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^head(%zero, %zero : i32, i32)
  ^head(%i: i32, %sum: i32):
    %go = llvm.icmp "ule" %i, %t : i32
    llvm.cond_br %go, ^body, ^done
  ^body:
    %more = llvm.add %sum, %i : i32
    %next = llvm.add %i, %one : i32
    llvm.br ^head(%next, %more : i32, i32)
  ^done:
    llvm.store %sum, %q : i32, !llvm.ptr<1>
    llvm.return)");
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t * (t + 1) / 2);
}

TEST(Scalar, DivergedLanesMeetAgain) {
  // Both sides of the branch end in one block, where all lanes vote together.
  std::vector<uint32_t> out = perLane(R"(
    %one = llvm.mlir.constant(1 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %true = llvm.mlir.constant(true) : i1
    %bit = llvm.and %t, %one : i32
    %odd = llvm.icmp "eq" %bit, %one : i32
    llvm.cond_br %odd, ^yes, ^no
  ^yes:
    llvm.br ^meet(%one : i32)
  ^no:
    llvm.br ^meet(%all : i32)
  ^meet(%v: i32):
    %ballot = nvvm.vote.sync ballot %all, %true -> i32
    %r = llvm.add %ballot, %v : i32
    llvm.store %r, %q : i32, !llvm.ptr<1>
    llvm.return)");
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t % 2 ? 0u : 0xfffffffeu);
}

TEST(Scalar, BlockArgumentsSwap) {
  std::vector<uint32_t> out = perLane(R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    llvm.br ^head(%zero, %one, %two : i32, i32, i32)
  ^head(%i: i32, %x: i32, %y: i32):
    %next = llvm.add %i, %one : i32
    %go = llvm.icmp "ult" %next, %three : i32
    llvm.cond_br %go, ^head(%next, %y, %x : i32, i32, i32), ^done
  ^done:
    %ten = llvm.mlir.constant(10 : i32) : i32
    %hi = llvm.mul %x, %ten : i32
    %r = llvm.add %hi, %y : i32
    llvm.store %r, %q : i32, !llvm.ptr<1>
    llvm.return)");
  EXPECT_EQ(out[0], 12u);
}

TEST(Scalar, SwitchTakesEachWay) {
  std::vector<uint32_t> out = perLane(R"(
    %three = llvm.mlir.constant(3 : i32) : i32
    %r = llvm.urem %t, %three : i32
    %a = llvm.mlir.constant(10 : i32) : i32
    %b = llvm.mlir.constant(20 : i32) : i32
    %c = llvm.mlir.constant(30 : i32) : i32
    llvm.switch %r : i32, ^end(%c : i32) [
      0: ^end(%a : i32),
      1: ^end(%b : i32)
    ]
  ^end(%v: i32):
    llvm.store %v, %q : i32, !llvm.ptr<1>
    llvm.return)");
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], 10 * (t % 3 + 1));
}

TEST(Scalar, ShufflesAndReductions) {
  std::vector<uint32_t> out = perLane(R"(
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %x = nvvm.shfl.sync bfly %all, %t, %four, %clamp : i32 -> i32
    %s = nvvm.redux.sync add %t, %all : i32 -> i32
    %k = llvm.mlir.constant(1000 : i32) : i32
    %m = llvm.mul %s, %k : i32
    %r = llvm.add %m, %x : i32
    llvm.store %r, %q : i32, !llvm.ptr<1>
    llvm.return)");
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], 496000 + (t ^ 4));
}

TEST(Scalar, NarrowFloatsRoundOnce) {
  // 2049 is half way between 2048 and 2050 in f16, and 1 + 2^-8 between two bf16 numbers: both go to even.
  std::vector<uint32_t> out = perLane(R"(
    %f = llvm.mlir.constant(2.049000e+03 : f32) : f32
    %g = llvm.mlir.constant(1.00390625 : f32) : f32
    %h = llvm.fptrunc %f : f32 to f16
    %b = llvm.fptrunc %g : f32 to bf16
    %pair = thread.pack f16 %g, %f
    %hi = llvm.bitcast %h : f16 to i16
    %bi = llvm.bitcast %b : bf16 to i16
    %hz = llvm.zext %hi : i16 to i32
    %bz = llvm.zext %bi : i16 to i32
    %s = llvm.mlir.constant(16 : i32) : i32
    %up = llvm.shl %bz, %s : i32
    %both = llvm.or %up, %hz : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    %r = llvm.select %first, %both, %pair : i1, i32
    llvm.store %r, %q : i32, !llvm.ptr<1>
    llvm.return)");
  EXPECT_EQ(out[0], 0x3f806800u);
  EXPECT_EQ(out[1], 0x68003c04u);
}

TEST(Scalar, VectorsLoadAndStore) {
  std::vector<uint32_t> out = perLane(R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^one, ^end
  ^one:
    %a = llvm.mlir.constant(dense<[1, 2, 3, 4]> : vector<4xi32>) : vector<4xi32>
    %b = llvm.add %a, %a : vector<4xi32>
    %c = llvm.insertelement %t, %b[%two : i32] : vector<4xi32>
    llvm.store %c, %p : vector<4xi32>, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return)");
  EXPECT_EQ(out[0], 2u);
  EXPECT_EQ(out[1], 4u);
  EXPECT_EQ(out[2], 0u);
  EXPECT_EQ(out[3], 8u);
}

TEST(Scalar, AtomicsCount) {
  KernelText kernel;
  kernel.threads = 128;
  kernel.parameters = onePointer;
  kernel.body = R"(
    %one = llvm.mlir.constant(1 : i32) : i32
    %old = llvm.atomicrmw add %p, %one monotonic : !llvm.ptr<1>, i32
    llvm.return)";
  std::vector<uint32_t> out(1, 5);
  Launch launch;
  launch.grid = {3, 1, 1};
  launch.buffers = {bufferOf("out", out)};
  launch.arguments = {Argument::pointer(0)};
  EXPECT_EQ(textOf(mustRun(kernel, launch)), "");
  EXPECT_EQ(out[0], 5u + 3 * 128);
}

TEST(Scalar, UnknownOperationIsNamedWithItsLine) {
  KernelText kernel;
  kernel.body =
      "%r = llvm.inline_asm has_side_effects asm_dialect = att \"mov.u32 $0, 1;\", \"=r\" : () -> i32\nllvm.return";
  llvm::Expected<Report> report = runText(kernel.module(), {});
  ASSERT_FALSE(static_cast<bool>(report));
  std::string message = llvm::toString(report.takeError());
  EXPECT_NE(message.find("kernel.mlir:3"), std::string::npos) << message;
  EXPECT_NE(message.find("llvm.inline_asm"), std::string::npos) << message;
}

TEST(Scalar, ArgumentsAreChecked) {
  KernelText kernel;
  kernel.parameters = onePointer;
  kernel.body = "llvm.return";
  Launch launch;
  llvm::Expected<Report> report = runText(kernel.module(), launch);
  ASSERT_FALSE(static_cast<bool>(report));
  EXPECT_EQ(llvm::toString(report.takeError()), "the kernel has 1 parameters; 0 arguments are given");
}

TEST(Scalar, OutOfBoundsStore) {
  FindingKind found = FindingKind::Endless;
  perLane(R"(
    %r = llvm.getelementptr %q[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %t, %r : i32, !llvm.ptr<1>
    llvm.return)",
          &found);
  EXPECT_EQ(found, FindingKind::OutOfBounds);
}

TEST(Scalar, DivergedShuffleIsFound) {
  FindingKind found = FindingKind::Endless;
  perLane(R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^one, ^end
  ^one:
    %x = nvvm.shfl.sync idx %all, %t, %zero, %clamp : i32 -> i32
    llvm.store %x, %q : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return)",
          &found);
  EXPECT_EQ(found, FindingKind::ParticipantMismatch);
}

} // namespace
