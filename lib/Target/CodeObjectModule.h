// What an LLVM module for AMD needs beside its translation.
#ifndef TLX_LIB_TARGET_CODEOBJECTMODULE_H
#define TLX_LIB_TARGET_CODEOBJECTMODULE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tlx {

/// Gives shared memory its size (`sharedBytes`), kernels the attributes that hold for every launch of ours, and the
/// module the version of the code object. Fences of a block stop waiting for loads straight to shared memory.
void completeCodeObjectModule(llvm::Module &module, uint64_t sharedBytes);

/// Fails when a function is called that nobody defines, naming it and the line that calls it: there is no device
/// library.
llvm::Error refuseOpenCalls(const llvm::Module &module);

} // namespace tlx

#endif
