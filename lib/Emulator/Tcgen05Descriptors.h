// The two descriptors of tcgen05.mma, decoded bit by bit (PTX ISA 8.7, tcgen05 matrix descriptor and instruction
// descriptor).
#ifndef TLX_EMULATOR_TCGEN05DESCRIPTORS_H
#define TLX_EMULATOR_TCGEN05DESCRIPTORS_H

#include "TensorMap.h"

#include <cstdint>

namespace tlx::emu {

/// Where an operand lies in shared memory.
struct Tcgen05Operand {
  uint32_t start, leading, stride;
  /// Swizzle width in bytes; 0 without.
  unsigned swizzle = 0;
  /// What is wrong with the descriptor, or null.
  const char *problem = nullptr;

  explicit Tcgen05Operand(uint64_t bits)
      : start(static_cast<uint32_t>(bits & 0x3fff) << 4), leading(static_cast<uint32_t>(bits >> 16 & 0x3fff) << 4),
        stride(static_cast<uint32_t>(bits >> 32 & 0x3fff) << 4) {
    constexpr int widths[] = {0, -1, 128, -1, 64, -1, 32, -1};
    const int width = widths[bits >> 61];
    if (bits & 0x1fe0c000c000c000ull & ~(7ull << 46))
      problem = "has bits set that must be zero";
    else if ((bits >> 46 & 7) != 1)
      problem = "does not have 1 in bits 46 to 48";
    else if (bits >> 49 & 7)
      problem = "has a base offset, which is not emulated";
    else if (bits >> 52 & 1)
      problem = "has an absolute leading offset, which is not emulated";
    else if (width < 0)
      problem = "has a swizzle mode that is reserved or not emulated";
    swizzle = width < 0 ? 0 : static_cast<unsigned>(width);
  }

  /// Address of the 16-byte chunk with element `k` of row `mn`, K running along the chunk; `perChunk` elements each.
  uint32_t chunkKMajor(unsigned mn, unsigned k, unsigned perChunk) const {
    const unsigned chunk = k / perChunk;
    if (swizzle == 0)
      return start + mn / 8 * stride + chunk * leading + mn % 8 * 16;
    return swizzled(start + mn / 8 * stride + mn % 8 * swizzle + chunk * 16, swizzle);
  }
  /// The same with M or N running along the chunk.
  uint32_t chunkMNMajor(unsigned mn, unsigned k, unsigned perChunk) const {
    if (swizzle == 0)
      return start + mn / perChunk * stride + k / 8 * leading + k % 8 * 16;
    const unsigned block = swizzle / 16 * perChunk;
    return swizzled(start + mn / block * leading + k / 8 * stride + k % 8 * swizzle + mn % block / perChunk * 16,
                    swizzle);
  }
};

/// Shape, types and orders of one product.
struct Tcgen05Instruction {
  unsigned dType, aType, bType, n, m;
  bool negateA, negateB, transposeA, transposeB;
  const char *problem = nullptr;
  /// With block scales: the byte of each column that has the first, and whether they are powers of two (ue8m0).
  unsigned aScale = 0, bScale = 0;
  bool exponentScales = false;

  /// For kinds f16, tf32, f8f6f4 and i8, or for the block-scaled ones, whose D is f32.
  static Tcgen05Instruction decode(uint32_t bits, bool isScaled) {
    Tcgen05Instruction result(bits);
    if (!isScaled)
      return result;
    result.problem = nullptr;
    result.dType = 1;
    result.bScale = bits >> 4 & 3;
    result.aScale = bits >> 29 & 3;
    result.exponentScales = bits >> 23 & 1;
    if (bits & 7)
      result.problem = "asks for a sparse product, which is not emulated";
    else if (bits & (1u << 3 | 1u << 6))
      result.problem = "has bits set that must be zero";
    else if (bits >> 31)
      result.problem = "asks for 96 elements of K, which is not emulated";
    return result;
  }

  explicit Tcgen05Instruction(uint32_t bits)
      : dType(bits >> 4 & 3), aType(bits >> 7 & 7), bType(bits >> 10 & 7), n((bits >> 17 & 63) << 3),
        m((bits >> 24 & 31) << 4), negateA(bits >> 13 & 1), negateB(bits >> 14 & 1), transposeA(bits >> 15 & 1),
        transposeB(bits >> 16 & 1) {
    if (bits & 7)
      problem = "asks for a sparse product, which is not emulated";
    else if (bits & (1u << 3 | 1u << 6 | 1u << 23 | 1u << 29))
      problem = "has bits set that must be zero";
    else if (bits >> 30)
      problem = "has a shift, which only weight-stationary products have";
  }
};

} // namespace tlx::emu

#endif
