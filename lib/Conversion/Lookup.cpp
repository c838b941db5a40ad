// Elements found by run-time indices, in shared memory: gather, scatter, histogram.
#include "SharedAccess.h"
#include "tlx/Dialect/TileOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using layout::Coords;

namespace {
/// Addresses in a shared tile of which one coordinate is a run-time value. The offset is F2-linear in the coordinates,
/// so it is the XOR of what thread, register and the bits of the index decide.
class IndexedPlaces {
public:
  IndexedPlaces(const SharedAccess &access, int axis, int64_t extent) : access(access), axis(axis) {
    int rank = access.tile.rank();
    for (int bit = 0; (int64_t(1) << bit) < extent; ++bit) {
      Coords step(rank, 0);
      step[axis] = 1 << bit;
      contributions.push_back(access.offset(step));
    }
  }
  /// Offset of the element at these coordinates but for the axis.
  int64_t rest(ArrayRef<int32_t> coords) const {
    Coords others(coords.begin(), coords.end());
    others[axis] = 0;
    return access.offset(others);
  }
  ArrayRef<int64_t> bits() const { return contributions; }

private:
  const SharedAccess &access;
  int axis;
  SmallVector<int64_t> contributions;
};
} // namespace

/// The addresses of the elements that `indices` name, in the order of its registers.
Registers SharedAccess::indexed(Value indices, int axis, int64_t extent) const {
  IndexedPlaces places(*this, axis, extent);
  const TileInfo info = emitter.tileInfo(indices.getType());
  auto rest = [&](ArrayRef<int32_t> coords) { return places.rest(coords); };
  Value thread = emitter.threadPart(info.layout, rest);
  Registers result;
  OpBuilder &b = emitter.b;
  for (auto [i, index] : llvm::enumerate(emitter.elements(indices))) {
    Value narrow = index;
    unsigned bits = index.getType().getIntOrFloatBitWidth();
    if (bits > 32)
      narrow = LLVM::TruncOp::create(b, emitter.loc, b.getI32Type(), index);
    else if (bits < 32)
      narrow = LLVM::ZExtOp::create(b, emitter.loc, b.getI32Type(), index);
    // An index outside reads another element rather than memory of something else.
    narrow = emitter.bitAnd(narrow, emitter.i32(llvm::PowerOf2Ceil(extent) - 1));
    Value place = emitter.bitXor(thread, emitter.linearCombination(narrow, places.bits()));
    int64_t constant = rest(info.coords(static_cast<int>(i)));
    if (constant)
      place = emitter.bitXor(place, emitter.i32(constant));
    result.push_back(emitter.offsetPointer(base, padded(place)));
  }
  return result;
}

void Emitter::emitGather(GatherOp op) {
  const TileInfo from = tileInfo(op.getSource().getType());
  Type stored = storedType(b, from.element);
  int bytes = storedBytes(stored);
  Value base = sharedBase(op->getAttrOfType<IntegerAttr>("tlx.scratch").getInt());
  SharedAccess access(*this, scratchTile(from.shape, bytes), /*transposed=*/false, base, stored);
  Registers held = elements(op.getSource());
  if (stored != from.element)
    for (Value &value : held)
      value = LLVM::ZExtOp::create(b, loc, stored, value);
  taskBarrier();
  when(holdsFirstCopy(from.layout), [&] { access.store(from, held); });
  taskBarrier();
  Registers emitted;
  for (Value address : access.indexed(op.getIndices(), op.getAxis(), from.shape[op.getAxis()])) {
    Value one = LLVM::LoadOp::create(b, loc, stored, address, bytes);
    emitted.push_back(stored == from.element ? one : LLVM::TruncOp::create(b, loc, from.element, one));
  }
  setElements(op.getResult(), emitted);
}

/// Counters in shared memory, cleared and filled by all threads.
void Emitter::emitHistogram(HistogramOp op) {
  const TileInfo from = tileInfo(op.getSource().getType()), to = tileInfo(op.getType());
  Value base = sharedBase(op->getAttrOfType<IntegerAttr>("tlx.scratch").getInt());
  int64_t bins = to.shape[0], threads = machine->lanes() * task.warps;
  Value thread = threadInTask();
  auto counter = [&](Value bin) { return offsetPointer(base, LLVM::MulOp::create(b, loc, bin, i32(4))); };
  taskBarrier();
  for (int64_t first = 0; first < bins; first += threads) {
    Value bin = addConstant(thread, first);
    when(less(bin, bins), [&] { LLVM::StoreOp::create(b, loc, i32(0), counter(bin), 4); });
  }
  taskBarrier();
  Registers held = elements(op.getSource()), masks = op.getMask() ? elements(op.getMask()) : Registers();
  Value owner = holdsFirstCopy(from.layout);
  for (auto [i, value] : llvm::enumerate(held)) {
    unsigned bits = value.getType().getIntOrFloatBitWidth();
    Value bin = value;
    if (bits > 32)
      bin = LLVM::TruncOp::create(b, loc, b.getI32Type(), value);
    else if (bits < 32)
      bin = LLVM::ZExtOp::create(b, loc, b.getI32Type(), value);
    Value counts = less(bin, bins);
    if (owner)
      counts = bitAnd(counts, owner);
    if (!masks.empty())
      counts = bitAnd(counts, masks[i]);
    when(counts, [&] {
      LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, counter(bin), i32(1), LLVM::AtomicOrdering::monotonic,
                                machine->blockScope());
    });
  }
  taskBarrier();
  SharedAccess access(*this, layout::SharedTile::whole(to.shape, 4, 0), /*transposed=*/false, base, b.getI32Type());
  setElements(op.getResult(), access.load(to));
}

void Emitter::emitLocalGather(LocalGatherOp op) {
  BufferType type = op.getBuffer().getType();
  Type element = elementType(type.getElementType());
  SharedAccess access(*this, sharedTile(type), type.getLayout().getTransposed(), scalar(op.getBuffer()), element);
  Registers emitted;
  for (Value address : access.indexed(op.getIndices(), op.getAxis(), type.getShape()[op.getAxis()]))
    emitted.push_back(LLVM::LoadOp::create(b, loc, element, address, storedBytes(element)));
  setElements(op.getResult(), emitted);
}

void Emitter::emitLocalScatter(LocalScatterOp op) {
  BufferType type = op.getBuffer().getType();
  Type element = elementType(type.getElementType());
  SharedAccess access(*this, sharedTile(type), type.getLayout().getTransposed(), scalar(op.getBuffer()), element);
  Registers held = elements(op.getValue());
  when(holdsFirstCopy(tileInfo(op.getIndices().getType()).layout), [&] {
    Registers addresses = access.indexed(op.getIndices(), op.getAxis(), type.getShape()[op.getAxis()]);
    for (auto [value, address] : llvm::zip(held, addresses))
      LLVM::StoreOp::create(b, loc, value, address, storedBytes(element));
  });
}

FailureOr<bool> Emitter::emitLookup(Operation *op) {
  if (auto gather = dyn_cast<GatherOp>(op)) {
    emitGather(gather);
  } else if (auto histogram = dyn_cast<HistogramOp>(op)) {
    emitHistogram(histogram);
  } else if (auto gather = dyn_cast<LocalGatherOp>(op)) {
    emitLocalGather(gather);
  } else if (auto scatter = dyn_cast<LocalScatterOp>(op)) {
    emitLocalScatter(scatter);
  } else if (isa<LocalReinterpretOp>(op)) {
    setValues(op->getResult(0), {scalar(op->getOperand(0))});
  } else {
    return false;
  }
  return true;
}
