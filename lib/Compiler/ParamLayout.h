// Parameters of a kernel as its launcher sees them.
#ifndef TLX_LIB_COMPILER_PARAMLAYOUT_H
#define TLX_LIB_COMPILER_PARAMLAYOUT_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tlx/Manifest/Manifest.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace tlx {

/// Places the parameters one after the other at their natural alignment (PTX ISA, kernel function parameters), and
/// describes each from its `tlx.params` entry.
llvm::Expected<std::vector<rt::Param>> layOutParams(mlir::LLVM::LLVMFuncOp kernel);

} // namespace tlx

#endif
