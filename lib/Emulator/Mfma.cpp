// AMD: matrix products of one wave. Where each element lies in the lanes' registers is what the matrix instruction
// calculator of AMD prints for CDNA3; the products of CDNA4 follow the same rule.
#include "Cluster.h"
#include "Numbers.h"

#include <cstring>

namespace tlx::emu {
namespace {

struct Element {
  unsigned block, row, column;
};

/// A (and B, with columns for rows): element `e` of a lane. Lanes count rows first, then blocks, then pieces of K.
Element operandElement(unsigned rows, const MfmaShape &shape, unsigned lane, unsigned e) {
  const unsigned pieces = waveSize / (rows * shape.blocks), perLane = shape.k / pieces;
  return {lane / rows % shape.blocks, lane % rows, perLane * (lane / (rows * shape.blocks)) + e};
}

/// C and D: four rows in consecutive registers, then the lanes of other rows, and again; f64 has one row a register.
Element resultElement(const MfmaShape &shape, unsigned lane, unsigned v) {
  const unsigned group = lane / shape.n, groups = waveSize / shape.n;
  if (shape.a == MfmaType::F64)
    return {group % shape.blocks, groups / shape.blocks * v + group / shape.blocks, lane % shape.n};
  const unsigned perBlock = std::min(groups, shape.m / 4), registers = shape.m / perBlock;
  return {group / perBlock + groups / perBlock * (v / registers),
          4 * perBlock * (v % registers / 4) + 4 * (group % perBlock) + v % 4, lane % shape.n};
}

/// xf32 keeps ten bits of the mantissa, to nearest even.
float roundXF32(uint64_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits);
  if ((word & 0x7f800000u) == 0x7f800000u)
    return asFloat(word);
  return asFloat((word + 0xfffu + (word >> 13 & 1)) & 0xffffe000u);
}

double decode(uint64_t bits, MfmaType type, Machine machine) {
  const bool fnuz = machine == Machine::Gfx942;
  switch (type) {
  case MfmaType::F16:
    return decodeF16(static_cast<uint16_t>(bits));
  case MfmaType::BF16:
    return decodeBF16(static_cast<uint16_t>(bits));
  case MfmaType::XF32:
    return roundXF32(bits);
  case MfmaType::F32:
    return asFloat(bits);
  case MfmaType::F64:
    return std::bit_cast<double>(bits);
  case MfmaType::FP8:
    return decodeFloat(static_cast<uint32_t>(bits), fnuz ? formatE4M3FNUZ : formatE4M3);
  case MfmaType::BF8:
    return decodeFloat(static_cast<uint32_t>(bits), fnuz ? formatE5M2FNUZ : formatE5M2);
  case MfmaType::FP6:
    return decodeFloat(static_cast<uint32_t>(bits), formatE2M3);
  case MfmaType::BF6:
    return decodeFloat(static_cast<uint32_t>(bits), formatE3M2);
  case MfmaType::FP4:
    return decodeFloat(static_cast<uint32_t>(bits), formatE2M1);
  case MfmaType::I8:
    return static_cast<int8_t>(bits);
  }
  return 0;
}

/// The registers of one lane as a string of bits.
struct Packed {
  uint64_t words[9] = {};
  void put(unsigned position, uint64_t bits, unsigned width) {
    words[position / 64] |= bits << (position % 64);
    if (position % 64 + width > 64)
      words[position / 64 + 1] |= bits >> (64 - position % 64);
  }
  uint64_t get(unsigned position, unsigned width) const {
    uint64_t bits = words[position / 64] >> (position % 64);
    if (position % 64 + width > 64)
      bits |= words[position / 64 + 1] << (64 - position % 64);
    return bits & lowBits(width);
  }
};

/// Integers wrap around: minus one is a large unsigned number.
template <typename T> T convertTo(double value) {
  if constexpr (std::is_same_v<T, uint32_t>)
    return static_cast<uint32_t>(static_cast<int32_t>(value));
  else
    return static_cast<T>(value);
}

/// d[row][column] += a[row][k] * b[column][k], one rounding of T for each step along k.
template <typename T> void multiplyBlock(T *d, const double *a, const double *b, const MfmaShape &shape) {
  std::vector<T> right(static_cast<size_t>(shape.k) * shape.n);
  for (unsigned column = 0; column < shape.n; ++column)
    for (unsigned k = 0; k < shape.k; ++k)
      right[k * shape.n + column] = convertTo<T>(b[column * shape.k + k]);
  for (unsigned row = 0; row < shape.m; ++row)
    for (unsigned k = 0; k < shape.k; ++k) {
      const T left = convertTo<T>(a[row * shape.k + k]);
      for (unsigned column = 0; column < shape.n; ++column)
        d[row * shape.n + column] += left * right[k * shape.n + column];
    }
}

} // namespace

