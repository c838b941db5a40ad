//===- SharedLayoutTest.cpp - swizzles, panels, bank conflicts ------------------------------------------===//

#include "tlx/Layout/SharedLayout.h"
#include "RandomLayout.h"
#include "tlx/Layout/RegisterLayouts.h"
#include <set>

using namespace tlx::layout;

// Chunk c of row r is at c ^ r%8, c ^ (r/2)%4, c ^ (r/4)%2: the tables as the hardware documents print them.
TEST(SharedLayout, ChunkTables) {
  const int by128[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5},
                           {3, 2, 1, 0, 7, 6, 5, 4}, {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                           {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
  const int by64[8][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {1, 0, 3, 2},
                          {2, 3, 0, 1}, {2, 3, 0, 1}, {3, 2, 1, 0}, {3, 2, 1, 0}};
  const int by32[8][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};
  for (int row = 0; row < 64; ++row) {
    for (int chunk = 0; chunk < 8; ++chunk)
      EXPECT_EQ(SharedTile::whole({64, 64}, 2, 128).byteOffset({row, chunk * 8}),
                row * 128 + 16 * by128[row % 8][chunk]);
    for (int chunk = 0; chunk < 4; ++chunk)
      EXPECT_EQ(SharedTile::whole({64, 32}, 2, 64).byteOffset({row, chunk * 8}), row * 64 + 16 * by64[row % 8][chunk]);
    for (int chunk = 0; chunk < 2; ++chunk)
      EXPECT_EQ(SharedTile::whole({64, 16}, 2, 32).byteOffset({row, chunk * 8}), row * 32 + 16 * by32[row % 8][chunk]);
  }
}

// The swizzle is an XOR of address bits 4.. with bits 7.. of the unswizzled address. Panels begin at multiples of 8
// rows, or the hardware, which sees addresses only, would disagree.
TEST(SharedLayout, SwizzleIsXorOfAddressBits) {
  for (int swizzle : {32, 64, 128})
    for (int elemBytes : {1, 2, 4})
      for (int64_t rows : {8, 12, 24})
        for (int64_t columns : {128, 192, 256}) {
          SharedTile tile = SharedTile::whole({rows, columns}, elemBytes, swizzle);
          int64_t panelBytes = (rows + 7) / 8 * 8 * swizzle;
          int64_t panels = (columns * elemBytes + swizzle - 1) / swizzle;
          EXPECT_EQ(tile.sizeInBytes(), panels * panelBytes);
          std::set<int64_t> seen;
          for (int64_t row = 0; row < rows; ++row)
            for (int64_t column = 0; column < columns; ++column) {
              int64_t bytes = column * elemBytes;
              int64_t plain = bytes / swizzle * panelBytes + row * swizzle + bytes % swizzle;
              int64_t expected = plain ^ ((plain >> 7 & (swizzle / 16 - 1)) << 4);
              EXPECT_EQ(tile.byteOffset({row, column}), expected);
              seen.insert(expected);
            }
          EXPECT_EQ(int64_t(seen.size()), rows * columns) << "no two elements at one place";
          EXPECT_LE(*seen.rbegin() + elemBytes, tile.sizeInBytes());
        }
}

// A part of a tile keeps the whole's panels: rows 64.. of a 128-row tile are 64 * 128 bytes further on.
TEST(SharedLayout, PartsKeepThePanels) {
  SharedTile whole = SharedTile::whole({128, 128}, 2, 128);
  SharedTile part = SharedTile::whole({64, 128}, 2, 128);
  part.panelRows = 128;
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 128; ++column)
      EXPECT_EQ(whole.byteOffset({row + 64, column}), part.byteOffset({row, column}) + 8192);
  EXPECT_FALSE(asLinear(part).has_value());

  SharedTile plain = SharedTile::whole({16, 4}, 4, 0);
  plain.pitchBytes = 64;
  EXPECT_EQ(plain.byteOffset({3, 2}), 200);
  EXPECT_FALSE(asLinear(plain).has_value());
}

// Rows of 64 halves, 8 of padding behind each: a column of 16-byte chunks meets every bank once, without padding one
// bank eight times.
TEST(SharedLayout, PaddingSpreadsColumnsOverBanks) {
  SharedTile tile = SharedTile::whole({64, 64}, 2, 0);
  for (int bit = 0; bit < 12; ++bit)
    tile.places.push_back(int64_t(1) << bit);
  LinearLayout columns({6, 6});
  for (int bit = 0; bit < 3; ++bit)
    columns.addBasis(InDim::Register, {0, 1 << bit});
  for (int bit = 0; bit < 5; ++bit)
    columns.addBasis(InDim::Lane, {1 << bit, 0});
  EXPECT_EQ(tile.sizeInBytes(), 8192);
  EXPECT_EQ(bankConflicts(columns, tile, 16), 4 * 7);
  tile.padding.push_back({64, 8});
  EXPECT_EQ(tile.byteOffset({1, 0}), 144);
  EXPECT_EQ(tile.linearOffset({1, 0}), 128);
  EXPECT_EQ(tile.sizeInBytes(), 64 * 144 - 16);
  EXPECT_EQ(bankConflicts(columns, tile, 16), 0);
  EXPECT_FALSE(asLinear(tile).has_value());
}

// Places bit by bit say what a swizzle says, and are linear as that is.
TEST(SharedLayout, PlacesBitByBitAreThoseOfTheSwizzle) {
  SharedTile swizzled = SharedTile::whole({64, 64}, 2, 128), written = SharedTile::whole({64, 64}, 2, 0);
  for (int64_t column = 1; column < 64; column *= 2)
    written.places.push_back(swizzled.byteOffset({0, column}) / 2);
  for (int64_t row = 1; row < 64; row *= 2)
    written.places.push_back(swizzled.byteOffset({row, 0}) / 2);
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 64; ++column)
      EXPECT_EQ(written.byteOffset({row, column}), swizzled.byteOffset({row, column}));
  EXPECT_EQ(asLinear(written), asLinear(swizzled));
}

