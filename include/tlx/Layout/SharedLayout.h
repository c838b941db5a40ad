//===- SharedLayout.h - tiles in shared memory: panels and swizzles -------------------------------------===//
//
// The order in which tensor-map copies and matrix descriptors see a tile in shared memory: column panels of the swizzle
// width, 16-byte chunks permuted by row.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LAYOUT_SHAREDLAYOUT_H
#define TLX_LAYOUT_SHAREDLAYOUT_H

#include "tlx/Layout/LinearLayout.h"

namespace tlx::layout {

/// The last two axes are rows and columns; axes before them stack whole 2-D tiles.
struct SharedTile {
  llvm::SmallVector<int64_t> shape;
  int elemBytes = 0;
  /// 0 (plain row-major), 32, 64 or 128.
  int swizzleBytes = 0;
  /// Rows of the tile that this one is a part of, rounded up to 8: panels are panelRows * swizzleBytes apart.
  int64_t panelRows = 0;
  /// Bytes from row to row of the tile that this one is a part of; without swizzle only.
  int64_t pitchBytes = 0;
  /// Where written, instead of all that: how far each bit of the row-major number of an element moves it, by XOR, in
  /// elements; and pairs of which each puts `second` elements behind every `first`. Extents are powers of two.
  llvm::SmallVector<int64_t> places;
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;

  /// A whole tile.
  static SharedTile whole(llvm::ArrayRef<int64_t> shape, int elemBytes, int swizzleBytes);
  /// The widest swizzle that divides the innermost axis; 0 for rank 1 and for fewer than 8 rows.
  static int defaultSwizzle(llvm::ArrayRef<int64_t> shape, int elemBytes);

  int rank() const { return shape.size(); }
  int64_t rows() const { return rank() < 2 ? 1 : shape[rank() - 2]; }
  int64_t columns() const { return shape.back(); }

  /// Where an element starts, in bytes from the start of the tile. The start is aligned to alignment(), and for a part
  /// begins at a row that is a multiple of 8 and at a panel boundary.
  int64_t byteOffset(llvm::ArrayRef<int64_t> coords) const { return padded(linearOffset(coords)); }
  /// The same before padding, which is F2-linear in the coordinates.
  int64_t linearOffset(llvm::ArrayRef<int64_t> coords) const;
  /// The byte that padding makes of one.
  int64_t padded(int64_t byte) const;
  /// Bytes from one 2-D tile of a stack to the next.
  int64_t stackStride() const;
  /// Bytes that a whole tile needs, padding of panels included.
  int64_t sizeInBytes() const;
  /// After how many bytes the swizzle pattern repeats; 128, the tensor copies' own need, without swizzle.
  int alignment() const { return swizzleBytes == 0 ? 128 : 8 * swizzleBytes; }
};

/// The tile as a map from Offset (in elements) to coordinates; nothing for parts of tiles, for padded ones and for
/// sizes that are not powers of two.
std::optional<LinearLayout> asLinear(const SharedTile &tile);

/// Wavefronts beyond the unavoidable ones that the worst access of a warp needs, when each lane moves `vectorBytes` (at
/// most 16) of consecutive registers at once.
int bankConflicts(const LinearLayout &registers, const SharedTile &tile, int vectorBytes);

} // namespace tlx::layout

#endif // TLX_LAYOUT_SHAREDLAYOUT_H
