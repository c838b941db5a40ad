// How buffers are laid out when the source does not say.
#ifndef TLX_SPECIALIZE_SHAREDMEMORY_H
#define TLX_SPECIALIZE_SHAREDMEMORY_H

#include "Call.h"

namespace tlx::specialize {

/// The widest swizzle whose span divides the rows; none below 8 rows or for one axis.
SharedLayoutAttr defaultLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, DType type);
/// `count` buffers, named after the variable that they are assigned to.
Result allocateBuffers(Call &call, llvm::ArrayRef<int64_t> shape, DType type, int64_t count, mlir::Value reuse);

} // namespace tlx::specialize

#endif
