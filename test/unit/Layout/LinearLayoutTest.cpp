//===- LinearLayoutTest.cpp - values, products, copies, printing ----------------------------------------===//

#include "RandomLayout.h"
#include <set>

using namespace tlx::layout;

// Numbers and coordinates are row-major and inverse to each other.
TEST(LinearLayout, FlattensRowMajor) {
  LinearLayout layout({1, 3, 2});
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 8; ++b)
      for (int c = 0; c < 4; ++c) {
        Coords coords = {a, b, c};
        EXPECT_EQ(layout.flatten(coords), uint64_t((a * 8 + b) * 4 + c));
        EXPECT_EQ(layout.unflatten(layout.flatten(coords)), coords);
      }
}

// Tiles of the left, repeated by the right: the right's steps are above the left's.
TEST(LinearLayout, ProductStacksBits) {
  LinearLayout product = LinearLayout::identity(InDim::Register, 1, 1, 2) *
                         LinearLayout::identity(InDim::Lane, 2, 1, 2) * LinearLayout::identity(InDim::Lane, 3, 0, 2) *
                         LinearLayout::identity(InDim::Register, 1, 0, 2) * LinearLayout::zeros(InDim::Warp, 2, 2);
  EXPECT_EQ(product.outSize(0), 16);
  EXPECT_EQ(product.outSize(1), 8);
  EXPECT_EQ(product.inSize(InDim::Warp), 4);
  forEachPlace(product, [&](int reg, int lane, int warp) {
    EXPECT_EQ(product.at(reg, lane, warp), (Coords{lane / 4 + 8 * (reg / 2), reg % 2 + 2 * (lane % 4)}));
  });
}

// The order of a product matters, so the two differ.
TEST(LinearLayout, ProductIsNotCommutative) {
  LinearLayout lanes = LinearLayout::identity(InDim::Lane, 2, 0, 1);
  LinearLayout registers = LinearLayout::identity(InDim::Register, 1, 0, 1);
  EXPECT_FALSE(lanes * registers == registers * lanes);
  EXPECT_EQ((lanes * registers).at(1, 3, 0), Coords{7});
  EXPECT_EQ((registers * lanes).at(1, 3, 0), Coords{7});
  EXPECT_EQ((lanes * registers).at(1, 0, 0), Coords{4});
  EXPECT_EQ((registers * lanes).at(1, 0, 0), Coords{1});
}

// Bits are free when they reach nothing new; the scan prefers registers to lanes to warps to blocks.
TEST(LinearLayout, FreeMask) {
  LinearLayout layout({2, 1});
  layout.addBasis(InDim::Register, {0, 0});
  layout.addBasis(InDim::Register, {1, 0});
  layout.addBasis(InDim::Lane, {1, 0});
  layout.addBasis(InDim::Lane, {0, 1});
  layout.addBasis(InDim::Lane, {1, 1});
  layout.addBasis(InDim::Warp, {2, 0});
  layout.addBasis(InDim::Warp, {3, 1});
  layout.addBasis(InDim::Block, {0, 0});
  EXPECT_EQ(layout.freeMask(InDim::Register), 0b01u);
  EXPECT_EQ(layout.freeMask(InDim::Lane), 0b101u);
  EXPECT_EQ(layout.freeMask(InDim::Warp), 0b10u);
  EXPECT_EQ(layout.freeMask(InDim::Block), 0b1u);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_FALSE(layout.isInjective());
  LinearLayout once = layout.withoutFreeRegisters();
  EXPECT_EQ(once.inBits(InDim::Register), 1);
  EXPECT_EQ(once.basis(InDim::Register, 0), (Coords{1, 0}));
}

// Places with all free bits clear hold every element exactly once, whatever the layout.
TEST(LinearLayout, PlacesWithoutFreeBitsCoverOnce) {
  unsigned seed = testSeed();
  SCOPED_TRACE("TLX_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    LinearLayout layout = randomLayout(random, {int(random() % 4), int(random() % 5)}, random() % 4);
    SCOPED_TRACE(toString(layout));
    std::multiset<uint64_t> seen;
    forEachPlace(layout, [&](unsigned reg, unsigned lane, unsigned warp) {
      if (!(reg & layout.freeMask(InDim::Register)) && !(lane & layout.freeMask(InDim::Lane)) &&
          !(warp & layout.freeMask(InDim::Warp)))
        seen.insert(layout.flatten(layout.at(reg, lane, warp)));
    });
    EXPECT_EQ(seen.size(), size_t(1) << layout.totalOutBits());
    EXPECT_EQ(std::set<uint64_t>(seen.begin(), seen.end()).size(), seen.size());
  }
}

// A layout that misses elements says so.
TEST(LinearLayout, NotSurjective) {
  LinearLayout layout(llvm::ArrayRef<int>(2));
  layout.addBasis(InDim::Lane, {1});
  EXPECT_FALSE(layout.isSurjective());
  EXPECT_TRUE(layout.isInjective());
  layout.addBasis(InDim::Lane, {3});
  EXPECT_TRUE(layout.isSurjective());
}

// Equality and hash see bases, their dimension and the axes.
TEST(LinearLayout, EqualityAndHash) {
  LinearLayout lanes = LinearLayout::identity(InDim::Lane, 3, 0, 2);
  LinearLayout same = LinearLayout::identity(InDim::Lane, 2, 0, 2) * LinearLayout::identity(InDim::Lane, 1, 0, 2);
  EXPECT_EQ(lanes, same);
  EXPECT_EQ(hash_value(lanes), hash_value(same));
  for (const LinearLayout &other :
       {LinearLayout::identity(InDim::Warp, 3, 0, 2), LinearLayout::identity(InDim::Lane, 3, 1, 2),
        LinearLayout::identity(InDim::Lane, 2, 0, 2) * LinearLayout::identity(InDim::Warp, 1, 0, 2),
        LinearLayout::identity(InDim::Lane, 3, 0, 3)}) {
    EXPECT_FALSE(lanes == other) << toString(other);
    EXPECT_NE(hash_value(lanes), hash_value(other)) << toString(other);
  }
}

TEST(LinearLayout, Prints) {
  LinearLayout layout({1, 2});
  layout.addBasis(InDim::Register, {0, 1});
  layout.addBasis(InDim::Register, {1, 2});
  layout.addBasis(InDim::Warp, {0, 0});
  EXPECT_EQ(toString(layout), "register: (0,1) (1,2); warp: (0,0); -> [2,4]");
  EXPECT_EQ(toString(LinearLayout()), "-> []");
}

// A tile of one element, rank 0 included, has a layout with copies only.
TEST(LinearLayout, SingleElement) {
  LinearLayout scalar = LinearLayout::zeros(InDim::Lane, 5, 0);
  EXPECT_TRUE(scalar.isSurjective());
  EXPECT_EQ(scalar.freeMask(InDim::Lane), 31u);
  EXPECT_EQ(scalar.at(0, 17, 0), Coords{});
}
