//===- StagedTile.h - a tile of registers in a buffer of its own ------------------------------------------===//

#ifndef TLX_TRANSFORMS_STAGEDTILE_H
#define TLX_TRANSFORMS_STAGEDTILE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/TLXDialect.h"

namespace tlx {

/// Copies the tile to a buffer of its own, in front of the loops around `user` that do not change it, and gives the
/// buffer. The kernel allocates it at its start.
mlir::Value storeInBuffer(mlir::func::FuncOp kernel, mlir::Operation *user, llvm::StringRef name, mlir::Value tile,
                          int swizzle);

/// The buffer that a tensor map's block lands in or leaves from: without leading axes of extent 1, swizzled.
BufferType slotTypeOf(DescriptorType type, int64_t count = 0);

/// The view of a matrix in a buffer with its axes exchanged.
mlir::Value transposedView(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer);

/// The source of a transposition of a matrix of registers, or null.
mlir::Value transpositionSource(mlir::Value tile);

} // namespace tlx

#endif // TLX_TRANSFORMS_STAGEDTILE_H
