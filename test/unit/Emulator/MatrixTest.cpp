// wgmma: operand layouts against a plain product, and the rules of its registers.
#include "Kernels.h"

#include <functional>

using namespace tlx::emu;

namespace {

struct Format {
  const char *name;
  unsigned bytes;
  /// Code of a small integer; its value is exact.
  std::function<uint32_t(int)> encode;
};

uint32_t floatBits(float value) {
  return std::bit_cast<uint32_t>(value);
}
/// Small integers in a float format with `mantissa` bits below a `bias`.
uint32_t smallFloat(int value, unsigned exponentBits, unsigned mantissaBits) {
  if (value == 0)
    return 0;
  uint32_t bits = floatBits(static_cast<float>(value));
  int exponent = static_cast<int>(bits >> 23 & 255) - 127 + (1 << (exponentBits - 1)) - 1;
  return (bits >> 31) << (exponentBits + mantissaBits) | static_cast<uint32_t>(exponent) << mantissaBits |
         (bits & 0x7fffff) >> (23 - mantissaBits);
}
const Format formats[] = {
    {"f16", 2, [](int v) { return smallFloat(v, 5, 10); }},
    {"bf16", 2, [](int v) { return smallFloat(v, 8, 7); }},
    {"tf32", 4, [](int v) { return floatBits(static_cast<float>(v)); }},
    {"e4m3", 1, [](int v) { return smallFloat(v, 4, 3); }},
    {"e5m2", 1, [](int v) { return smallFloat(v, 5, 2); }},
    {"s8", 1, [](int v) { return static_cast<uint8_t>(v); }},
    {"u8", 1, [](int v) { return static_cast<uint8_t>(v < 0 ? -v : v); }},
};

int sample(unsigned a, unsigned b, unsigned salt) {
  return static_cast<int>((a * 7 + b * 3 + a * b + salt) % 5) - 2;
}
int valueOf(const Format &format, unsigned a, unsigned b, unsigned salt) {
  int value = sample(a, b, salt);
  return std::string(format.name) == "u8" ? std::abs(value) : value;
}

struct Case {
  const Format *format;
  unsigned n = 32;
  unsigned swizzleA = 0, swizzleB = 0;
  bool transA = false, transB = false, aInRegisters = false;
  bool f16Result = false;
};

/// Bytes between the groups of a canonical layout, packed: what the descriptor's two offsets say.
struct Layout {
  unsigned leading, stride, bytes;
  /// Byte offset of element (mn, k) before base; swizzle included, by the chunk tables.
  std::function<unsigned(unsigned, unsigned)> place;
};

unsigned swizzleChunk(unsigned swizzle, unsigned r, unsigned c) {
  return swizzle == 128 ? c ^ (r % 8) : swizzle == 64 ? c ^ (r / 2 % 4) : swizzle == 32 ? c ^ (r / 4 % 2) : c;
}

/// `mn` rows of 32 bytes of K, K-major.
Layout kMajor(unsigned mn, unsigned size, unsigned swizzle) {
  if (swizzle == 0)
    // Core matrices of 8 rows by 16 bytes: the two halves of K next to each other, then the next 8 rows.
    return {128, 256, mn * 32, [=](unsigned row, unsigned k) {
              return row / 8 * 256 + k * size / 16 * 128 + row % 8 * 16 + k * size % 16;
            }};
  return {16, 8 * swizzle, mn * swizzle, [=](unsigned row, unsigned k) {
            return row * swizzle + swizzleChunk(swizzle, row, k * size / 16) * 16 + k * size % 16;
          }};
}
/// 16 k by `mn` rows of 16-bit elements, MN-major.
Layout mnMajor(unsigned mn, unsigned swizzle) {
  if (swizzle == 0)
    // Core matrices of 8 k by 8 mn: along mn first, then the next 8 k.
    return {mn / 8 * 128, 128, mn * 32, [=](unsigned row, unsigned k) {
              return k / 8 * (mn / 8 * 128) + row / 8 * 128 + k % 8 * 16 + row % 8 * 2;
            }};
  const unsigned block = swizzle / 2, blocks = (mn + block - 1) / block;
  return {16 * swizzle, 8 * swizzle, blocks * 16 * swizzle, [=](unsigned row, unsigned k) {
            return row / block * 16 * swizzle + k * swizzle + swizzleChunk(swizzle, k, row % block * 2 / 16) * 16 +
                   row % block * 2 % 16;
          }};
}

uint64_t descriptorOf(unsigned offset, const Layout &layout, unsigned swizzle) {
  const uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  return ((0x400 + offset) >> 4 & 0x3fff) | static_cast<uint64_t>(layout.leading >> 4) << 16 |
         static_cast<uint64_t>(layout.stride >> 4) << 32 | mode << 62;
}

std::string list(const char *prefix, unsigned count, const char *separator = ", ") {
  std::string text;
  for (unsigned index = 0; index < count; ++index)
    text += (index ? separator : "") + std::string(prefix) + std::to_string(index);
  return text;
}
std::string repeat(const std::string &type, unsigned count) {
  std::string text;
  for (unsigned index = 0; index < count; ++index)
    text += (index ? ", " : "") + type;
  return text;
}

/// The kernel copies the prepared image of shared memory, multiplies twice (so D = 2 A B) and writes all registers.
/// `between` stands behind the commit, instead of nothing; `wait` is the wait.
struct MatrixKernel {
  Case test;
  std::string afterFence, between,
      wait = "0", registerType,
      fence = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}";
  unsigned imageBytes = 0;
  bool registerFence = true;
  /// Bits that are set in the descriptor of A besides the right ones.
  uint64_t stray = 0;

