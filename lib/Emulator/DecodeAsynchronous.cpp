// Asynchronous work: copies, matrix operations; and the remaining number formats and calls.
#include "Decoder.h"
#include "Hardware.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tlx/Dialect/ThreadDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tlx::emu {

bool Decoder::decodeCopy(Operation *op) {
  if (auto load = dyn_cast<thread::TMALoadOp>(op)) {
    Inst &inst = emit(op, Opcode::TensorLoad);
    inst.a = slotOf(load.getDestination());
    inst.b = slotOf(load.getMap());
    inst.c = slotOf(load.getBarrier());
    inst.toBits = load->hasAttr("tlx.pair");
    inst.dst = load.getMask() ? slotOf(load.getMask()) : noSlot;
    setOperands(inst, load.getCoordinates());
    return true;
  }
  if (auto store = dyn_cast<thread::TMAStoreOp>(op)) {
    using Result = std::optional<ReduceKind>;
    auto kind = llvm::StringSwitch<Result>(store.getReduce())
                    .Case("", ReduceKind::None)
                    .Case("add", ReduceKind::Add)
                    .Case("min", ReduceKind::Min)
                    .Case("max", ReduceKind::Max)
                    .Case("inc", ReduceKind::Inc)
                    .Case("dec", ReduceKind::Dec)
                    .Case("and", ReduceKind::And)
                    .Case("or", ReduceKind::Or)
                    .Case("xor", ReduceKind::Xor)
                    .Default(std::nullopt);
    if (!kind)
      return fail(op, "the emulator does not know the reduction `" + store.getReduce() + "`");
    Inst &inst = emit(op, Opcode::TensorStore);
    inst.a = slotOf(store.getSource());
    inst.b = slotOf(store.getMap());
    inst.flag = static_cast<uint8_t>(*kind);
    setOperands(inst, store.getCoordinates());
    return true;
  }
  if (auto prefetch = dyn_cast<thread::TMAPrefetchOp>(op)) {
    Inst &inst = emit(op, Opcode::TensorPrefetch);
    inst.b = slotOf(prefetch.getMap());
    setOperands(inst, prefetch.getCoordinates());
    return true;
  }
  if (decodeBulk(op))
    return true;
  if (auto copy = dyn_cast<thread::CpAsyncOp>(op)) {
    Inst &inst = emit(op, Opcode::CpAsync);
    inst.a = slotOf(copy.getDestination());
    inst.b = slotOf(copy.getSource());
    inst.c = copy.getValid() ? slotOf(copy.getValid()) : constantSlot(copy.getBytes());
    inst.imm = copy.getBytes();
    inst.flag = static_cast<uint8_t>(scalarOf(copy.getSource().getType())->space);
    return true;
  }
  if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
    emit(op, Opcode::CpAsyncCommit);
    return true;
  }
  if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
    emit(op, Opcode::CpAsyncWait).imm = wait.getN();
    return true;
  }
  if (auto arrive = dyn_cast<NVVM::CpAsyncMBarrierArriveOp>(op)) {
    Inst &inst = emit(op, Opcode::CpAsyncArrive);
    inst.a = slotOf(arrive.getAddr());
    inst.flag = arrive.getNoinc();
    return true;
  }
  if (isa<NVVM::CpAsyncBulkCommitGroupOp>(op)) {
    emit(op, Opcode::BulkCommit);
    return true;
  }
  if (auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(op)) {
    Inst &inst = emit(op, Opcode::BulkWait);
    inst.imm = wait.getGroup();
    inst.flag = wait.getRead().has_value() && *wait.getRead();
    return true;
  }
  auto matrices = [&](bool store, uint32_t address, llvm::ArrayRef<uint32_t> sources, ValueRange results,
                      bool transposed) {
    Inst &inst = emit(op, store ? Opcode::StMatrix : Opcode::LdMatrix);
    inst.a = address;
    inst.flag = transposed;
    inst.imm = static_cast<int64_t>(store ? sources.size() : results.size());
    setOperands(inst, sources);
    for (Value result : results) {
      uint32_t slot = define(result);
      if (result == results.front())
        inst.dst = slot;
    }
    return true;
  };
  if (auto store = dyn_cast<thread::StMatrixOp>(op)) {
    Slots sources;
    for (Value value : store.getRegisters())
      sources.push_back(slotOf(value));
    return matrices(true, slotOf(store.getAddress()), sources, {}, store.getTransposed());
  }
  if (auto load = dyn_cast<thread::LdMatrixOp>(op))
    return matrices(false, slotOf(load.getAddress()), {}, load.getRegisters(), load.getTransposed());
  return false;
}

