// AMD: every matrix product against a plain one, with each element where the matrix instruction calculator puts it.
#include "Waves.h"

#include <cmath>
#include <cstring>
#include <functional>

using namespace tlx::emu;

namespace {

/// Where the lanes hold rows and columns; what differs is written out for each kind of tile.
enum class Tile { Wide, Square, Small, Double, SmallDouble };

struct Product {
  const char *name, *a, *b, *operand;
  Tile tile;
  unsigned k, blocks;
  bool on942, on950;
};

const Product products[] = {
    {"f32.32x32x8f16", "f16", "f16", "vector<4xf16>", Tile::Wide, 8, 1, true, true},
    {"f32.16x16x16f16", "f16", "f16", "vector<4xf16>", Tile::Square, 16, 1, true, true},
    {"f32.32x32x8bf16.1k", "bf16", "bf16", "vector<4xi16>", Tile::Wide, 8, 1, true, true},
    {"f32.16x16x16bf16.1k", "bf16", "bf16", "vector<4xi16>", Tile::Square, 16, 1, true, true},
    {"f32.32x32x16.f16", "f16", "f16", "vector<8xf16>", Tile::Wide, 16, 1, false, true},
    {"f32.16x16x32.f16", "f16", "f16", "vector<8xf16>", Tile::Square, 32, 1, false, true},
    {"f32.32x32x16.bf16", "bf16", "bf16", "vector<8xbf16>", Tile::Wide, 16, 1, false, true},
    {"f32.16x16x32.bf16", "bf16", "bf16", "vector<8xbf16>", Tile::Square, 32, 1, false, true},
    {"f32.32x32x16.fp8.fp8", "fp8", "fp8", "i64", Tile::Wide, 16, 1, true, true},
    {"f32.32x32x16.fp8.bf8", "fp8", "bf8", "i64", Tile::Wide, 16, 1, true, true},
    {"f32.32x32x16.bf8.fp8", "bf8", "fp8", "i64", Tile::Wide, 16, 1, true, true},
    {"f32.32x32x16.bf8.bf8", "bf8", "bf8", "i64", Tile::Wide, 16, 1, true, true},
    {"f32.16x16x32.fp8.fp8", "fp8", "fp8", "i64", Tile::Square, 32, 1, true, true},
    {"f32.16x16x32.fp8.bf8", "fp8", "bf8", "i64", Tile::Square, 32, 1, true, true},
    {"f32.16x16x32.bf8.fp8", "bf8", "fp8", "i64", Tile::Square, 32, 1, true, true},
    {"f32.16x16x32.bf8.bf8", "bf8", "bf8", "i64", Tile::Square, 32, 1, true, true},
    {"i32.32x32x16.i8", "i8", "i8", "i64", Tile::Wide, 16, 1, true, true},
    {"i32.16x16x32.i8", "i8", "i8", "i64", Tile::Square, 32, 1, true, true},
    {"i32.32x32x32.i8", "i8", "i8", "vector<4xi32>", Tile::Wide, 32, 1, false, true},
    {"i32.16x16x64.i8", "i8", "i8", "vector<4xi32>", Tile::Square, 64, 1, false, true},
    {"f32.32x32x4.xf32", "f32", "f32", "vector<2xf32>", Tile::Wide, 4, 1, true, false},
    {"f32.16x16x8.xf32", "f32", "f32", "vector<2xf32>", Tile::Square, 8, 1, true, false},
    {"f32.32x32x2f32", "f32", "f32", "f32", Tile::Wide, 2, 1, true, true},
    {"f32.16x16x4f32", "f32", "f32", "f32", Tile::Square, 4, 1, true, true},
    {"f64.16x16x4f64", "f64", "f64", "f64", Tile::Double, 4, 1, true, true},
    {"f64.4x4x4f64", "f64", "f64", "f64", Tile::SmallDouble, 4, 4, true, true},
    {"f32.4x4x4f16", "f16", "f16", "vector<4xf16>", Tile::Small, 4, 16, true, true},
    {"f32.4x4x4bf16.1k", "bf16", "bf16", "vector<4xi16>", Tile::Small, 4, 16, true, true},
    {"f32.4x4x1f32", "f32", "f32", "f32", Tile::Small, 1, 16, true, true},
    {"i32.4x4x4i8", "i8", "i8", "i32", Tile::Small, 4, 16, true, true},
    {"f32.32x32x4f16", "f16", "f16", "vector<4xf16>", Tile::Wide, 4, 2, true, true},
    {"f32.32x32x4bf16.1k", "bf16", "bf16", "vector<4xi16>", Tile::Wide, 4, 2, true, true},
    {"f32.32x32x1f32", "f32", "f32", "f32", Tile::Wide, 1, 2, true, true},
    {"i32.32x32x4i8", "i8", "i8", "i32", Tile::Wide, 4, 2, true, true},
    {"f32.16x16x4f16", "f16", "f16", "vector<4xf16>", Tile::Square, 4, 4, true, true},
    {"f32.16x16x4bf16.1k", "bf16", "bf16", "vector<4xi16>", Tile::Square, 4, 4, true, true},
    {"f32.16x16x1f32", "f32", "f32", "f32", Tile::Square, 1, 4, true, true},
    {"i32.16x16x4i8", "i8", "i8", "i32", Tile::Square, 4, 4, true, true},
};

unsigned sizeOf(const Product &product) {
  return product.tile == Tile::Wide ? 32 : product.tile == Tile::Square || product.tile == Tile::Double ? 16 : 4;
}

struct Place {
  unsigned block, row, column;
};

/// Element `e` of lane `l` of A: block, i, k. B is the same with j for i.
Place placeInA(const Product &p, unsigned l, unsigned e) {
  switch (p.tile) {
  case Tile::Wide:
    return p.blocks == 2 ? Place{l / 32, l % 32, e} : Place{0, l % 32, p.k / 2 * (l / 32) + e};
  case Tile::Square:
    return p.blocks == 4 ? Place{l / 16, l % 16, e} : Place{0, l % 16, p.k / 4 * (l / 16) + e};
  case Tile::Small:
    return {l / 4, l % 4, e};
  case Tile::Double:
    return {0, l % 16, l / 16};
  case Tile::SmallDouble:
    return {l / 4 % 4, l % 4, l / 16};
  }
  return {};
}

/// Register `v` of lane `l` of D: block, i, j.
Place placeInD(const Product &p, unsigned l, unsigned v) {
  switch (p.tile) {
  case Tile::Wide:
    return {v / 16, 8 * (v % 16 / 4) + 4 * (l / 32) + v % 4, l % 32};
  case Tile::Square:
    return {v / 4, 4 * (l / 16) + v % 4, l % 16};
  case Tile::Small:
    return {l / 4, v, l % 4};
  case Tile::Double:
    return {0, 4 * v + l / 16, l % 16};
  case Tile::SmallDouble:
    return {l / 4 % 4, l / 16, l % 4};
  }
  return {};
}

unsigned bitsOf(const std::string &type) {
  return type == "f64" ? 64 : type == "f32" ? 32 : type == "f16" || type == "bf16" ? 16 : 8;
}

/// The code of a small integer.
uint64_t encode(int value, const std::string &type, bool fnuz) {
  if (type == "i8")
    return static_cast<uint8_t>(value);
  if (type == "f64")
    return std::bit_cast<uint64_t>(static_cast<double>(value));
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == "f32" || value == 0)
    return bits;
  const unsigned exponentBits = type == "f16"    ? 5
                                : type == "bf16" ? 8
                                : type == "fp8"  ? 4
                                                 : 5,
                 mantissaBits = type == "f16"    ? 10
                                : type == "bf16" ? 7
                                : type == "fp8"  ? 3
                                                 : 2;
  // The bias of FNUZ is one more.
  const unsigned bias = (1u << (exponentBits - 1)) - 1 + (fnuz && (type == "fp8" || type == "bf8"));
  return (bits >> 31) << (exponentBits + mantissaBits) | ((bits >> 23 & 255) - 127 + bias) << mantissaBits |
         (bits & 0x7fffff) >> (23 - mantissaBits);
}

