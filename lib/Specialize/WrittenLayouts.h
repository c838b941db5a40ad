// Buffers whose elements lie where the source says, bit by bit, and the views of them.
#ifndef TLX_SPECIALIZE_WRITTENLAYOUTS_H
#define TLX_SPECIALIZE_WRITTENLAYOUTS_H

#include "Call.h"

namespace tlx::specialize {

/// The same places bit by bit; nothing where an extent is no power of two.
std::optional<SharedLayoutAttr> asWritten(BufferType buffer);
/// The places of a view whose axis i is axis `order[i]` of the buffer, which is written.
SharedLayoutAttr permuted(BufferType buffer, SharedLayoutAttr written, llvm::ArrayRef<int64_t> order);
/// The places of a part of a written buffer, from its first element on; nothing where they depend on which part it is.
std::optional<SharedLayoutAttr> sliced(BufferType buffer, llvm::ArrayRef<int64_t> offsets,
                                       llvm::ArrayRef<int64_t> shape);

/// Remembers that the source gave `buffer` its places by what `call` was given as `argument`.
Datum noteWritten(Call &call, llvm::StringRef argument, mlir::Value buffer, DType type);

/// An error where hardware that moves or reads whole tiles gets a buffer with a written layout. The buffer, else.
mlir::FailureOr<mlir::TypedValue<BufferType>> hardwareBuffer(Call &call, llvm::StringRef name);

} // namespace tlx::specialize

#endif