bool Decoder::decodeMatrix(Operation *op) {
  if (isa<NVVM::WgmmaFenceAlignedOp>(op)) {
    emit(op, Opcode::WgmmaFence);
    return true;
  }
  if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op)) {
    emit(op, Opcode::WgmmaCommit);
    return true;
  }
  // WgmmaWait: operands become results, one for one; without any it only waits.
  if (auto wait = dyn_cast<thread::WgmmaWaitOp>(op)) {
    Inst &inst = emit(op, Opcode::WgmmaWait);
    inst.imm = wait.getPendings();
    setOperands(inst, wait.getSource());
    if (wait.getSource().size() != wait.getResult().size())
      return fail(op, "needs as many results as operands");
    for (auto [index, result] : llvm::enumerate(wait.getResult())) {
      uint32_t slot = define(result);
      if (index == 0)
        inst.dst = slot;
    }
    return true;
  }
  if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op)) {
    emit(op, Opcode::WgmmaWait).imm = static_cast<int64_t>(wait.getGroup());
    return true;
  }
  auto matrix = dyn_cast<thread::WgmmaOp>(op);
  if (!matrix)
    return false;
  MatrixShape shape{matrix.getN(),
                    matrix.getK(),
                    static_cast<MatrixType>(matrix.getDType()),
                    static_cast<MatrixType>(matrix.getAType()),
                    static_cast<MatrixType>(matrix.getBType()),
                    matrix.getTransA(),
                    matrix.getTransB(),
                    static_cast<uint32_t>(matrix.getAcc().size()),
                    static_cast<uint32_t>(matrix.getA().size())};
  // PTX ISA, wgmma.mma_async: K is 32 bytes of the operand type; N is 8 to 256 in steps of 8; D is 64xN.
  bool wide = shape.a == MatrixType::TF32;
  bool half = shape.a == MatrixType::F16 || shape.a == MatrixType::BF16;
  uint32_t k = wide ? 8 : half ? 16 : 32, registers = shape.d == MatrixType::F16 ? shape.n / 4 : shape.n / 2;
  if (shape.k != k)
    return fail(op, "k is " + llvm::Twine(shape.k) + "; operands of this type need " + llvm::Twine(k));
  if (shape.n % 8 || shape.n < 8 || shape.n > 256)
    return fail(op, "n is " + llvm::Twine(shape.n) + "; the instruction has 8 to 256 in steps of 8");
  if (shape.accumulators != registers || matrix.getResult().size() != registers)
    return fail(op, "has " + llvm::Twine(shape.accumulators) + " accumulators; n needs " + llvm::Twine(registers));
  if ((shape.transA || shape.transB) && !half)
    return fail(op, "only 16-bit operands may be MN-major");
  if (shape.aRegisters != 1 && shape.aRegisters != 4)
    return fail(op, "A is one descriptor or four registers");
  // Pairs of f16 come packed in integers, or as vectors, which have a slot for each element.
  Slots operands;
  for (Value value : op->getOperands())
    llvm::append_range(operands, slotsOf(value));
  shape.accumulators = static_cast<uint32_t>(operands.size()) - shape.aRegisters - 2;
  Inst &inst = emit(op, Opcode::Wgmma);
  setOperands(inst, operands);
  inst.imm = static_cast<int64_t>(program.matrices.size());
  program.matrices.push_back(shape);
  for (auto [index, result] : llvm::enumerate(matrix.getResult())) {
    uint32_t slot = define(result);
    if (index == 0)
      inst.dst = slot;
  }
  return true;
}