int sample(unsigned block, unsigned row, unsigned k, unsigned salt) {
  uint32_t mixed = (block * 7919 + row * 104729 + k * 1299709 + salt) * 2654435761u;
  return static_cast<int>((mixed >> 13) % 7) - 3;
}

/// What each lane holds of A or B, one lane after the other.
std::vector<uint8_t> operandImage(const Product &p, const std::string &type, unsigned salt, bool fnuz) {
  const unsigned width = bitsOf(type) / 8, elements = sizeOf(p) * p.k * p.blocks / 64;
  std::vector<uint8_t> image(64 * elements * width);
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned e = 0; e < elements; ++e) {
      const Place place = placeInA(p, lane, e);
      uint64_t code = encode(sample(place.block, place.row, place.column, salt), type, fnuz);
      std::memcpy(&image[(lane * elements + e) * width], &code, width);
    }
  return image;
}

std::string resultType(const Product &p) {
  const std::string scalar = std::string(p.name).substr(0, 3);
  const unsigned count = sizeOf(p) * sizeOf(p) * p.blocks / 64;
  return count == 1 ? scalar : "vector<" + std::to_string(count) + "x" + scalar + ">";
}

WaveKernel kernelOf(const Product &p, const std::string &target) {
  const std::string type = p.operand, d = resultType(p);
  const unsigned operandBytes = sizeOf(p) * p.k * p.blocks / 64 * bitsOf(p.a) / 8,
                 resultBytes = sizeOf(p) * sizeOf(p) * p.blocks / 64 * (std::string(p.a) == "f64" ? 8 : 4);
  auto at = [](const char *name, const char *base, unsigned bytes) {
    return "  " + std::string(name) + "s = llvm.mlir.constant(" + std::to_string(bytes) + " : i32) : i32\n  " + name +
           "o = llvm.mul %tid, " + name + "s : i32\n  " + name + " = llvm.getelementptr " + base + "[" + name +
           "o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n";
  };
  WaveKernel kernel;
  kernel.target = target;
  kernel.parameters = "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %d: !llvm.ptr<1>";
  kernel.body = "  %tid = rocdl.workitem.id.x : i32\n  %z = llvm.mlir.constant(0 : i32) : i32\n" +
                at("%ap", "%a", operandBytes) + at("%bp", "%b", operandBytes) + at("%dp", "%d", resultBytes) +
                "  %av = llvm.load %ap : !llvm.ptr<1> -> " + type + "\n  %bv = llvm.load %bp : !llvm.ptr<1> -> " +
                type + "\n  %cv = llvm.load %dp : !llvm.ptr<1> -> " + d + "\n  %r = rocdl.mfma." + p.name +
                " %av, %bv, %cv, %z, %z, %z : (" + type + ", " + type + ", " + d + ", i32, i32, i32) -> " + d +
                "\n  llvm.store %r, %dp : " + d + ", !llvm.ptr<1>\n  llvm.return";
  return kernel;
}

