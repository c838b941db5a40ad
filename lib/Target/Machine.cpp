// NVPTX target machine: short shared pointers, contraction, PTX version from the table.
#include "Machine.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace tlx;

static llvm::TargetOptions machineOptions() {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  // Shared, constant and local pointers have 32 bits: address arithmetic in shared memory then costs one register, not two.
  options.MCOptions.ABIName = "shortptr";
  return options;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> tlx::makeTargetMachine(const Arch &arch) {
  if (!arch.isNVIDIA())
    return llvm::createStringError("code generation for `%s` does not exist yet", arch.name.str().c_str());
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string reason;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError("this LLVM has no NVPTX target: %s", reason.c_str());
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, arch.name, arch.ptxFeature, machineOptions(), llvm::Reloc::Static, std::nullopt,
                                  llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("LLVM makes no target machine for `%s`", arch.name.str().c_str());
  return machine;
}