bool Decoder::decodeNumbers(Operation *op) {
  if (auto approx = dyn_cast<thread::ApproxOp>(op)) {
    Inst &inst = emit(op, Opcode::Approx);
    inst.flag = static_cast<uint8_t>(approx.getFunction());
    inst.a = slotOf(approx.getSource());
    inst.dst = define(approx.getResult());
    return true;
  }
  if (auto rcp = dyn_cast<NVVM::RcpApproxFtzF32Op>(op)) {
    Inst &inst = emit(op, Opcode::Approx);
    inst.flag = static_cast<uint8_t>(thread::Approx::Rcp);
    inst.a = slotOf(rcp.getArg());
    inst.dst = define(rcp.getRes());
    return true;
  }
  if (auto pack = dyn_cast<thread::PackOp>(op)) {
    if (pack.getType() != thread::MmaType::F16 && pack.getType() != thread::MmaType::BF16)
      return fail(op, "packs f16 or bf16");
    Inst &inst = emit(op, Opcode::Pack);
    inst.toBits = static_cast<uint8_t>(pack.getType() == thread::MmaType::F16 ? FloatKind::F16 : FloatKind::BF16);
    inst.a = slotOf(pack.getLow());
    inst.b = slotOf(pack.getHigh());
    inst.dst = define(pack.getResult());
    return true;
  }
  if (auto permute = dyn_cast<NVVM::PermuteOp>(op)) {
    if (permute.getMode() != NVVM::PermuteMode::DEFAULT)
      return fail(op, "prmt is supported in its default mode");
    Inst &inst = emit(op, Opcode::Permute);
    inst.bits = 32;
    inst.a = slotOf(permute.getLo());
    inst.b = permute.getHi() ? slotOf(permute.getHi()) : constantSlot(0);
    inst.c = slotOf(permute.getSelector());
    inst.dst = define(permute.getRes());
    return true;
  }
  if (auto convert = dyn_cast<NVVM::ConvertFloatToTF32Op>(op)) {
    if (convert.getRnd() != NVVM::FPRoundingMode::RNA || convert.getRelu())
      return fail(op, "cvt to tf32 is supported with rounding rna");
    Inst &inst = emit(op, Opcode::RoundTF32);
    inst.a = slotOf(convert.getSrc());
    inst.dst = define(convert.getRes());
    return true;
  }
  if (auto convert = dyn_cast<NVVM::ConvertF32x2ToF8x2Op>(op)) {
    if (convert.getRelu())
      return fail(op, "cvt with relu is not supported");
    Type to = convert.getDstTy();
    if (!isa<Float8E4M3FNType, Float8E5M2Type>(to))
      return fail(op, "the emulator does not know this 8-bit format");
    Inst &inst = emit(op, Opcode::PackF8);
    inst.flag = isa<Float8E5M2Type>(to);
    inst.bits = static_cast<uint8_t>(FloatKind::F32);
    inst.toBits = isa<VectorType>(convert.getDst().getType()) ? 8 : 16;
    inst.a = slotOf(convert.getA());
    inst.b = slotOf(convert.getB());
    inst.dst = define(convert.getDst());
    return true;
  }
  if (auto convert = dyn_cast<NVVM::ConvertF8x2ToF16x2Op>(op)) {
    Type from = convert.getSrcType();
    if (convert.getRelu() || !isa<Float8E4M3FNType, Float8E5M2Type>(from))
      return fail(op, "the emulator does not know this 8-bit format");
    uint32_t result = define(convert.getDst());
    for (uint32_t index = 0; index < 2; ++index) {
      Inst &inst = emit(op, Opcode::UnpackF8);
      inst.flag = isa<Float8E5M2Type>(from);
      inst.toBits = static_cast<uint8_t>(FloatKind::F16);
      inst.a = slotsOf(convert.getSrc())[index];
      inst.dst = result + index;
    }
    return true;
  }
  return false;
}

/// Calls: only the functions of the device's runtime that stop or print.
bool Decoder::decodeCall(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    if (call.getIntrin() == "llvm.readcyclecounter") {
      Inst &inst = emit(op, Opcode::ReadSpecial);
      inst.flag = static_cast<uint8_t>(SpecialRegister::Clock64);
      inst.bits = 64;
      inst.dst = define(op->getResult(0));
      return true;
    }
    struct Known {
      Opcode opcode;
      uint8_t bits, flag;
    };
    using Result = std::optional<Known>;
    const uint8_t f32 = static_cast<uint8_t>(FloatKind::F32);
    auto known = llvm::StringSwitch<Result>(call.getIntrin())
                     .Case("llvm.nvvm.mulhi.ui", Known{Opcode::MulHiU, 32, 0})
                     .Case("llvm.nvvm.mulhi.i", Known{Opcode::MulHiS, 32, 0})
                     .Case("llvm.nvvm.ex2.approx.ftz.f", Known{Opcode::Approx, f32, 0})
                     .Case("llvm.nvvm.ex2.approx.ftz", Known{Opcode::Approx, f32, 0})
                     .Case("llvm.nvvm.lg2.approx.ftz.f", Known{Opcode::Approx, f32, 1})
                     .Case("llvm.nvvm.rsqrt.approx.ftz.f", Known{Opcode::Approx, f32, 2})
                     .Case("llvm.nvvm.rcp.approx.ftz.f", Known{Opcode::Approx, f32, 6})
                     .Default(std::nullopt);
    if (!known || op->getNumResults() != 1)
      return fail(op, "the emulator does not know the intrinsic `" + call.getIntrin() + "`");
    Inst &inst = emit(op, known->opcode);
    inst.bits = known->bits;
    inst.flag = known->flag;
    inst.a = slotOf(op->getOperand(0));
    if (op->getNumOperands() > 1)
      inst.b = slotOf(op->getOperand(1));
    inst.dst = define(op->getResult(0));
    return true;
  }
  if (decodeReport(op))
    return true;
  if (isa<LLVM::Trap, LLVM::DebugTrap, LLVM::UBSanTrap>(op)) {
    emit(op, Opcode::Trap);
    return true;
  }
  return false;
}

} // namespace tlx::emu