  KernelText text() const {
    const bool integer = test.format->name[1] == '8' && test.format->name[0] != 'e';
    const std::string type = test.f16Result ? "i32"
                             : integer      ? "i32"
                                            : "f32",
                      dType = test.f16Result ? "f16"
                              : integer      ? "s32"
                                             : "f32";
    const unsigned registers = test.f16Result ? test.n / 4 : test.n / 2;
    const std::string k = std::to_string(32 / test.format->bytes);
    KernelText kernel;
    kernel.threads = 128;
    kernel.sharedBytes = imageBytes;
    kernel.parameters = "%image: !llvm.ptr<1>, %fragments: !llvm.ptr<1>, %p: !llvm.ptr<1>, %da: i64, %db: i64";
    kernel.attributes = R"(, tlx.shared = [{name = "operands", offset = 0 : i32, bytes = )" +
                        std::to_string(imageBytes) + R"( : i32, count = 1 : i32, line = 1 : i32}])";
    std::string aList = test.aInRegisters ? list("%f", 4) : "%da",
                aTypes = test.aInRegisters ? repeat("i32", 4) : "i64";
    auto multiply = [&](const std::string &to, const std::string &from, const char *scale) {
      return list(("%" + to).c_str(), registers) + " = thread.wgmma n " + std::to_string(test.n) + " k " + k + " " +
             dType + " " + test.format->name + " " + test.format->name + " trans " + (test.transA ? "true" : "false") +
             " " + (test.transB ? "true" : "false") + " acc(" + list(("%" + from).c_str(), registers) + ") a(" + aList +
             ") b(%db) scale_d(" + scale + ") : a(" + aTypes + "), " + repeat(type, registers) + " -> " +
             repeat(type, registers) + "\n";
    };
    kernel.body = R"(
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %zero = llvm.mlir.constant(0 : i32) : i32
      %yes = llvm.mlir.constant(true) : i1
      %no = llvm.mlir.constant(false) : i1
      %words = llvm.mlir.constant()" +
                  std::to_string(imageBytes / 4) + R"( : i32) : i32
      %step = llvm.mlir.constant(128 : i32) : i32
      %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
      llvm.br ^copy(%t : i32)
    ^copy(%i: i32):
      %go = llvm.icmp "ult" %i, %words : i32
      llvm.cond_br %go, ^body, ^ready
    ^body:
      %from = llvm.getelementptr %image[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %v = llvm.load %from : !llvm.ptr<1> -> i32
      %to = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %v, %to : i32, !llvm.ptr<3>
      %next = llvm.add %i, %step : i32
      llvm.br ^copy(%next : i32)
    ^ready:
      )" + fence + "\n      nvvm.barrier0\n";
    for (unsigned reg = 0; reg < 4; ++reg) {
      std::string r = std::to_string(reg);
      kernel.body += "%pf" + r + " = llvm.getelementptr %fragments[%t, " + r +
                     "] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x i32>\n%f" + r + " = llvm.load %pf" + r +
                     " : !llvm.ptr<1> -> i32\n";
    }
    for (unsigned reg = 0; reg < registers; ++reg)
      kernel.body += "%z" + std::to_string(reg) + " = llvm.mlir.constant(" +
                     (type == "f32" ? "9.0 : f32) : f32\n" : "9 : i32) : i32\n");
    kernel.body += (registerFence ? "nvvm.wgmma.fence.aligned\n" : "") + afterFence + multiply("x", "z", "%no") +
                   multiply("y", "x", "%yes") + "nvvm.wgmma.commit.group.sync.aligned\n" + between + "\n" +
                   list("%r", registers) + " = thread.wgmma_wait " + wait + " (" + list("%y", registers) +
                   ") : " + repeat(type, registers) + " -> " + repeat(type, registers) + "\n";
    for (unsigned reg = 0; reg < registers; ++reg) {
      std::string r = std::to_string(reg);
      kernel.body += "%q" + r + " = llvm.getelementptr %p[%t, " + r +
                     "] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<" + std::to_string(registers) +
                     " x i32>\nllvm.store %r" + r + ", %q" + r + " : " + type + ", !llvm.ptr<1>\n";
    }
    kernel.body += "llvm.return";
    return kernel;
  }
};

