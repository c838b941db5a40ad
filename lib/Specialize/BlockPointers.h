// Block pointers: base, extents, strides, offsets and the shape of the block, known by these parts until an access
// makes a tile of pointers of them.
#ifndef TLX_SPECIALIZE_BLOCKPOINTERS_H
#define TLX_SPECIALIZE_BLOCKPOINTERS_H

#include "Call.h"

namespace tlx::specialize {

struct BlockPointer {
  IRValue base;
  llvm::SmallVector<Datum> extents, strides, offsets;
  llvm::SmallVector<int64_t> block;

  /// None when the value is not one.
  static std::optional<BlockPointer> from(const Datum &value);
  /// A tuple, so that loops and branches hand it on; the block's shape is in the text that marks it.
  Datum toDatum() const;

  /// The pointer of each element, in i64 arithmetic.
  mlir::FailureOr<IRValue> pointers(Emitter &emit) const;
  /// Where the elements lie inside along these axes; null when there are none.
  mlir::FailureOr<mlir::Value> inside(Emitter &emit, llvm::ArrayRef<int64_t> axes) const;
};

} // namespace tlx::specialize

#endif
