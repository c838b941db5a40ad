//===- WaveBanksTest.cpp - banks of AMD's shared memory --------------------------------------------------===//
//
// What the waves read for matrix instructions, 16 bytes a lane, counted bank by bank as the hardware takes the lanes.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Layout/MfmaLayouts.h"
#include "tlx/Layout/SharedLayout.h"
#include "llvm/ADT/SmallSet.h"
#include "gtest/gtest.h"

using namespace tlx::layout;

namespace {

/// ds_read_b128 takes a wave in groups of lanes (ROCm documentation, composable kernel, LDS bank conflicts; on CDNA4
/// twice as many banks and lanes). Each group is given by the first of four lanes that follow each other.
struct Banks {
  int count;
  std::vector<std::vector<int>> groups;
};
const Banks cdna3 = {32, {{0, 20}, {4, 16}, {8, 28}, {12, 24}}};
const Banks cdna4 = {64, {{0, 12, 20, 24}, {4, 8, 16, 28}}};

/// Cycles beyond one for each group, of the worst access of wave 0.
int extraCycles(const LinearLayout &registers, const SharedTile &tile, const Banks &banks) {
  int worst = 0, step = 16 / tile.elemBytes;
  for (int reg = 0; reg < registers.inSize(InDim::Register); reg += step) {
    int extra = 0;
    for (int half = 0; half < 64; half += 32)
      for (const std::vector<int> &group : banks.groups) {
        std::vector<llvm::SmallSet<int64_t, 8>> words(banks.count);
        for (int first : group)
          for (int lane = half + first; lane < half + first + 4; ++lane) {
            Coords coords = registers.at(reg, lane, /*warp=*/0);
            int64_t offset = tile.byteOffset({coords[0], coords[1]});
            for (int64_t word = offset / 4; word < offset / 4 + 4; ++word)
              words[word % banks.count].insert(word);
          }
        size_t most = 1;
        for (const auto &ofBank : words)
          most = std::max<size_t>(most, ofBank.size());
        extra += static_cast<int>(most) - 1;
      }
    worst = std::max(worst, extra);
  }
  return worst;
}

/// Of an operand A of 128 rows and `k` columns under the swizzle that buffers get.
int extraCycles(int tile, int k, int elemBytes, const Banks &banks, bool isSwizzled = true) {
  MfmaShape shape = {tile, 128 / tile, 16 / elemBytes};
  LinearLayout registers = mfmaOperandA(128, k, shape, mfmaWaves(128, 128, tile, 4, false));
  int swizzle = isSwizzled ? SharedTile::defaultSwizzle({128, k}, elemBytes) : 0;
  return extraCycles(registers, SharedTile::whole({128, k}, elemBytes, swizzle), banks);
}

} // namespace

/// Bytes from row to row and of an element.
struct Row {
  int bytes, elemBytes;
};
const Row rows[] = {{128, 2}, {128, 1}, {256, 2}, {64, 2}};

TEST(WaveBanks, SwizzledRowsDoNotMeetOnCDNA3) {
  for (Row row : rows)
    for (int tile : {16, 32})
      EXPECT_EQ(extraCycles(tile, row.bytes / row.elemBytes, row.elemBytes, cdna3), 0) << tile << " " << row.bytes;
}

/// The swizzle repeats after 8 rows. Lanes of a 16-row tile read two chunks of each row, which fills 64 banks; those of
/// a 32-row tile read one chunk of 16 rows, which fills half of them: each of the four groups takes a second cycle.
TEST(WaveBanks, TilesOf16RowsDoNotMeetOnCDNA4) {
  for (Row row : rows) {
    EXPECT_EQ(extraCycles(16, row.bytes / row.elemBytes, row.elemBytes, cdna4), 0) << row.bytes;
    EXPECT_EQ(extraCycles(32, row.bytes / row.elemBytes, row.elemBytes, cdna4), 4) << row.bytes;
  }
}

TEST(WaveBanks, WithoutSwizzleTheyMeet) {
  EXPECT_GT(extraCycles(32, 64, 2, cdna3, /*isSwizzled=*/false), 0);
  EXPECT_GT(extraCycles(32, 64, 2, cdna4, /*isSwizzled=*/false), 0);
}
