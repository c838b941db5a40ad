//===- RandomLayout.h - random layouts for tests, replayable --------------------------------------------===//

#ifndef TLX_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H
#define TLX_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H

#include "tlx/Layout/LinearLayout.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

namespace tlx::layout {

/// The seed to print and to take back through the environment.
inline unsigned testSeed() {
  if (const char *text = std::getenv("TLX_TEST_SEED"))
    return std::strtoul(text, nullptr, 10);
  return std::random_device()();
}

inline std::string toString(const LinearLayout &layout) {
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  return text;
}

/// A surjective layout: an invertible random matrix, with `copies` bits of zeros or repeated columns, dealt to
/// registers, lanes and warps at random.
inline LinearLayout randomLayout(std::mt19937 &random, llvm::ArrayRef<int> axisBits, int copies) {
  LinearLayout shape(axisBits);
  int total = shape.totalOutBits();
  llvm::SmallVector<uint64_t> columns;
  for (int bit = 0; bit < total; ++bit)
    columns.push_back(uint64_t(1) << bit);
  std::shuffle(columns.begin(), columns.end(), random);
  // Adding a column to another keeps the matrix invertible.
  for (int step = 0; total > 1 && step < total; ++step) {
    int to = random() % total, from = random() % total;
    if (to != from && random() % 2)
      columns[to] ^= columns[from];
  }
  for (int copy = 0; copy < copies; ++copy)
    columns.insert(columns.begin() + random() % (columns.size() + 1),
                   random() % 2 || total == 0 ? 0 : columns[random() % columns.size()]);
  for (uint64_t column : columns)
    shape.addBasis(InDim(random() % 3), shape.unflatten(column));
  return shape;
}

/// Calls `visit(reg, lane, warp)` for every place of a layout.
template <typename Visit> void forEachPlace(const LinearLayout &layout, Visit visit) {
  for (int warp = 0; warp < layout.inSize(InDim::Warp); ++warp)
    for (int lane = 0; lane < layout.inSize(InDim::Lane); ++lane)
      for (int reg = 0; reg < layout.inSize(InDim::Register); ++reg)
        visit(reg, lane, warp);
}

} // namespace tlx::layout

#endif // TLX_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H
