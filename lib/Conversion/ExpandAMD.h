// The last step on MLIR for AMD's machines.
#ifndef TLX_LIB_CONVERSION_EXPANDAMD_H
#define TLX_LIB_CONVERSION_EXPANDAMD_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// thread.group_count to a load; false when `op` is another operation.
bool expandGroupCount(mlir::Operation *op, mlir::OpBuilder &b);

/// Meetings of kernels that copy to shared memory past the registers no longer wait for the copies under way: what has
/// to have arrived is waited for by count.
void keepCopiesOverMeetings(mlir::ModuleOp module);

} // namespace tlx

#endif
