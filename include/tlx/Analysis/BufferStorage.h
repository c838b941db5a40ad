//===- BufferStorage.h - which allocation a view of shared memory lies in -------------------------------===//

#ifndef TLX_ANALYSIS_BUFFERSTORAGE_H
#define TLX_ANALYSIS_BUFFERSTORAGE_H

#include "tlx/Dialect/TLXDialect.h"
#include <optional>

namespace tlx {

/// The allocation behind a buffer, through views.
LocalAllocOp allocationOf(mlir::Value buffer);

/// The allocation whose bytes a buffer uses: `reuse` followed to its end.
LocalAllocOp storageOf(mlir::Value buffer);

/// The barriers that a barrier value was selected from.
AllocBarriersOp barriersOf(mlir::Value barrier);

/// Which of several tiles or barriers a view selects, when that is a constant.
std::optional<int64_t> constantIndex(mlir::Value view);

} // namespace tlx

#endif // TLX_ANALYSIS_BUFFERSTORAGE_H
