// AMD's waves: ids, operations among lanes, the barrier, wait counters, hints and number formats.
#include "Decoder.h"
#include "Hardware.h"
#include "MemoryOrder.h"
#include "WaitCount.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tlx::emu {

bool Decoder::decodeWave(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  std::optional<SpecialRegister> special;
  if (name == "thread.group_count") {
    auto axis = op->getAttrOfType<IntegerAttr>("axis");
    if (!axis || axis.getInt() < 0 || axis.getInt() > 2)
      return fail(op, "the axis is 0, 1 or 2");
    special = static_cast<SpecialRegister>(static_cast<unsigned>(SpecialRegister::NctaidX) + axis.getInt());
  } else {
    special = llvm::StringSwitch<std::optional<SpecialRegister>>(name)
                  .Case("rocdl.workitem.id.x", SpecialRegister::TidX)
                  .Case("rocdl.workitem.id.y", SpecialRegister::TidY)
                  .Case("rocdl.workitem.id.z", SpecialRegister::TidZ)
                  .Case("rocdl.workgroup.id.x", SpecialRegister::CtaidX)
                  .Case("rocdl.workgroup.id.y", SpecialRegister::CtaidY)
                  .Case("rocdl.workgroup.id.z", SpecialRegister::CtaidZ)
                  .Case("rocdl.wavefrontsize", SpecialRegister::WarpSize)
                  .Default(std::nullopt);
  }
  if (special) {
    Inst &inst = emit(op, Opcode::ReadSpecial);
    inst.flag = static_cast<uint8_t>(*special);
    inst.bits = static_cast<uint8_t>(scalarOf(op->getResult(0).getType())->bits);
    inst.dst = define(op->getResult(0));
    return true;
  }
  return decodeWaveLanes(op) || decodeWaveOrder(op) || decodeBuffer(op) || decodeLoadToLds(op) || decodeMfma(op) ||
         decodeScaledMfma(op) || decodeWaveNumbers(op);
}

bool Decoder::decodeWaveLanes(Operation *op) {
  // One instruction for each part of a value: what travels between lanes has up to 32 bits at a time.
  auto parts = [&](Opcode opcode, Value source, uint32_t index) {
    Slots from(slotsOf(source));
    uint32_t result = define(op->getResult(0));
    for (auto [number, slot] : llvm::enumerate(from)) {
      Inst &inst = emit(op, opcode);
      inst.a = slot;
      inst.b = index;
      inst.dst = result + static_cast<uint32_t>(number);
    }
    return true;
  };
  if (auto permute = dyn_cast<ROCDL::DsBpermuteOp>(op))
    return parts(Opcode::DsBpermute, permute.getSrc(), slotOf(permute.getIndex()));
  if (auto read = dyn_cast<ROCDL::ReadlaneOp>(op))
    return parts(Opcode::ReadLane, read.getSrc0(), slotOf(read.getSrc1()));
  if (auto read = dyn_cast<ROCDL::ReadfirstlaneOp>(op))
    return parts(Opcode::ReadFirstLane, read.getSrc(), noSlot);
  if (auto ballot = dyn_cast<ROCDL::BallotOp>(op)) {
    if (!ballot.getRes().getType().isInteger(64))
      return fail(op, "a wave has 64 lanes; its ballot is an i64");
    return parts(Opcode::Ballot, ballot.getPred(), noSlot);
  }
  if (isa<ROCDL::MbcntLoOp, ROCDL::MbcntHiOp>(op)) {
    parts(Opcode::MaskedBitCount, op->getOperand(0), slotOf(op->getOperand(1)));
    program.code.back().flag = isa<ROCDL::MbcntHiOp>(op);
    return true;
  }
  if (auto swizzle = dyn_cast<ROCDL::DsSwizzleOp>(op)) {
    auto pattern = constantOf(swizzle.getOffset());
    // Bit 15: a permutation of each four lanes, with the other upper bits zero; else masks (CDNA3 ISA, ds_swizzle_b32).
    if (!pattern || *pattern < 0 || *pattern > 0x80ff)
      return fail(op, "the pattern is a constant: masks, or a permutation of four lanes");
    parts(Opcode::DsSwizzle, swizzle.getSrc(), noSlot);
    program.code.back().imm = *pattern;
    return true;
  }
  if (isa<ROCDL::Permlane16SwapOp, ROCDL::Permlane32SwapOp>(op)) {
    if (program.machine == Machine::Gfx942)
      return fail(op, "gfx942 does not have this operation");
    Inst &inst = emit(op, Opcode::LaneSwap);
    inst.a = slotOf(op->getOperand(0));
    inst.b = slotOf(op->getOperand(1));
    inst.imm = isa<ROCDL::Permlane16SwapOp>(op) ? 16 : 32;
    inst.dst = define(op->getResult(0));
    return true;
  }
  if (auto move = dyn_cast<ROCDL::DPPUpdateOp>(op)) {
    const uint32_t control = move.getDppCtrl();
    const bool known = control < 0x100 || (control > 0x100 && control < 0x130 && control % 16) ||
                       (control >= 0x140 && control <= 0x143);
    if (!known)
      return fail(op, "the emulator does not know this movement of lanes");
    Slots old(slotsOf(move.getOld()));
    parts(Opcode::DataParallel, move.getSrc(), noSlot);
    for (size_t index = 0; index < old.size(); ++index) {
      Inst &inst = program.code[program.code.size() - old.size() + index];
      inst.b = old[index];
      inst.imm = control | move.getRowMask() << 16 | move.getBankMask() << 20;
      inst.flag = move.getBoundCtrl();
    }
    return true;
  }
  return false;
}

