//===- MfmaLayouts.h - who holds what for AMD's matrix instructions ---------------------------------------===//
//
// A wave of 64 lanes multiplies alone. The compiler computes D transposed (the instruction's first operand is B, its
// second A), so that a lane holds four consecutive columns of a row.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LAYOUT_MFMALAYOUTS_H
#define TLX_LAYOUT_MFMALAYOUTS_H

#include "tlx/Layout/LinearLayout.h"

namespace tlx::layout {

/// An instruction and how an operand's K is dealt out.
struct MfmaShape {
  /// Rows and columns: 16 or 32.
  int tile;
  /// K of one instruction.
  int depth;
  /// Consecutive K that a lane holds. Which K an instruction multiplies does not matter as long as both operands agree:
  /// longer runs read shared memory in wider pieces, a run of 4 takes an accumulator as it is.
  int run;

  /// Elements of an operand that a lane gives one instruction, and of D that it gets.
  int operandElements() const { return depth * tile / 64; }
  int resultElements() const { return tile * tile / 64; }
};

/// The waves that share a tile of D: `rows` along M, then `columns` along N, then copies.
struct WaveGrid {
  int rows;
  int columns;
  int copies;
};

/// As square pieces as possible; all along M as far as it goes when `rowsFirst`.
WaveGrid mfmaWaves(int64_t m, int64_t n, int tile, int waves, bool rowsFirst);

/// Registers: those of an instruction, then its repeats along N, then along M.
LinearLayout mfmaAccumulator(int64_t m, int64_t n, MfmaShape shape, WaveGrid waves);
/// Registers: K, then repeats along M (of A) or N (of B, whose axes are K and N). Each operandElements() are one
/// instruction's.
LinearLayout mfmaOperandA(int64_t m, int64_t k, MfmaShape shape, WaveGrid waves);
LinearLayout mfmaOperandB(int64_t k, int64_t n, MfmaShape shape, WaveGrid waves);

} // namespace tlx::layout

#endif // TLX_LAYOUT_MFMALAYOUTS_H
