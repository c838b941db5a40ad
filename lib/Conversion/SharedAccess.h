// How one thread reaches the elements of its tile in a shared-memory tile.
//
// The byte offset of an element is F2-linear in its coordinates (swizzles are XORs), so it is the XOR of a part that
// the thread decides, computed once, and a part that the register decides, a constant.
#ifndef TLX_LIB_CONVERSION_SHAREDACCESS_H
#define TLX_LIB_CONVERSION_SHAREDACCESS_H

#include "Emitter.h"

namespace tlx {

/// A tile of rows for moving data between layouts: swizzled where its rows allow it.
layout::SharedTile scratchTile(mlir::ArrayRef<int64_t> shape, int elementBytes);

struct SharedAccess {
  SharedAccess(Emitter &emitter, layout::SharedTile tile, bool transposed, mlir::Value base, mlir::Type element)
      : emitter(emitter), tile(std::move(tile)), transposed(transposed), base(base), element(element) {}

  /// Byte offset, before padding, of the element at these coordinates of the view; leading axes of extent 1 that the
  /// buffer lacks are left out.
  int64_t offset(mlir::ArrayRef<int32_t> coords) const;
  /// The address of used element `i`, `thread` being threadOffset().
  mlir::Value address(const TileInfo &info, mlir::Value thread, int i) const;
  mlir::Value threadOffset(const TileInfo &info) const;
  /// A byte offset with the padding in front of it.
  mlir::Value padded(mlir::Value place) const;
  /// Consecutive used elements that are consecutive bytes, at most 16 bytes.
  int run(const TileInfo &info) const;

  void store(const TileInfo &info, const Registers &elements) const;
  Registers load(const TileInfo &info) const;
  /// Addresses of the elements whose coordinate along `axis` is a run-time index, one for each of `indices`.
  Registers indexed(mlir::Value indices, int axis, int64_t extent) const;
  /// 16-bit elements in fragments of 8x8 matrices go out by stmatrix; false when the layout is another.
  bool storeByMatrix(const TileInfo &info, const Registers &packed) const;

  Emitter &emitter;
  layout::SharedTile tile;
  bool transposed;
  mlir::Value base;
  mlir::Type element;
};

} // namespace tlx

#endif
