// NVPTX target machine: short shared pointers, contraction, PTX version from the table.
#include "Machine.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
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
  return options;
}

/// Shared, constant and local pointers have 32 bits: address arithmetic in shared memory then costs one register, not two.
/// LLVM 22 takes this from a command-line option only. Nothing here ever wants the other value, so that it is one for the
/// process does no harm.
static llvm::Error useShortPointers() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("nvptx-short-ptr");
  if (found == options.end())
    return llvm::createStringError("this LLVM has no 32-bit shared pointers");
  static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> tlx::makeTargetMachine(const Arch &arch) {
  if (!arch.isNVIDIA())
    return llvm::createStringError("code generation for `%s` does not exist yet", arch.name.str().c_str());
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  if (llvm::Error error = useShortPointers())
    return error;
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
