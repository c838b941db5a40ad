//===- RegisterLayouts.cpp - blocked layouts and the fragments of wgmma ---------------------------------===//

#include "tlx/Layout/RegisterLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx::layout;

static int log2Of(int64_t size) {
  assert(llvm::isPowerOf2_64(size) && "sizes of a layout are powers of two");
  return llvm::Log2_64(size);
}

static int paddedLog2Of(int64_t size) {
  assert(size > 0 && "an axis has at least one element");
  return llvm::Log2_64_Ceil(size);
}

LinearLayout tlx::layout::blocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int> sizePerThread,
                                  llvm::ArrayRef<int> threadsPerWarp, llvm::ArrayRef<int> warpsPerCta,
                                  llvm::ArrayRef<int> order) {
  int rank = shape.size();
  llvm::SmallVector<int, 4> axisBits;
  for (int64_t size : shape)
    axisBits.push_back(paddedLog2Of(size));
  LinearLayout result(axisBits);
  llvm::SmallVector<int, 4> covered(rank, 0);
  Coords none(rank, 0);

  // Gives the next `bits` bits of an axis to `dim`; beyond the tile there are only copies.
  auto extend = [&](InDim dim, int axis, int bits) {
    for (; bits > 0; --bits) {
      Coords step = none;
      if (covered[axis] < axisBits[axis])
        step[axis] = 1 << covered[axis]++;
      else if (dim == InDim::Register)
        continue;
      result.addBasis(dim, step);
    }
  };
  for (auto [dim, sizes] : {std::pair(InDim::Register, sizePerThread), std::pair(InDim::Lane, threadsPerWarp),
                            std::pair(InDim::Warp, warpsPerCta)}) {
    assert(int(sizes.size()) == rank && int(order.size()) == rank && "one size per axis");
    for (int axis : order)
      extend(dim, axis, log2Of(sizes[axis]));
  }
  for (int axis : order)
    extend(InDim::Register, axis, axisBits[axis] - covered[axis]);
  return result;
}

WarpGroupGrid tlx::layout::wgmmaWarpGroups(int64_t m, int64_t n, int warps, int64_t instrN) {
  assert(warps >= 4 && llvm::isPowerOf2_64(warps) && "wgmma takes whole warp groups");
  assert(m % 64 == 0 && n % instrN == 0 && instrN % 8 == 0 && "the tile is made of whole instructions");
  int groups = warps / 4;
  int rows = std::min<int64_t>(groups, int64_t(1) << paddedLog2Of(m / 64));
  int columns = 1;
  if (llvm::isPowerOf2_64(n) && llvm::isPowerOf2_64(instrN))
    columns = std::min<int64_t>(groups / rows, n / instrN);
  return {rows, columns, groups / (rows * columns)};
}

namespace {

/// The fragments of wgmma differ in how many elements one 32-bit register of A holds; D is as A with two.
/// Source: table "Register fragments" of CUTLASS' mma_traits_sm90_gmma, CLayout_64xN and ALayout_*.
class FragmentBuilder {
public:
  FragmentBuilder(int64_t rows, int64_t columns) : layout({paddedLog2Of(rows), paddedLog2Of(columns)}) {}

  /// One instruction's registers and lanes, and the 16-row slabs of the first four warps.
  void addInstruction(int elementsPerRegister) {
    for (int column = 1; column < elementsPerRegister; column *= 2)
      add(InDim::Register, 0, column);
    add(InDim::Register, 8, 0);
    add(InDim::Lane, 0, elementsPerRegister);
    add(InDim::Lane, 0, 2 * elementsPerRegister);
    for (int row = 1; row < 8; row *= 2)
      add(InDim::Lane, row, 0);
    add(InDim::Warp, 16, 0);
    add(InDim::Warp, 32, 0);
  }

  /// Bits of `dim` for rows or columns first, 2 * first, ... below `end`.
  void addRows(InDim dim, int64_t first, int64_t end) {
    for (int64_t row = first; row < end; row *= 2)
      add(dim, row, 0);
  }
  void addColumns(InDim dim, int64_t first, int64_t end) {
    for (int64_t column = first; column < end; column *= 2)
      add(dim, 0, column);
  }
  void addCopies(int64_t copies) {
    for (int64_t copy = 1; copy < copies; copy *= 2)
      add(InDim::Warp, 0, 0);
  }

  int64_t rows() const { return layout.outSize(0); }
  int64_t columns() const { return layout.outSize(1); }
  LinearLayout take() { return std::move(layout); }

private:
  void add(InDim dim, int64_t row, int64_t column) { layout.addBasis(dim, {int32_t(row), int32_t(column)}); }

  LinearLayout layout;
};

} // namespace

LinearLayout tlx::layout::wgmmaAccumulator(int64_t m, int64_t n, int warps, int64_t instrN) {
  WarpGroupGrid groups = wgmmaWarpGroups(m, n, warps, instrN);
  FragmentBuilder builder(m, n);
  builder.addInstruction(/*elementsPerRegister=*/2);
  int64_t groupColumns = builder.columns() / groups.columns;
  builder.addColumns(InDim::Register, 8, groupColumns);
  builder.addRows(InDim::Warp, 64, 64 * groups.rows);
  builder.addColumns(InDim::Warp, groupColumns, builder.columns());
  builder.addCopies(groups.copies);
  builder.addRows(InDim::Register, 64 * groups.rows, builder.rows());
  return builder.take();
}

LinearLayout tlx::layout::wgmmaOperandA(int64_t m, int64_t k, int warps, int elemBits) {
  assert((elemBits == 8 || elemBits == 16 || elemBits == 32) && "wgmma takes these from registers");
  int elementsPerRegister = 32 / elemBits;
  assert(k % (8 * elementsPerRegister) == 0 && "K is made of whole steps");
  // All columns of D need all of A: groups that share rows hold copies.
  WarpGroupGrid groups = wgmmaWarpGroups(m, /*n=*/8, warps, /*instrN=*/8);
  FragmentBuilder builder(m, k);
  builder.addInstruction(elementsPerRegister);
  builder.addColumns(InDim::Register, 4 * elementsPerRegister, builder.columns());
  builder.addRows(InDim::Warp, 64, 64 * groups.rows);
  builder.addCopies(groups.copies);
  builder.addRows(InDim::Register, 64 * groups.rows, builder.rows());
  return builder.take();
}
