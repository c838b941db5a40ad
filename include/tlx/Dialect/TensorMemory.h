// The tmem dialect: tensor memory on tiles (see TensorMemory.td).
#ifndef TLX_DIALECT_TENSORMEMORY_H
#define TLX_DIALECT_TENSORMEMORY_H

#include "tlx/Dialect/TLXDialect.h"

#include "tlx/Dialect/TensorMemoryDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tlx/Dialect/TensorMemoryTypes.h.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/TensorMemoryOps.h.inc"

namespace tlx::tmem {

/// The allocation that a view lies in; null for what is none. Memory that is used again counts as the one it reuses.
AllocOp storageOf(mlir::Value buffer);

/// A product, or a copy that is done in order with products: one thread starts it.
bool isIssued(mlir::Operation *op);

/// The barriers on which products of the operation arrive.
mlir::SmallVector<mlir::Value> signalledBarriers(mlir::Operation *op);

/// Some operation of the kernel works on tensor memory.
bool isUsedIn(mlir::Operation *kernel);

/// The pair of CTAs works on tensor memory together.
bool isUsedInPairs(mlir::Operation *kernel);

} // namespace tlx::tmem

#endif
