// The LLVM target machine for a row of Arch.def.
#ifndef TLX_LIB_TARGET_MACHINE_H
#define TLX_LIB_TARGET_MACHINE_H

#include "tlx/Arch/Arch.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace tlx {

/// Registers LLVM's code generator of the vendor on first use. Fails when LLVM here has none.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const Arch &arch);

} // namespace tlx

#endif
