// Module flags, kernel attributes and shared memory for AMD.
#include "CodeObjectModule.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

using namespace tlx;

/// Address space of memory shared by a block (AMDGPU usage guide, address spaces).
static constexpr unsigned sharedSpace = 3;

/// Shared memory of unknown size would be given by the launch. Its size is known: in the descriptor of the kernel the
/// compiler can count with it (waves per SIMD) and refuse what is too large, and no launcher has to pass it.
static void sizeSharedMemory(llvm::Module &module, uint64_t bytes) {
  llvm::SmallVector<llvm::GlobalVariable *> open;
  for (llvm::GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == sharedSpace && global.isDeclaration())
      open.push_back(&global);
  for (llvm::GlobalVariable *global : open) {
    auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), bytes);
    auto *sized = new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                           llvm::PoisonValue::get(type), "", nullptr, llvm::GlobalValue::NotThreadLocal,
                                           sharedSpace);
    sized->setAlignment(global->getAlign());
    sized->takeName(global);
    global->replaceAllUsesWith(sized);
    global->eraseFromParent();
  }
}

void tlx::completeCodeObjectModule(llvm::Module &module, uint64_t sharedBytes) {
  sizeSharedMemory(module, sharedBytes);
  // Version 5 is what drivers since ROCm 5.4 load; 6 adds nothing that is used here.
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  for (llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      // Grids count whole blocks.
      function.addFnAttr("uniform-work-group-size", "true");
}

/// "file:line:column" of an instruction, or the function that holds it.
static std::string placeOf(const llvm::Instruction &instruction) {
  const llvm::DebugLoc &location = instruction.getDebugLoc();
  if (!location)
    return "in `" + instruction.getFunction()->getName().str() + "`";
  return (location->getFilename() + ":" + llvm::Twine(location.getLine()) + ":" + llvm::Twine(location.getCol())).str();
}

llvm::Error tlx::refuseOpenCalls(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block) {
        auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
        if (callee && callee->isDeclaration() && !callee->isIntrinsic())
          return llvm::createStringError(placeOf(instruction) + ": `" + callee->getName() +
                                         "` is called, and no library on the device defines it");
      }
  return llvm::Error::success();
}
