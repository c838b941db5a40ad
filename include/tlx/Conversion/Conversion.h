// From tiles to threads: the last two steps on MLIR before LLVM IR.
#ifndef TLX_CONVERSION_CONVERSION_H
#define TLX_CONVERSION_CONVERSION_H

#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// Replaces each kernel (a func.func with layouts, offsets and barriers, see lib/Transforms/README.md) by an llvm.func
/// of one thread in the LLVM, NVVM and thread dialects. What that function carries for later users is listed in
/// lib/Conversion/README.md. Fails after emitting an error for what this target cannot do.
mlir::LogicalResult lowerToThreads(mlir::ModuleOp module);

/// Turns thread-dialect operations into inline PTX. What is left can be translated to LLVM IR.
mlir::LogicalResult expandThreadOps(mlir::ModuleOp module);

/// Registers both steps as passes: -tlx-lower-to-threads, -tlx-expand-thread-ops.
void registerConversionPasses();

} // namespace tlx

#endif
