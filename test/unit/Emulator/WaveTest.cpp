// AMD: waves of 64 lanes, what they tell each other, buffers, and 8-bit floats.
#include "Waves.h"

#include <cmath>
#include <cstring>
#include <functional>

using namespace tlx::emu;

namespace {

/// Runs a body that defines %r : i32 from %tid : i32, and gives each thread's %r.
std::vector<uint32_t> resultsOf(const std::string &body, unsigned threads = 64, const std::string &target = "gfx942",
                                unsigned groups = 1, Report *into = nullptr) {
  WaveKernel kernel;
  kernel.target = target;
  kernel.threads = threads;
  kernel.body = "  %tid = rocdl.workitem.id.x : i32\n  %group = rocdl.workgroup.id.x : i32\n"
                "  %size = llvm.mlir.constant(" +
                std::to_string(threads) + " : i32) : i32\n" + body + R"(
  %place0 = llvm.mul %group, %size : i32
  %place = llvm.add %place0, %tid : i32
  %address = llvm.getelementptr %p[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %r, %address : i32, !llvm.ptr<1>
  llvm.return)";
  std::vector<uint32_t> data(threads * groups, 0xdeadbeef);
  Launch launch;
  launch.grid = {groups, 1, 1};
  launch.buffers = {bufferOf("out", data)};
  launch.arguments = {Argument::pointer(0)};
  Report report = mustRun(kernel, launch);
  if (into)
    *into = report;
  else
    EXPECT_TRUE(report.findings.empty()) << textOf(report);
  return data;
}

void expectEach(const std::vector<uint32_t> &results, const std::function<uint32_t(uint32_t)> &expected) {
  for (uint32_t index = 0; index < results.size(); ++index)
    ASSERT_EQ(results[index], expected(index)) << "thread " << index;
}

const char *const constants = R"(
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c3 = llvm.mlir.constant(3 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c7 = llvm.mlir.constant(7 : i32) : i32
  %c63 = llvm.mlir.constant(63 : i32) : i32
  %ones = llvm.mlir.constant(-1 : i32) : i32
)";

TEST(WaveTest, ThreadsAndGroupsAreNumbered) {
  expectEach(resultsOf(R"(
  %t = llvm.mlir.constant(1000 : i32) : i32
  %g = llvm.mul %group, %t : i32
  %s = rocdl.wavefrontsize : i32
  %m = llvm.urem %tid, %s : i32
  %r = llvm.add %g, %m : i32)",
                       192, "gfx950", 3),
             [](uint32_t i) { return i / 192 * 1000 + i % 192 % 64; });
}

TEST(WaveTest, BpermuteReadsTheLaneOfAByteAddress) {
  expectEach(resultsOf(std::string(constants) + R"(
  %next = llvm.add %tid, %c7 : i32
  %byte = llvm.mul %next, %c4 : i32
  %r = rocdl.ds_bpermute %byte, %tid : (i32, i32) -> i32)",
                       128),
             [](uint32_t i) { return i / 64 * 64 + (i + 7) % 64; });
}

TEST(WaveTest, SwizzlesWithMasksAndQuads) {
  // And 0x1f, or 0, xor 5; then lanes of four in the order 3 2 1 0.
  expectEach(resultsOf("%o = llvm.mlir.constant(5151 : i32) : i32\n"
                       "  %r = rocdl.ds_swizzle %tid, %o : (i32, i32) -> i32"),
             [](uint32_t i) { return i ^ 5; });
  expectEach(resultsOf("%o = llvm.mlir.constant(32795 : i32) : i32\n"
                       "  %r = rocdl.ds_swizzle %tid, %o : (i32, i32) -> i32"),
             [](uint32_t i) { return i ^ 3; });
}

TEST(WaveTest, LanesAreRead) {
  expectEach(resultsOf(std::string(constants) + "%r = rocdl.readlane %tid, %c7 : (i32, i32) -> i32", 128),
             [](uint32_t i) { return i / 64 * 64 + 7; });
  // Of the lanes that take part the first: those below 7 went another way.
  expectEach(resultsOf(std::string(constants) + R"(
  %low = llvm.icmp "ult" %tid, %c7 : i32
  llvm.cond_br %low, ^join(%c0 : i32), ^high
^high:
  %first = rocdl.readfirstlane %tid : i32
  llvm.br ^join(%first : i32)
^join(%r: i32):)"),
             [](uint32_t i) { return i < 7 ? 0 : 7; });
}

