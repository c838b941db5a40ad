// The LLVM target machine for a row of Arch.def.
#ifndef TLX_LIB_TARGET_MACHINE_H
#define TLX_LIB_TARGET_MACHINE_H

#include "tlx/Arch/Arch.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace tlx {

/// Registers LLVM's NVPTX target on first use. Fails for a vendor that LLVM here has no target for.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const Arch &arch);

} // namespace tlx

#endif
