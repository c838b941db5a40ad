// The thread dialect's operations for AMD become LLVM's, and meetings what LLVM makes the intended code of.
#include "ExpandAMD.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
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
  Value hidden =
      LLVM::CallIntrinsicOp::create(b, loc, pointer, b.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange())
          .getResult(0);
  Value place = LLVM::GEPOp::create(b, loc, pointer, b.getI32Type(), hidden,
                                    ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getAxis())});
  op->replaceAllUsesWith(ValueRange{LLVM::LoadOp::create(b, loc, b.getI32Type(), place, /*alignment=*/4)});
  return true;
}

/// AMD CDNA3 ISA, S_WAITCNT: lgkmcnt 0, the other counters at their largest.
static constexpr uint32_t waitForShared = 0xC07F;

/// `fence release; s.barrier; fence acquire` of a workgroup: LLVM 22 lets the fence wait for all loads to LDS. A fence
/// of one wave keeps LLVM from moving accesses just as well, and the wait for the wave's own accesses to LDS is written
/// out. Global memory needs no wait: the waves of a workgroup share its nearest cache (LLVM's AMDGPU usage guide,
/// memory model of gfx942 without tgsplit).
void tlx::keepCopiesOverMeetings(ModuleOp module) {
  module.walk([](LLVM::LLVMFuncOp function) {
    bool copies = function.walk([](ROCDL::LoadToLDSOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!copies)
      return;
    function.walk([](ROCDL::SBarrierOp barrier) {
      auto release = dyn_cast_or_null<LLVM::FenceOp>(barrier->getPrevNode());
      auto acquire = dyn_cast_or_null<LLVM::FenceOp>(barrier->getNextNode());
      if (!release || !acquire)
        return;
      for (LLVM::FenceOp fence : {release, acquire})
        fence.setSyncscope("wavefront");
      OpBuilder b(barrier);
      ROCDL::SWaitcntOp::create(b, barrier.getLoc(), waitForShared);
    });
  });
}
