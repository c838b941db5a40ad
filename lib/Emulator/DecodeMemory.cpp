// Addresses, loads, stores, atomics.
#include "ConstantMemory.h"
#include "Decoder.h"
#include "Hardware.h"
#include "MemoryOrder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tlx::emu {
namespace {

struct Extent {
  uint64_t size, alignment;
};

/// Size and alignment of a type in memory, by the rules of LLVM's data layout for NVPTX.
std::optional<Extent> extentOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    uint64_t bytes = llvm::PowerOf2Ceil(llvm::divideCeil(integer.getWidth(), 8));
    return Extent{bytes, bytes};
  }
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type)) {
    uint64_t bytes = pointer.getAddressSpace() == 3 ? 4 : 8;
    return Extent{bytes, bytes};
  }
  if (auto real = dyn_cast<FloatType>(type)) {
    uint64_t bytes = real.getWidth() / 8;
    return Extent{bytes, bytes};
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    auto element = extentOf(vector.getElementType());
    if (!element)
      return std::nullopt;
    uint64_t bytes = llvm::PowerOf2Ceil(element->size * static_cast<uint64_t>(vector.getNumElements()));
    return Extent{bytes, bytes};
  }
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    auto element = extentOf(array.getElementType());
    return element ? std::optional(Extent{element->size * array.getNumElements(), element->alignment}) : std::nullopt;
  }
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
    Extent whole{0, 1};
    for (Type member : structure.getBody()) {
      auto extent = extentOf(member);
      if (!extent)
        return std::nullopt;
      uint64_t alignment = structure.isPacked() ? 1 : extent->alignment;
      whole.size = llvm::alignTo(whole.size, alignment) + extent->size;
      whole.alignment = std::max(whole.alignment, alignment);
    }
    whole.size = llvm::alignTo(whole.size, whole.alignment);
    return whole;
  }
  return std::nullopt;
}

uint64_t memberOffset(LLVM::LLVMStructType structure, int64_t member) {
  uint64_t offset = 0;
  for (int64_t index = 0; index <= member; ++index) {
    Extent extent = *extentOf(structure.getBody()[static_cast<size_t>(index)]);
    offset = llvm::alignTo(offset, structure.isPacked() ? 1 : extent.alignment);
    if (index < member)
      offset += extent.size;
  }
  return offset;
}

MemoryOrder orderOf(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::not_atomic:
    return MemoryOrder::Plain;
  case LLVM::AtomicOrdering::unordered:
  case LLVM::AtomicOrdering::monotonic:
    return MemoryOrder::Relaxed;
  case LLVM::AtomicOrdering::acquire:
    return MemoryOrder::Acquire;
  case LLVM::AtomicOrdering::release:
    return MemoryOrder::Release;
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return MemoryOrder::AcquireRelease;
  }
  llvm_unreachable("all orderings are listed");
}

/// How far an order reaches (LLVM, AMDGPU memory model, synchronisation scopes; "-one-as" forms order one memory
/// alone).
enum class Reach : uint8_t { Lane, Wave, Block, Device };
Reach reachOf(std::optional<llvm::StringRef> scope) {
  llvm::StringRef name = scope.value_or("");
  name.consume_back("-one-as");
  return llvm::StringSwitch<Reach>(name)
      .Case("singlethread", Reach::Lane)
      .Case("wavefront", Reach::Wave)
      .Case("workgroup", Reach::Block)
      .Default(Reach::Device);
}

std::optional<AtomicKind> atomicKind(LLVM::AtomicBinOp op) {
  using From = LLVM::AtomicBinOp;
  switch (op) {
  case From::xchg:
    return AtomicKind::Exchange;
  case From::add:
    return AtomicKind::Add;
  case From::sub:
    return AtomicKind::Sub;
  case From::_and:
    return AtomicKind::And;
  case From::_or:
    return AtomicKind::Or;
  case From::_xor:
    return AtomicKind::Xor;
  case From::max:
    return AtomicKind::SMax;
  case From::min:
    return AtomicKind::SMin;
  case From::umax:
    return AtomicKind::UMax;
  case From::umin:
    return AtomicKind::UMin;
  case From::fadd:
    return AtomicKind::FAdd;
  case From::fmax:
    return AtomicKind::FMax;
  case From::fmin:
    return AtomicKind::FMin;
  case From::uinc_wrap:
    return AtomicKind::Inc;
  case From::udec_wrap:
    return AtomicKind::Dec;
  default:
    return std::nullopt;
  }
}

} // namespace