/// Runs one case, compares D with 2 A B, and returns the report.
Report runCase(MatrixKernel kernel, bool compare = true, uint64_t seed = 0) {
  const Case &test = kernel.test;
  const unsigned size = test.format->bytes, k = 32 / size;
  Layout a = test.transA ? mnMajor(64, test.swizzleA) : kMajor(64, size, test.swizzleA);
  Layout b = test.transB ? mnMajor(test.n, test.swizzleB) : kMajor(test.n, size, test.swizzleB);
  const unsigned bOffset = (a.bytes + 1023) / 1024 * 1024, bytes = bOffset + (b.bytes + 1023) / 1024 * 1024;
  std::vector<uint8_t> image(bytes);
  auto put = [&](unsigned offset, uint32_t code) { memcpy(&image[offset], &code, size); };
  for (unsigned inner = 0; inner < k; ++inner) {
    for (unsigned row = 0; row < 64; ++row)
      put(a.place(row, inner), test.format->encode(valueOf(*test.format, row, inner, 1)));
    for (unsigned column = 0; column < test.n; ++column)
      put(bOffset + b.place(column, inner), test.format->encode(valueOf(*test.format, column, inner, 4)));
  }
  // A fragments, as the register tables give them.
  std::vector<uint32_t> fragments(128 * 4);
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned e = 0; e < 16 / size; ++e) {
      unsigned w = t / 32, g = t % 32 / 4, q = t % 4, row, inner;
      if (size == 2)
        row = 16 * w + g + 8 * (e / 2 % 2), inner = 2 * q + e % 2 + 8 * (e / 4);
      else if (size == 1)
        row = 16 * w + g + 8 * (e / 4 % 2), inner = 4 * q + e % 4 + 16 * (e / 8);
      else
        row = 16 * w + g + 8 * (e % 2), inner = q + 4 * (e / 2);
      uint32_t code =
          test.format->encode(valueOf(*test.format, row, inner, 1)) & (size == 4 ? ~0u : (1u << 8 * size) - 1);
      fragments[t * 4 + e * size / 4] |= code << (e * size % 4 * 8);
    }
  const unsigned registers = test.f16Result ? test.n / 4 : test.n / 2;
  std::vector<uint32_t> out(128 * registers);
  kernel.imageBytes = bytes;
  Launch launch;
  launch.buffers = {bufferOf("image", image), bufferOf("fragments", fragments), bufferOf("out", out)};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2),
                      Argument::scalar(descriptorOf(0, a, test.swizzleA) | kernel.stray),
                      Argument::scalar(descriptorOf(bOffset, b, test.swizzleB))};
  Options options;
  options.seed = seed;
  Report report = mustRun(kernel.text(), launch, options);
  if (!compare)
    return report;
  EXPECT_EQ(textOf(report), "");
  const bool integer = test.format->name[1] == '8' && test.format->name[0] != 'e';
  unsigned wrong = 0;
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned e = 0; e < test.n / 2; ++e) {
      unsigned row = 16 * (t / 32) + t % 32 / 4 + 8 * (e / 2 % 2), column = 8 * (e / 4) + 2 * (t % 4) + e % 2;
      int sum = 0;
      for (unsigned inner = 0; inner < k; ++inner)
        sum += 2 * valueOf(*test.format, row, inner, 1) * valueOf(*test.format, column, inner, 4);
      uint32_t got = test.f16Result ? out[t * registers + e / 2] >> (16 * (e % 2)) & 0xffff : out[t * registers + e];
      uint32_t wanted = test.f16Result ? smallFloat(sum, 5, 10)
                        : integer      ? static_cast<uint32_t>(sum)
                                       : floatBits(static_cast<float>(sum));
      wrong += got != wanted;
    }
  EXPECT_EQ(wrong, 0u) << test.format->name << " swizzles " << test.swizzleA << " " << test.swizzleB << " trans "
                       << test.transA << test.transB << " registers " << test.aInRegisters << " n " << test.n;
  return report;
}

