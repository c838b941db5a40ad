//===- LayoutRewrite.h - carries out a choice of layouts ------------------------------------------------===//

#ifndef TLX_TRANSFORMS_LAYOUTREWRITE_H
#define TLX_TRANSFORMS_LAYOUTREWRITE_H

#include "LayoutChoice.h"

namespace tlx {

/// Gives every tile its type, recomputes cheap tiles where they are wanted and inserts conversions.
class LayoutRewrite {
public:
  explicit LayoutRewrite(LayoutChoice &choice) : choice(choice) {}
  void run(mlir::func::FuncOp kernel);

private:
  void setTypes(mlir::Operation *op);
  void convertResult(mlir::Operation *op);
  void rewriteOperands(mlir::Operation *op);
  mlir::Value inLayout(mlir::Value value, const layout::LinearLayout &layout, mlir::Operation *user);
  mlir::Value recomputed(mlir::Value value, const layout::LinearLayout &layout);

  LayoutChoice &choice;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> copies;
};

/// Moves conversions of values that a loop does not change in front of it.
void hoistConversions(mlir::func::FuncOp kernel);

} // namespace tlx

#endif // TLX_TRANSFORMS_LAYOUTREWRITE_H
