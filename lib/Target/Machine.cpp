// LLVM target machines: PTX with short shared pointers, AMDGPU as position-independent code objects; contraction on
// both.
#include "Machine.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetOptions.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
}

using namespace tlx;

static llvm::TargetOptions machineOptions() {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return options;
}

/// Shared, constant and local pointers have 32 bits: address arithmetic in shared memory then costs one register, not
/// two. LLVM 22 takes this from a command-line option only. Nothing here ever wants the other value, so that it is one
/// for the process does no harm.
static llvm::Error useShortPointers() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("nvptx-short-ptr");
  if (found == options.end())
    return llvm::createStringError("this LLVM has no 32-bit shared pointers");
  static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
  return llvm::Error::success();
}

/// Registers the code generator of the vendor and gives its triple.
static llvm::Expected<llvm::Triple> prepareVendor(Vendor vendor) {
  if (vendor == Vendor::AMD) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    return llvm::Triple("amdgcn-amd-amdhsa");
  }
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  if (llvm::Error error = useShortPointers())
    return error;
  return llvm::Triple("nvptx64-nvidia-cuda");
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> tlx::makeTargetMachine(const Arch &arch) {
  llvm::Expected<llvm::Triple> triple = prepareVendor(arch.vendor);
  if (!triple)
    return triple.takeError();
  std::string reason;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(*triple, reason);
  if (!target)
    return llvm::createStringError("this LLVM has no code generator for `%s`: %s", arch.name.str().c_str(),
                                   reason.c_str());
  // A code object is a shared library that the driver places where it likes.
  llvm::Reloc::Model relocation = arch.isNVIDIA() ? llvm::Reloc::Static : llvm::Reloc::PIC_;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(*triple, arch.name, arch.ptxFeature,
                                                                           machineOptions(), relocation, std::nullopt,
                                                                           llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("LLVM makes no target machine for `%s`", arch.name.str().c_str());
  return machine;
}
