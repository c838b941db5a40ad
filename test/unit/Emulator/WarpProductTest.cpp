// mma.sync: every pair of types against a plain product, elements where the fragment tables of the PTX ISA put them.
#include "Kernels.h"

#include <cmath>

using namespace tlx::emu;

namespace {

/// Codes of the integers -2 to 2 in a format, and its bits.
struct Format {
  const char *name;
  unsigned bits;
  uint32_t codes[5];
};
const Format formats[] = {
    {"f16", 16, {0xc000, 0xbc00, 0, 0x3c00, 0x4000}},
    {"bf16", 16, {0xc000, 0xbf80, 0, 0x3f80, 0x4000}},
    {"tf32", 32, {0xc0000000, 0xbf800000, 0, 0x3f800000, 0x40000000}},
    {"e4m3", 8, {0xc0, 0xb8, 0, 0x38, 0x40}},
    {"e5m2", 8, {0xc0, 0xbc, 0, 0x3c, 0x40}},
    {"s8", 8, {0xfe, 0xff, 0, 1, 2}},
    {"u8", 8, {254, 255, 0, 1, 2}},
};
const Format &format(const std::string &name) {
  for (const Format &one : formats)
    if (one.name == name)
      return one;
  return formats[0];
}

int sample(unsigned a, unsigned b, unsigned salt) {
  return static_cast<int>((a * 7 + b * 3 + a * b + salt) % 5) - 2;
}
int64_t meaning(const Format &format, int value) {
  return format.name == std::string("u8") && value < 0 ? 256 + value : value;
}

/// Loads six words a lane, multiplies on top of sums that the lane's number decides, stores four.
KernelText productKernel(const std::string &a, const std::string &b, bool isInteger) {
  const std::string sum = isInteger ? "i32" : "f32";
  std::string body = "  %tid = nvvm.read.ptx.sreg.tid.x : i32\n", words, sums;
  auto place = [&](const std::string &name, const std::string &base, unsigned index, unsigned stride) {
    body += "  %" + name + "k = llvm.mlir.constant(" + std::to_string(stride) + " : i32) : i32\n  %" + name +
            "m = llvm.mul %tid, %" + name + "k : i32\n  %" + name + "c = llvm.mlir.constant(" + std::to_string(index) +
            " : i32) : i32\n  %" + name + "o = llvm.add %" + name + "m, %" + name + "c : i32\n  %" + name +
            " = llvm.getelementptr %" + base + "[%" + name + "o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n";
  };
  for (unsigned word = 0; word < 6; ++word) {
    place("p" + std::to_string(word), "in", word, 6);
    body += "  %w" + std::to_string(word) + " = llvm.load %p" + std::to_string(word) + " : !llvm.ptr<1> -> i32\n";
  }
  body += isInteger ? "  %s = llvm.add %tid, %tid : i32\n" : "  %s = llvm.sitofp %tid : i32 to f32\n";
  body += "  %d:4 = thread.mma_sync \"" + a + "\" \"" + b +
          "\" acc(%s, %s, %s, %s) a(%w0, %w1, %w2, %w3) b(%w4, %w5) : " + sum + ", " + sum + ", " + sum + ", " + sum +
          " -> " + sum + ", " + sum + ", " + sum + ", " + sum + "\n";
  for (unsigned i = 0; i < 4; ++i) {
    place("q" + std::to_string(i), "out", i, 4);
    body += "  llvm.store %d#" + std::to_string(i) + ", %q" + std::to_string(i) + " : " + sum + ", !llvm.ptr<1>\n";
  }
  KernelText kernel;
  kernel.parameters = "%in: !llvm.ptr<1>, %out: !llvm.ptr<1>";
  kernel.body = body + "  llvm.return";
  return kernel;
}

void check(const Format &left, const Format &right) {
  const bool isInteger = left.name[0] == 's' || left.name[0] == 'u';
  const unsigned perWord = 32 / left.bits, depth = 8 * perWord;
  std::vector<uint32_t> words(32 * 6, 0), results(32 * 4);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned e = 0; e < perWord; ++e) {
      const unsigned k = lane % 4 * perWord + e, shift = left.bits * e;
      // a0 (g, k), a1 (g + 8, k), a2 (g, k + half), a3 (g + 8, k + half); b0 (k, g), b1 (k + half, g).
      for (unsigned word = 0; word < 4; ++word)
        words[lane * 6 + word] |= left.codes[sample(lane / 4 + 8 * (word & 1), k + depth / 2 * (word >> 1), 1) + 2]
                                  << shift;
      for (unsigned word = 0; word < 2; ++word)
        words[lane * 6 + 4 + word] |= right.codes[sample(lane / 4, k + depth / 2 * word, 9) + 2] << shift;
    }
  Launch launch;
  launch.buffers = {bufferOf("in", words), bufferOf("out", results)};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
  Report report = mustRun(productKernel(left.name, right.name, isInteger), launch);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + 8 * (i >> 1), column = lane % 4 * 2 + (i & 1);
      int64_t sum = isInteger ? 2 * lane : lane;
      for (unsigned k = 0; k < depth; ++k)
        sum += meaning(left, sample(row, k, 1)) * meaning(right, sample(column, k, 9));
      const uint32_t bits = results[lane * 4 + i];
      ASSERT_EQ(isInteger ? static_cast<int32_t>(bits) : std::bit_cast<float>(bits), static_cast<double>(sum))
          << left.name << " by " << right.name << ", row " << row << ", column " << column;
    }
}

TEST(WarpProductTest, EveryPairOfTypes) {
  for (const char *type : {"f16", "bf16", "tf32"})
    check(format(type), format(type));
  for (const char *left : {"e4m3", "e5m2"})
    for (const char *right : {"e4m3", "e5m2"})
      check(format(left), format(right));
  for (const char *left : {"s8", "u8"})
    for (const char *right : {"s8", "u8"})
      check(format(left), format(right));
}

TEST(WarpProductTest, TypesThatDoNotMultiply) {
  std::vector<uint32_t> words(32 * 6), results(32 * 4);
  Launch launch;
  launch.buffers = {bufferOf("in", words), bufferOf("out", results)};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
  for (auto [left, right] : {std::pair("f16", "bf16"), {"s8", "e4m3"}, {"f64", "f64"}}) {
    auto report = runText(productKernel(left, right, false).module(), launch);
    ASSERT_FALSE(static_cast<bool>(report));
    EXPECT_NE(toString(report.takeError()).find("there is no product of"), std::string::npos);
  }
}

/// The warp multiplies as one: half of its lanes alone are an error of the program.
TEST(WarpProductTest, NeedsTheWholeWarp) {
  KernelText kernel;
  kernel.parameters = "%out: !llvm.ptr<1>";
  kernel.body = R"(
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %half = llvm.mlir.constant(16 : i32) : i32
  %f = llvm.mlir.constant(0.0 : f32) : f32
  %low = llvm.icmp "ult" %tid, %half : i32
  llvm.cond_br %low, ^some, ^end
^some:
  %d:4 = thread.mma_sync "f16" "f16" acc(%f, %f, %f, %f) a(%tid, %tid, %tid, %tid) b(%tid, %tid) : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.store %d#0, %out : f32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return)";
  std::vector<float> results(32);
  Launch launch;
  launch.buffers = {bufferOf("out", results)};
  launch.arguments = {Argument::pointer(0)};
  EXPECT_TRUE(has(mustRun(kernel, launch), FindingKind::ParticipantMismatch));
}

} // namespace
