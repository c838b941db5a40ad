// Which thread holds which element of a tile of tensor memory: against the tables of PTX ISA, tcgen05.ld.
#include "tlx/Layout/TensorMemoryLayout.h"
#include <gtest/gtest.h>

using namespace tlx::layout;

TEST(TensorMemoryLayout, FullRowsAreLanesAndColumnsRegisters) {
  LinearLayout layout = tensorMemoryTile(128, 64, 4);
  ASSERT_EQ(layout.inSize(InDim::Register), 64);
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int reg = 0; reg < 64; ++reg)
        EXPECT_EQ(layout.at(reg, lane, warp), (Coords{32 * warp + lane, reg}));
}

TEST(TensorMemoryLayout, FurtherGroupsShareTheColumns) {
  LinearLayout layout = tensorMemoryTile(128, 64, 8);
  ASSERT_EQ(layout.inSize(InDim::Register), 32);
  for (int warp = 0; warp < 8; ++warp)
    for (int reg = 0; reg < 32; ++reg)
      EXPECT_EQ(layout.at(reg, 3, warp), (Coords{32 * (warp % 4) + 3, 32 * (warp / 4) + reg}));
}

TEST(TensorMemoryLayout, HalfTheRowsTakeSixteenLanesAndBothHalvesOfTheColumns) {
  LinearLayout layout = tensorMemoryTile(64, 32, 4);
  ASSERT_EQ(layout.inSize(InDim::Register), 16);
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int reg = 0; reg < 16; ++reg)
        EXPECT_EQ(layout.at(reg, lane, warp), (Coords{16 * warp + lane % 16, 16 * (lane / 16) + reg}));
}

TEST(TensorMemoryLayout, HalfTheRowsHaveStripsOf32ColumnsInEveryThread) {
  LinearLayout layout = tensorMemoryTile(64, 128, 8);
  ASSERT_EQ(layout.inSize(InDim::Register), 32);
  for (int warp = 0; warp < 8; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int reg = 0; reg < 32; ++reg)
        EXPECT_EQ(layout.at(reg, lane, warp),
                  (Coords{16 * (warp % 4) + lane % 16, 64 * (warp / 4) + reg / 16 * 32 + lane / 16 * 16 + reg % 16}));
}

TEST(TensorMemoryLayout, EveryElementHasOnePlace) {
  for (int64_t rows : {64, 128})
    for (int64_t columns : {16, 32, 128, 256})
      for (int warps : {4, 8}) {
        LinearLayout layout = tensorMemoryTile(rows, columns, warps);
        EXPECT_TRUE(layout.isSurjective() && layout.isInjective()) << rows << ' ' << columns << ' ' << warps;
        EXPECT_EQ(layout.inSize(InDim::Register), tensorMemoryColumnsPerThread(rows, columns, warps));
      }
}
