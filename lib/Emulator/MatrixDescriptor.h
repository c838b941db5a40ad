// The 64-bit shared-memory matrix descriptor of wgmma, decoded bit by bit (PTX ISA, matrix descriptor format).
#ifndef TLX_EMULATOR_MATRIXDESCRIPTOR_H
#define TLX_EMULATOR_MATRIXDESCRIPTOR_H

#include "TensorMap.h"

#include <cstdint>

namespace tlx::emu {

struct MatrixDescriptor {
  uint32_t start, leading, stride, baseOffset;
  /// Swizzle width in bytes; 0 without.
  unsigned swizzle;
  /// Bits that have to be zero and are not.
  uint64_t stray;

  explicit MatrixDescriptor(uint64_t bits)
      : start(static_cast<uint32_t>(bits & 0x3fff) << 4), leading(static_cast<uint32_t>(bits >> 16 & 0x3fff) << 4),
        stride(static_cast<uint32_t>(bits >> 32 & 0x3fff) << 4), baseOffset(static_cast<uint32_t>(bits >> 49 & 7)),
        stray(bits & 0x3ff1c000c000c000ull) {
    constexpr unsigned widths[] = {0, 128, 64, 32};
    swizzle = widths[bits >> 62];
  }

  /// Address of the 16-byte chunk that holds element `k` of row `mn` of a K-major operand; `perChunk` elements each.
  uint32_t chunkKMajor(unsigned mn, unsigned k, unsigned perChunk) const {
    unsigned chunk = k / perChunk;
    if (swizzle == 0)
      return start + mn / 8 * stride + chunk * leading + mn % 8 * 16;
    return swizzled(start + mn / 8 * stride + mn % 8 * swizzle + chunk * 16, swizzle);
  }
  /// The same for an MN-major operand of 16-bit elements: the chunk holds eight rows `mn` of one `k`.
  uint32_t chunkMNMajor(unsigned mn, unsigned k) const {
    // Leading and stride offset change places here (canonical layouts of PTX ISA, strides).
    if (swizzle == 0)
      return start + mn / 8 * stride + k / 8 * leading + k % 8 * 16;
    unsigned block = swizzle / 2;
    return swizzled(start + mn / block * leading + k / 8 * stride + k % 8 * swizzle + mn % block * 2 / 16 * 16,
                    swizzle);
  }
};

} // namespace tlx::emu

#endif