double valueAt(const std::vector<uint8_t> &image, size_t index, const std::string &type) {
  uint64_t bits = 0;
  const size_t width = type == "f64" ? 8 : 4;
  std::memcpy(&bits, &image[index * width], width);
  return type == "f64"   ? std::bit_cast<double>(bits)
         : type == "i32" ? static_cast<double>(static_cast<int32_t>(bits))
                         : std::bit_cast<float>(static_cast<uint32_t>(bits));
}

void putValue(std::vector<uint8_t> &image, size_t index, const std::string &type, int value) {
  const size_t width = type == "f64" ? 8 : 4;
  uint64_t bits = encode(value, type == "i32" ? "i8" : type, false);
  if (type == "i32")
    bits = static_cast<uint32_t>(value);
  std::memcpy(&image[index * width], &bits, width);
}

void check(const Product &p, const std::string &target) {
  SCOPED_TRACE(std::string(p.name) + " on " + target);
  const unsigned n = sizeOf(p), registers = n * n * p.blocks / 64;
  const std::string result = std::string(p.name).substr(0, 3);
  const bool fnuz = target == "gfx942";
  std::vector<uint8_t> a = operandImage(p, p.a, 1, fnuz), b = operandImage(p, p.b, 99, fnuz),
                       d(64 * registers * (result == "f64" ? 8 : 4));
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned v = 0; v < registers; ++v) {
      const Place place = placeInD(p, lane, v);
      putValue(d, lane * registers + v, result, static_cast<int>(place.row) - 2 * static_cast<int>(place.column));
    }
  Launch launch;
  launch.buffers = {bufferOf("a", a), bufferOf("b", b), bufferOf("d", d)};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2)};
  Report report = mustRun(kernelOf(p, target), launch);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  EXPECT_EQ(report.statistics.matrixOperations, 1u);
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned v = 0; v < registers; ++v) {
      const Place place = placeInD(p, lane, v);
      int sum = static_cast<int>(place.row) - 2 * static_cast<int>(place.column);
      for (unsigned k = 0; k < p.k; ++k)
        sum += sample(place.block, place.row, k, 1) * sample(place.block, place.column, k, 99);
      ASSERT_EQ(valueAt(d, lane * registers + v, result), sum)
          << "block " << place.block << ", row " << place.row << ", column " << place.column;
    }
}

