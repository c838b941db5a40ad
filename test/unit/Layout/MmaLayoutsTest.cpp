//===- MmaLayoutsTest.cpp - the layouts against the fragment tables of the PTX ISA -------------------------===//

#include "tlx/Layout/MmaLayouts.h"
#include "tlx/Layout/SharedLayout.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <vector>

using namespace tlx::layout;

namespace {

constexpr WarpGrid oneWarp = {1, 1, 1};

/// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", A: row is groupID for a0, a1, a4, a5, else
/// groupID + 8; column is threadID_in_group * 2 + (i & 1), plus 8 from a4 on.
TEST(MmaLayouts, SixteenBitFragmentsAreTheTable) {
  LinearLayout a = mmaOperandA(16, 16, 16, oneWarp), b = mmaOperandB(16, 8, 16, oneWarp);
  ASSERT_EQ(a.inSize(InDim::Register), 8);
  ASSERT_EQ(b.inSize(InDim::Register), 4);
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, inGroup = lane % 4;
    for (int i = 0; i < 8; ++i) {
      bool upperRow = !(i < 2 || (i >= 4 && i < 6));
      EXPECT_EQ(a.at(i, lane, 0), (Coords{group + (upperRow ? 8 : 0), inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0)}));
    }
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(b.at(i, lane, 0), (Coords{inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0), group}));
  }
}

/// The same, mma.m16n8k8 with .tf32: a0 (g, t), a1 (g + 8, t), a2 (g, t + 4), a3 (g + 8, t + 4); b0 (t, g), b1 (t + 4,
/// g).
TEST(MmaLayouts, Tf32FragmentsAreTheTable) {
  LinearLayout a = mmaOperandA(16, 8, 32, oneWarp), b = mmaOperandB(8, 8, 32, oneWarp);
  ASSERT_EQ(a.inSize(InDim::Register), 4);
  ASSERT_EQ(b.inSize(InDim::Register), 2);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(a.at(i, lane, 0), (Coords{lane / 4 + (i == 1 || i == 3 ? 8 : 0), lane % 4 + (i >= 2 ? 4 : 0)}));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(b.at(i, lane, 0), (Coords{lane % 4 + 4 * i, lane / 4}));
  }
}

/// The same, mma.m16n8k32: A's row is groupID for i in 0..3 and 8..11, column threadID_in_group * 4 + (i & 3), plus 16
/// from a8 on; B's row is threadID_in_group * 4 + (i & 3), plus 16 from b4 on.
TEST(MmaLayouts, ByteFragmentsAreTheTable) {
  LinearLayout a = mmaOperandA(16, 32, 8, oneWarp), b = mmaOperandB(32, 8, 8, oneWarp);
  ASSERT_EQ(a.inSize(InDim::Register), 16);
  ASSERT_EQ(b.inSize(InDim::Register), 8);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 16; ++i) {
      bool lowerRow = i < 4 || (i >= 8 && i < 12);
      EXPECT_EQ(a.at(i, lane, 0), (Coords{lane / 4 + (lowerRow ? 0 : 8), lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)}));
    }
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(b.at(i, lane, 0), (Coords{lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), lane / 4}));
  }
}

/// C and D of m16n8: row is groupID for c0 and c1, else groupID + 8; column is threadID_in_group * 2 + (i & 1).
TEST(MmaLayouts, AccumulatorsAreTheTable) {
  LinearLayout d = mmaAccumulator(16, 8, oneWarp);
  ASSERT_EQ(d.inSize(InDim::Register), 4);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(d.at(i, lane, 0), (Coords{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}));
}

/// Words of a lane belong to instructions in the order in which the lowering takes them.
struct Tile {
  int m, n, k, bits, warps;
  bool rowsFirst;
};

