//===- LayoutChoice.h - one layout for each tile of a kernel --------------------------------------------===//
//
// Decides; LayoutRewrite.h carries out. Layouts spread breadth-first from the operations that ask for one, matrix
// products before accesses to memory, so that conversions end up where two demands meet.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_TRANSFORMS_LAYOUTCHOICE_H
#define TLX_TRANSFORMS_LAYOUTCHOICE_H

#include "LayoutRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Layout/LinearLayout.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace tlx {

class LayoutChoice {
public:
  /// Chooses for every tile. Accesses have been annotated; no tile crosses the border of a task. `spareShared`: bytes
  /// of shared memory in which tiles may be rearranged.
  LayoutChoice(mlir::func::FuncOp kernel, int64_t spareShared);

  /// Ranges, constants and arithmetic on them: recomputed in each layout that a user wants, so without a layout of
  /// their own.
  bool isCheap(mlir::Value value);

  /// The layout of a tile that is not cheap.
  const layout::LinearLayout &layoutOf(mlir::Value value) const;
  void setLayout(mlir::Value value, const layout::LinearLayout &layout) { layouts[value] = layout; }

  /// The layout in which an operation takes a tile.
  layout::LinearLayout required(mlir::OpOperand &operand);

  /// The layout that a reduction or join gives its result, which the choice may have to convert. Nothing for others.
  std::optional<layout::LinearLayout> natural(mlir::Operation *op);

private:
  void anchorProducts();
  void proposeTensorMemory();
  void anchorAccesses();
  void anchorRest();
  void propose(mlir::Value value, const layout::LinearLayout &layout);
  void spread();
  void spreadToUse(mlir::OpOperand &use, const layout::LinearLayout &layout);
  void spreadToDefinition(mlir::Value value, const layout::LinearLayout &layout);
  layout::LinearLayout ownLayout(mlir::Value value);
  layout::LinearLayout storeLayout(mlir::Operation *access);
  ThreadGrid threadsAt(mlir::Operation *op);

  mlir::func::FuncOp kernel;
  const Arch &target;
  int64_t spareShared;
  llvm::DenseMap<mlir::Value, layout::LinearLayout> layouts;
  llvm::DenseMap<mlir::Value, bool> cheap;
  std::deque<mlir::Value> pending;
};

} // namespace tlx

#endif // TLX_TRANSFORMS_LAYOUTCHOICE_H
