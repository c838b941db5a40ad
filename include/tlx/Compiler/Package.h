// Compiled kernels as something that a C or C++ program links: a header with a typed launch function, an object file
// that holds images and manifests.
#ifndef TLX_COMPILER_PACKAGE_H
#define TLX_COMPILER_PACKAGE_H

#include "tlx/Compiler/Compiler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tlx {

/// The header for one kernel compiled for several targets; all results have the same visible parameters.
/// It needs nothing but libtlxrt's `tlx/Runtime/tlxrt.h`, and is C and C++.
std::string packageHeader(llvm::ArrayRef<CompileResult> results);

/// An object file of this machine with the data that the header declares.
llvm::Expected<std::string> packageObject(llvm::ArrayRef<CompileResult> results);

/// The symbol prefix of a kernel and variant: a C identifier.
std::string packageName(const CompileResult &result);

} // namespace tlx

#endif
