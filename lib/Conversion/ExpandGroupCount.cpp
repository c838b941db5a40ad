// The thread dialect's operations for AMD become LLVM's.
#include "ExpandGroupCount.h"

#include "tlx/Dialect/AMD.h"

using namespace mlir;
using namespace tlx;

/// LLVM's AMDGPU usage guide, code object V5 and later: hidden_block_count_x, _y, _z are the first hidden arguments.
bool tlx::expandGroupCount(Operation *operation, OpBuilder &b) {
  auto op = dyn_cast<thread::GroupCountOp>(operation);
  if (!op)
    return false;
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 4);
  Value hidden = LLVM::CallIntrinsicOp::create(b, loc, pointer, b.getStringAttr("llvm.amdgcn.implicitarg.ptr"),
                                               ValueRange())
                     .getResult(0);
  Value place = LLVM::GEPOp::create(b, loc, pointer, b.getI32Type(), hidden,
                                    ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getAxis())});
  op->replaceAllUsesWith(ValueRange{LLVM::LoadOp::create(b, loc, b.getI32Type(), place, /*alignment=*/4)});
  return true;
}