void Cluster::mfma(Warp &warp, const Inst &inst, LaneMask mask) {
  // The lanes that do not take part would give what their registers happen to hold.
  checkConverged(warp, inst, mask);
  ++matrixOperations;
  const MfmaShape &shape = program.products[static_cast<size_t>(inst.imm)];
  const uint32_t *a = &program.operands[inst.extra], *b = a + shape.aParts, *c = b + shape.bParts,
                 *scales = c + shape.dParts;
  auto read = [&](const uint32_t *slots, unsigned parts, unsigned partBits, MfmaType type, unsigned rows,
                  const uint32_t *scale, unsigned scaleByte) {
    const unsigned width = bitsOf(type), count = rows * shape.k * shape.blocks / waveSize;
    std::vector<double> into(static_cast<size_t>(rows) * shape.k * shape.blocks);
    for (unsigned lane = 0; lane < waveSize; ++lane) {
      Packed packed;
      for (unsigned part = 0; part < parts; ++part)
        packed.put(part * partBits, laneValue(warp, slots[part], lane), partBits);
      double factor = 1;
      if (scale) {
        // e8m0: a power of two, or NaN (OCP microscaling formats).
        const unsigned exponent = laneValue(warp, *scale, lane) >> (8 * scaleByte) & 0xff;
        factor = exponent == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(exponent) - 127);
      }
      for (unsigned e = 0; e < count; ++e) {
        const Element place = operandElement(rows, shape, lane, e);
        into[(place.block * rows + place.row) * shape.k + place.column] =
            decode(packed.get(e * width, width), type, program.machine) * factor;
      }
    }
    return into;
  };
  const bool scaled = shape.scaled;
  const std::vector<double> left =
      read(a, shape.aParts, shape.aBits, shape.a, shape.m, scaled ? scales : nullptr, shape.scaleByteA);
  const std::vector<double> right =
      read(b, shape.bParts, shape.bBits, shape.b, shape.n, scaled ? scales + 1 : nullptr, shape.scaleByteB);
  auto finish = [&](auto zero, auto fromBits, auto toBits) {
    using T = decltype(zero);
    const unsigned size = shape.m * shape.n;
    std::vector<T> d(static_cast<size_t>(size) * shape.blocks, zero);
    auto eachResult = [&](auto function) {
      for (unsigned v = 0; v < shape.dParts; ++v)
        for (unsigned lane = 0; lane < waveSize; ++lane) {
          const Element place = resultElement(shape, lane, v);
          function(v, lane, d[place.block * size + place.row * shape.n + place.column]);
        }
    };
    eachResult([&](unsigned v, unsigned lane, T &value) { value = fromBits(laneValue(warp, c[v], lane)); });
    for (unsigned block = 0; block < shape.blocks; ++block)
      multiplyBlock(&d[block * size], &left[block * shape.m * shape.k], &right[block * shape.n * shape.k], shape);
    eachResult([&](unsigned v, unsigned lane, T &value) { lanes(warp, inst.dst + v)[lane] = toBits(value); });
  };
  if (shape.a == MfmaType::I8)
    finish(
        uint32_t(0), [](uint64_t bits) { return static_cast<uint32_t>(bits); },
        [](uint32_t value) { return static_cast<uint64_t>(value); });
  else if (shape.a == MfmaType::F64)
    finish(
        0.0, [](uint64_t bits) { return std::bit_cast<double>(bits); },
        [](double value) { return std::bit_cast<uint64_t>(value); });
  else
    finish(0.0f, [](uint64_t bits) { return asFloat(bits); }, [](float value) { return asBits(value); });
}

} // namespace tlx::emu
