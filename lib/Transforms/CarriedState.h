//===- CarriedState.h - one more value through structured control flow ----------------------------------===//

#ifndef TLX_TRANSFORMS_CARRIEDSTATE_H
#define TLX_TRANSFORMS_CARRIEDSTATE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tlx {

/// Carries a value from operation to operation of a block, through the loops and branches on the way: phases of
/// barriers that the source does not mention.
class CarriedState {
public:
  /// Whether an operation uses or changes the state.
  using Touches = llvm::function_ref<bool(mlir::Operation *)>;
  /// Rewrites such an operation, given the state before it, and returns the state after it. May erase the operation.
  using Update = llvm::function_ref<mlir::Value(mlir::Operation *, mlir::Value)>;

  CarriedState(Touches touches, Update update) : touches(touches), update(update) {}
  mlir::Value run(mlir::Block &block, mlir::Value state);

private:
  bool isTouchedIn(mlir::Operation *op) const;
  mlir::Value throughFor(mlir::scf::ForOp loop, mlir::Value state);
  mlir::Value throughIf(mlir::scf::IfOp branch, mlir::Value state);
  mlir::Value throughWhile(mlir::scf::WhileOp loop, mlir::Value state);

  Touches touches;
  Update update;
};

} // namespace tlx

#endif // TLX_TRANSFORMS_CARRIEDSTATE_H
