//===- MmaLayouts.h - who holds what for products of single warps -----------------------------------------===//
//
// mma.sync multiplies 16 rows by 8 columns over 32 bytes of K in the registers of one warp (PTX ISA, mma.sync,
// fragments of m16n8k8, m16n8k16 and m16n8k32). Sizes are powers of two: M from 16, N from 8, K from one step.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LAYOUT_MMALAYOUTS_H
#define TLX_LAYOUT_MMALAYOUTS_H

#include "tlx/Layout/LinearLayout.h"

namespace tlx::layout {

/// The warps that share a tile of D: `rows` along M, then `columns` along N, then copies. Each has adjacent columns,
/// and every 16 * rows-th block of rows.
struct WarpGrid {
  int rows;
  int columns;
  int copies;
};

/// As square pieces as possible, so that the least is read; all along M as far as it goes when `rowsFirst`.
WarpGrid mmaWarps(int64_t m, int64_t n, int warps, bool rowsFirst);

/// K of one instruction.
inline int64_t mmaDepth(int elemBits) {
  return 256 / elemBits;
}

/// Registers: the four of an instruction, then its repeats along N, then along M.
LinearLayout mmaAccumulator(int64_t m, int64_t n, WarpGrid warps);
/// Registers: an instruction's four words of 32 bits, steps along K, then repeats along M. For 16-bit elements the
/// order is the accumulator's.
LinearLayout mmaOperandA(int64_t m, int64_t k, int elemBits, WarpGrid warps);
/// Axes K and N; registers: two words, steps along K, then repeats along N.
LinearLayout mmaOperandB(int64_t k, int64_t n, int elemBits, WarpGrid warps);

} // namespace tlx::layout

#endif // TLX_LAYOUT_MMALAYOUTS_H
