// LLVM IR to PTX, AMD assembly text or an AMD object, in this process.
#ifndef TLX_TARGET_CODEGENERATOR_H
#define TLX_TARGET_CODEGENERATOR_H

#include "tlx/Arch/Arch.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tlx {

/// Runs LLVM's O3 pipeline, without vectorisers and with loops unrolled only where the IR asks for it: a loop that
/// keeps 128 accumulators in registers has none to spare for a second copy of its body. Fails when the result calls
/// what no library on the device defines.
[[nodiscard]] llvm::Error optimize(llvm::Module &module, const Arch &arch);

/// The assembly text of a translated module: PTX, or AMD's. An error means that LLVM could not select an instruction,
/// or crashed: our bug, since no input should reach this point with such a module.
llvm::Expected<std::string> emitAssembly(const llvm::Module &module, const Arch &arch);

/// The same as a relocatable object, for vendors whose assembler LLVM has.
llvm::Expected<std::string> emitObject(const llvm::Module &module, const Arch &arch);

/// The textual LLVM IR, for `--emit=llvm`.
std::string printLLVM(const llvm::Module &module);

/// Version of the LLVM that is linked in, "22.1.8".
std::string llvmVersion();

} // namespace tlx

#endif
