//===- TensorMemoryLayout.cpp - which thread reaches which element of tensor memory ---------------------===//

#include "tlx/Layout/TensorMemoryLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx::layout;

int64_t tlx::layout::tensorMemoryColumnsPerThread(int64_t rows, int64_t columns, int warps) {
  // With 64 rows the upper half of each warp's threads takes half of the columns.
  return columns / (warps / 4) / (rows == 64 ? 2 : 1);
}

int64_t tlx::layout::tensorMemoryRun(int64_t rows, int64_t perThread) {
  // A strip of 32 columns is then a strip of every thread's registers.
  return rows == 64 ? std::min<int64_t>(perThread, 16) : perThread;
}

LinearLayout tlx::layout::tensorMemoryTile(int64_t rows, int64_t columns, int warps) {
  assert((rows == 64 || rows == 128) && warps % 4 == 0 && "tensor memory is reached by groups of four warps");
  int columnBits = llvm::Log2_64_Ceil(columns);
  int64_t perThread = tensorMemoryColumnsPerThread(rows, int64_t(1) << columnBits, warps);
  LinearLayout result({static_cast<int>(llvm::Log2_64(rows)), columnBits});
  auto row = [&](InDim dim, int32_t by) { result.addBasis(dim, {by, 0}); };
  auto column = [&](InDim dim, int64_t by) { result.addBasis(dim, {0, static_cast<int32_t>(by)}); };
  int32_t lanes = rows == 64 ? 16 : 32;
  for (int32_t by = 1; by < lanes; by *= 2)
    row(InDim::Lane, by);
  int64_t next = 1, run = tensorMemoryRun(rows, perThread);
  for (; next < run; next *= 2)
    column(InDim::Register, next);
  if (rows == 64) {
    column(InDim::Lane, next);
    next *= 2;
  }
  for (; next < perThread * (rows == 64 ? 2 : 1); next *= 2)
    column(InDim::Register, next);
  row(InDim::Warp, lanes);
  row(InDim::Warp, 2 * lanes);
  for (; next < int64_t(1) << columnBits; next *= 2)
    column(InDim::Warp, next);
  return result;
}
