//===- PinnedLayouts.h - layouts that the source asks for, and its questions about them ------------------===//

#ifndef TLX_TRANSFORMS_PINNEDLAYOUTS_H
#define TLX_TRANSFORMS_PINNEDLAYOUTS_H

#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/PinnedLayouts.h"
#include "tlx/Layout/LinearLayout.h"

namespace tlx {

/// The layout that is asked for; checkPin holds.
layout::LinearLayout pinnedLayout(RequireLayoutOp pin);

/// An error unless the layout is for as many threads as the task has.
mlir::LogicalResult checkPin(RequireLayoutOp pin, const TaskScope &scope);

/// Once every tile has its layout: takes pins out, says what the kernel wants to know, and checks what it claims.
mlir::LogicalResult settlePins(mlir::func::FuncOp kernel);

} // namespace tlx

#endif // TLX_TRANSFORMS_PINNEDLAYOUTS_H
