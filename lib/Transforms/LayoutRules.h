//===- LayoutRules.h - how layouts of operands and results depend on each other --------------------------===//

#ifndef TLX_TRANSFORMS_LAYOUTRULES_H
#define TLX_TRANSFORMS_LAYOUTRULES_H

#include "tlx/Dialect/LayoutConversion.h"
#include <optional>

namespace tlx {

class PairOp;
class MfmaDotOp;
class MmaDotOp;

inline mlir::RankedTensorType tileType(mlir::Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

/// All tiles among the operands and results have one layout: elementwise arithmetic, accesses to global memory.
bool sharesOneLayout(mlir::Operation *op);

/// The layout that a result gets from an operand of layout `layout`, for operations that derive one: reductions, views.
/// Nothing when the operation does not say.
std::optional<layout::LinearLayout> derivedResultLayout(mlir::OpOperand &operand, const layout::LinearLayout &layout);

/// The layout that an operand must have for a result of layout `layout`. Nothing when the operation does not say.
std::optional<layout::LinearLayout> derivedOperandLayout(mlir::OpOperand &operand, mlir::OpResult result,
                                                         const layout::LinearLayout &layout);

/// Layouts that the tensor cores ask for.
layout::LinearLayout accumulatorLayout(AsyncDotOp dot, int warps);
layout::LinearLayout operandALayout(AsyncDotOp dot, int warps);

/// The layouts that a product by single waves asks for: operand 0 is A, 1 is B, 2 the accumulator.
layout::LinearLayout mfmaLayout(MfmaDotOp dot, unsigned operand, int warps);
layout::LinearLayout mmaLayout(MmaDotOp dot, unsigned operand, int warps);

/// How a load from or store to tensor memory holds its tile.
layout::LinearLayout tensorMemoryLayout(mlir::Operation *access, int warps);

/// The threads that share a tile.
struct ThreadGrid {
  int lanes;
  int warps;
};

/// Up to 16 bytes per thread along the last axis.
layout::LinearLayout defaultLayout(mlir::RankedTensorType type, ThreadGrid threads);

/// `vector` elements per thread along `axis`, then lanes along it, then warps.
layout::LinearLayout coalescedLayout(mlir::RankedTensorType type, ThreadGrid threads, int axis, int vector);

/// The coalesced layout for an access that AnnotateAccesses has seen.
layout::LinearLayout accessLayout(mlir::Operation *access, ThreadGrid threads);

/// The layout in which the lanes of each warp write `bytes` bytes each, side by side, into the buffer that a copy
/// fills; nothing when the buffer or the addresses do not allow it.
std::optional<layout::LinearLayout> sideBySideLayout(AsyncLoadOp copy, ThreadGrid threads, int bytes);

/// The bit of the warp number in which the holders of a pair differ; none when a lane or register tells them apart.
std::optional<int> exchangedWarpBit(PairOp pair);

/// Bytes of shared memory through which a tile changes threads.
int64_t rearrangingBytes(mlir::RankedTensorType type);

/// True when reshaping only adds or drops axes of extent 1.
bool onlyUnitAxesDiffer(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

} // namespace tlx

#endif // TLX_TRANSFORMS_LAYOUTRULES_H
