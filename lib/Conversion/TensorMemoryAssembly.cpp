// Instruction forms: PTX ISA 8.7, tcgen05.
#include "TensorMemoryAssembly.h"

#include "InlineAssembly.h"
#include "tlx/Dialect/ThreadTensorMemory.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::thread;

static std::string group(bool pair) {
  return pair ? "cta_group::2" : "cta_group::1";
}

static void expandAlloc(TmemAllocOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string destination = assembly.in(op.getDestination());
  assembly.emit("tcgen05.alloc." + group(op.getPair()) + ".sync.aligned.shared::cta.b32 [" + destination + "], " +
                    Twine(op.getColumns()) + ";",
                true);
}

static void expandDealloc(TmemDeallocOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string address = assembly.in(op.getAddress());
  assembly.emit("tcgen05.dealloc." + group(op.getPair()) + ".sync.aligned.b32 " + address + ", " +
                    Twine(op.getColumns()) + ";",
                true);
}

static std::string shapeText(TmemShape shape, size_t registers) {
  return (shape == TmemShape::Lanes32 ? "32x32b" : "16x32bx2") + std::string(".x") + std::to_string(registers) + ".b32";
}

/// The second operand of 16x32bx2 alone.
static std::string distanceText(TmemShape shape, uint32_t distance) {
  return shape == TmemShape::Lanes32 ? "" : ", " + std::to_string(distance);
}

static void expandLoad(TmemLoadOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string registers = assembly.out(op.getResultTypes()), address = assembly.in(op.getAddress());
  op->replaceAllUsesWith(assembly.emit("tcgen05.ld.sync.aligned." + shapeText(op.getShape(), op.getResult().size()) +
                                           " " + registers + ", [" + address + "]" +
                                           distanceText(op.getShape(), op.getDistance()) + ";",
                                       true));
}

/// The results carry the wait: nothing that reads them can move above it.
static void expandWaitLoad(TmemWaitLoadOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  assembly.out(op.getResultTypes());
  assembly.tie(op.getSource());
  op->replaceAllUsesWith(assembly.emit("tcgen05.wait::ld.sync.aligned;", true));
}

static void expandStore(TmemStoreOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string address = assembly.in(op.getAddress()), registers = assembly.in(op.getSource());
  assembly.emit("tcgen05.st.sync.aligned." + shapeText(op.getShape(), op.getSource().size()) + " [" + address + "]" +
                    distanceText(op.getShape(), op.getDistance()) + ", " + registers + ";",
                true);
}

static void expandMma(Tcgen05MmaOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string d = assembly.in(op.getD()), a = assembly.in(op.getA()), right = assembly.in(op.getB());
  std::string instruction = assembly.in(op.getInstruction());
  std::string accumulate = assembly.in(LLVM::ZExtOp::create(b, op.getLoc(), b.getI32Type(), op.getAccumulate()));
  if (op.getA().getType().isInteger(32))
    a = "[" + a + "]";
  assembly.emit("{ .reg .pred p; setp.ne.b32 p, " + accumulate + ", 0; tcgen05.mma." + group(op.getPair()) +
                    ".kind::" + stringifyTcgen05Kind(op.getKind()) + " [" + d + "], " + a + ", " + right + ", " +
                    instruction + ", p; }",
                true);
}

static void expandScaledMma(Tcgen05ScaledMmaOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string d = assembly.in(op.getD()), a = assembly.in(op.getA()), right = assembly.in(op.getB());
  std::string instruction = assembly.in(op.getInstruction());
  std::string aScale = assembly.in(op.getAScale()), bScale = assembly.in(op.getBScale());
  std::string accumulate = assembly.in(LLVM::ZExtOp::create(b, op.getLoc(), b.getI32Type(), op.getAccumulate()));
  assembly.emit("{ .reg .pred p; setp.ne.b32 p, " + accumulate + ", 0; tcgen05.mma.cta_group::1.kind::" +
                    stringifyTcgen05ScaledKind(op.getKind()) + ".block_scale.block" + Twine(op.getBlock()) + " [" + d +
                    "], " + a + ", " + right + ", " + instruction + ", [" + aScale + "], [" + bScale + "], p; }",
                true);
}

static void expandCopy(Tcgen05CopyOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string address = assembly.in(op.getAddress()), source = assembly.in(op.getSource());
  assembly.emit("tcgen05.cp.cta_group::1.32x128b.warpx4 [" + address + "], " + source + ";", true);
}

static void expandCommit(Tcgen05CommitOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string barrier = assembly.in(op.getBarrier());
  std::string text = "tcgen05.commit." + group(op.getPair()) + ".mbarrier::arrive::one.shared::cluster";
  std::string mask = op.getMask() ? ", " + assembly.in(op.getMask()) : "";
  assembly.emit(text + (op.getMask() ? ".multicast::cluster" : "") + ".b64 [" + barrier + "]" + mask + ";", true);
}

bool tlx::expandTensorMemory(Operation *op, OpBuilder &b) {
  auto plain = [&](const Twine &text) { Assembly(b, op->getLoc()).emit(text, true); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](TmemAllocOp alloc) { return expandAlloc(alloc, b), true; })
      .Case([&](TmemRelinquishOp relinquish) {
        return plain("tcgen05.relinquish_alloc_permit." + group(relinquish.getPair()) + ".sync.aligned;"), true;
      })
      .Case([&](TmemDeallocOp dealloc) { return expandDealloc(dealloc, b), true; })
      .Case([&](TmemLoadOp load) { return expandLoad(load, b), true; })
      .Case([&](TmemWaitLoadOp wait) { return expandWaitLoad(wait, b), true; })
      .Case([&](TmemStoreOp store) { return expandStore(store, b), true; })
      .Case([&](TmemWaitStoreOp) { return plain("tcgen05.wait::st.sync.aligned;"), true; })
      .Case([&](Tcgen05FenceOp fence) {
        return plain(fence.getAfter() ? "tcgen05.fence::after_thread_sync;" : "tcgen05.fence::before_thread_sync;"),
               true;
      })
      .Case([&](Tcgen05MmaOp product) { return expandMma(product, b), true; })
      .Case([&](Tcgen05ScaledMmaOp product) { return expandScaledMma(product, b), true; })
      .Case([&](Tcgen05CopyOp copy) { return expandCopy(copy, b), true; })
      .Case([&](Tcgen05CommitOp commit) { return expandCommit(commit, b), true; })
      .Default([](Operation *) { return false; });
}