void checkBlocks(const Tile &tile) {
  WarpGrid grid = mmaWarps(tile.m, tile.n, tile.warps, tile.rowsFirst);
  ASSERT_EQ(grid.rows * grid.columns * grid.copies, tile.warps);
  LinearLayout a = mmaOperandA(tile.m, tile.k, tile.bits, grid), b = mmaOperandB(tile.k, tile.n, tile.bits, grid);
  LinearLayout d = mmaAccumulator(tile.m, tile.n, grid);
  ASSERT_TRUE(a.isSurjective() && b.isSurjective() && d.isSurjective());
  int depth = static_cast<int>(mmaDepth(tile.bits)), perWord = 32 / tile.bits, steps = tile.k / depth;
  int rowBlocks = tile.m / 16 / grid.rows, columnBlocks = tile.n / 8 / grid.columns;
  ASSERT_EQ(a.inSize(InDim::Register), rowBlocks * steps * 4 * perWord);
  ASSERT_EQ(b.inSize(InDim::Register), columnBlocks * steps * 2 * perWord);
  ASSERT_EQ(d.inSize(InDim::Register), rowBlocks * columnBlocks * 4);
  for (int warp = 0; warp < tile.warps; ++warp)
    for (int row = 0; row < rowBlocks; ++row)
      for (int column = 0; column < columnBlocks; ++column)
        for (int step = 0; step < steps; ++step) {
          Coords left = a.at((row * steps + step) * 4 * perWord, 0, warp);
          Coords right = b.at((column * steps + step) * 2 * perWord, 0, warp);
          EXPECT_EQ(left[1], step * depth);
          EXPECT_EQ(right[0], step * depth);
          EXPECT_EQ(d.at((row * columnBlocks + column) * 4, 0, warp), (Coords{left[0], right[1]}));
        }
}

TEST(MmaLayouts, TilesOfManyInstructions) {
  for (int m : {16, 32, 64})
    for (int n : {8, 16, 128})
      for (int bits : {8, 16, 32})
        for (int warps : {1, 2, 4, 8})
          for (bool rowsFirst : {false, true})
            checkBlocks({m, n, 64, bits, warps, rowsFirst});
}

TEST(MmaLayouts, WarpsShareTheTile) {
  auto grid = [](int64_t m, int64_t n, int warps, bool rowsFirst) {
    WarpGrid result = mmaWarps(m, n, warps, rowsFirst);
    return std::vector<int>{result.rows, result.columns, result.copies};
  };
  EXPECT_EQ(grid(16, 128, 4, false), (std::vector<int>{1, 4, 1}));
  EXPECT_EQ(grid(64, 64, 4, false), (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(grid(32, 128, 4, true), (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(grid(16, 8, 4, false), (std::vector<int>{1, 1, 4}));
}

/// An accumulator rounded to 16 bits is an operand A without moving, where warps do not share rows.
TEST(MmaLayouts, AnAccumulatorIsAnOperand) {
  for (int m : {16, 32, 64}) {
    WarpGrid grid = mmaWarps(m, 64, m / 16, /*rowsFirst=*/true);
    EXPECT_EQ(mmaAccumulator(m, 64, grid), mmaOperandA(m, 64, 16, grid));
  }
}

/// ldmatrix reads eight rows of 16 bytes at a time, which the lanes of a matrix name: with the swizzle that the tile
/// has anyway they lie in different banks, along rows and, transposed, across them. Without a swizzle they do not.
TEST(MmaLayouts, MatricesAreReadWithoutConflicts) {
  for (int columns : {16, 32, 64, 128})
    for (bool swizzled : {true, false}) {
      SharedTile tile =
          SharedTile::whole({64, columns}, 2, swizzled ? SharedTile::defaultSwizzle({64, columns}, 2) : 0);
      int worst = 0;
      for (int chunk = 0; chunk < columns; chunk += 8) {
        LinearLayout rows(llvm::ArrayRef<int>{6, static_cast<int>(llvm::Log2_32(columns))});
        for (int bit = 0; bit < 3; ++bit)
          rows.addBasis(InDim::Register, {0, 1 << bit});
        for (int bit = 0; bit < 5; ++bit)
          rows.addBasis(InDim::Lane, {1 << bit, 0});
        worst = std::max(worst, bankConflicts(rows, tile, 16));
      }
      if (swizzled)
        EXPECT_EQ(worst, 0) << columns;
      else
        EXPECT_GT(worst, 0) << columns;
    }
}

} // namespace
