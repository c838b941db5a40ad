// How the threads of a task reach a tile of tensor memory, and products that accumulate there.
#ifndef TLX_LIB_CONVERSION_TENSORMEMORYACCESS_H
#define TLX_LIB_CONVERSION_TENSORMEMORYACCESS_H

#include "Emitter.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Dialect/ThreadTensorMemory.h"

namespace tlx {

struct TensorMemoryAccess {
  /// The access of `op` to `buffer`, whose tile has the type `tile`; an error when the task's warps cannot reach it.
  static mlir::FailureOr<TensorMemoryAccess> of(Emitter &emitter, mlir::Operation *op, mlir::Value buffer,
                                                mlir::Type tile);
  static mlir::LogicalResult emitLoad(Emitter &emitter, tmem::LoadOp op);
  static mlir::LogicalResult emitStore(Emitter &emitter, tmem::StoreOp op);
  /// A product, a copy of scales or a commit (TensorProduct.cpp).
  static mlir::LogicalResult emitProduct(Emitter &emitter, mlir::Operation *op);

  Registers load() const;
  void store(mlir::ArrayRef<mlir::Value> words) const;

  Emitter &emitter;
  thread::TmemShape shape = thread::TmemShape::Lanes32;
  /// 32-bit columns that each thread holds, and how many of them are neighbours.
  int words = 0, run = 0;
  int distance = 0;
  int elementBits = 32;
  mlir::Value address = {};

private:
  int wordsAt(int first) const;
  mlir::Value addressOf(int first) const;

  // Products.
  static mlir::LogicalResult emitDot(Emitter &emitter, tmem::DotOp op);
  // ScaledProduct.cpp.
  static mlir::LogicalResult emitScaledDot(Emitter &emitter, tmem::ScaledDotOp op);
  static void emitScaledProducts(Emitter &emitter, tmem::ScaledDotOp op);
  static mlir::LogicalResult refusePair(Emitter &emitter, mlir::Operation *op);
  static mlir::LogicalResult emitCopyScales(Emitter &emitter, tmem::CopyScalesOp op);
  static void emitCommit(Emitter &emitter, mlir::Value barrier, bool pair);
  /// One thread of the task; of the even CTA when a pair works together.
  static mlir::Value issues(Emitter &emitter, mlir::Value predicate, bool pair);
};

} // namespace tlx

#endif
