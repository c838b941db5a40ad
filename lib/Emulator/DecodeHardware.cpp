// Operations of the hardware within and between warps: special registers, shuffles, barriers, fences.
#include "Decoder.h"
#include "Hardware.h"
#include "MemoryOrder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tlx/Dialect/ThreadDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tlx::emu {

bool Decoder::decodeSpecialRegister(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (!name.consume_front("nvvm.read.ptx.sreg."))
    return false;
  using Result = std::optional<SpecialRegister>;
  auto which = llvm::StringSwitch<Result>(name)
#define TLX_SPECIAL(enumerator, text) .Case(text, SpecialRegister::enumerator)
#include "SpecialRegisters.def"
                   .Default(std::nullopt);
  if (!which)
    return fail(op, "the emulator does not know this register");
  Inst &inst = emit(op, Opcode::ReadSpecial);
  inst.flag = static_cast<uint8_t>(*which);
  inst.bits = static_cast<uint8_t>(scalarOf(op->getResult(0).getType())->bits);
  inst.dst = define(op->getResult(0));
  return true;
}

bool Decoder::decodeWarp(Operation *op) {
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    Inst &inst = emit(op, Opcode::Shuffle);
    inst.flag = static_cast<uint8_t>(shuffle.getKind());
    inst.a = slotOf(shuffle.getVal());
    inst.b = slotOf(shuffle.getOffset());
    inst.c = slotOf(shuffle.getMaskAndClamp());
    setOperands(inst, ValueRange{shuffle.getThreadMask()});
    inst.imm = shuffle.getReturnValueAndIsValid() ? 1 : 0;
    inst.dst = define(shuffle.getRes());
    return true;
  }
  if (auto vote = dyn_cast<NVVM::VoteSyncOp>(op)) {
    Inst &inst = emit(op, Opcode::Vote);
    inst.flag = static_cast<uint8_t>(vote.getKind());
    inst.a = slotOf(vote.getMask());
    inst.b = slotOf(vote.getPred());
    inst.dst = define(vote.getRes());
    return true;
  }
  if (auto redux = dyn_cast<NVVM::ReduxOp>(op)) {
    auto scalar = scalarOf(redux.getVal().getType());
    if (scalar->isFloat)
      return fail(op, "redux.sync of floats needs sm_100");
    std::optional<Reduction> reduction;
    switch (redux.getKind()) {
    case NVVM::ReduxKind::ADD:
      reduction = Reduction::Add;
      break;
    case NVVM::ReduxKind::AND:
      reduction = Reduction::And;
      break;
    case NVVM::ReduxKind::OR:
      reduction = Reduction::Or;
      break;
    case NVVM::ReduxKind::XOR:
      reduction = Reduction::Xor;
      break;
    case NVVM::ReduxKind::UMAX:
      reduction = Reduction::UMax;
      break;
    case NVVM::ReduxKind::UMIN:
      reduction = Reduction::UMin;
      break;
    case NVVM::ReduxKind::MAX:
      reduction = Reduction::Max;
      break;
    case NVVM::ReduxKind::MIN:
      reduction = Reduction::Min;
      break;
    default:
      return fail(op, "the emulator does not know this reduction");
    }
    Inst &inst = emit(op, Opcode::Redux);
    inst.flag = static_cast<uint8_t>(*reduction);
    inst.a = slotOf(redux.getVal());
    inst.b = slotOf(redux.getMaskAndClamp());
    inst.dst = define(redux.getRes());
    return true;
  }
  if (auto match = dyn_cast<NVVM::MatchSyncOp>(op)) {
    if (match.getKind() != NVVM::MatchSyncKind::any)
      return fail(op, "match.all is not supported");
    Inst &inst = emit(op, Opcode::Match);
    inst.a = slotOf(match.getThreadMask());
    inst.b = slotOf(match.getVal());
    inst.dst = define(match.getRes());
    return true;
  }
  if (auto elect = dyn_cast<NVVM::ElectSyncOp>(op)) {
    Inst &inst = emit(op, Opcode::Elect);
    inst.a = elect.getMembermask() ? slotOf(elect.getMembermask()) : constantSlot(0xffffffffu);
    inst.dst = define(elect.getPred());
    return true;
  }
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
    emit(op, Opcode::WarpSync).a = slotOf(sync.getMask());
    return true;
  }
  return false;
}

