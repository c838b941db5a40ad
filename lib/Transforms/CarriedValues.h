//===- CarriedValues.h - values that structured control flow passes on ----------------------------------===//

#ifndef TLX_TRANSFORMS_CARRIEDVALUES_H
#define TLX_TRANSFORMS_CARRIEDVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tlx {

/// A place through which a value flows: an argument of a loop's region, the result of a loop or branch.
struct CarriedSlot {
  /// The names of what is in the slot; they always have one type.
  llvm::SmallVector<mlir::Value, 2> values;
  /// What flows in.
  llvm::SmallVector<mlir::OpOperand *, 2> sources;
};

/// The slot that an operand flows into; without values for operands that are not passed on.
CarriedSlot slotFedBy(mlir::OpOperand &operand);

/// The slot that a value stands for; without values for results of other operations.
CarriedSlot slotNamedBy(mlir::Value value);

} // namespace tlx

#endif // TLX_TRANSFORMS_CARRIEDVALUES_H
