// How buffers are laid out when the source does not say.
#ifndef TLX_SPECIALIZE_SHAREDMEMORY_H
#define TLX_SPECIALIZE_SHAREDMEMORY_H

#include "Call.h"

namespace tlx::specialize {

/// The widest swizzle whose span divides the rows; none below 8 rows or for one axis.
SharedLayoutAttr defaultLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, DType type);
/// `count` buffers, named after the variable that they are assigned to.
Result allocateBuffers(Call &call, llvm::ArrayRef<int64_t> shape, DType type, int64_t count, mlir::Value reuse);

/// The allocation behind a storage_alias_spec, or null.
LocalAllocOp aliasSpec(const Datum &value);
/// Makes room in the spec for an allocation that begins where it does.
mlir::LogicalResult placeInSpec(Call &call, LocalAllocOp alloc, LocalAllocOp spec);
/// The index by which a buffer of an allocation in shared storage is found.
mlir::FailureOr<mlir::Value> aliasedIndex(Emitter &emit, mlir::Value buffers, mlir::Value index);

/// async_load(..., bulk=True): consecutive bytes in one piece.
Result bulkLoad(Call &call);

} // namespace tlx::specialize

#endif
