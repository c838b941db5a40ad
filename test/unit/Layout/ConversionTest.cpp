//===- ConversionTest.cpp - inverses, composition, movement ---------------------------------------------===//

#include "RandomLayout.h"
#include "tlx/Layout/RegisterAccess.h"
#include "tlx/Layout/RegisterLayouts.h"

using namespace tlx::layout;

namespace {

class Conversion : public testing::Test {
protected:
  unsigned seed = testSeed();
  std::mt19937 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "TLX_TEST_SEED=" + std::to_string(seed)};
};

} // namespace

// Every place of the destination finds its element in the source.
TEST_F(Conversion, FindsEveryElement) {
  for (int round = 0; round < 200; ++round) {
    llvm::SmallVector<int> axisBits = {int(random() % 4), int(random() % 4), int(random() % 3)};
    LinearLayout source = randomLayout(random, axisBits, random() % 4);
    LinearLayout destination = randomLayout(random, axisBits, random() % 4);
    LinearLayout origin = destination.invertAndCompose(source);
    SCOPED_TRACE("from " + toString(source) + " to " + toString(destination) + " by " + toString(origin));
    ASSERT_EQ(origin.rank(), numInDims);
    forEachPlace(destination, [&](int reg, int lane, int warp) {
      Coords from = origin.at(reg, lane, warp);
      ASSERT_EQ(source.at(from[0], from[1], from[2]), destination.at(reg, lane, warp));
    });
  }
}

// There and back is the identity for layouts without copies.
TEST_F(Conversion, RoundTrip) {
  for (int round = 0; round < 200; ++round) {
    LinearLayout a = randomLayout(random, {3, 4}, 0), b = randomLayout(random, {3, 4}, 0);
    LinearLayout toA = b.invertAndCompose(a), toB = a.invertAndCompose(b);
    forEachPlace(b, [&](int reg, int lane, int warp) {
      Coords inA = toA.at(reg, lane, warp);
      ASSERT_EQ(toB.at(inA[0], inA[1], inA[2]), (Coords{reg, lane, warp, 0, 0}));
    });
  }
}

TEST_F(Conversion, InverseOfEveryElement) {
  for (int round = 0; round < 100; ++round) {
    LinearLayout layout = randomLayout(random, {2, 4}, random() % 4);
    LinearLayout inverse = layout.pseudoInvert();
    for (int flat = 0; flat < 64; ++flat) {
      Coords place = inverse.atOffset(flat);
      ASSERT_EQ(layout.flatten(layout.at(place[0], place[1], place[2])), uint64_t(flat));
      for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp})
        ASSERT_EQ(place[int(dim)] & layout.freeMask(dim), 0u) << "the first copy is given";
    }
  }
  LinearLayout bijective = randomLayout(random, {2, 4}, 0);
  EXPECT_EQ(bijective.invert(), bijective.pseudoInvert());
}

TEST_F(Conversion, Compose) {
  for (int round = 0; round < 100; ++round) {
    LinearLayout first = randomLayout(random, {2, 3}, random() % 3);
    LinearLayout next({1, 2});
    for (int bit = 0; bit < 5; ++bit)
      next.addBasis(InDim::Offset, {int(random() % 2), int(random() % 4)});
    LinearLayout both = first.compose(next);
    forEachPlace(first, [&](int reg, int lane, int warp) {
      ASSERT_EQ(both.at(reg, lane, warp), next.atOffset(first.flatten(first.at(reg, lane, warp))));
    });
  }
}

// To the same layout nothing moves, copies or not.
TEST_F(Conversion, SameLayoutMovesNothing) {
  for (int round = 0; round < 100; ++round) {
    LinearLayout layout = randomLayout(random, {3, 3}, random() % 4);
    EXPECT_EQ(movement(layout, layout), Movement::None) << toString(layout);
  }
}

// The level is never lower than what brute force finds necessary for each place.
TEST_F(Conversion, MovementIsNeeded) {
  for (int round = 0; round < 100; ++round) {
    LinearLayout source = randomLayout(random, {2, 2}, random() % 3);
    LinearLayout destination = randomLayout(random, {2, 2}, random() % 3);
    bool inWarp = true, inThread = true;
    forEachPlace(destination, [&](int reg, int lane, int warp) {
      bool warpHas = false, threadHas = false;
      forEachPlace(source, [&](int fromReg, int fromLane, int fromWarp) {
        if (source.at(fromReg, fromLane, fromWarp) != destination.at(reg, lane, warp))
          return;
        // A warp or lane that the source lacks holds what its first copy holds.
        warpHas |= fromWarp == warp;
        threadHas |= fromWarp == warp && fromLane == lane;
      });
      inWarp &= warpHas;
      inThread &= threadHas;
    });
    Movement level = movement(source, destination);
    SCOPED_TRACE("from " + toString(source) + " to " + toString(destination));
    EXPECT_EQ(level <= Movement::Lanes, inWarp);
    if (level <= Movement::Registers)
      EXPECT_TRUE(inThread);
  }
}

// One example of each level.
TEST_F(Conversion, Levels) {
  LinearLayout accumulator = wgmmaAccumulator(64, 64, 4, 64);
  EXPECT_EQ(movement(accumulator, wgmmaOperandA(64, 64, 4, 16)), Movement::None);
  EXPECT_EQ(movement(accumulator, wgmmaOperandA(64, 64, 4, 8)), Movement::Lanes);
  EXPECT_EQ(movement(accumulator, blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0})), Movement::Warps);
  LinearLayout wide = blocked({128}, {4}, {32}, {1}, {0});
  LinearLayout swapped(llvm::ArrayRef<int>(7));
  swapped.addBasis(InDim::Register, {2});
  swapped.addBasis(InDim::Register, {1});
  for (int bit = 2; bit < 7; ++bit)
    swapped.addBasis(InDim::Lane, {1 << bit});
  EXPECT_EQ(movement(wide, swapped), Movement::Registers);
  // Every lane holds both elements and keeps one of them: which one depends on the lane.
  LinearLayout everywhere = LinearLayout::identity(InDim::Register, 1, 0, 1) * LinearLayout::zeros(InDim::Lane, 1, 1);
  EXPECT_EQ(movement(everywhere, LinearLayout::identity(InDim::Lane, 1, 0, 1)), Movement::Lanes);
  LinearLayout acrossBlocks = LinearLayout::identity(InDim::Block, 1, 0, 1);
  EXPECT_EQ(movement(acrossBlocks, LinearLayout::identity(InDim::Lane, 1, 0, 1)), Movement::Blocks);
}

// Broadcasting a row's value over an accumulator needs no movement: the copies are where they are wanted.
TEST_F(Conversion, RowValuesAreInPlace) {
  LinearLayout accumulator = wgmmaAccumulator(128, 96, 8, 96);
  LinearLayout reduced = accumulator.slice(1).withoutFreeRegisters().expandDims(1);
  LinearLayout wanted = accumulator.projectTo1(1);
  EXPECT_EQ(movement(reduced, wanted), Movement::Registers);
  LinearLayout origin = wanted.invertAndCompose(reduced);
  forEachPlace(wanted, [&](int reg, int lane, int warp) {
    ASSERT_EQ(origin.at(reg, lane, warp), (Coords{reg / 2 % 2, lane, warp, 0, 0}));
  });
}