TEST(MfmaTest, EveryProductPutsEveryElementInItsPlace) {
  for (const Product &product : products) {
    for (const char *target : {"gfx942", "gfx950"}) {
      const bool has = std::string(target) == "gfx942" ? product.on942 : product.on950;
      if (has) {
        check(product, target);
        continue;
      }
      EXPECT_NE(refusal(kernelOf(product, target)).find(std::string(target) + " does not have this operation"),
                std::string::npos)
          << product.name;
    }
  }
}

/// Read off the calculator's tables by hand: the formulas above must give these.
TEST(MfmaTest, PlacesOfSomeElements) {
  struct Case {
    const char *name;
    bool result;
    unsigned lane, element, block, row, column;
  };
  const Case cases[] = {
      {"f32.32x32x8f16", false, 37, 2, 0, 5, 6},   {"f32.32x32x8f16", true, 37, 9, 0, 21, 5},
      {"f32.16x16x16f16", false, 50, 3, 0, 2, 15}, {"f32.16x16x16f16", true, 50, 3, 0, 15, 2},
      {"f32.32x32x16.f16", false, 32, 0, 0, 0, 8}, {"f32.16x16x32.fp8.fp8", false, 63, 7, 0, 15, 31},
      {"i32.16x16x64.i8", false, 17, 5, 0, 1, 21}, {"f32.32x32x2f32", false, 33, 0, 0, 1, 1},
      {"f64.16x16x4f64", false, 49, 0, 0, 1, 3},   {"f64.16x16x4f64", true, 49, 2, 0, 11, 1},
      {"f32.4x4x4f16", false, 13, 2, 3, 1, 2},     {"f32.4x4x4f16", true, 13, 2, 3, 2, 1},
  };
  for (const Case &test : cases) {
    const Product *product = nullptr;
    for (const Product &known : products)
      if (std::string(known.name) == test.name)
        product = &known;
    ASSERT_NE(product, nullptr);
    const Place place =
        test.result ? placeInD(*product, test.lane, test.element) : placeInA(*product, test.lane, test.element);
    EXPECT_EQ(place.block, test.block) << test.name;
    EXPECT_EQ(place.row, test.row) << test.name;
    EXPECT_EQ(place.column, test.column) << test.name;
  }
}

TEST(MfmaTest, RefusesWhatOlderTargetsHad) {
  for (const char *name : {"f32.32x32x8i8", "f32.16x16x8bf16"}) {
    WaveKernel kernel;
    const bool bytes = std::string(name).ends_with("i8");
    const std::string operand = bytes ? "i32" : "vector<2xi16>", result = bytes ? "vector<16xi32>" : "vector<4xf32>";
    kernel.body = "  %a = llvm.mlir.zero : " + operand + "\n  %c = llvm.mlir.zero : " + result +
                  "\n  %z = llvm.mlir.constant(0 : i32) : i32\n  %r = rocdl.mfma." +
                  (bytes ? "i32.32x32x8i8" : std::string(name)) + " %a, %a, %c, %z, %z, %z : (" + operand + ", " +
                  operand + ", " + result + ", i32, i32, i32) -> " + result + "\n  llvm.return";
    EXPECT_NE(refusal(kernel).find("gfx942 does not have this operation"), std::string::npos) << refusal(kernel);
  }
}

