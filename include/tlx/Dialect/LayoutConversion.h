//===- LayoutConversion.h - between the dialect's layout attributes and the layout algebra --------------===//
//
// Attributes are what the IR stores; LinearLayout and SharedTile are what code computes with.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_DIALECT_LAYOUTCONVERSION_H
#define TLX_DIALECT_LAYOUTCONVERSION_H

#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Layout/LinearLayout.h"
#include "tlx/Layout/SharedLayout.h"

namespace tlx {

/// Whether the tile says where its elements live.
bool hasLayout(mlir::Type type);

/// The layout of a tile that has one. Axes are padded to powers of two.
layout::LinearLayout toLinear(mlir::RankedTensorType type);
/// The same for a tile of `shape` that is to have the layout `attr`.
layout::LinearLayout toLinear(LayoutAttr attr, llvm::ArrayRef<int64_t> shape);

/// Registers, lanes and warps of `layout`; it has no bits for blocks and offsets.
LayoutAttr toAttr(mlir::MLIRContext *context, const layout::LinearLayout &layout);

/// `type` with the layout `layout`.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const layout::LinearLayout &layout);

/// Where the elements of one tile of the buffer are. For a transposed view the tile that is viewed.
layout::SharedTile sharedTile(BufferType type);

/// Bytes from one tile of the buffer to the next: each starts where the swizzle pattern does. Of a whole buffer, not of
/// a slice.
int64_t tileStride(BufferType type);

} // namespace tlx

#endif // TLX_DIALECT_LAYOUTCONVERSION_H
