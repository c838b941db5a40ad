// Buffers in tensor memory, for the builtins that also take buffers in shared memory.
#ifndef TLX_SPECIALIZE_TENSORMEMORY_H
#define TLX_SPECIALIZE_TENSORMEMORY_H

#include "Call.h"
#include "tlx/Dialect/TensorMemory.h"

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

/// What `async_dot` and its kin are given besides operands.
struct ProductOptions {
  mlir::Value useAcc, predicate;
  llvm::SmallVector<mlir::Value> barriers;
  bool isAsync = false;
};
mlir::FailureOr<ProductOptions> productOptions(Call &call);
/// Has `create` make the product that signals the given barriers; one that nobody is told of is waited for.
void issueProduct(Call &call, const ProductOptions &options, llvm::function_ref<void(mlir::ValueRange)> create);

/// ScaledProducts.cpp: buffers of scales.
Result allocateScales(Call &call, llvm::ArrayRef<int64_t> shape, DType type, int64_t count, mlir::Value reuse);
Result sliceScales(Call &call, mlir::TypedValue<tmem::BufferType> buffer, DType type, int64_t offset, int64_t size,
                   llvm::StringRef offsetName);

} // namespace tlx::specialize

#endif
