// Code generation that stays linear in the length of unrolled code.
#include "LongBlocks.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

using namespace tlx;

/// No kernel whose tiles fit the registers comes near: the largest of the samples has 446 addresses in a block.
static constexpr size_t mostAddresses = 768;

bool tlx::hasLongBlock(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function) {
      auto isAddress = [](const llvm::Instruction &one) { return llvm::isa<llvm::GetElementPtrInst>(one); };
      if (block.size() > mostAddresses && size_t(llvm::count_if(block, isAddress)) > mostAddresses)
        return true;
    }
  return false;
}

LongBlockGate::LongBlockGate(const llvm::Module &module)
    : context(module.getContext()), before(context.getOptPassGate()), isLong(hasLongBlock(module)) {
  if (isLong)
    context.setOptPassGate(*this);
}

LongBlockGate::~LongBlockGate() {
  if (isLong)
    context.setOptPassGate(before);
}

bool LongBlockGate::shouldRunPass(llvm::StringRef pass, llvm::StringRef) const {
  // LLVM 22: these are 97 of 100 seconds for a thousand loads in a row.
  return pass != "Straight line strength reduction" && pass != "Global Value Numbering";
}
