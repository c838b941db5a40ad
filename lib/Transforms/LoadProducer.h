//===- LoadProducer.h - what decides when and from where a kernel loads tiles ---------------------------===//

#ifndef TLX_TRANSFORMS_LOADPRODUCER_H
#define TLX_TRANSFORMS_LOADPRODUCER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace tlx {

/// The part of a kernel that a task runs which does nothing but start loads: the loops and branches around the loads
/// and the scalars that these and the loads' places follow from.
class LoadProducer {
public:
  /// Whether a value is defined where the task sees it, too.
  using IsShared = std::function<bool(mlir::Value)>;
  /// Emits a load of the task; `map` leads from the kernel's values to the task's.
  using EmitLoad = llvm::function_ref<void(mlir::OpBuilder &, mlir::Operation *, mlir::IRMapping &)>;

  explicit LoadProducer(IsShared isShared) : isShared(std::move(isShared)) {}

  /// Takes a load into the part. False when its place or its turn follows from tiles or from memory.
  bool add(mlir::Operation *load);
  /// Emits what belongs to the part of `block` and of the regions in it.
  void emit(mlir::Block &block, mlir::OpBuilder &builder, EmitLoad emitLoad);

private:
  bool need(mlir::Value value);
  bool need(mlir::Operation *op);
  bool needAll(mlir::ValueRange values);
  bool needCarried(mlir::scf::ForOp loop, unsigned index);
  bool needResult(mlir::scf::IfOp branch, unsigned index);
  void emitOperations(mlir::Block &block, mlir::OpBuilder &builder, EmitLoad emitLoad);
  void emitFor(mlir::scf::ForOp loop, mlir::OpBuilder &builder, EmitLoad emitLoad);
  void emitIf(mlir::scf::IfOp branch, mlir::OpBuilder &builder, EmitLoad emitLoad);
  void emitWhile(mlir::scf::WhileOp loop, mlir::OpBuilder &builder, EmitLoad emitLoad);

  IsShared isShared;
  llvm::DenseSet<mlir::Operation *> loads, needed;
  /// Values that loops carry, and results of branches, by number.
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> numbers;
  mlir::IRMapping map;
};

} // namespace tlx

#endif // TLX_TRANSFORMS_LOADPRODUCER_H