TEST(MfmaTest, RefusesOperandsOfAnotherSizeAndBroadcasts) {
  const Product &product = products[0];
  WaveKernel kernel = kernelOf(product, "gfx942");
  kernel.parameters = "%a: !llvm.ptr<1>";
  kernel.body = R"(
  %v = llvm.mlir.zero : vector<4xf16>
  %w = llvm.mlir.zero : vector<8xf16>
  %c = llvm.mlir.zero : vector<16xf32>
  %z = llvm.mlir.constant(0 : i32) : i32
  %o = llvm.mlir.constant(1 : i32) : i32
)";
  const std::string rest = " : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>\n";
  const std::string clean = kernel.body;
  kernel.body = clean + "  %r = rocdl.mfma.f32.32x32x8f16 %v, %v, %c, %z, %z, %o" + rest + "  llvm.return";
  EXPECT_NE(refusal(kernel).find("broadcasts"), std::string::npos) << refusal(kernel);
  kernel.body = clean + "  %r = rocdl.mfma.f32.32x32x8f16 %v, %v, %c, %z, %z, %z" + rest + "  llvm.return";
  EXPECT_EQ(refusal(kernel), "");
  kernel.body = clean + "  %r = rocdl.mfma.f32.32x32x8f16 %w, %w, %c, %z, %z, %z : (vector<8xf16>, vector<8xf16>, " +
                "vector<16xf32>, i32, i32, i32) -> vector<16xf32>\n  llvm.return";
  EXPECT_NE(refusal(kernel).find("sizes of this product"), std::string::npos) << refusal(kernel);
}

TEST(MfmaTest, AllLanesTakePart) {
  const Product &product = products[0];
  WaveKernel kernel = kernelOf(product, "gfx942");
  const size_t from = kernel.body.find("  %r = ");
  kernel.body.insert(from, "  %c8 = llvm.mlir.constant(8 : i32) : i32\n  %low = llvm.icmp \"ult\" %tid, %c8 : i32\n"
                           "  llvm.cond_br %low, ^few, ^end\n^few:\n");
  kernel.body += "\n^end:\n  llvm.return";
  std::vector<uint8_t> a(512), b(512), d(4096);
  Launch launch;
  launch.buffers = {bufferOf("a", a), bufferOf("b", b), bufferOf("d", d)};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2)};
  Report report = mustRun(kernel, launch);
  EXPECT_TRUE(has(report, FindingKind::ParticipantMismatch)) << textOf(report);
  EXPECT_NE(textOf(report).find("8 of 64 lanes"), std::string::npos) << textOf(report);
}

/// The scaled products: formats 0 to 4 are fp8, bf8, fp6 (e2m3), bf6 (e3m2) and fp4 (e2m1).
struct Narrow {
  unsigned bits;
  /// Codes of 0, 1, 2, 3 and their negatives' sign bit.
  uint32_t code[4], sign;
};
const Narrow narrow[] = {
    {8, {0x00, 0x38, 0x40, 0x44}, 0x80}, {8, {0x00, 0x3c, 0x40, 0x42}, 0x80}, {6, {0x00, 0x08, 0x10, 0x14}, 0x20},
    {6, {0x00, 0x0c, 0x10, 0x12}, 0x20}, {4, {0x0, 0x2, 0x4, 0x5}, 0x8},
};

