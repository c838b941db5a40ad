//===- MfmaLayoutsTest.cpp - the layouts against the instruction tables of AMD's documents -----------------===//

#include "tlx/Layout/MfmaLayouts.h"
#include "gtest/gtest.h"
#include <vector>

using namespace tlx::layout;

namespace {

constexpr WaveGrid oneWave = {1, 1, 1};

/// The row i of D[i][j] that register `v` of a lane holds; j is lane % tile (AMD CDNA3 ISA, output layout of 32x32 and
/// 16x16 with 32-bit results).
int resultRow(int tile, int lane, int v) {
  return tile == 32 ? 8 * (v / 4) + 4 * (lane / 32) + v % 4 : 4 * (lane / 16) + v;
}

struct Instruction {
  int tile, depth;
};
// fp16 and bf16; their deep forms; fp8 and int8; deep int8; fp32.
constexpr Instruction instructions[] = {{32, 8}, {16, 16}, {32, 16}, {16, 32}, {32, 32}, {16, 64}, {32, 2}, {16, 4}};

TEST(MfmaLayouts, OneInstructionIsTheTable) {
  for (auto [tile, depth] : instructions) {
    int perLane = depth * tile / 64;
    MfmaShape shape = {tile, depth, perLane};
    LinearLayout a = mfmaOperandA(tile, depth, shape, oneWave), b = mfmaOperandB(depth, tile, shape, oneWave);
    LinearLayout d = mfmaAccumulator(tile, tile, shape, oneWave);
    EXPECT_EQ(shape.operandElements(), perLane);
    ASSERT_EQ(a.inSize(InDim::Register), perLane);
    ASSERT_EQ(b.inSize(InDim::Register), perLane);
    ASSERT_EQ(d.inSize(InDim::Register), shape.resultElements());
    for (int lane = 0; lane < 64; ++lane) {
      for (int e = 0; e < perLane; ++e) {
        int k = perLane * (lane / tile) + e;
        EXPECT_EQ(a.at(e, lane, 0), (Coords{lane % tile, k})) << tile << "x" << depth;
        EXPECT_EQ(b.at(e, lane, 0), (Coords{k, lane % tile})) << tile << "x" << depth;
      }
      for (int v = 0; v < shape.resultElements(); ++v)
        EXPECT_EQ(d.at(v, lane, 0), (Coords{lane % tile, resultRow(tile, lane, v)})) << tile << "x" << depth;
    }
  }
}

/// A product of whole numbers by instructions as the table describes them, on registers as the layouts deal them out.
struct Product {
  int m, n, k;
  MfmaShape shape;
  int waves;
  bool rowsFirst;

  int aAt(int row, int depth) const { return (row * 7 + depth * 3) % 11 - 5; }
  int bAt(int depth, int column) const { return (depth * 5 + column * 2) % 13 - 6; }

  void check() const {
    WaveGrid grid = mfmaWaves(m, n, shape.tile, waves, rowsFirst);
    ASSERT_EQ(grid.rows * grid.columns * grid.copies, waves);
    LinearLayout a = mfmaOperandA(m, k, shape, grid), b = mfmaOperandB(k, n, shape, grid);
    LinearLayout d = mfmaAccumulator(m, n, shape, grid);
    ASSERT_TRUE(a.isSurjective() && b.isSurjective() && d.isSurjective());
    for (int wave = 0; wave < waves; ++wave)
      checkWave(a, b, d, wave);
  }

  void checkWave(const LinearLayout &a, const LinearLayout &b, const LinearLayout &d, int wave) const {
    int perLane = shape.operandElements(), results = shape.resultElements(), tile = shape.tile;
    int kRegisters = k * tile / 64, steps = kRegisters / perLane;
    int rowBlocks = a.inSize(InDim::Register) / kRegisters, columnBlocks = b.inSize(InDim::Register) / kRegisters;
    ASSERT_EQ(d.inSize(InDim::Register), rowBlocks * columnBlocks * results);
    for (int rowBlock = 0; rowBlock < rowBlocks; ++rowBlock)
      for (int columnBlock = 0; columnBlock < columnBlocks; ++columnBlock) {
        // D transposed: the first operand, of which lane l holds row l % tile, is B.
        std::vector<int> sums(tile * tile, 0);
        for (int step = 0; step < steps; ++step)
          for (int i = 0; i < tile; ++i)
            for (int j = 0; j < tile; ++j)
              for (int group = 0; group < 64 / tile; ++group)
                for (int e = 0; e < perLane; ++e) {
                  Coords right = b.at(columnBlock * kRegisters + step * perLane + e, group * tile + i, wave);
                  Coords left = a.at(rowBlock * kRegisters + step * perLane + e, group * tile + j, wave);
                  ASSERT_EQ(left[1], right[0]) << "the operands disagree about K";
                  sums[i * tile + j] += aAt(left[0], left[1]) * bAt(right[0], right[1]);
                }
        for (int lane = 0; lane < 64; ++lane)
          for (int v = 0; v < results; ++v) {
            Coords place = d.at((rowBlock * columnBlocks + columnBlock) * results + v, lane, wave);
            int expected = 0;
            for (int depth = 0; depth < k; ++depth)
              expected += aAt(place[0], depth) * bAt(depth, place[1]);
            ASSERT_EQ(sums[resultRow(tile, lane, v) * tile + lane % tile], expected);
          }
      }
  }
};

TEST(MfmaLayouts, ProductsOfManyInstructions) {
  Product{128, 64, 64, {32, 8, 8}, 4, false}.check();
  Product{64, 128, 32, {16, 16, 8}, 4, false}.check();
  Product{64, 64, 64, {32, 16, 8}, 8, false}.check();
  Product{32, 32, 32, {16, 32, 4}, 4, true}.check();
  Product{32, 64, 32, {32, 16, 4}, 2, true}.check();
  Product{64, 32, 64, {32, 16, 16}, 4, true}.check();
  Product{16, 64, 16, {16, 4, 4}, 1, false}.check();
}

TEST(MfmaLayouts, WavesShareTheTile) {
  auto grid = [](int64_t m, int64_t n, int tile, int waves, bool rowsFirst) {
    WaveGrid result = mfmaWaves(m, n, tile, waves, rowsFirst);
    return std::vector<int>{result.rows, result.columns, result.copies};
  };
  EXPECT_EQ(grid(128, 128, 32, 4, false), (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(grid(256, 128, 32, 4, false), (std::vector<int>{4, 1, 1}));
  EXPECT_EQ(grid(128, 128, 32, 4, true), (std::vector<int>{4, 1, 1}));
  EXPECT_EQ(grid(64, 32, 32, 4, true), (std::vector<int>{2, 1, 2}));
  EXPECT_EQ(grid(32, 256, 32, 8, true), (std::vector<int>{1, 8, 1}));
}

/// An accumulator rounded to 16 bits is an operand A without moving when the run is 4.
TEST(MfmaLayouts, AnAccumulatorIsAnOperand) {
  for (auto [tile, depth] : {Instruction{32, 8}, {16, 16}, {32, 16}, {16, 32}}) {
    MfmaShape shape = {tile, depth, 4};
    WaveGrid grid = mfmaWaves(128, 64, tile, 4, /*rowsFirst=*/true);
    EXPECT_EQ(mfmaAccumulator(128, 64, shape, grid), mfmaOperandA(128, 64, shape, grid));
  }
}

} // namespace