TEST(SharedLayout, LeadingAxesStackTiles) {
  SharedTile stack = SharedTile::whole({2, 3, 16, 64}, 2, 128);
  SharedTile tile = SharedTile::whole({16, 64}, 2, 128);
  EXPECT_EQ(stack.stackStride(), 2048);
  EXPECT_EQ(stack.sizeInBytes(), 6 * 2048);
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = 0; b < 3; ++b)
      EXPECT_EQ(stack.byteOffset({a, b, 5, 9}), (a * 3 + b) * 2048 + tile.byteOffset({5, 9}));
  EXPECT_EQ(SharedTile::whole({100}, 4, 0).byteOffset({7}), 28);
  EXPECT_EQ(SharedTile::whole({100}, 4, 0).sizeInBytes(), 400);
}

TEST(SharedLayout, DefaultSwizzle) {
  EXPECT_EQ(SharedTile::defaultSwizzle({64, 64}, 2), 128);
  EXPECT_EQ(SharedTile::defaultSwizzle({64, 256}, 1), 128);
  EXPECT_EQ(SharedTile::defaultSwizzle({64, 96}, 2), 64);
  EXPECT_EQ(SharedTile::defaultSwizzle({64, 32}, 2), 64);
  EXPECT_EQ(SharedTile::defaultSwizzle({64, 176}, 2), 32);
  EXPECT_EQ(SharedTile::defaultSwizzle({64, 16}, 2), 32);
  EXPECT_EQ(SharedTile::defaultSwizzle({64, 8}, 2), 0);
  EXPECT_EQ(SharedTile::defaultSwizzle({4, 64}, 2), 0);
  EXPECT_EQ(SharedTile::defaultSwizzle({2, 64, 64}, 2), 128);
  EXPECT_EQ(SharedTile::defaultSwizzle({4096}, 2), 0);
  EXPECT_EQ(SharedTile::whole({64, 64}, 2, 128).alignment(), 1024);
  EXPECT_EQ(SharedTile::whole({64, 32}, 2, 64).alignment(), 512);
  EXPECT_EQ(SharedTile::whole({64, 16}, 2, 32).alignment(), 256);
}

// The linear view agrees with byteOffset for every element.
TEST(SharedLayout, LinearView) {
  for (int swizzle : {0, 32, 64, 128})
    for (int elemBytes : {1, 2, 4}) {
      SharedTile tile = SharedTile::whole({2, 16, 128}, elemBytes, swizzle);
      std::optional<LinearLayout> linear = asLinear(tile);
      ASSERT_TRUE(linear.has_value());
      EXPECT_TRUE(linear->isSurjective() && linear->isInjective());
      for (int32_t offset = 0; offset < 2 * 16 * 128; ++offset) {
        Coords coords = linear->atOffset(offset);
        EXPECT_EQ(tile.byteOffset({coords[0], coords[1], coords[2]}), int64_t(offset) * elemBytes);
      }
    }
  EXPECT_FALSE(asLinear(SharedTile::whole({16, 96}, 2, 64)).has_value());
}

// Reading rows is free of conflicts; reading columns is not, unless the swizzle spreads them.
TEST(SharedLayout, BankConflicts) {
  LinearLayout rows = blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  EXPECT_EQ(bankConflicts(rows, SharedTile::whole({64, 64}, 2, 0), 16), 0);
  EXPECT_EQ(bankConflicts(rows, SharedTile::whole({64, 64}, 2, 128), 16), 0);

  // Eight lanes of a group read one chunk column of eight rows: 8 wavefronts instead of 1, in 4 groups.
  LinearLayout chunkColumns = blocked({64, 64}, {1, 8}, {32, 1}, {2, 2}, {1, 0});
  EXPECT_EQ(bankConflicts(chunkColumns, SharedTile::whole({64, 64}, 2, 0), 16), 28);
  EXPECT_EQ(bankConflicts(chunkColumns, SharedTile::whole({64, 64}, 2, 128), 16), 0);
  // Rows of 64 bytes: eight rows fill the banks four times over without swizzle, but two rows share 128 bytes.
  EXPECT_EQ(bankConflicts(blocked({64, 32}, {1, 8}, {32, 1}, {2, 2}, {1, 0}), SharedTile::whole({64, 32}, 2, 0), 16),
            12);
  EXPECT_EQ(bankConflicts(blocked({64, 32}, {1, 8}, {32, 1}, {2, 2}, {1, 0}), SharedTile::whole({64, 32}, 2, 64), 16),
            0);

  // 32 lanes of 8 consecutive bytes are two wavefronts, and no more than that is no conflict.
  EXPECT_EQ(bankConflicts(blocked({256}, {4}, {32}, {2}, {0}), SharedTile::whole({256}, 2, 0), 8), 0);

  // Packed pairs of an accumulator: 8 rows of 128 bytes meet in 4 banks; the swizzle sets them apart.
  LinearLayout accumulator = wgmmaAccumulator(64, 64, 4, 64);
  EXPECT_EQ(bankConflicts(accumulator, SharedTile::whole({64, 64}, 2, 0), 4), 7);
  EXPECT_EQ(bankConflicts(accumulator, SharedTile::whole({64, 64}, 2, 128), 4), 0);
  // All lanes read one word: no conflict.
  LinearLayout same = blocked({1, 1}, {1, 1}, {32, 1}, {4, 1}, {1, 0});
  EXPECT_EQ(bankConflicts(same, SharedTile::whole({1, 1}, 4, 0), 4), 0);
}
