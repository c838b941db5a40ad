// Which instruction families a lowered kernel uses, and whether its target has them.
#ifndef TLX_LIB_COMPILER_FEATURES_H
#define TLX_LIB_COMPILER_FEATURES_H

#include "mlir/IR/BuiltinOps.h"
#include "tlx/Arch/Arch.h"
#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"

namespace tlx {

/// The target to use: `arch`, or its accelerated form (with a remark) when the kernel needs it. Null after an error
/// that names the feature, the place that uses it and the targets that have it.
const Arch *chooseArch(mlir::ModuleOp lowered, const Arch &arch, const SourceManager &files, diag::Sink &sink);

/// False, after errors with their places, when the kernel of tiles asks for what neither `arch` nor its accelerated
/// form has.
bool checkFamilies(mlir::ModuleOp built, const Arch &arch, const SourceManager &files, diag::Sink &sink);

} // namespace tlx

#endif
