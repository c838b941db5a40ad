// Which machine a target is.
#include "Machine.h"

using namespace mlir;
using namespace tlx;

std::unique_ptr<Machine> Machine::of(const Arch &arch) {
  return arch.isNVIDIA() ? makeNVIDIAMachine(arch) : makeAMDMachine(arch);
}

Value Machine::loadInRange(OpBuilder &, Location, Type, Value, int64_t, Value) const {
  llvm_unreachable("a load in a range on a machine without");
}

void Machine::storeInRange(OpBuilder &, Location, Value, Value, int64_t, Value) const {
  llvm_unreachable("a store in a range on a machine without");
}

bool Machine::hasFloat8(Type type) const {
  bool isFNUZ = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
  return isFNUZ == arch.has(Feature::FNUZFloat8);
}
