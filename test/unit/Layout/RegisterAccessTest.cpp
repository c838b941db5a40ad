//===- RegisterAccessTest.cpp - registers in use, vector widths -----------------------------------------===//

#include "tlx/Layout/RegisterAccess.h"
#include "RandomLayout.h"
#include "tlx/Layout/RegisterLayouts.h"

using namespace tlx::layout;

// Whatever the layout and the shape, use is what looking at every thread says.
TEST(RegisterAccess, UseIsWhatThreadsSee) {
  unsigned seed = testSeed();
  SCOPED_TRACE("TLX_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout(random, {3, 4}, random() % 3);
    llvm::SmallVector<int64_t> shape = {5 + int64_t(random() % 4), 9 + int64_t(random() % 8)};
    SCOPED_TRACE(toString(layout) + " of " + std::to_string(shape[0]) + "x" + std::to_string(shape[1]));
    llvm::SmallVector<int> expected;
    for (int reg = 0; reg < layout.inSize(InDim::Register); ++reg) {
      int inside = 0, outside = 0;
      for (int lane = 0; lane < layout.inSize(InDim::Lane); ++lane)
        for (int warp = 0; warp < layout.inSize(InDim::Warp); ++warp) {
          Coords coords = layout.at(reg, lane, warp);
          ++(coords[0] < shape[0] && coords[1] < shape[1] ? inside : outside);
        }
      RegisterUse use = inside == 0 ? RegisterUse::None : outside == 0 ? RegisterUse::All : RegisterUse::Some;
      EXPECT_EQ(registerUse(layout, reg, shape), use) << reg;
      EXPECT_EQ(isRegisterUsed(layout, reg, shape), inside > 0);
      if (inside > 0)
        expected.push_back(reg);
    }
    EXPECT_EQ(usedRegisters(layout, shape), expected);
  }
}

TEST(RegisterAccess, VectorWidth) {
  LinearLayout rows = blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  EXPECT_EQ(vectorWidth(rows, 1, 16, 64), 8);
  EXPECT_EQ(vectorWidth(rows, 1, 32, 64), 4) << "16 bytes at most";
  EXPECT_EQ(vectorWidth(rows, 1, 8, 64), 8) << "8 registers are consecutive";
  EXPECT_EQ(vectorWidth(rows, 1, 16, 4), 4) << "known contiguity at most";
  EXPECT_EQ(vectorWidth(rows, 1, 16, 12), 4) << "vectors start at multiples of 4";
  EXPECT_EQ(vectorWidth(rows, 1, 16, 1), 1);
  EXPECT_EQ(vectorWidth(rows, 0, 16, 64), 1) << "not the fastest axis";
  EXPECT_EQ(vectorWidth(wgmmaAccumulator(64, 128, 4, 128), 1, 32, 128), 2);
  EXPECT_EQ(vectorWidth(wgmmaOperandA(64, 128, 4, 8), 1, 8, 128), 4);
}

// A register bit in order is no vector if some other bit moves within it.
TEST(RegisterAccess, VectorStartsAligned) {
  LinearLayout layout(llvm::ArrayRef<int>(3));
  layout.addBasis(InDim::Register, {1});
  layout.addBasis(InDim::Register, {2});
  layout.addBasis(InDim::Lane, {6});
  EXPECT_EQ(vectorWidth(layout, 0, 16, 8), 2);
}
