//===- FragmentTest.cpp - register layouts against the hardware's formulas ------------------------------===//

#include "RandomLayout.h"
#include "tlx/Layout/RegisterAccess.h"
#include "tlx/Layout/RegisterLayouts.h"
#include <map>

using namespace tlx::layout;

namespace {

const int64_t tileRows[] = {64, 128, 192, 256};
const int64_t tileColumns[] = {8, 16, 24, 32, 64, 96, 128, 160, 176, 192, 256};
const int warpCounts[] = {4, 8, 16};

int64_t padded(int64_t size) {
  int64_t result = 1;
  while (result < size)
    result *= 2;
  return result;
}

} // namespace

// D of m64nN: row 16w + g + 8 ((e/2)%2), column 8 (e/4) + 2q + e%2; further rows to groups first, then to registers.
TEST(Fragment, AccumulatorOfEveryTile) {
  for (int64_t m : tileRows)
    for (int64_t n : tileColumns)
      for (int warps : warpCounts) {
        LinearLayout layout = wgmmaAccumulator(m, n, warps, n);
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " in " + std::to_string(warps) + ": " +
                     toString(layout));
        int groups = std::min<int>(warps / 4, padded(m / 64));
        int perBlock = padded(n) / 2;
        ASSERT_EQ(layout.inSize(InDim::Warp), warps);
        ASSERT_EQ(layout.inSize(InDim::Lane), 32);
        ASSERT_EQ(layout.inSize(InDim::Register), perBlock * padded(m) / (64 * groups));
        EXPECT_TRUE(layout.isSurjective());
        bool equal = true;
        forEachPlace(layout, [&](int reg, int lane, int warp) {
          int e = reg % perBlock, block = reg / perBlock * groups + warp / 4 % groups;
          equal &= layout.at(reg, lane, warp) == Coords{64 * block + 16 * (warp % 4) + lane / 4 + 8 * (e / 2 % 2),
                                                        8 * (e / 4) + 2 * (lane % 4) + e % 2};
        });
        EXPECT_TRUE(equal);
        unsigned copies = (warps / 4 - 1) & ~(groups - 1);
        EXPECT_EQ(layout.freeMask(InDim::Warp), copies * 4);
        EXPECT_EQ(layout.freeMask(InDim::Lane), 0u);
        EXPECT_EQ(layout.freeMask(InDim::Register), 0u);
      }
}

// Registers in use of a padded tile: N/2 of each 64-row block, in one run.
TEST(Fragment, AccumulatorSkipsPadding) {
  for (int64_t m : tileRows)
    for (int64_t n : tileColumns) {
      llvm::SmallVector<int> expected;
      for (int block = 0; block < m / 64; ++block)
        for (int e = 0; e < n / 2; ++e)
          expected.push_back(block * padded(n) / 2 + e);
      EXPECT_EQ(usedRegisters(wgmmaAccumulator(m, n, 4, n), {m, n}), expected) << m << "x" << n;
    }
}

// Groups without rows of their own take columns when the instruction is narrower than the tile; otherwise copies.
TEST(Fragment, AccumulatorSharesColumns) {
  WarpGroupGrid grid = wgmmaWarpGroups(64, 256, 8, 128);
  EXPECT_EQ(grid.rows, 1);
  EXPECT_EQ(grid.columns, 2);
  EXPECT_EQ(grid.copies, 1);
  EXPECT_EQ(wgmmaWarpGroups(64, 256, 8, 256).copies, 2);
  EXPECT_EQ(wgmmaWarpGroups(64, 192, 8, 96).copies, 2);
  EXPECT_EQ(wgmmaWarpGroups(128, 256, 16, 128).columns, 2);
  for (int warps : {8, 16}) {
    LinearLayout layout = wgmmaAccumulator(64, 256, warps, 64);
    int groupColumns = 256 / (warps / 4);
    ASSERT_EQ(layout.inSize(InDim::Register), groupColumns / 2);
    forEachPlace(layout, [&](int reg, int lane, int warp) {
      EXPECT_EQ(layout.at(reg, lane, warp),
                (Coords{16 * (warp % 4) + lane / 4 + 8 * (reg / 2 % 2),
                        warp / 4 * groupColumns + 8 * (reg / 4) + 2 * (lane % 4) + reg % 2}));
    });
  }
}

// A of 16 bits: k = 2q + e%2 + 8 (e/4); 8 bits: k = 4q + e%4 + 16 (e/8); 32 bits: k = q + 4 (e/2).
TEST(Fragment, OperandAOfEveryWidth) {
  for (int elemBits : {8, 16, 32})
    for (int64_t m : tileRows)
      for (int64_t k : {32, 64, 96, 128, 160, 256})
        for (int warps : warpCounts) {
          LinearLayout layout = wgmmaOperandA(m, k, warps, elemBits);
          SCOPED_TRACE(std::to_string(elemBits) + " bits " + std::to_string(m) + "x" + std::to_string(k) + " in " +
                       std::to_string(warps) + ": " + toString(layout));
          int groups = std::min<int>(warps / 4, padded(m / 64));
          int perRegister = 32 / elemBits, stepK = 256 / elemBits, perStep = 4 * perRegister;
          int perBlock = padded(k) / stepK * perStep;
          ASSERT_EQ(layout.inSize(InDim::Register), perBlock * padded(m) / (64 * groups));
          bool equal = true;
          forEachPlace(layout, [&](int reg, int lane, int warp) {
            int e = reg % perStep, step = reg % perBlock / perStep;
            int block = reg / perBlock * groups + warp / 4 % groups;
            int q = lane % 4, row = 0, column = 0;
            switch (elemBits) {
            case 8:
              row = 8 * (e / 4 % 2), column = 4 * q + e % 4 + 16 * (e / 8);
              break;
            case 16:
              row = 8 * (e / 2 % 2), column = 2 * q + e % 2 + 8 * (e / 4);
              break;
            case 32:
              row = 8 * (e % 2), column = q + 4 * (e / 2);
              break;
            }
            equal &= layout.at(reg, lane, warp) ==
                     Coords{64 * block + 16 * (warp % 4) + lane / 4 + row, stepK * step + column};
          });
          EXPECT_TRUE(equal);
        }
}

