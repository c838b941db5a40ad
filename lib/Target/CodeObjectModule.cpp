// Module flags, kernel attributes and shared memory for AMD.
#include "CodeObjectModule.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

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

static bool loadsStraightToShared(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::amdgcn_load_to_lds:
  case llvm::Intrinsic::amdgcn_global_load_lds:
  case llvm::Intrinsic::amdgcn_raw_ptr_buffer_load_lds:
    return true;
  default:
    return false;
  }
}

/// LLVM makes a release to the block wait for every load that goes straight to shared memory, which ends all overlap.
/// Our kernels wait for those themselves, counted, so the fences keep what else they stand for: the order of the
/// compiler, and that the wave's own accesses of shared memory are done (global memory of a block goes through one
/// cache in order: AMDGPU usage guide, memory model of gfx942, workgroup scope).
static void relaxFences(llvm::Function &function) {
  llvm::SmallVector<llvm::FenceInst *> fences;
  bool hasLoads = false;
  llvm::LLVMContext &context = function.getContext();
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block) {
      hasLoads |= loadsStraightToShared(instruction);
      auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
      if (fence && fence->getSyncScopeID() == context.getOrInsertSyncScopeID("workgroup"))
        fences.push_back(fence);
    }
  if (!hasLoads)
    return;
  // lgkmcnt(0), the other counters at their most (CDNA3 ISA guide, S_WAITCNT).
  constexpr unsigned sharedAccessesDone = 0xC07F;
  for (llvm::FenceInst *fence : fences) {
    fence->setSyncScopeID(context.getOrInsertSyncScopeID("wavefront"));
    if (!llvm::isReleaseOrStronger(fence->getOrdering()))
      continue;
    llvm::IRBuilder<> builder(fence->getNextNode());
    builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_waitcnt, {builder.getInt32(sharedAccessesDone)});
  }
}

void tlx::completeCodeObjectModule(llvm::Module &module, uint64_t sharedBytes) {
  sizeSharedMemory(module, sharedBytes);
  // Version 5 is what drivers since ROCm 5.4 load; 6 adds nothing that is used here.
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  for (llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL) {
      // Grids count whole blocks.
      function.addFnAttr("uniform-work-group-size", "true");
      relaxFences(function);
    }
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