bool Decoder::decodeBarrier(Operation *op) {
  // NamedBarrier: `a` the id, `b` the number of threads (none: all), flag 1: arrive only.
  auto barrier = [&](uint32_t id, uint32_t threads, bool arriveOnly) {
    Inst &inst = emit(op, Opcode::NamedBarrier);
    inst.a = id;
    inst.b = threads;
    inst.flag = arriveOnly;
    return true;
  };
  if (isa<NVVM::Barrier0Op>(op))
    return barrier(constantSlot(0), constantSlot(program.threads), false);
  if (auto sync = dyn_cast<NVVM::BarrierOp>(op)) {
    if (sync.getReductionOp())
      return fail(op, "a barrier with a reduction is not supported");
    return barrier(sync.getBarrierId() ? slotOf(sync.getBarrierId()) : constantSlot(0),
                   sync.getNumberOfThreads() ? slotOf(sync.getNumberOfThreads()) : constantSlot(program.threads),
                   false);
  }
  if (auto arrive = dyn_cast<NVVM::BarrierArriveOp>(op))
    return barrier(arrive.getBarrierId() ? slotOf(arrive.getBarrierId()) : constantSlot(0),
                   slotOf(arrive.getNumberOfThreads()), true);
  if (auto named = dyn_cast<thread::NamedBarrierOp>(op))
    return barrier(constantSlot(named.getId()), constantSlot(named.getThreads()), named.getArrive());
  if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(op)) {
    emit(op, Opcode::ClusterArrive).flag = isa<NVVM::ClusterArriveRelaxedOp>(op);
    return true;
  }
  if (isa<NVVM::ClusterWaitOp>(op)) {
    emit(op, Opcode::ClusterWait);
    return true;
  }
  return false;
}

bool Decoder::decodeFence(Operation *op) {
  if (auto fence = dyn_cast<NVVM::FenceProxyOp>(op)) {
    // Which memory the fence covers: 1 shared, 2 global, 3 both; alias proxies play no part here.
    uint8_t covers = 0;
    switch (fence.getKind()) {
    case NVVM::ProxyKind::async:
      covers = 3;
      break;
    case NVVM::ProxyKind::async_global:
      covers = 2;
      break;
    case NVVM::ProxyKind::async_shared:
      covers = 1;
      break;
    case NVVM::ProxyKind::alias:
      break;
    default:
      return fail(op, "a fence of this proxy is not supported");
    }
    emit(op, Opcode::FenceProxy).flag = covers;
    return true;
  }
  if (isa<NVVM::FenceMbarrierInitOp>(op)) {
    emit(op, Opcode::FenceMbarrierInit);
    return true;
  }
  if (auto registers = dyn_cast<NVVM::SetMaxRegisterOp>(op)) {
    Inst &inst = emit(op, Opcode::SetMaxRegisters);
    inst.imm = registers.getRegCount();
    inst.flag = registers.getAction() == NVVM::SetMaxRegisterAction::increase;
    return true;
  }
  // Hints, and waits on grids that were launched before: nothing that the one grid of a run could observe.
  if (isa<NVVM::GriddepcontrolOp, NVVM::PrefetchOp, NVVM::NanosleepOp, NVVM::PMEventOp, LLVM::AssumeOp,
          LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::DbgValueOp, LLVM::DbgDeclareOp, LLVM::DbgLabelOp>(op)) {
    emit(op, Opcode::Nop);
    return true;
  }
  return false;
}

