//===- TileBounds.h - what a mask says of the axes of a tile ----------------------------------------------===//

#ifndef TLX_TRANSFORMS_TILEBOUNDS_H
#define TLX_TRANSFORMS_TILEBOUNDS_H

#include "TileForm.h"

namespace tlx {

/// `index + offset < 0` along an axis, or `index + offset >= 0`.
struct TileBound {
  int64_t axis;
  bool isLower;
  Polynomial offset;
  bool operator==(const TileBound &other) const = default;
};

/// Adds the bounds that the mask is a conjunction of. False when it says more than that.
bool collectBounds(mlir::Value mask, TileForms &forms, llvm::SmallVectorImpl<TileBound> &bounds);

/// Whether nobody sees what `value` holds where `bound` is not met: every way from it ends in a store that leaves those
/// elements out. Ways lead through products, whose rows and columns follow from those of their operands alone, through
/// loops that carry them, and through operations element by element.
bool isDeadBeyond(mlir::Value value, const TileBound &bound, TileForms &forms);

} // namespace tlx

#endif // TLX_TRANSFORMS_TILEBOUNDS_H