MatrixKernel kernelOf(Case test) {
  MatrixKernel kernel;
  kernel.test = test;
  return kernel;
}

TEST(Wgmma, KMajorInEverySwizzle) {
  for (const Format &format : formats)
    for (unsigned swizzle : {0u, 32u, 64u, 128u})
      runCase(kernelOf({&format, 32, swizzle, swizzle}));
}

TEST(Wgmma, MNMajorInEverySwizzle) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u})
    for (unsigned which = 1; which < 4; ++which)
      runCase(kernelOf({&formats[1], 128, swizzle, swizzle, (which & 1) != 0, (which & 2) != 0}));
}

TEST(Wgmma, AFromRegisters) {
  for (const Format &format : formats) {
    Case test{&format, 64, 128, 128};
    test.aInRegisters = true;
    runCase(kernelOf(test));
  }
}

TEST(Wgmma, WidthsAndResultTypes) {
  for (unsigned n : {8u, 24u, 176u, 256u})
    runCase(kernelOf({&formats[0], n, 128, 64}));
  Case half{&formats[0], 64, 128, 128};
  half.f16Result = true;
  runCase(kernelOf(half));
}

TEST(Wgmma, StrayDescriptorBitsAreFound) {
  MatrixKernel kernel = kernelOf({&formats[1], 8, 128, 128});
  kernel.stray = 1ull << 46;
  Report report = runCase(kernel, false);
  ASSERT_TRUE(has(report, FindingKind::Misuse));
  EXPECT_NE(textOf(report).find("the descriptor of A has bits set that must be zero"), std::string::npos)
      << textOf(report);
}

TEST(Wgmma, AccumulatorTouchedInFlight) {
  MatrixKernel kernel = kernelOf({&formats[1], 8, 128, 128});
  kernel.between = "%bad = llvm.fadd %y0, %y1 : f32";
  EXPECT_TRUE(has(runCase(kernel, false), FindingKind::InFlightAccess));
}

TEST(Wgmma, WaitThatLeavesTheGroupInFlight) {
  MatrixKernel kernel = kernelOf({&formats[1], 8, 128, 128});
  kernel.wait = "1";
  EXPECT_TRUE(has(runCase(kernel, false), FindingKind::InFlightAccess));
}

TEST(Wgmma, OperandOverwrittenInFlight) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    MatrixKernel kernel = kernelOf({&formats[1], 8, 128, 128});
    kernel.between = "llvm.store %t, %s : i32, !llvm.ptr<3>";
    Report report = runCase(kernel, false, seed);
    ASSERT_TRUE(has(report, FindingKind::DataRace)) << textOf(report);
    EXPECT_EQ(report.findings[0].buffer, "operands");
  }
}

TEST(Wgmma, OperandsNeedAProxyFence) {
  MatrixKernel kernel = kernelOf({&formats[1], 8, 128, 128});
  kernel.fence = "";
  EXPECT_TRUE(has(runCase(kernel, false), FindingKind::MissingProxyFence));
}