void checkScaled(unsigned formatA, unsigned formatB, bool wide, unsigned byte) {
  SCOPED_TRACE("formats " + std::to_string(formatA) + " and " + std::to_string(formatB) + (wide ? ", wide" : ""));
  const unsigned n = wide ? 32 : 16, k = wide ? 64 : 128, registers = wide ? 16 : 4;
  // 32 elements a lane, in 8, 6 or 4 words; the scale of a lane is that of its own elements.
  auto exponent = [](unsigned row, unsigned piece, unsigned salt) {
    return static_cast<int>((row + 3 * piece + salt) % 5) - 2;
  };
  auto words = [](const Narrow &format) { return format.bits; };
  auto image = [&](const Narrow &format, unsigned salt) {
    std::vector<uint32_t> data(64 * words(format));
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned e = 0; e < 32; ++e) {
        const int value = sample(0, lane % n, 32 * (lane / n) + e, salt);
        const uint64_t code = format.code[std::abs(value)] | (value < 0 ? format.sign : 0);
        const unsigned bit = e * format.bits;
        uint64_t both = code << (bit % 32);
        data[lane * words(format) + bit / 32] |= static_cast<uint32_t>(both);
        if (both >> 32)
          data[lane * words(format) + bit / 32 + 1] |= static_cast<uint32_t>(both >> 32);
      }
    return data;
  };
  auto scaleImage = [&](unsigned salt) {
    std::vector<uint32_t> data(64);
    for (unsigned lane = 0; lane < 64; ++lane)
      data[lane] = static_cast<uint32_t>(127 + exponent(lane % n, lane / n, salt)) << (8 * byte) |
                   (~(0xffu << (8 * byte)) & 0x85858585u);
    return data;
  };
  std::vector<uint32_t> a = image(narrow[formatA], 1), b = image(narrow[formatB], 99), sa = scaleImage(1),
                        sb = scaleImage(2);
  std::vector<float> d(64 * registers);
  auto pointer = [](const std::string &name, unsigned bytes) {
    return "  %" + name + "s = llvm.mlir.constant(" + std::to_string(bytes) + " : i32) : i32\n  %" + name +
           "o = llvm.mul %tid, %" + name + "s : i32\n  %" + name + "p = llvm.getelementptr %" + name + "[%" + name +
           "o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n";
  };
  auto type = [&](unsigned format) { return "vector<" + std::to_string(words(narrow[format])) + "xi32>"; };
  const std::string result = "vector<" + std::to_string(registers) + "xf32>", which = std::to_string(byte);
  WaveKernel kernel;
  kernel.target = "gfx950";
  kernel.parameters = "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %d: !llvm.ptr<1>, %x: !llvm.ptr<1>, %y: !llvm.ptr<1>";
  kernel.body = "  %tid = rocdl.workitem.id.x : i32\n" + pointer("a", words(narrow[formatA]) * 4) +
                pointer("b", words(narrow[formatB]) * 4) + pointer("d", registers * 4) + pointer("x", 4) +
                pointer("y", 4) + "  %fa = llvm.mlir.constant(" + std::to_string(formatA) +
                " : i32) : i32\n  %fb = llvm.mlir.constant(" + std::to_string(formatB) +
                " : i32) : i32\n  %by = llvm.mlir.constant(" + which + " : i32) : i32\n" +
                "  %av = llvm.load %ap {alignment = 4 : i64} : !llvm.ptr<1> -> " + type(formatA) +
                "\n  %bv = llvm.load %bp : !llvm.ptr<1> -> " + type(formatB) + "\n  %cv = llvm.mlir.zero : " + result +
                "\n  %sa = llvm.load %xp : !llvm.ptr<1> -> i32\n  %sb = llvm.load %yp : !llvm.ptr<1> -> i32\n" +
                "  %r = rocdl.mfma.scale.f32." + (wide ? "32x32x64" : "16x16x128") +
                ".f8f6f4 %av, %bv, %cv, %fa, %fb, %by, %sa, %by, %sb : (" + type(formatA) + ", " + type(formatB) +
                ", " + result + ", i32, i32, i32, i32, i32, i32) -> " + result + "\n  llvm.store %r, %dp : " + result +
                ", !llvm.ptr<1>\n  llvm.return";
  Launch launch;
  launch.buffers = {bufferOf("a", a), bufferOf("b", b), bufferOf("d", d), bufferOf("x", sa), bufferOf("y", sb)};
  for (unsigned index = 0; index < 5; ++index)
    launch.arguments.push_back(Argument::pointer(index));
  Report report = mustRun(kernel, launch);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  const Product tile{"f32", "", "", "", wide ? Tile::Wide : Tile::Square, k, 1, false, true};
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned v = 0; v < registers; ++v) {
      const Place place = placeInD(tile, lane, v);
      double sum = 0;
      for (unsigned index = 0; index < k; ++index)
        sum += std::ldexp(sample(0, place.row, index, 1) * sample(0, place.column, index, 99),
                          exponent(place.row, index / 32, 1) + exponent(place.column, index / 32, 2));
      ASSERT_EQ(d[lane * registers + v], sum) << "row " << place.row << ", column " << place.column;
    }
}

TEST(MfmaTest, ScaledProductsOfEveryFormat) {
  for (unsigned a = 0; a < 5; ++a)
    for (unsigned b = 0; b < 5; ++b)
      checkScaled(a, b, (a + b) % 2, (a + 2 * b) % 4);
  WaveKernel older;
  older.body = R"(
  %v = llvm.mlir.zero : vector<8xi32>
  %c = llvm.mlir.zero : vector<4xf32>
  %z = llvm.mlir.constant(0 : i32) : i32
  %r = rocdl.mfma.scale.f32.16x16x128.f8f6f4 %v, %v, %c, %z, %z, %z, %z, %z, %z : (vector<8xi32>, vector<8xi32>, vector<4xf32>, i32, i32, i32, i32, i32, i32) -> vector<4xf32>
  llvm.return)";
  EXPECT_NE(refusal(older).find("gfx942 does not have this operation"), std::string::npos) << refusal(older);
}

} // namespace
