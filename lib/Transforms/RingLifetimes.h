//===- RingLifetimes.h - when the buffers of pipelined loops are free again -----------------------------===//

#ifndef TLX_TRANSFORMS_RINGLIFETIMES_H
#define TLX_TRANSFORMS_RINGLIFETIMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/TLXDialect.h"

namespace tlx {

/// Marks an allocation that a pass made for one loop, around which copies and products are waited for.
constexpr llvm::StringLiteral ringAttribute = "tlx.ring";

/// The largest ring whose loop is over when `op` runs, or null: once the threads of the task that reads it have met,
/// its memory may hold something else.
LocalAllocOp largestDeadRing(mlir::Operation *op);

/// Lets rings of loops that run one after the other, on the same threads, have the same memory.
void shareDeadRings(mlir::func::FuncOp kernel);

/// Bytes of a buffer with all its slots.
int64_t bytesOf(LocalAllocOp alloc);

/// What buffers and barriers leave of `capacity` bytes of shared memory.
int64_t spareShared(mlir::func::FuncOp kernel, int64_t capacity);

/// That, less some room for what is combined across threads: how much it needs, only layouts tell.
int64_t spareForRings(mlir::func::FuncOp kernel, int64_t capacity);

} // namespace tlx

#endif // TLX_TRANSFORMS_RINGLIFETIMES_H