bool Decoder::decodeMbarrier(Operation *op) {
  if (auto init = dyn_cast<NVVM::MBarrierInitOp>(op)) {
    Inst &inst = emit(op, Opcode::MbarrierInit);
    inst.a = slotOf(init.getAddr());
    inst.b = slotOf(init.getCount());
    inst.c = init.getPredicate() ? slotOf(init.getPredicate()) : constantSlot(1);
    return true;
  }
  if (auto inval = dyn_cast<NVVM::MBarrierInvalOp>(op)) {
    emit(op, Opcode::MbarrierInval).a = slotOf(inval.getAddr());
    return true;
  }
  if (auto wait = dyn_cast<thread::MbarrierWaitOp>(op)) {
    Inst &inst = emit(op, Opcode::MbarrierWait);
    inst.a = slotOf(wait.getBarrier());
    inst.b = slotOf(wait.getPhase());
    return true;
  }
  if (auto wait = dyn_cast<NVVM::MBarrierTryWaitParityOp>(op)) {
    Inst &inst = emit(op, Opcode::MbarrierWait);
    inst.a = slotOf(wait.getAddr());
    inst.b = slotOf(wait.getPhase());
    return true;
  }
  // `flag`: the answer comes at once; a try may wait for it.
  auto test = [&](Value address, Value phase, Value result) {
    Inst &inst = emit(op, Opcode::MbarrierTest);
    inst.flag = isa<NVVM::MBarrierTestWaitOp>(op);
    inst.a = slotOf(address);
    inst.b = slotOf(phase);
    inst.dst = define(result);
    return true;
  };
  // The forms that take a state instead of a parity have an i64 there.
  if (auto wait = dyn_cast<NVVM::MBarrierTryWaitOp>(op); wait && op->getOperand(1).getType().isInteger(32))
    return test(wait.getAddr(), op->getOperand(1), wait->getResult(0));
  if (auto wait = dyn_cast<NVVM::MBarrierTestWaitOp>(op); wait && op->getOperand(1).getType().isInteger(32))
    return test(wait.getAddr(), op->getOperand(1), wait->getResult(0));
  if (auto arrive = dyn_cast<thread::MbarrierArriveOp>(op)) {
    Inst &inst = emit(op, Opcode::MbarrierArrive);
    inst.a = slotOf(arrive.getBarrier());
    inst.b = arrive.getRank() ? slotOf(arrive.getRank()) : noSlot;
    inst.imm = arrive.getCount();
    return true;
  }
  if (auto arrive = dyn_cast<NVVM::MBarrierArriveOp>(op);
      arrive && op->getNumOperands() == 1 && op->getNumResults() == 0) {
    Inst &inst = emit(op, Opcode::MbarrierArrive);
    inst.a = slotOf(arrive.getAddr());
    inst.imm = 1;
    return true;
  }
  if (auto expect = dyn_cast<thread::MbarrierExpectOp>(op)) {
    Inst &inst = emit(op, Opcode::MbarrierExpect);
    inst.a = slotOf(expect.getBarrier());
    inst.b = constantSlot(expect.getBytes());
    inst.flag = 1;
    return true;
  }
  if (auto expect = dyn_cast<NVVM::MBarrierArriveExpectTxOp>(op);
      expect && op->getNumOperands() == 2 && op->getNumResults() == 0) {
    Inst &inst = emit(op, Opcode::MbarrierExpect);
    inst.a = slotOf(op->getOperand(0));
    inst.b = slotOf(op->getOperand(1));
    inst.flag = 1;
    return true;
  }
  if (isa<NVVM::MBarrierExpectTxOp>(op)) {
    Inst &inst = emit(op, Opcode::MbarrierExpect);
    inst.a = slotOf(op->getOperand(0));
    inst.b = slotOf(op->getOperand(1));
    return true;
  }
  return false;
}

} // namespace tlx::emu
