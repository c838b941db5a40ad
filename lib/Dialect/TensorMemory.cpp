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

int64_t tmem::BufferType::columns() const {
  if (getScales())
    return 4 * rowAtoms() * depthAtoms();
  return (getShape()[1] * elementBits() + 31) / 32;
}

int64_t tmem::BufferType::columnOf(int64_t element) const {
  return getScales() ? element / 4 * 4 * rowAtoms() : element * elementBits() / 32;
}

/// `128x64xf32, 2`, or `128x4xi8, 2, scales`.
Type tmem::BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  int64_t count = 0;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma() || parser.parseInteger(count))
    return {};
  bool scales = succeeded(parser.parseOptionalComma());
  if ((scales && parser.parseKeyword("scales")) || parser.parseGreater())
    return {};
  return get(parser.getContext(), shape, element, count, scales);
}

void tmem::BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  printer << getElementType() << ", " << getCount() << (getScales() ? ", scales>" : ">");
}

SmallVector<Value> tmem::DotOp::buffersRead() {
  if (isa<tlx::BufferType>(getA().getType()))
    return {getA(), getB()};
  return {getB()};
}
SmallVector<Value> tmem::DotOp::buffersWritten() {
  return {};
}
bool tmem::DotOp::isAsyncProxy() {
  return true;
}
bool tmem::DotOp::isAsynchronous() {
  return true;
}

SmallVector<Value> tmem::ScaledDotOp::buffersRead() {
  return {getA(), getB()};
}
SmallVector<Value> tmem::ScaledDotOp::buffersWritten() {
  return {};
}
bool tmem::ScaledDotOp::isAsyncProxy() {
  return true;
}
bool tmem::ScaledDotOp::isAsynchronous() {
  return true;
}

SmallVector<Value> tmem::CopyScalesOp::buffersRead() {
  return {getSource()};
}
SmallVector<Value> tmem::CopyScalesOp::buffersWritten() {
  return {};
}
bool tmem::CopyScalesOp::isAsyncProxy() {
  return true;
}
bool tmem::CopyScalesOp::isAsynchronous() {
  return true;
}

bool tmem::isIssued(Operation *op) {
  return isa<DotOp, ScaledDotOp, CopyScalesOp>(op);
}

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
  if (auto dot = dyn_cast<ScaledDotOp>(op))
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
