// The last step of thread.group_count.
#ifndef TLX_LIB_CONVERSION_EXPANDGROUPCOUNT_H
#define TLX_LIB_CONVERSION_EXPANDGROUPCOUNT_H

#include "mlir/IR/Builders.h"

namespace tlx {
/// False when `op` is another operation.
bool expandGroupCount(mlir::Operation *op, mlir::OpBuilder &b);
} // namespace tlx

#endif
