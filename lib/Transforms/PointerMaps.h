//===- PointerMaps.h - tiles behind pointers, loaded by tensor maps -------------------------------------===//

#ifndef TLX_TRANSFORMS_POINTERMAPS_H
#define TLX_TRANSFORMS_POINTERMAPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/TLXDialect.h"

namespace tlx {

struct MatrixTile;

/// Loads of tiles through pointers whose addresses and masks are those of a rectangle of a matrix become loads by
/// tensor maps that the launcher makes from the pointer, its strides and the bounds of the masks: hidden parameters.
class PointerMaps {
public:
  explicit PointerMaps(mlir::func::FuncOp kernel) : kernel(kernel) {}
  PointerMaps(const PointerMaps &) = delete;
  ~PointerMaps();

  /// Replaces the loads that tensor cores read in loops where tensor maps load the same as all of those. False when
  /// there is none.
  bool make();
  /// Takes back all that was replaced.
  void revert();

private:
  struct Replaced {
    /// Kept, outside of the kernel.
    LoadOp before;
    DescriptorLoadOp load;
    /// What stands for the former result.
    mlir::Value result;
  };

  mlir::Value descriptor(LoadOp load, const MatrixTile &tile);

  mlir::func::FuncOp kernel;
  llvm::SmallVector<Replaced> replaced;
  unsigned parametersBefore = 0;
};

} // namespace tlx

#endif // TLX_TRANSFORMS_POINTERMAPS_H