TEST(Wgmma, RegistersNeedAFence) {
  MatrixKernel kernel = kernelOf({&formats[1], 8, 128, 128});
  kernel.registerFence = false;
  Report report = runCase(kernel, false);
  ASSERT_TRUE(has(report, FindingKind::Misuse));
  EXPECT_NE(textOf(report).find("without a wgmma.fence"), std::string::npos) << textOf(report);
}

/// Two more products after the first two: one result of them is changed in between.
MatrixKernel reworked(const std::string &before, const std::string &n = "8", unsigned firstN = 8) {
  MatrixKernel kernel = kernelOf({&formats[1], firstN, 128, 128});
  kernel.between =
      "%w0, %w1, %w2, %w3 = thread.wgmma_wait 0 (%y0, %y1, %y2, %y3) : f32, f32, f32, f32 -> f32, f32, f32, "
      "f32\n" +
      before + "%v0, %v1, %v2, %v3 = thread.wgmma n " + n +
      " k 16 f32 bf16 bf16 trans false false acc(%s0, %w1, %w2, %w3) a(%da) b(%db) scale_d(%yes) : a(i64), f32, "
      "f32, f32, f32 -> f32, f32, f32, f32\nnvvm.wgmma.commit.group.sync.aligned";
  return kernel;
}

TEST(Wgmma, AccumulatorsTouchedSinceTheFence) {
  const std::string change = "%s0 = llvm.fadd %w0, %w1 : f32\n", fence = "nvvm.wgmma.fence.aligned\n";
  Report report = runCase(reworked(change), false);
  ASSERT_TRUE(has(report, FindingKind::Misuse)) << textOf(report);
  EXPECT_NE(textOf(report).find("accumulates in registers that were touched since the last wgmma.fence"),
            std::string::npos);
  EXPECT_TRUE(report.findings[0].other.has_value());
  EXPECT_EQ(textOf(runCase(reworked(change + fence), false)), "");
  // The fence must come after the change.
  EXPECT_TRUE(has(runCase(reworked(fence + change), false), FindingKind::Misuse));
}

TEST(Wgmma, AccumulatorsOfAnotherShapeNeedAFence) {
  const std::string same = "%s0 = llvm.bitcast %w0 : f32 to f32\n", fence = "nvvm.wgmma.fence.aligned\n";
  EXPECT_EQ(textOf(runCase(reworked(same), false)), "");
  Report report = runCase(reworked(same, "8", 16), false);
  ASSERT_TRUE(has(report, FindingKind::Misuse)) << textOf(report);
  EXPECT_NE(textOf(report).find("of a product of another shape without a wgmma.fence"), std::string::npos);
  EXPECT_EQ(textOf(runCase(reworked(same + fence, "8", 16), false)), "");
}

TEST(Wgmma, LeftOperandsTouchedSinceTheFence) {
  Case test{&formats[1], 8, 128, 128};
  test.aInRegisters = true;
  MatrixKernel kernel = kernelOf(test);
  kernel.afterFence = "%peek = llvm.add %f0, %f1 : i32\n";
  Report report = runCase(kernel, false);
  ASSERT_TRUE(has(report, FindingKind::Misuse)) << textOf(report);
  EXPECT_NE(textOf(report).find("multiplies registers that were touched since the last wgmma.fence"),
            std::string::npos);
}

TEST(Wgmma, OneWarpStaysAway) {
  MatrixKernel kernel = kernelOf({&formats[1], 8, 128, 128});
  // Warp 3 leaves before the product.
  kernel.fence += R"(
      %limit = llvm.mlir.constant(96 : i32) : i32
      %stays = llvm.icmp "ult" %t, %limit : i32
      llvm.cond_br %stays, ^on, ^off
    ^off:
      thread.named_barrier 0 threads 128 arrive
      llvm.return
    ^on:)";
  Report report = runCase(kernel, false);
  ASSERT_TRUE(has(report, FindingKind::Deadlock)) << textOf(report);
  EXPECT_NE(textOf(report).find("not all four warps"), std::string::npos);
}

} // namespace
