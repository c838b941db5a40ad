// Exchanges between elements of a tile whose coordinates differ in one bit: what scans, sorts and general reductions
// are made of.
#include "SharedAccess.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using layout::Coords;
using layout::InDim;

/// The bit of `dim` that moves by exactly `step`, if there is one.
static std::optional<int> bitThatMoves(const layout::LinearLayout &layout, InDim dim, const Coords &step) {
  for (int bit = 0; bit < layout.inBits(dim); ++bit)
    if (layout.basis(dim, bit) == step)
      return bit;
  return std::nullopt;
}

/// What the thread of the same lane in the warp whose number differs in `warpBit` holds, through shared memory.
Registers Emitter::exchangeWithWarp(Operation *op, int warpBit, const Registers &held) {
  Type element = held[0].getType(), stored = storedType(b, element);
  int64_t bytes = storedBytes(stored), row = machine->lanes() * task.warps * bytes;
  Value base = sharedBase(op->getAttrOfType<IntegerAttr>("tlx.scratch").getInt());
  Value thread = threadInTask(), partner = bitXor(thread, i32(machine->lanes() << warpBit));
  auto place = [&](Value of) { return offsetPointer(base, LLVM::MulOp::create(b, loc, of, i32(bytes))); };
  Value mine = place(thread), theirs = place(partner);
  taskBarrier();
  for (auto [i, value] : llvm::enumerate(held)) {
    Value one = stored == element ? value : LLVM::ZExtOp::create(b, loc, stored, value);
    LLVM::StoreOp::create(b, loc, one, offsetPointer(mine, static_cast<int64_t>(i) * row), bytes);
  }
  taskBarrier();
  Registers result;
  for (size_t i = 0; i < held.size(); ++i) {
    Value one = LLVM::LoadOp::create(b, loc, stored, offsetPointer(theirs, static_cast<int64_t>(i) * row), bytes);
    result.push_back(stored == element ? one : LLVM::TruncOp::create(b, loc, element, one));
  }
  return result;
}

LogicalResult Emitter::emitPair(PairOp op) {
  const TileInfo info = tileInfo(op.getSource().getType());
  Coords step(info.layout.rank(), 0);
  step[op.getAxis()] = 1 << op.getBit();
  Registers held = elements(op.getSource()), low, high;
  if (bitThatMoves(info.layout, InDim::Register, step)) {
    llvm::DenseMap<uint64_t, int> where;
    for (int i = 0; i < info.elementCount(); ++i)
      where.try_emplace(info.layout.flatten(info.coords(i)), i);
    for (int i = 0; i < info.elementCount(); ++i) {
      Coords coords = info.coords(i);
      coords[op.getAxis()] &= ~step[op.getAxis()];
      low.push_back(held[where.lookup(info.layout.flatten(coords))]);
      coords[op.getAxis()] |= step[op.getAxis()];
      high.push_back(held[where.lookup(info.layout.flatten(coords))]);
    }
  } else {
    auto lane = bitThatMoves(info.layout, InDim::Lane, step), warp = bitThatMoves(info.layout, InDim::Warp, step);
    if (!lane && !warp)
      return op.emitError("no thread can tell the elements of a pair apart");
    Registers others;
    if (lane)
      for (Value value : held)
        others.push_back(shuffleXor(value, 1 << *lane));
    else
      others = exchangeWithWarp(op, *warp, held);
    Value bit = lane ? bitAnd(laneId, i32(1 << *lane)) : bitAnd(warpInTask(), i32(1 << *warp));
    Value isLow = equals(bit, 0);
    for (auto [mine, other] : llvm::zip(held, others)) {
      low.push_back(LLVM::SelectOp::create(b, loc, isLow, mine, other));
      high.push_back(LLVM::SelectOp::create(b, loc, isLow, other, mine));
    }
  }
  setElements(op.getLow(), low);
  setElements(op.getHigh(), high);
  return success();
}

/// All elements along the axis are equal, so that any of a thread's registers will do.
void Emitter::emitDropAxis(DropAxisOp op) {
  const TileInfo from = tileInfo(op.getSource().getType());
  int axis = op.getAxis();
  Registers held = elements(op.getSource());
  auto tile = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!tile)
    return setValues(op.getResult(), {held[0]});
  llvm::DenseMap<uint64_t, int> where;
  auto place = [&](Coords coords) {
    coords[axis] = 0;
    return from.layout.flatten(coords);
  };
  for (int i = 0; i < from.elementCount(); ++i)
    where.try_emplace(place(from.coords(i)), i);
  const TileInfo to = tileInfo(tile);
  Registers emitted;
  for (int i = 0; i < to.elementCount(); ++i) {
    Coords coords = to.coords(i);
    coords.insert(coords.begin() + axis, 0);
    emitted.push_back(held[where.lookup(place(coords))]);
  }
  setElements(op.getResult(), emitted);
}

FailureOr<bool> Emitter::emitAlongAxis(Operation *op) {
  if (auto pair = dyn_cast<PairOp>(op)) {
    if (failed(emitPair(pair)))
      return failure();
  } else if (auto drop = dyn_cast<DropAxisOp>(op)) {
    emitDropAxis(drop);
  } else {
    return false;
  }
  return true;
}