TEST(WaveTest, AnInactiveLaneIsNotRead) {
  Report report;
  resultsOf(std::string(constants) + R"(
  %low = llvm.icmp "ult" %tid, %c7 : i32
  llvm.cond_br %low, ^join(%c0 : i32), ^high
^high:
  %other = rocdl.readlane %tid, %c3 : (i32, i32) -> i32
  llvm.br ^join(%other : i32)
^join(%r: i32):)",
            64, "gfx942", 1, &report);
  EXPECT_TRUE(has(report, FindingKind::ParticipantMismatch)) << textOf(report);
  EXPECT_NE(textOf(report).find("reads from lane 3, which does not take part"), std::string::npos);
}

TEST(WaveTest, BallotsAndCountsBitsBelow) {
  // The ballot of every third lane; each lane counts those below it, in both halves.
  expectEach(resultsOf(std::string(constants) + R"(
  %rest = llvm.urem %tid, %c3 : i32
  %third = llvm.icmp "eq" %rest, %c0 : i32
  %all = rocdl.ballot %third : i64
  %low = llvm.trunc %all : i64 to i32
  %shift = llvm.mlir.constant(32 : i64) : i64
  %up = llvm.lshr %all, %shift : i64
  %high = llvm.trunc %up : i64 to i32
  %half = rocdl.mbcnt.lo %low, %c0 : (i32, i32) -> i32
  %r = rocdl.mbcnt.hi %high, %half : (i32, i32) -> i32)"),
             [](uint32_t i) { return (i + 2) / 3; });
}

TEST(WaveTest, MovesDataInRows) {
  auto dpp = [](unsigned control, unsigned rows, bool bounded) {
    return resultsOf(std::string(constants) + "%r = rocdl.update.dpp %ones, %tid with " + std::to_string(control) +
                     ", " + std::to_string(rows) + ", 15, " + (bounded ? "true" : "false") + " : i32");
  };
  expectEach(dpp(0x111, 15, false), [](uint32_t i) { return i % 16 ? i - 1 : ~0u; });
  expectEach(dpp(0x111, 15, true), [](uint32_t i) { return i % 16 ? i - 1 : 0; });
  expectEach(dpp(0x104, 15, false), [](uint32_t i) { return i % 16 < 12 ? i + 4 : ~0u; });
  expectEach(dpp(0x121, 15, false), [](uint32_t i) { return i / 16 * 16 + (i + 15) % 16; });
  expectEach(dpp(0x140, 15, false), [](uint32_t i) { return i ^ 15; });
  expectEach(dpp(0x141, 15, false), [](uint32_t i) { return i ^ 7; });
  // 1, 0, 3, 2, and only in the second row.
  expectEach(dpp(0xb1, 2, false), [](uint32_t i) { return i / 16 == 1 ? i ^ 1 : ~0u; });
  expectEach(dpp(0x142, 10, false), [](uint32_t i) { return i / 16 % 2 ? i / 16 * 16 - 1 : ~0u; });
  expectEach(dpp(0x143, 12, false), [](uint32_t i) { return i < 32 ? ~0u : 31; });
}

TEST(WaveTest, SwapsRows) {
  const std::string body = std::string(constants) + R"(
  %hundred = llvm.mlir.constant(100 : i32) : i32
  %other = llvm.add %tid, %hundred : i32
  %both = rocdl.permlane32.swap %tid, %other, false, false : (i32, i32) -> !llvm.struct<(i32, i32)>
  %r = llvm.extractvalue %both[)";
  expectEach(resultsOf(body + "0] : !llvm.struct<(i32, i32)>", 64, "gfx950"),
             [](uint32_t i) { return i < 32 ? i : i - 32 + 100; });
  expectEach(resultsOf(body + "1] : !llvm.struct<(i32, i32)>", 64, "gfx950"),
             [](uint32_t i) { return i < 32 ? i + 32 : i + 100; });
  WaveKernel older;
  older.body = "  %tid = rocdl.workitem.id.x : i32\n"
               "  %both = rocdl.permlane16.swap %tid, %tid, false, false : (i32, i32) -> !llvm.struct<(i32, i32)>\n"
               "  llvm.return";
  EXPECT_NE(refusal(older).find("gfx942 does not have this operation"), std::string::npos) << refusal(older);
}

