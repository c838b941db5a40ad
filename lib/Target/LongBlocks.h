// Long unrolled code: what of the code generator's own optimisations it goes without.
#ifndef TLX_TARGET_LONGBLOCKS_H
#define TLX_TARGET_LONGBLOCKS_H

#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"

namespace tlx {

/// Whether a block computes so many addresses that passes which compare each with all others take minutes.
bool hasLongBlock(const llvm::Module &module);

/// While it lives, code generation in the context of a module with long blocks leaves out the passes that compare
/// addresses pair by pair. The assembler finds most of the same behind them.
class LongBlockGate : public llvm::OptPassGate {
public:
  explicit LongBlockGate(const llvm::Module &module);
  ~LongBlockGate() override;
  LongBlockGate(const LongBlockGate &) = delete;
  LongBlockGate &operator=(const LongBlockGate &) = delete;

  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const override;
  bool isEnabled() const override { return isLong; }

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &before;
  bool isLong;
};

} // namespace tlx

#endif