// The accumulator of one product is the A operand of the next for 16-bit elements, and for no other width.
TEST(Fragment, OperandAOf16BitsIsAccumulator) {
  for (int64_t m : tileRows)
    for (int64_t n : {16, 32, 64, 96, 128, 160, 176, 192, 256})
      for (int warps : warpCounts) {
        EXPECT_EQ(wgmmaOperandA(m, n, warps, 16), wgmmaAccumulator(m, n, warps, n)) << m << "x" << n << " " << warps;
        if (n % 32 == 0)
          EXPECT_FALSE(wgmmaOperandA(m, n, warps, 8) == wgmmaAccumulator(m, n, warps, n));
      }
}

namespace {

struct BlockedCase {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int> sizePerThread, threadsPerWarp, warpsPerCta, order;
};

/// What blocked layouts mean, digit by digit: index = register digit, then lane, then warp digit on each axis.
Coords blockedElement(const BlockedCase &c, int reg, int lane, int warp) {
  int rank = c.shape.size();
  Coords coords(rank, 0);
  Coords digit = {reg, lane, warp};
  auto take = [&](int which, int count) {
    int value = digit[which] % count;
    digit[which] /= count;
    return value;
  };
  for (int axis : c.order) {
    int size = padded(c.shape[axis]);
    int registers = std::min(size, c.sizePerThread[axis]);
    int inThread = take(0, registers);
    int inWarp = take(1, c.threadsPerWarp[axis]) % std::max(1, size / registers);
    int lanes = std::min(c.threadsPerWarp[axis], size / registers);
    int inCta = take(2, c.warpsPerCta[axis]) % std::max(1, size / (registers * lanes));
    coords[axis] = inThread + registers * (inWarp + lanes * inCta);
  }
  for (int axis : c.order) {
    int size = padded(c.shape[axis]);
    int covered = std::min<int>(size, c.sizePerThread[axis] * c.threadsPerWarp[axis] * c.warpsPerCta[axis]);
    coords[axis] += covered * take(0, size / covered);
  }
  return coords;
}

} // namespace

// Blocked layouts repeat in registers over larger tiles and keep copies of smaller ones.
TEST(Fragment, Blocked) {
  const BlockedCase cases[] = {
      {{128}, {4}, {32}, {1}, {0}},
      {{1024}, {4}, {32}, {4}, {0}},
      {{64}, {1}, {32}, {4}, {0}},
      {{2}, {4}, {32}, {4}, {0}},
      {{1}, {1}, {32}, {4}, {0}},
      {{64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}},
      {{64, 64}, {8, 1}, {8, 4}, {1, 4}, {0, 1}},
      {{128, 256}, {1, 4}, {2, 16}, {2, 2}, {1, 0}},
      {{16, 16}, {1, 8}, {4, 8}, {4, 1}, {1, 0}},
      {{96, 48}, {1, 4}, {4, 8}, {4, 1}, {1, 0}},
      {{4, 8, 16}, {1, 1, 2}, {1, 4, 8}, {2, 2, 1}, {2, 1, 0}},
      {{4, 8, 16}, {1, 2, 1}, {4, 8, 1}, {1, 1, 4}, {1, 0, 2}},
      {{256, 64}, {1, 8}, {8, 8}, {4, 1}, {1, 0}},
  };
  for (const BlockedCase &c : cases) {
    LinearLayout layout = blocked(c.shape, c.sizePerThread, c.threadsPerWarp, c.warpsPerCta, c.order);
    SCOPED_TRACE(toString(layout));
    EXPECT_TRUE(layout.isSurjective());
    EXPECT_EQ(layout.freeMask(InDim::Register), 0u);
    int lanes = 1, warps = 1;
    for (int count : c.threadsPerWarp)
      lanes *= count;
    for (int count : c.warpsPerCta)
      warps *= count;
    ASSERT_EQ(layout.inSize(InDim::Lane), lanes);
    ASSERT_EQ(layout.inSize(InDim::Warp), warps);
    forEachPlace(layout, [&](int reg, int lane, int warp) {
      ASSERT_EQ(layout.at(reg, lane, warp), blockedElement(c, reg, lane, warp)) << reg << " " << lane << " " << warp;
    });
  }
}

// The masks of copies: a 64-element tile in 4 warps needs two warps; a row of 16 in 4x8 lanes needs 2 of the
// columns' 8.
TEST(Fragment, BlockedCopies) {
  LinearLayout line = blocked({64}, {1}, {32}, {4}, {0});
  EXPECT_EQ(line.freeMask(InDim::Lane), 0u);
  EXPECT_EQ(line.freeMask(InDim::Warp), 0b10u);
  LinearLayout tile = blocked({16, 16}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  EXPECT_EQ(tile.freeMask(InDim::Lane), 0b00110u);
  EXPECT_EQ(tile.freeMask(InDim::Warp), 0u);
  EXPECT_EQ(blocked({2}, {4}, {32}, {4}, {0}).freeMask(InDim::Lane), 0b11111u);
}