TEST(WaveTest, RefusesWhatIsNotOfTheTarget) {
  WaveKernel kernel;
  kernel.body = "  %tid = nvvm.read.ptx.sreg.tid.x : i32\n  llvm.return";
  EXPECT_NE(refusal(kernel).find("kernel.mlir:4: operation `nvvm.read.ptx.sreg.tid.x`: the kernel's target does not"),
            std::string::npos)
      << refusal(kernel);
  kernel.body = "  rocdl.s.wait.dscnt 0\n  llvm.return";
  EXPECT_NE(refusal(kernel).find("does not know this operation"), std::string::npos) << refusal(kernel);
  kernel.body = "  llvm.return";
  kernel.target = "gfx90a";
  EXPECT_NE(refusal(kernel).find("`gfx90a`"), std::string::npos) << refusal(kernel);
  kernel.target = "gfx942";
  kernel.threads = 96;
  EXPECT_NE(refusal(kernel).find("multiples of 64"), std::string::npos) << refusal(kernel);
  kernel.threads = 64;
  kernel.sharedBytes = 65537;
  EXPECT_NE(refusal(kernel).find("65537 bytes of LDS; a workgroup has 65536"), std::string::npos) << refusal(kernel);
  kernel.target = "gfx950";
  EXPECT_EQ(refusal(kernel), "");
  kernel.sharedBytes = 163841;
  EXPECT_NE(refusal(kernel).find("a workgroup has 163840"), std::string::npos) << refusal(kernel);
}

/// `v_cvt_pk_*_f32` of the thread's two numbers, the low half kept from %old.
std::vector<uint32_t> packed(const std::string &target, const char *type, std::vector<float> numbers) {
  WaveKernel kernel;
  kernel.target = target;
  kernel.body = std::string(R"(
  %tid = rocdl.workitem.id.x : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %first = llvm.mul %tid, %two : i32
  %a = llvm.getelementptr %p[%first] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %ab = llvm.load %a : !llvm.ptr<1> -> vector<2xf32>
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %old = llvm.mlir.constant(4660 : i32) : i32
  %x = llvm.extractelement %ab[%c0 : i32] : vector<2xf32>
  %y = llvm.extractelement %ab[%c1 : i32] : vector<2xf32>
  %w = rocdl.cvt.pk.)") +
                type + R"(.f32 %x, %y -> %old[true] : i32
  llvm.store %w, %a : i32, !llvm.ptr<1>
  %back = rocdl.cvt.pk.f32.)" +
                type + R"( %w[true] : vector<2xf32>
  %z = llvm.extractelement %back[%c1 : i32] : vector<2xf32>
  %b = llvm.getelementptr %a[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  llvm.store %z, %b : f32, !llvm.ptr<1>
  llvm.return)";
  numbers.resize(128);
  std::vector<uint32_t> bits(128);
  std::memcpy(bits.data(), numbers.data(), 512);
  Launch launch;
  launch.buffers = {bufferOf("out", bits)};
  launch.arguments = {Argument::pointer(0)};
  Report report = mustRun(kernel, launch);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  return bits;
}

TEST(WaveTest, EightBitFloatsAreThoseOfTheTarget) {
  struct Case {
    const char *target, *type;
    float value;
    uint8_t code;
  };
  // FNUZ has a bias that is one more, no minus zero and no infinity; beyond the largest it has only NaN, code 0x80.
  const Case cases[] = {
      {"gfx942", "fp8", 1.0f, 0x40},  {"gfx942", "fp8", 240.0f, 0x7f},   {"gfx942", "fp8", 300.0f, 0x80},
      {"gfx942", "fp8", -0.0f, 0x00}, {"gfx942", "fp8", -1.5f, 0xc4},    {"gfx942", "fp8", 0x1p-10f, 0x01},
      {"gfx942", "bf8", 1.0f, 0x40},  {"gfx942", "bf8", 57344.0f, 0x7f}, {"gfx942", "bf8", -0x1p-17f, 0x81},
      {"gfx950", "fp8", 1.0f, 0x38},  {"gfx950", "fp8", 448.0f, 0x7e},   {"gfx950", "fp8", 500.0f, 0x7f},
      {"gfx950", "fp8", -0.0f, 0x80}, {"gfx950", "fp8", 0x1p-9f, 0x01},  {"gfx950", "bf8", 1.0f, 0x3c},
      {"gfx950", "bf8", 1e6f, 0x7c},  {"gfx950", "bf8", 57344.0f, 0x7b},
  };
  for (const Case &test : cases) {
    std::vector<uint32_t> bits = packed(test.target, test.type, {0.0f, test.value});
    EXPECT_EQ(bits[0] >> 24, test.code) << test.target << " " << test.type << " " << test.value;
    EXPECT_EQ(bits[0] & 0xffff, 4660u) << "the other half stays";
    // What the code stands for again: the number itself where it has one.
    const float back = std::bit_cast<float>(bits[1]);
    if (std::fabs(test.value) < 250)
      EXPECT_EQ(back, test.value) << test.target << " " << test.type;
  }
}

