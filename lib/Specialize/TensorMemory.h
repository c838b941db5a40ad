// Buffers in tensor memory, for the builtins that also take buffers in shared memory.
#ifndef TLX_SPECIALIZE_TENSORMEMORY_H
#define TLX_SPECIALIZE_TENSORMEMORY_H

#include "Call.h"

namespace tlx::specialize {

/// One or several buffers in tensor memory.
bool isTensorMemory(const Datum &value);

/// "128 buffers fp32[128, 64] in tensor memory": for diagnostics.
std::string describeTensorMemory(const IRValue &value);

/// Extents of one buffer, and how many there are.
llvm::ArrayRef<int64_t> tensorMemoryShape(mlir::Value value);
int64_t tensorMemoryCount(mlir::Value value);

Result allocateTensorMemory(Call &call, llvm::ArrayRef<int64_t> shape, DType type, int64_t count);
/// One of several buffers; `slot` is an i32.
Datum viewTensorMemory(Emitter &emit, const Datum &base, mlir::Value slot);
/// `local_slice`, `local_load`, `local_store`, `async_dot` and `local_reinterpret` on tensor memory.
Result sliceTensorMemory(Call &call);
Result loadTensorMemory(Call &call);
Result storeTensorMemory(Call &call);
Result dotIntoTensorMemory(Call &call);
/// A barrier, or a sequence of them.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> barriersOf(Call &call, llvm::StringRef name);
Result reinterpretTensorMemory(Call &call);

} // namespace tlx::specialize

#endif
