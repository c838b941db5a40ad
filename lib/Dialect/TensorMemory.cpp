// Registration of the tmem dialect, its type's text, and what passes ask of its operations.
#include "tlx/Dialect/TensorMemory.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlx;

#include "tlx/Dialect/TensorMemoryDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tlx/Dialect/TensorMemoryTypes.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/TensorMemoryOps.cpp.inc"

void tmem::TMemDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tlx/Dialect/TensorMemoryTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/TensorMemoryOps.cpp.inc"
      >();
}

/// `128x64xf32, 2`.
Type tmem::BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  int64_t count = 0;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma() || parser.parseInteger(count) || parser.parseGreater())
    return {};
  return get(parser.getContext(), shape, element, count);
}

void tmem::BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  printer << getElementType() << ", " << getCount() << '>';
}

SmallVector<Value> tmem::DotOp::buffersRead() {
  if (isa<tlx::BufferType>(getA().getType()))
    return {getA(), getB()};
  return {getB()};
}
SmallVector<Value> tmem::DotOp::buffersWritten() { return {}; }
bool tmem::DotOp::isAsyncProxy() { return true; }
bool tmem::DotOp::isAsynchronous() { return true; }

tmem::AllocOp tmem::storageOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      if (!alloc.getReuse())
        return alloc;
      buffer = alloc.getReuse();
      continue;
    }
    if (!isa<ViewOp, SubsliceOp, ReinterpretOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  return {};
}

SmallVector<Value> tmem::signalledBarriers(Operation *op) {
  if (auto dot = dyn_cast<DotOp>(op))
    return SmallVector<Value>(dot.getBarriers());
  if (auto commit = dyn_cast<CommitOp>(op))
    return {commit.getBarrier()};
  return {};
}

bool tmem::isUsedIn(Operation *kernel) {
  return kernel->walk([](AllocOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool tmem::isUsedInPairs(Operation *kernel) {
  return kernel
      ->walk([](Operation *op) {
        auto dot = dyn_cast<DotOp>(op);
        auto commit = dyn_cast<CommitOp>(op);
        bool pair = (dot && dot.getTwoCtas()) || (commit && commit.getTwoCtas());
        return pair ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