/// Each lane loads 16 bytes at %offset of a buffer of %records bytes, and stores them 4096 bytes further.
Report runBuffer(std::vector<uint32_t> &data, unsigned records, const std::string &flags, int laneBytes, int waveOffset,
                 unsigned stride = 0) {
  WaveKernel kernel;
  auto constant = [](const char *name, int64_t value, const char *type) {
    return "  " + std::string(name) + " = llvm.mlir.constant(" + std::to_string(value) + " : " + type + ") : " + type +
           "\n";
  };
  kernel.body = "  %tid = rocdl.workitem.id.x : i32\n" + constant("%records", records, "i64") +
                constant("%stride", stride, "i16") + "  %flags = llvm.mlir.constant(" + flags + " : i32) : i32\n" +
                constant("%bytes", laneBytes, "i32") + constant("%wave", waveOffset, "i32") +
                constant("%c0", 0, "i32") + constant("%all", 8192, "i64") + constant("%there", 4096, "i32") + R"(
  %in = rocdl.make.buffer.rsrc %p, %stride, %records, %flags : !llvm.ptr<1> to <8>
  %offset = llvm.mul %tid, %bytes : i32
  %v = rocdl.raw.ptr.buffer.load %in, %offset, %wave, %c0 : vector<4xi32>
  %out = rocdl.make.buffer.rsrc %p, %stride, %all, %flags : !llvm.ptr<1> to <8>
  %to0 = llvm.mlir.constant(16 : i32) : i32
  %to1 = llvm.mul %tid, %to0 : i32
  %to = llvm.add %to1, %there : i32
  rocdl.raw.ptr.buffer.store %v, %out, %to, %c0, %c0 : vector<4xi32>
  llvm.return)";
  Launch launch;
  launch.buffers = {bufferOf("out", data)};
  launch.arguments = {Argument::pointer(0)};
  return mustRun(kernel, launch);
}

std::vector<uint32_t> numbered() {
  std::vector<uint32_t> data(2048);
  for (uint32_t index = 0; index < data.size(); ++index)
    data[index] = index + 1;
  return data;
}

TEST(WaveTest, BuffersCheckTheirRange) {
  std::vector<uint32_t> data = numbered();
  // 500 bytes: lane 31 still has one word.
  Report report = runBuffer(data, 500, "159744", 16, 0);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  for (uint32_t word = 0; word < 256; ++word)
    EXPECT_EQ(data[1024 + word], word < 125 ? word + 1 : 0) << word;
  // A negative offset is a very large one.
  data = numbered();
  report = runBuffer(data, 4096, "159744", -16, 0);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  EXPECT_EQ(data[1024], 1u);
  EXPECT_EQ(data[1028], 0u);
  // Within the buffer, but not within the allocation.
  data = numbered();
  report = runBuffer(data, 1 << 20, "159744", 4096, 0);
  EXPECT_TRUE(has(report, FindingKind::OutOfBounds)) << textOf(report);
}

TEST(WaveTest, StoresBeyondABufferAreDropped) {
  WaveKernel kernel;
  kernel.body = R"(
  %tid = rocdl.workitem.id.x : i32
  %records = llvm.mlir.constant(40 : i64) : i64
  %stride = llvm.mlir.constant(0 : i16) : i16
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %to = llvm.mul %tid, %c4 : i32
  %b = rocdl.make.buffer.rsrc %p, %stride, %records, %flags : !llvm.ptr<1> to <8>
  rocdl.raw.ptr.buffer.store %c4, %b, %to, %c0, %c0 : i32
  llvm.return)";
  std::vector<uint32_t> data(64, 9);
  Launch launch;
  launch.buffers = {bufferOf("out", data)};
  launch.arguments = {Argument::pointer(0)};
  Report report = mustRun(kernel, launch);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  for (uint32_t word = 0; word < 64; ++word)
    EXPECT_EQ(data[word], word < 10 ? 4u : 9u);
}

TEST(WaveTest, BuffersThatTheHardwareWouldReadInAnotherWay) {
  std::vector<uint32_t> data = numbered();
  EXPECT_TRUE(has(runBuffer(data, 4096, "0", 16, 0), FindingKind::Misuse));
  data = numbered();
  EXPECT_TRUE(has(runBuffer(data, 4096, "159744", 16, 0, 16), FindingKind::Misuse));
  // Inside by the offset of the lane alone, outside with that of the wave; and inside in both ways.
  data = numbered();
  EXPECT_TRUE(has(runBuffer(data, 1024, "159744", 16, 64), FindingKind::Misuse));
  data = numbered();
  EXPECT_TRUE(runBuffer(data, 1088, "159744", 16, 64).findings.empty());
  EXPECT_EQ(data[1024], 17u);
}

} // namespace
