// Bulk copies, stores to other CTAs, tensor maps made by the kernel, printing and assertions.
#include "Cluster.h"
#include "Decoder.h"

#include "tlx/Dialect/ThreadDialect.h"

using namespace mlir;

namespace tlx::emu {

/// The element type of a tensor map by the name that manifests use.
static std::optional<ElementType> elementTypeOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ElementType>>(name)
      .Cases("i8", "u8", "fp8e4nv", "fp8e5", ElementType::U8)
      .Cases("fp8e4b8", "fp8e5b16", ElementType::U8)
      .Cases("i16", "u16", ElementType::U16)
      .Case("i32", ElementType::I32)
      .Case("u32", ElementType::U32)
      .Case("i64", ElementType::I64)
      .Case("u64", ElementType::U64)
      .Case("fp16", ElementType::F16)
      .Case("bf16", ElementType::BF16)
      .Case("fp32", ElementType::F32)
      .Case("fp64", ElementType::F64)
      .Default(std::nullopt);
}

bool Decoder::decodeBulk(Operation *op) {
  auto bulk = [&](Copy::Route route, Value destination, Value source, Value bytes) -> Inst & {
    Inst &inst = emit(op, Opcode::BulkCopy);
    inst.flag = static_cast<uint8_t>(route);
    inst.a = slotOf(destination);
    inst.b = slotOf(source);
    inst.c = slotOf(bytes);
    return inst;
  };
  if (auto load = dyn_cast<thread::BulkLoadOp>(op)) {
    Inst &inst = bulk(Copy::Route::GlobalToShared, load.getDestination(), load.getSource(), load.getBytes());
    setOperands(inst, ValueRange{load.getBarrier()});
    return true;
  }
  if (auto store = dyn_cast<thread::BulkStoreOp>(op)) {
    bulk(Copy::Route::SharedToGlobal, store.getDestination(), store.getSource(), store.getBytes());
    return true;
  }
  if (auto copy = dyn_cast<thread::BulkRemoteOp>(op)) {
    Inst &inst = bulk(Copy::Route::SharedToShared, copy.getDestination(), copy.getSource(), copy.getBytes());
    setOperands(inst, ValueRange{copy.getBarrier(), copy.getRank()});
    return true;
  }
  if (auto store = dyn_cast<thread::RemoteStoreOp>(op)) {
    Inst &inst = emit(op, Opcode::RemoteStore);
    inst.a = slotOf(store.getDestination());
    inst.b = slotOf(store.getRank());
    inst.c = store.getBarrier() ? slotOf(store.getBarrier()) : noSlot;
    inst.bits = static_cast<uint8_t>(store.getValue().getType().getIntOrFloatBitWidth());
    setOperands(inst, ValueRange{store.getValue()});
    return true;
  }
  if (auto make = dyn_cast<thread::MakeTensorMapOp>(op)) {
    auto type = elementTypeOf(make.getType());
    if (!type || make.getSizes().size() > 5)
      return fail(op, "a tensor map of this type or rank does not exist");
    HostTensorMap map;
    map.type = *type;
    map.rank = static_cast<unsigned>(make.getSizes().size());
    map.swizzle = make.getSwizzle();
    map.fillNaN = make.getFillNan();
    for (unsigned axis = 0; axis < map.rank; ++axis) {
      map.box[axis] = static_cast<uint32_t>(make.getBox()[axis]);
      map.elementStrides[axis] = 1;
    }
    Inst &inst = emit(op, Opcode::MakeTensorMap);
    inst.a = slotOf(make.getDestination());
    inst.b = slotOf(make.getBase());
    inst.imm = static_cast<int64_t>(program.maps.size());
    llvm::SmallVector<Value> operands(make.getSizes());
    operands.append(make.getStrides().begin(), make.getStrides().end());
    setOperands(inst, operands);
    program.maps.push_back(map);
    return true;
  }
  if (isa<thread::AcquireTensorMapOp>(op)) {
    emit(op, Opcode::Nop);
    return true;
  }
  return false;
}

bool Decoder::decodeReport(Operation *op) {
  if (auto failed = dyn_cast<thread::AssertFailOp>(op)) {
    program.strings.push_back(failed.getMessage().str());
    emit(op, Opcode::Trap).imm = static_cast<int64_t>(program.strings.size());
    return true;
  }
  auto print = dyn_cast<thread::PrintOp>(op);
  if (!print)
    return false;
  program.strings.push_back(print.getFormat().str());
  Inst &inst = emit(op, Opcode::Print);
  inst.imm = static_cast<int64_t>(program.strings.size()) - 1;
  setOperands(inst, print.getOperands());
  return true;
}

} // namespace tlx::emu
