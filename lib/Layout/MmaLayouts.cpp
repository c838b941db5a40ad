//===- MmaLayouts.cpp - who holds what for products of single warps ---------------------------------------===//

#include "tlx/Layout/MmaLayouts.h"
#include "MatrixBuilder.h"

using namespace tlx::layout;

/// Rows and columns of one instruction's D (PTX ISA, mma.sync.m16n8k*).
static constexpr int64_t instructionRows = 16, instructionColumns = 8;

WarpGrid tlx::layout::mmaWarps(int64_t m, int64_t n, int warps, bool rowsFirst) {
  WarpGrid grid = {1, 1, 1};
  while (grid.rows * grid.columns < warps) {
    bool canSplitRows = m / grid.rows > instructionRows, canSplitColumns = n / grid.columns > instructionColumns;
    if (!canSplitRows && !canSplitColumns)
      break;
    if (canSplitRows && (rowsFirst || !canSplitColumns || m / grid.rows >= n / grid.columns))
      grid.rows *= 2;
    else
      grid.columns *= 2;
  }
  grid.copies = warps / (grid.rows * grid.columns);
  return grid;
}

static constexpr int rowAxis = 0, columnAxis = 1;

/// The fragment of C and D: lane t holds row t / 4 and columns 2 (t % 4) and one more, then the same eight rows below.
LinearLayout tlx::layout::mmaAccumulator(int64_t m, int64_t n, WarpGrid warps) {
  MatrixBuilder builder(m, n);
  int64_t warpColumns = n / warps.columns;
  builder.add(InDim::Register, columnAxis, 1, 2);
  builder.add(InDim::Register, rowAxis, 8, instructionRows);
  builder.add(InDim::Lane, columnAxis, 2, instructionColumns);
  builder.add(InDim::Lane, rowAxis, 1, 8);
  builder.add(InDim::Register, columnAxis, instructionColumns, warpColumns);
  builder.add(InDim::Warp, rowAxis, instructionRows, instructionRows * warps.rows);
  builder.add(InDim::Warp, columnAxis, warpColumns, builder.size(columnAxis));
  builder.addCopies(warps.copies);
  builder.add(InDim::Register, rowAxis, instructionRows * warps.rows, builder.size(rowAxis));
  return builder.take();
}

/// The fragment of A: a word holds 4 bytes along K, lanes of a row the next ones; words are rows 0-7, rows 8-15, then
/// both for the upper half of the step.
LinearLayout tlx::layout::mmaOperandA(int64_t m, int64_t k, int elemBits, WarpGrid warps) {
  int64_t perWord = 32 / elemBits;
  MatrixBuilder builder(m, k);
  builder.add(InDim::Register, columnAxis, 1, perWord);
  builder.add(InDim::Register, rowAxis, 8, instructionRows);
  builder.add(InDim::Lane, columnAxis, perWord, 4 * perWord);
  builder.add(InDim::Lane, rowAxis, 1, 8);
  builder.add(InDim::Register, columnAxis, 4 * perWord, builder.size(columnAxis));
  builder.add(InDim::Warp, rowAxis, instructionRows, instructionRows * warps.rows);
  builder.addCopies(warps.columns * warps.copies);
  builder.add(InDim::Register, rowAxis, instructionRows * warps.rows, builder.size(rowAxis));
  return builder.take();
}

/// The fragment of B: as A's, with columns of N for rows; the second word is the upper half of the step.
LinearLayout tlx::layout::mmaOperandB(int64_t k, int64_t n, int elemBits, WarpGrid warps) {
  int64_t perWord = 32 / elemBits, warpColumns = n / warps.columns;
  MatrixBuilder builder(k, n);
  builder.add(InDim::Register, rowAxis, 1, perWord);
  builder.add(InDim::Lane, rowAxis, perWord, 4 * perWord);
  builder.add(InDim::Lane, columnAxis, 1, instructionColumns);
  builder.add(InDim::Register, rowAxis, 4 * perWord, builder.size(rowAxis));
  builder.add(InDim::Register, columnAxis, instructionColumns, warpColumns);
  builder.addCopies(warps.rows);
  builder.add(InDim::Warp, columnAxis, warpColumns, builder.size(columnAxis));
  builder.addCopies(warps.copies);
  return builder.take();
}