bool Decoder::decodeAddress(Operation *op) {
  if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
    auto scalar = scalarOf(gep.getResult().getType());
    if (!scalar)
      return fail(op, "addresses of this form are not supported");
    uint32_t address = slotOf(gep.getBase());
    Type type = gep.getElemType();
    int64_t constant = 0;
    bool first = true;
    for (auto index : gep.getIndices()) {
      Value dynamic = dyn_cast<Value>(index);
      std::optional<int64_t> known = dynamic ? constantOf(dynamic) : cast<IntegerAttr>(index).getInt();
      if (auto structure = dyn_cast<LLVM::LLVMStructType>(type); structure && !first) {
        constant += static_cast<int64_t>(memberOffset(structure, *known));
        type = structure.getBody()[static_cast<size_t>(*known)];
        continue;
      }
      if (!first)
        type = isa<VectorType>(type) ? cast<VectorType>(type).getElementType()
                                     : cast<LLVM::LLVMArrayType>(type).getElementType();
      first = false;
      auto extent = extentOf(type);
      if (!extent)
        return fail(op, "the size of the element type is not known");
      if (known) {
        constant += *known * static_cast<int64_t>(extent->size);
        continue;
      }
      Inst &inst = emit(op, Opcode::MulAddImm);
      inst.bits = static_cast<uint8_t>(scalar->bits);
      inst.toBits = static_cast<uint8_t>(dynamic.getType().getIntOrFloatBitWidth());
      inst.a = address;
      inst.b = slotOf(dynamic);
      inst.imm = static_cast<int64_t>(extent->size);
      address = inst.dst = newSlots(1);
    }
    if (constant) {
      Inst &inst = emit(op, Opcode::AddImm);
      inst.bits = static_cast<uint8_t>(scalar->bits);
      inst.a = address;
      inst.imm = constant;
      address = inst.dst = newSlots(1);
    }
    alias(gep.getResult(), Slots{address});
    return true;
  }
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName());
    if (global && global.getAddrSpace() == 3 && address.getGlobalName() == "tlx_shared") {
      // Not a constant: in a cluster the address holds the CTA's rank.
      Inst &inst = emit(op, Opcode::ReadSpecial);
      inst.flag = static_cast<uint8_t>(SpecialRegister::SharedBase);
      inst.bits = 32;
      inst.dst = define(address.getResult());
      return true;
    }
    // Zeros in global memory, which AMD's copies read where they are masked out.
    auto zeros = global ? dyn_cast_or_null<DenseIntElementsAttr>(global.getValueOrNull()) : nullptr;
    if (zeros && global.getConstant() && global.getAddrSpace() == 1 && zeros.isSplat() &&
        zeros.getSplatValue<llvm::APInt>().isZero() && extentOf(global.getGlobalType())->size <= zerosBytes) {
      alias(address.getResult(), Slots{constantSlot(zerosPlaceholder)});
      return true;
    }
    return fail(op, "the emulator knows no other globals than `tlx_shared` and a few constant zeros");
  }
  if (isa<LLVM::PtrToIntOp, LLVM::IntToPtrOp>(op)) {
    Inst &inst = emit(op, Opcode::Trunc);
    inst.bits = static_cast<uint8_t>(scalarOf(op->getResult(0).getType())->bits);
    inst.a = slotOf(op->getOperand(0));
    inst.dst = define(op->getResult(0));
    return true;
  }
  if (isa<LLVM::AddrSpaceCastOp>(op)) {
    Space from = scalarOf(op->getOperand(0).getType())->space, to = scalarOf(op->getResult(0).getType())->space;
    if (from != Space::Generic && to != Space::Generic)
      return fail(op, "a cast between two named address spaces has no meaning");
    Inst &inst = emit(op, to == Space::Generic ? Opcode::ToGeneric : Opcode::FromGeneric);
    inst.flag = static_cast<uint8_t>(to == Space::Generic ? from : to);
    inst.a = slotOf(op->getOperand(0));
    inst.dst = define(op->getResult(0));
    return true;
  }
  if (auto map = dyn_cast<NVVM::MapaOp>(op)) {
    Inst &inst = emit(op, Opcode::MapAddress);
    inst.flag = static_cast<uint8_t>(scalarOf(map.getA().getType())->space);
    inst.a = slotOf(map.getA());
    inst.b = slotOf(map.getB());
    inst.dst = define(map.getRes());
    return true;
  }
  return false;
}

