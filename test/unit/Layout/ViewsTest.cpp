//===- ViewsTest.cpp - views of tiles against brute force -----------------------------------------------===//

#include "RandomLayout.h"
#include "tlx/Layout/RegisterLayouts.h"

using namespace tlx::layout;

namespace {

class Views : public testing::Test {
protected:
  /// Checks `view` against a change of coordinates at every place of many layouts.
  template <typename View, typename Expected> void check(llvm::ArrayRef<int> axisBits, View view, Expected expected) {
    for (int round = 0; round < 40; ++round) {
      LinearLayout layout = randomLayout(random, axisBits, random() % 3);
      LinearLayout result = view(layout);
      SCOPED_TRACE(toString(layout) + " gives " + toString(result));
      forEachPlace(layout, [&](int reg, int lane, int warp) {
        ASSERT_EQ(result.at(reg, lane, warp), expected(layout.at(reg, lane, warp)));
      });
    }
  }

  unsigned seed = testSeed();
  std::mt19937 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "TLX_TEST_SEED=" + std::to_string(seed)};
};

} // namespace

TEST_F(Views, Slice) {
  check({2, 3, 1}, [](const LinearLayout &l) { return l.slice(1); }, [](Coords c) { return Coords{c[0], c[2]}; });
  check({2, 3}, [](const LinearLayout &l) { return l.slice(0); }, [](Coords c) { return Coords{c[1]}; });
  check({4}, [](const LinearLayout &l) { return l.slice(0); }, [](Coords) { return Coords{}; });
}

TEST_F(Views, ExpandDims) {
  check({2, 3}, [](const LinearLayout &l) { return l.expandDims(0); }, [](Coords c) { return Coords{0, c[0], c[1]}; });
  check({2, 3}, [](const LinearLayout &l) { return l.expandDims(2); }, [](Coords c) { return Coords{c[0], c[1], 0}; });
}

TEST_F(Views, ProjectTo1) {
  check({2, 3}, [](const LinearLayout &l) { return l.projectTo1(1); }, [](Coords c) { return Coords{c[0], 0}; });
  EXPECT_EQ(randomLayout(random, {2, 3}, 1).projectTo1(1).outSize(1), 1);
}

// Three axes in a circle: a mistake of the direction would show.
TEST_F(Views, Permute) {
  check(
      {1, 2, 3}, [](const LinearLayout &l) { return l.permute({1, 2, 0}); },
      [](Coords c) { return Coords{c[1], c[2], c[0]}; });
  LinearLayout layout = randomLayout(random, {1, 2, 3}, 1);
  EXPECT_EQ(layout.permute({1, 2, 0}).outSize(0), 4);
  EXPECT_EQ(layout.permute({1, 2, 0}).permute({2, 0, 1}), layout);
}

TEST_F(Views, Reshape) {
  auto flat = [](Coords c) { return (c[0] * 8 + c[1]) * 4 + c[2]; };
  check(
      {1, 3, 2}, [](const LinearLayout &l) { return l.reshape({4, 16}); },
      [&](Coords c) { return Coords{flat(c) / 16, flat(c) % 16}; });
  check(
      {1, 3, 2}, [](const LinearLayout &l) { return l.reshape({2, 1, 2, 16}); },
      [&](Coords c) { return Coords{flat(c) / 32, 0, flat(c) / 16 % 2, flat(c) % 16}; });
  check({1, 3, 2}, [](const LinearLayout &l) { return l.reshape({64}); }, [&](Coords c) { return Coords{flat(c)}; });
}

// A half holds what the tile holds at last index 0 and, with the register bit set, at 1.
TEST_F(Views, SplitFindsTheRegister) {
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    LinearLayout layout = randomLayout(random, {2, 2, 1}, random() % 2);
    std::optional<LinearLayout::Halves> halves = layout.split();
    if (!halves)
      continue;
    ++found;
    SCOPED_TRACE(toString(layout));
    int bit = halves->registerBit;
    forEachPlace(halves->half, [&](int reg, int lane, int warp) {
      int low = reg & ((1 << bit) - 1), high = (reg >> bit) << (bit + 1);
      Coords expected = halves->half.at(reg, lane, warp);
      for (int index : {0, 1}) {
        Coords whole = layout.at(high | index << bit | low, lane, warp);
        EXPECT_EQ(whole, (Coords{expected[0], expected[1], index}));
      }
    });
  }
  EXPECT_GT(found, 0);
}

// Halves told apart by a lane, by two registers, or by a register that moves elsewhere too are not split.
TEST_F(Views, SplitRefuses) {
  LinearLayout byLane({1, 1});
  byLane.addBasis(InDim::Register, {1, 0});
  byLane.addBasis(InDim::Lane, {0, 1});
  EXPECT_FALSE(byLane.split().has_value());

  LinearLayout twice({1, 1});
  twice.addBasis(InDim::Register, {0, 1});
  twice.addBasis(InDim::Register, {1, 1});
  EXPECT_FALSE(twice.split().has_value());

  LinearLayout equal({1, 1});
  equal.addBasis(InDim::Register, {0, 1});
  equal.addBasis(InDim::Register, {0, 1});
  EXPECT_FALSE(equal.split().has_value());

  LinearLayout oblique({1, 1});
  oblique.addBasis(InDim::Register, {1, 1});
  oblique.addBasis(InDim::Lane, {1, 0});
  EXPECT_FALSE(oblique.split().has_value());

  LinearLayout absent({1, 1});
  absent.addBasis(InDim::Register, {1, 0});
  EXPECT_FALSE(absent.split().has_value());
}

TEST_F(Views, JoinIsUndoneBySplit) {
  for (int round = 0; round < 40; ++round) {
    LinearLayout half = randomLayout(random, {2, 3}, random() % 3);
    int bit = random() % (half.inBits(InDim::Register) + 1);
    LinearLayout whole = half.join(bit);
    SCOPED_TRACE(toString(whole));
    EXPECT_TRUE(whole.isSurjective());
    auto halves = whole.split();
    ASSERT_TRUE(halves.has_value());
    EXPECT_EQ(halves->registerBit, bit);
    EXPECT_EQ(halves->half, half);
  }
}

// Reducing the columns of a wgmma tile leaves each row with the four lanes of a quad, and no copies elsewhere.
TEST_F(Views, RowsOfAnAccumulator) {
  LinearLayout rows = wgmmaAccumulator(128, 128, 8, 128).slice(1);
  EXPECT_EQ(rows.freeMask(InDim::Lane), 0b00011u);
  EXPECT_EQ(rows.freeMask(InDim::Warp), 0u);
  LinearLayout once = rows.withoutFreeRegisters();
  ASSERT_EQ(once.inBits(InDim::Register), 1);
  EXPECT_EQ(once.basis(InDim::Register, 0), Coords{8});
}
