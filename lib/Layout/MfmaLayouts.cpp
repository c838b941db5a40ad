//===- MfmaLayouts.cpp - who holds what for AMD's matrix instructions -------------------------------------===//

#include "tlx/Layout/MfmaLayouts.h"
#include "MatrixBuilder.h"

using namespace tlx::layout;

WaveGrid tlx::layout::mfmaWaves(int64_t m, int64_t n, int tile, int waves, bool rowsFirst) {
  WaveGrid grid = {1, 1, 1};
  while (grid.rows * grid.columns < waves) {
    int64_t rowsLeft = m / (int64_t(tile) * grid.rows), columnsLeft = n / (int64_t(tile) * grid.columns);
    if (rowsLeft <= 1 && columnsLeft <= 1)
      break;
    if (rowsLeft > 1 && (rowsFirst || rowsLeft >= columnsLeft))
      grid.rows *= 2;
    else
      grid.columns *= 2;
  }
  grid.copies = waves / (grid.rows * grid.columns);
  return grid;
}

/// AMD CDNA3 ISA, matrix instructions, output layout: D[i][j] with j = lane % tile and i = 8 * (v / 4) + 4 * (lane /
/// 32)
/// + v % 4 (32x32) or 4 * (lane / 16) + v (16x16); here j is the row and i the column.
LinearLayout tlx::layout::mfmaAccumulator(int64_t m, int64_t n, MfmaShape shape, WaveGrid waves) {
  constexpr int row = 0, column = 1;
  MatrixBuilder builder(m, n);
  builder.add(InDim::Register, column, 1, 4);
  builder.add(InDim::Lane, row, 1, shape.tile);
  builder.add(InDim::Lane, column, 4, 4 * (64 / shape.tile));
  builder.add(InDim::Register, column, 4 * (64 / shape.tile), shape.tile);
  builder.add(InDim::Warp, row, shape.tile, int64_t(shape.tile) * waves.rows);
  builder.add(InDim::Warp, column, shape.tile, int64_t(shape.tile) * waves.columns);
  builder.addCopies(waves.copies);
  builder.add(InDim::Register, column, int64_t(shape.tile) * waves.columns, builder.size(column));
  builder.add(InDim::Register, row, int64_t(shape.tile) * waves.rows, builder.size(row));
  return builder.take();
}

/// The same, input layout: A[i][k], i = lane % tile; k goes through a lane's elements, then the groups of lanes. An
/// axis `major` of the tile is i, the other one K.
static LinearLayout operand(int64_t rows, int64_t columns, int major, MfmaShape shape, int majorWaves, int before,
                            int after) {
  int k = 1 - major;
  MatrixBuilder builder(rows, columns);
  builder.add(InDim::Register, k, 1, shape.run);
  builder.add(InDim::Lane, major, 1, shape.tile);
  builder.add(InDim::Lane, k, shape.run, int64_t(shape.run) * (64 / shape.tile));
  builder.add(InDim::Register, k, int64_t(shape.run) * (64 / shape.tile), builder.size(k));
  builder.addCopies(before);
  builder.add(InDim::Warp, major, shape.tile, int64_t(shape.tile) * majorWaves);
  builder.addCopies(after);
  builder.add(InDim::Register, major, int64_t(shape.tile) * majorWaves, builder.size(major));
  return builder.take();
}

LinearLayout tlx::layout::mfmaOperandA(int64_t m, int64_t k, MfmaShape shape, WaveGrid waves) {
  return operand(m, k, /*major=*/0, shape, waves.rows, /*before=*/1, waves.columns * waves.copies);
}

LinearLayout tlx::layout::mfmaOperandB(int64_t k, int64_t n, MfmaShape shape, WaveGrid waves) {
  return operand(k, n, /*major=*/1, shape, waves.columns, waves.rows, waves.copies);
}
