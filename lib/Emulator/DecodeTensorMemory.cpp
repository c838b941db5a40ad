// Operations on tensor memory, and cluster launch control.
#include "Decoder.h"

#include "tlx/Dialect/LaunchControl.h"
#include "tlx/Dialect/ThreadTensorMemory.h"

using namespace mlir;

namespace tlx::emu {

/// `imm` holds what the opcode needs as a number, `flag` its variant, `bits` whether the pair of CTAs takes part.
bool Decoder::decodeTensorMemory(Operation *op) {
  auto begin = [&](Opcode opcode, bool pair) -> Inst & {
    program.usesTensorMemory = true;
    Inst &inst = emit(op, opcode);
    inst.bits = pair;
    return inst;
  };
  auto defineAll = [&](Inst &inst, ValueRange results) {
    for (auto [index, result] : llvm::enumerate(results)) {
      uint32_t slot = define(result);
      if (index == 0)
        inst.dst = slot;
    }
  };
  if (auto alloc = dyn_cast<thread::TmemAllocOp>(op)) {
    Inst &inst = begin(Opcode::TmemAlloc, alloc.getPair());
    inst.a = slotOf(alloc.getDestination());
    inst.imm = alloc.getColumns();
    return true;
  }
  if (auto relinquish = dyn_cast<thread::TmemRelinquishOp>(op)) {
    begin(Opcode::TmemRelinquish, relinquish.getPair());
    return true;
  }
  if (auto dealloc = dyn_cast<thread::TmemDeallocOp>(op)) {
    Inst &inst = begin(Opcode::TmemDealloc, dealloc.getPair());
    inst.a = slotOf(dealloc.getAddress());
    inst.imm = dealloc.getColumns();
    return true;
  }
  if (auto load = dyn_cast<thread::TmemLoadOp>(op)) {
    Inst &inst = begin(Opcode::TmemLoad, false);
    inst.a = slotOf(load.getAddress());
    inst.flag = static_cast<uint8_t>(load.getShape());
    inst.imm = load.getDistance();
    inst.count = static_cast<uint32_t>(load.getResult().size());
    inst.extra = 0;
    defineAll(inst, load.getResult());
    // The operands of a load are its results: an instruction has one list.
    Slots results;
    for (uint32_t index = 0; index < inst.count; ++index)
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
    Inst &inst = begin(Opcode::TmemWaitLoad, false);
    setOperands(inst, sources);
    defineAll(inst, wait.getResult());
    return true;
  }
  if (auto store = dyn_cast<thread::TmemStoreOp>(op)) {
    Inst &inst = begin(Opcode::TmemStore, false);
    inst.a = slotOf(store.getAddress());
    inst.flag = static_cast<uint8_t>(store.getShape());
    inst.imm = store.getDistance();
    setOperands(inst, store.getSource());
    return true;
  }
  if (isa<thread::TmemWaitStoreOp>(op)) {
    begin(Opcode::TmemWaitStore, false);
    return true;
  }
  if (auto fence = dyn_cast<thread::Tcgen05FenceOp>(op)) {
    begin(Opcode::Tcgen05Fence, false).flag = fence.getAfter();
    return true;
  }
  if (auto product = dyn_cast<thread::Tcgen05MmaOp>(op)) {
    Inst &inst = begin(Opcode::Tcgen05Mma, product.getPair());
    inst.a = slotOf(product.getA());
    inst.b = slotOf(product.getB());
    inst.c = slotOf(product.getD());
    inst.flag = static_cast<uint8_t>(product.getKind());
    inst.toBits = product.getA().getType().isInteger(32);
    setOperands(inst, {slotOf(product.getInstruction()), slotOf(product.getAccumulate())});
    return true;
  }
  if (auto commit = dyn_cast<thread::Tcgen05CommitOp>(op)) {
    Inst &inst = begin(Opcode::Tcgen05Commit, commit.getPair());
    inst.a = slotOf(commit.getBarrier());
    inst.b = commit.getMask() ? slotOf(commit.getMask()) : noSlot;
    return true;
  }
  if (auto request = dyn_cast<thread::LaunchRequestOp>(op)) {
    Inst &inst = emit(op, Opcode::LaunchRequest);
    inst.a = slotOf(request.getAnswer());
    inst.b = slotOf(request.getBarrier());
    inst.flag = request.getMulticast();
    return true;
  }
  if (auto answer = dyn_cast<thread::LaunchAnswerOp>(op)) {
    Inst &inst = emit(op, Opcode::LaunchAnswer);
    inst.a = slotOf(answer.getAnswer());
    for (auto [index, result] : llvm::enumerate(answer->getResults())) {
      uint32_t slot = define(result);
      if (index == 0)
        inst.dst = slot;
    }
    return true;
  }
  return false;
}

} // namespace tlx::emu
