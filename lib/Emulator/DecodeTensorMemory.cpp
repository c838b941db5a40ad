// Operations on tensor memory, and cluster launch control.
#include "Decoder.h"

#include "tlx/Dialect/LaunchControl.h"
#include "tlx/Dialect/ThreadTensorMemory.h"

using namespace mlir;

namespace tlx::emu {

/// `bits` says whether the pair of CTAs takes part.
Inst &Decoder::emitTensor(Operation *op, Opcode opcode, bool pair) {
  program.usesTensorMemory = true;
  Inst &inst = emit(op, opcode);
  inst.bits = pair;
  return inst;
}

void Decoder::defineAll(Inst &inst, ValueRange results) {
  for (auto [index, result] : llvm::enumerate(results)) {
    uint32_t slot = define(result);
    if (index == 0)
      inst.dst = slot;
  }
}

/// Allocation and fences; `imm` are columns.
bool Decoder::decodeTensorMemory(Operation *op) {
  if (auto alloc = dyn_cast<thread::TmemAllocOp>(op)) {
    Inst &inst = emitTensor(op, Opcode::TmemAlloc, alloc.getPair());
    inst.a = slotOf(alloc.getDestination());
    inst.imm = alloc.getColumns();
    return true;
  }
  if (auto relinquish = dyn_cast<thread::TmemRelinquishOp>(op)) {
    emitTensor(op, Opcode::TmemRelinquish, relinquish.getPair());
    return true;
  }
  if (auto dealloc = dyn_cast<thread::TmemDeallocOp>(op)) {
    Inst &inst = emitTensor(op, Opcode::TmemDealloc, dealloc.getPair());
    inst.a = slotOf(dealloc.getAddress());
    inst.imm = dealloc.getColumns();
    return true;
  }
  if (auto fence = dyn_cast<thread::Tcgen05FenceOp>(op)) {
    emitTensor(op, Opcode::Tcgen05Fence).flag = fence.getAfter();
    return true;
  }
  return decodeTensorMove(op) || decodeTensorProduct(op) || decodeLaunchControl(op);
}

/// Loads and stores: `flag` is the shape, `imm` the distance, the list the registers.
bool Decoder::decodeTensorMove(Operation *op) {
  if (auto load = dyn_cast<thread::TmemLoadOp>(op)) {
    Inst &inst = emitTensor(op, Opcode::TmemLoad);
    inst.a = slotOf(load.getAddress());
    inst.flag = static_cast<uint8_t>(load.getShape());
    inst.imm = load.getDistance();
    defineAll(inst, load.getResult());
    // An instruction has one list: that of a load holds its results.
    Slots results;
    for (uint32_t index = 0; index < load.getResult().size(); ++index)
      results.push_back(inst.dst + index);
    setOperands(inst, results);
    return true;
  }
  if (auto wait = dyn_cast<thread::TmemWaitLoadOp>(op)) {
    if (wait.getSource().size() != wait.getResult().size())
      return fail(op, "needs as many results as operands");
    Slots sources;
    for (Value value : wait.getSource())
      sources.push_back(slotOf(value));
    Inst &inst = emitTensor(op, Opcode::TmemWaitLoad);
    setOperands(inst, sources);
    defineAll(inst, wait.getResult());
    return true;
  }
  if (auto store = dyn_cast<thread::TmemStoreOp>(op)) {
    Inst &inst = emitTensor(op, Opcode::TmemStore);
    inst.a = slotOf(store.getAddress());
    inst.flag = static_cast<uint8_t>(store.getShape());
    inst.imm = store.getDistance();
    setOperands(inst, store.getSource());
    return true;
  }
  if (!isa<thread::TmemWaitStoreOp>(op))
    return false;
  emitTensor(op, Opcode::TmemWaitStore);
  return true;
}

/// Products: `flag` is the kind, `toBits` tells A in tensor memory, the list the instruction descriptor and whether to
/// add; with block scales `imm` elements share one, and the list goes on with their addresses.
bool Decoder::decodeTensorProduct(Operation *op) {
  if (auto product = dyn_cast<thread::Tcgen05MmaOp>(op)) {
    Inst &inst = emitTensor(op, Opcode::Tcgen05Mma, product.getPair());
    inst.a = slotOf(product.getA());
    inst.b = slotOf(product.getB());
    inst.c = slotOf(product.getD());
    inst.flag = static_cast<uint8_t>(product.getKind());
    inst.toBits = product.getA().getType().isInteger(32);
    setOperands(inst, {slotOf(product.getInstruction()), slotOf(product.getAccumulate())});
    return true;
  }
  if (auto product = dyn_cast<thread::Tcgen05ScaledMmaOp>(op)) {
    Inst &inst = emitTensor(op, Opcode::Tcgen05ScaledMma);
    inst.a = slotOf(product.getA());
    inst.b = slotOf(product.getB());
    inst.c = slotOf(product.getD());
    inst.flag = static_cast<uint8_t>(product.getKind());
    inst.imm = product.getBlock();
    setOperands(inst, {slotOf(product.getInstruction()), slotOf(product.getAccumulate()), slotOf(product.getAScale()),
                       slotOf(product.getBScale())});
    return true;
  }
  if (auto copy = dyn_cast<thread::Tcgen05CopyOp>(op)) {
    Inst &inst = emitTensor(op, Opcode::Tcgen05Copy);
    inst.a = slotOf(copy.getAddress());
    inst.b = slotOf(copy.getSource());
    return true;
  }
  auto commit = dyn_cast<thread::Tcgen05CommitOp>(op);
  if (!commit)
    return false;
  Inst &inst = emitTensor(op, Opcode::Tcgen05Commit, commit.getPair());
  inst.a = slotOf(commit.getBarrier());
  inst.b = commit.getMask() ? slotOf(commit.getMask()) : noSlot;
  return true;
}

bool Decoder::decodeLaunchControl(Operation *op) {
  if (auto request = dyn_cast<thread::LaunchRequestOp>(op)) {
    Inst &inst = emit(op, Opcode::LaunchRequest);
    inst.a = slotOf(request.getAnswer());
    inst.b = slotOf(request.getBarrier());
    inst.flag = request.getMulticast();
    return true;
  }
  auto answer = dyn_cast<thread::LaunchAnswerOp>(op);
  if (!answer)
    return false;
  Inst &inst = emit(op, Opcode::LaunchAnswer);
  inst.a = slotOf(answer.getAnswer());
  defineAll(inst, answer->getResults());
  return true;
}

} // namespace tlx::emu
