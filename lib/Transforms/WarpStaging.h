//===- WarpStaging.h - products of tiles by single warps --------------------------------------------------===//

#ifndef TLX_TRANSFORMS_WARPSTAGING_H
#define TLX_TRANSFORMS_WARPSTAGING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TileOps.h"

namespace tlx {

/// Turns `tl.dot` of one task into `mma_dot`, whose operands each warp reads from shared memory or has in registers.
class WarpStaging {
public:
  /// `dots` are all products of the task.
  WarpStaging(mlir::func::FuncOp kernel, const TaskScope &scope, llvm::ArrayRef<DotOp> dots);

  /// Whether the machine has an instruction for types, shapes and warps of a product.
  bool fits(DotOp dot) const;
  /// The product, put before `dot`.
  mlir::Value stage(DotOp dot);

private:
  mlir::Value operand(DotOp dot, llvm::StringRef name, mlir::Value tile, bool maySpare, int copies);
  mlir::Value buffered(DotOp dot, llvm::StringRef name, mlir::Value tile, bool maySpare, int copies);
  bool fitsRegisters(mlir::Value tile, int copies) const;

  mlir::func::FuncOp kernel;
  const TaskScope &scope;
  mlir::OpBuilder builder;
  bool isNVIDIA, rowsFirst;
};

} // namespace tlx

#endif // TLX_TRANSFORMS_WARPSTAGING_H
