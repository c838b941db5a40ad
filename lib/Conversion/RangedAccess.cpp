// Accesses that are known to stay near an address that all threads share: machines with ranged accesses make a mask
// part of the offset, so that nothing branches.
#include "Emitter.h"

using namespace mlir;
using namespace tlx;

/// The one pointer that a tile of pointers counts from.
static Value sharedPointer(Value pointers) {
  while (isa<RankedTensorType>(pointers.getType())) {
    Operation *op = pointers.getDefiningOp();
    if (!isa_and_nonnull<AddPtrOp, SplatOp, ConvertLayoutOp>(op))
      return {};
    pointers = op->getOperand(0);
  }
  return pointers;
}

Emitter::AccessRange Emitter::rangeOf(Operation *access, Value pointers) {
  auto bytes = access->getAttrOfType<IntegerAttr>("tlx.range");
  if (!bytes || !machine->checksRanges())
    return {};
  Value pointer = sharedPointer(pointers);
  return pointer ? AccessRange{scalar(pointer), bytes.getInt()} : AccessRange();
}

Value Emitter::offsetInRange(const AccessRange &range, Value pointer, Value condition) {
  // Differences of addresses of one base are what LLVM takes apart again.
  auto number = [&](Value address) -> Value { return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), address); };
  Value difference = LLVM::SubOp::create(b, loc, number(pointer), number(range.base));
  Value offset = LLVM::TruncOp::create(b, loc, b.getI32Type(), difference);
  // Offsets count without sign: this one is beyond every range.
  constexpr int64_t beyond = int64_t(1) << 31;
  return condition ? LLVM::SelectOp::create(b, loc, condition, offset, i32(beyond)) : offset;
}
