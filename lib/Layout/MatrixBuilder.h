//===- MatrixBuilder.h - layouts of matrices, bit by bit --------------------------------------------------===//

#ifndef TLX_LAYOUT_MATRIXBUILDER_H
#define TLX_LAYOUT_MATRIXBUILDER_H

#include "tlx/Layout/LinearLayout.h"
#include "llvm/Support/MathExtras.h"

namespace tlx::layout {

/// Puts the layout of a matrix together, from the lowest bit of each of registers, lanes and warps on.
class MatrixBuilder {
public:
  MatrixBuilder(int64_t rows, int64_t columns)
      : layout({int(llvm::Log2_64_Ceil(rows)), int(llvm::Log2_64_Ceil(columns))}) {}

  /// Bits of `dim` for coordinates first, 2 * first, ... below `end` of an axis.
  void add(InDim dim, int axis, int64_t first, int64_t end) {
    for (int64_t step = first; step < end; step *= 2) {
      Coords coords(2, 0);
      coords[axis] = int32_t(step);
      layout.addBasis(dim, coords);
    }
  }
  /// Bits of the warp's (AMD: the wave's) number that change nothing.
  void addCopies(int copies) {
    for (int copy = 1; copy < copies; copy *= 2)
      layout.addBasis(InDim::Warp, {0, 0});
  }
  int64_t size(int axis) const { return layout.outSize(axis); }
  LinearLayout take() { return std::move(layout); }

private:
  LinearLayout layout;
};

} // namespace tlx::layout

#endif // TLX_LAYOUT_MATRIXBUILDER_H
