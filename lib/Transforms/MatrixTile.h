//===- MatrixTile.h - the rectangle of a matrix that a load through pointers reads ----------------------===//

#ifndef TLX_TRANSFORMS_MATRIXTILE_H
#define TLX_TRANSFORMS_MATRIXTILE_H

#include "TileForm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Analysis/AxisInfo.h"

namespace tlx {

/// A size or stride that the launcher can compute: a number, or a number of times an integer parameter.
struct MatrixExtent {
  int64_t number = 0;
  mlir::BlockArgument parameter;
};

/// One axis of the matrix, in elements.
struct MatrixAxis {
  MatrixExtent stride;
  /// Nothing where the load has no bound.
  std::optional<MatrixExtent> size;
  /// Where the tile begins.
  Polynomial coordinate;
  /// Elements of the tile.
  int64_t extent = 1;
};

/// The tile of a load, slowest axis first; the last one has stride 1.
struct MatrixTile {
  mlir::BlockArgument pointer;
  llvm::SmallVector<MatrixAxis, 3> axes;
};

/// The tile that `load` reads, where a tensor map reads the same: zeros outside of the bounds, no element before the
/// first, strides and address that the copy engine takes.
std::optional<MatrixTile> matrixTile(LoadOp load, TileForms &forms, const AxisInfoAnalysis &facts);

} // namespace tlx

#endif // TLX_TRANSFORMS_MATRIXTILE_H
