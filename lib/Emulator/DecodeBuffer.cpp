// AMD's buffers, and loads from global memory straight to LDS.
#include "Decoder.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace tlx::emu {

/// BufferLoad and BufferStore: `a` base, `b` offset of the lane, `c` offset of the wave; operands: stride, records,
/// flags, and what is stored.
bool Decoder::decodeBuffer(Operation *op) {
  if (auto make = dyn_cast<ROCDL::MakeBufferRsrcOp>(op)) {
    if (cast<LLVM::LLVMPointerType>(make.getRes().getType()).getAddressSpace() != 8)
      return fail(op, "fat buffer pointers are not supported");
    alias(make.getRes(), Slots{slotOf(make.getBase()), slotOf(make.getStride()), slotOf(make.getNumRecords()),
                               slotOf(make.getFlags())});
    return true;
  }
  llvm::SmallVector<Scalar> parts;
  auto fill = [&](Inst &inst, Value resource, Value offset, Value waveOffset, Value stored) {
    Slots slots(slotsOf(resource));
    inst.a = slots[0];
    inst.b = slotOf(offset);
    inst.c = slotOf(waveOffset);
    Slots operands{slots[1], slots[2], slots[3]};
    if (stored)
      llvm::append_range(operands, slotsOf(stored));
    setOperands(inst, operands);
    inst.bits = static_cast<uint8_t>(parts[0].bits);
    inst.imm = static_cast<int64_t>(parts.size());
  };
  auto fits = [&](Type type) {
    return !isa<LLVM::LLVMStructType>(type) && flatten(type, parts) && !parts.empty() && parts[0].bits % 8 == 0 &&
           parts[0].bits * parts.size() <= 128;
  };
  if (auto load = dyn_cast<ROCDL::RawPtrBufferLoadOp>(op)) {
    if (!fits(load.getRes().getType()))
      return fail(op, "a buffer load of this type is not supported");
    Inst &inst = emit(op, Opcode::BufferLoad);
    fill(inst, load.getRsrc(), load.getOffset(), load.getSoffset(), Value());
    inst.dst = define(load.getRes());
    return true;
  }
  if (auto store = dyn_cast<ROCDL::RawPtrBufferStoreOp>(op)) {
    if (!fits(store.getVdata().getType()))
      return fail(op, "a buffer store of this type is not supported");
    fill(emit(op, Opcode::BufferStore), store.getRsrc(), store.getOffset(), store.getSoffset(), store.getVdata());
    return true;
  }
  return false;
}

/// LoadToLds: `a` global address or base of the buffer, `b` offset in the buffer (none: no buffer), `c` LDS address of
/// the wave, imm the bytes of a lane; operands: the offset on both sides, then for a buffer offset of the wave, stride,
/// records and flags.
bool Decoder::decodeLoadToLds(Operation *op) {
  auto start = [&](int64_t bytes) -> Inst * {
    // Where bytes and halves land is told in two ways by the documents: a lane's own size apart, or a word apart.
    const bool known = bytes == 4 || (program.machine == Machine::Gfx950 && (bytes == 12 || bytes == 16));
    if (!known) {
      fail(op, "loads " + llvm::Twine(bytes) + " bytes to LDS; " +
                   (program.machine == Machine::Gfx950 ? "gfx950 has 4, 12 and 16" : "gfx942 has 4"));
      return nullptr;
    }
    Inst &inst = emit(op, Opcode::LoadToLds);
    inst.imm = bytes;
    return &inst;
  };
  auto global = [&](auto load) {
    Inst *inst = start(load.getSize());
    if (!inst)
      return false;
    inst->a = slotOf(load.getGlobalPtr());
    inst->c = slotOf(load.getLdsPtr());
    auto space = scalarOf(load.getGlobalPtr().getType());
    if (!space)
      return fail(op, "fat buffer pointers are not supported");
    inst->flag = static_cast<uint8_t>(space->space);
    setOperands(*inst, Slots{constantSlot(load.getOffset())});
    return true;
  };
  if (auto load = dyn_cast<ROCDL::LoadToLDSOp>(op))
    return global(load);
  if (auto load = dyn_cast<ROCDL::GlobalLoadLDSOp>(op))
    return global(load);
  auto load = dyn_cast<ROCDL::RawPtrBufferLoadLdsOp>(op);
  if (!load)
    return false;
  std::optional<int64_t> size = constantOf(load.getSize()), offset = constantOf(load.getOffset());
  if (!size || !offset)
    return fail(op, "size and offset of a load to LDS are constants");
  Inst *inst = start(*size);
  if (!inst)
    return false;
  Slots resource(slotsOf(load.getRsrc()));
  inst->a = resource[0];
  inst->b = slotOf(load.getVoffset());
  inst->c = slotOf(load.getLdsPtr());
  const uint32_t both = constantSlot(static_cast<uint64_t>(*offset) & 0xffffffffu);
  setOperands(program.code.back(), Slots{both, slotOf(load.getSoffset()), resource[1], resource[2], resource[3]});
  return true;
}

} // namespace tlx::emu