bool Decoder::decodeMemory(Operation *op) {
  // Parts of one access lie one after the other, which is not so in structs and in vectors of i1.
  auto contiguous = [&](Type type, llvm::SmallVectorImpl<Scalar> &parts) {
    return !isa<LLVM::LLVMStructType>(type) && flatten(type, parts) && !parts.empty() &&
           (parts.size() == 1 || parts[0].bits % 8 == 0);
  };
  // PTX ISA, ld.volatile: as a relaxed access of system scope.
  auto ordering = [](auto access) {
    MemoryOrder order = orderOf(access.getOrdering());
    return order == MemoryOrder::Plain && access.getVolatile_() ? MemoryOrder::Relaxed : order;
  };
  auto fill = [&](Inst &inst, Value address, const Scalar &part, MemoryOrder order) {
    inst.a = slotOf(address);
    inst.bits = static_cast<uint8_t>(part.bits);
    inst.flag = static_cast<uint8_t>(scalarOf(address.getType())->space);
    inst.toBits = static_cast<uint8_t>(order);
  };
  auto scopeOf = [&](Inst &inst, auto access) {
    inst.narrow = program.hasWaves() && reachOf(access.getSyncscope()) < Reach::Device;
  };
  llvm::SmallVector<Scalar> parts;
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    if (!contiguous(load.getType(), parts))
      return fail(op, "a load of this type is not supported");
    Inst &inst = emit(op, Opcode::Load);
    fill(inst, load.getAddr(), parts[0], ordering(load));
    scopeOf(inst, load);
    inst.imm = static_cast<int64_t>(parts.size());
    inst.dst = define(load.getResult());
    return true;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    if (!contiguous(store.getValue().getType(), parts))
      return fail(op, "a store of this type is not supported");
    Inst &inst = emit(op, Opcode::Store);
    fill(inst, store.getAddr(), parts[0], ordering(store));
    scopeOf(inst, store);
    setOperands(inst, slotsOf(store.getValue()));
    return true;
  }
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
    std::optional<AtomicKind> kind = atomicKind(atomic.getBinOp());
    if (!contiguous(atomic.getVal().getType(), parts) || !kind || parts.size() > 4)
      return fail(op, "an atomic operation of this kind is not supported");
    Inst &inst = emit(op, Opcode::AtomicRMW);
    fill(inst, atomic.getPtr(), parts[0], orderOf(atomic.getOrdering()));
    scopeOf(inst, atomic);
    setOperands(inst, slotsOf(atomic.getVal()));
    inst.imm = static_cast<int64_t>(*kind) | static_cast<int64_t>(parts[0].kind) << 8;
    inst.dst = define(atomic.getRes());
    return true;
  }
  if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
    if (!contiguous(exchange.getVal().getType(), parts))
      return fail(op, "a compare-and-exchange of this type is not supported");
    Inst &inst = emit(op, Opcode::CompareExchange);
    fill(inst, exchange.getPtr(), parts[0], orderOf(exchange.getSuccessOrdering()));
    scopeOf(inst, exchange);
    inst.b = slotOf(exchange.getCmp());
    inst.c = slotOf(exchange.getVal());
    inst.dst = define(exchange.getRes());
    return true;
  }
  if (auto fence = dyn_cast<LLVM::FenceOp>(op)) {
    const Reach reach = reachOf(fence.getSyncscope());
    Inst &inst = emit(op, reach == Reach::Lane ? Opcode::Nop : Opcode::MemoryFence);
    inst.toBits = static_cast<uint8_t>(orderOf(fence.getOrdering()));
    inst.narrow = program.hasWaves() && reach < Reach::Block;
    return true;
  }
  if (isa<NVVM::MembarOp, NVVM::FenceScClusterOp>(op)) {
    emit(op, Opcode::MemoryFence).toBits = static_cast<uint8_t>(MemoryOrder::AcquireRelease);
    return true;
  }
  return false;
}

} // namespace tlx::emu