bool Decoder::decodeWaveOrder(Operation *op) {
  auto fence = [&](MemoryOrder order) { emit(op, Opcode::MemoryFence).toBits = static_cast<uint8_t>(order); };
  if (isa<ROCDL::SBarrierOp>(op)) {
    emit(op, Opcode::WaveBarrier);
    return true;
  }
  if (isa<ROCDL::BarrierOp>(op)) {
    fence(MemoryOrder::Release);
    emit(op, Opcode::WaveBarrier);
    fence(MemoryOrder::Acquire);
    return true;
  }
  if (auto wait = dyn_cast<ROCDL::SWaitcntOp>(op)) {
    emit(op, Opcode::WaitCounters).imm = WaitCount(static_cast<uint32_t>(wait.getBitfield())).vectorMemory;
    return true;
  }
  // They choose among orders that are all right.
  if (isa<ROCDL::SetPrioOp, ROCDL::SchedBarrier, ROCDL::SchedGroupBarrier, ROCDL::IglpOpt, ROCDL::SSleepOp,
          ROCDL::SNopOp>(op)) {
    emit(op, Opcode::Nop);
    return true;
  }
  return false;
}

/// Conversions of 8-bit floats, and functions that the hardware approximates.
bool Decoder::decodeWaveNumbers(Operation *op) {
  const uint8_t finite = program.machine == Machine::Gfx942 ? 2 : 0;
  auto pack = [&](auto convert, bool bf8) {
    Inst &inst = emit(op, Opcode::WavePackF8);
    inst.flag = static_cast<uint8_t>(bf8 | finite);
    inst.a = slotOf(convert.getSrcA());
    inst.b = slotOf(convert.getSrcB());
    inst.c = slotOf(convert.getOld());
    inst.imm = convert.getWordSel();
    inst.dst = define(convert.getRes());
    return true;
  };
  auto unpack = [&](uint32_t source, unsigned first, unsigned count, bool bf8) {
    uint32_t result = define(op->getResult(0));
    for (unsigned index = 0; index < count; ++index) {
      Inst &inst = emit(op, Opcode::WaveUnpackF8);
      inst.flag = static_cast<uint8_t>(bf8 | finite);
      inst.a = source;
      inst.imm = first + index;
      inst.dst = result + index;
    }
    return true;
  };
  if (auto convert = dyn_cast<ROCDL::CvtPkFp8F32Op>(op))
    return pack(convert, false);
  if (auto convert = dyn_cast<ROCDL::CvtPkBf8F32Op>(op))
    return pack(convert, true);
  if (auto convert = dyn_cast<ROCDL::CvtPkF32Fp8Op>(op))
    return unpack(slotOf(convert.getSrc()), convert.getWordSel() * 2u, 2, false);
  if (auto convert = dyn_cast<ROCDL::CvtPkF32Bf8Op>(op))
    return unpack(slotOf(convert.getSrc()), convert.getWordSel() * 2u, 2, true);
  if (auto convert = dyn_cast<ROCDL::CvtF32Fp8Op>(op))
    return unpack(slotOf(convert.getSrcA()), convert.getByteSel() % 4, 1, false);
  if (auto convert = dyn_cast<ROCDL::CvtF32Bf8Op>(op))
    return unpack(slotOf(convert.getSrcA()), convert.getByteSel() % 4, 1, true);
  // ex2, lg2, rcp and sqrt of f32 (CDNA3 ISA, v_exp_f32, v_log_f32, v_rcp_f32): base 2.
  auto function = llvm::StringSwitch<int>(op->getName().getStringRef())
                      .Case("rocdl.exp2", 0)
                      .Case("rocdl.log", 1)
                      .Case("rocdl.rcp", 6)
                      .Case("rocdl.sqrt", 7)
                      .Default(-1);
  if (function < 0)
    return false;
  if (!op->getResult(0).getType().isF32())
    return fail(op, "is supported for f32");
  Inst &inst = emit(op, function == 7 ? Opcode::Sqrt : Opcode::Approx);
  inst.bits = static_cast<uint8_t>(FloatKind::F32);
  inst.flag = static_cast<uint8_t>(function);
  inst.a = slotOf(op->getOperand(0));
  inst.dst = define(op->getResult(0));
  return true;
}

} // namespace tlx::emu
