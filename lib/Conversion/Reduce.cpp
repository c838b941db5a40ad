// Reductions: within a thread's registers, then between lanes by shuffles, then between warps through shared memory.
#include "SharedAccess.h"

using namespace mlir;
using namespace tlx;
using layout::Coords;
using layout::InDim;

Value Emitter::combine(Combine kind, Value a, Value c) {
  bool isFloat = isa<FloatType>(a.getType());
  switch (kind) {
  case Combine::Add:
    return isFloat ? Value(LLVM::FAddOp::create(b, loc, a, c)) : Value(LLVM::AddOp::create(b, loc, a, c));
  case Combine::Max:
    return isFloat ? Value(LLVM::MaxNumOp::create(b, loc, a, c)) : Value(LLVM::SMaxOp::create(b, loc, a, c));
  case Combine::Min:
    return isFloat ? Value(LLVM::MinNumOp::create(b, loc, a, c)) : Value(LLVM::SMinOp::create(b, loc, a, c));
  case Combine::UMax:
    return LLVM::UMaxOp::create(b, loc, a, c);
  case Combine::UMin:
    return LLVM::UMinOp::create(b, loc, a, c);
  case Combine::And:
    return LLVM::AndOp::create(b, loc, a, c);
  case Combine::Or:
    return LLVM::OrOp::create(b, loc, a, c);
  case Combine::Xor:
    return LLVM::XOrOp::create(b, loc, a, c);
  }
  llvm_unreachable("unknown combination");
}

/// Shuffles move 32 bits.
Value Emitter::shuffleXor(Value value, int mask) {
  auto word = [&](Value operand) { return machine->shuffleXor(b, loc, operand, laneId, mask); };
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  Type original = value.getType(), integer = b.getIntegerType(bits);
  if (original != integer)
    value = LLVM::BitcastOp::create(b, loc, integer, value);
  if (bits < 32) {
    value = LLVM::TruncOp::create(b, loc, integer, word(LLVM::ZExtOp::create(b, loc, b.getI32Type(), value)));
  } else if (bits == 64) {
    Type pair = VectorType::get({2}, b.getI32Type());
    Value parts = LLVM::BitcastOp::create(b, loc, pair, value), moved = LLVM::PoisonOp::create(b, loc, pair);
    for (int i = 0; i < 2; ++i) {
      Value part = word(LLVM::ExtractElementOp::create(b, loc, parts, i32(i)));
      moved = LLVM::InsertElementOp::create(b, loc, moved, part, i32(i));
    }
    value = LLVM::BitcastOp::create(b, loc, integer, moved);
  } else {
    value = word(value);
  }
  return original == integer ? value : LLVM::BitcastOp::create(b, loc, original, value);
}

/// Pairwise, so that no chain is longer than need be.
static Value reduceList(ArrayRef<Value> list, llvm::function_ref<Value(Value, Value)> combine) {
  if (list.size() == 1)
    return list[0];
  return combine(reduceList(list.take_front(list.size() / 2), combine),
                 reduceList(list.drop_front(list.size() / 2), combine));
}

void Emitter::emitReduce(ReduceOp op) {
  const TileInfo from = tileInfo(op.getSource().getType());
  int axis = op.getAxis();
  // Partial results, by the coordinates that remain.
  llvm::MapVector<uint64_t, Registers> groups;
  Registers held = elements(op.getSource());
  for (int i = 0; i < from.elementCount(); ++i) {
    Coords coords = from.coords(i);
    coords[axis] = 0;
    groups[from.layout.flatten(coords)].push_back(held[i]);
  }
  auto join = [&](Value a, Value c) { return combine(op.getCombine(), a, c); };
  SmallVector<Coords> places;
  Registers partial;
  for (auto &[place, list] : groups) {
    places.push_back(from.layout.unflatten(place));
    partial.push_back(reduceList(list, join));
  }
  for (int bit = 0; bit < from.layout.inBits(InDim::Lane); ++bit) {
    if (from.layout.basis(InDim::Lane, bit)[axis] == 0)
      continue;
    for (Value &value : partial)
      value = join(value, shuffleXor(value, 1 << bit));
  }
  reduceAcrossWarps(op, from, places, partial);
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile)
    return setValues(op.getResult(), {partial[0]});
  const TileInfo to = tileInfo(tile);
  Registers emitted;
  for (int i = 0; i < to.elementCount(); ++i) {
    Coords coords = to.coords(i);
    coords.insert(coords.begin() + axis, 0);
    emitted.push_back(partial[llvm::find(places, coords) - places.begin()]);
  }
  setElements(op.getResult(), emitted);
}

/// The warps along the axis leave their partial results side by side, one copy of the reduced tile for each, and all of
/// them combine what lies there.
void Emitter::reduceAcrossWarps(ReduceOp op, const TileInfo &from, ArrayRef<Coords> places, Registers &partial) {
  int axis = op.getAxis();
  layout::LinearLayout reduced = from.layout.slice(axis);
  Type element = partial[0].getType();
  int64_t bytes = std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  int64_t copyBytes = (int64_t(1) << reduced.totalOutBits()) * bytes;
  auto offset = [&](ArrayRef<int32_t> coords) {
    Coords rest(coords.begin(), coords.end());
    rest.erase(rest.begin() + axis);
    return static_cast<int64_t>(reduced.flatten(rest)) * bytes;
  };
  // Warp bits along the axis number the copies, the others are part of the place in a copy.
  SmallVector<int64_t> lanes, warps, copies;
  int64_t copyCount = 1;
  for (int bit = 0; bit < from.layout.inBits(InDim::Lane); ++bit)
    lanes.push_back(offset(from.layout.basis(InDim::Lane, bit)));
  for (int bit = 0; bit < from.layout.inBits(InDim::Warp); ++bit) {
    Coords basis = from.layout.basis(InDim::Warp, bit);
    bool along = basis[axis] != 0;
    copies.push_back(along ? copyCount * copyBytes : 0);
    warps.push_back(along ? 0 : offset(basis));
    copyCount *= along ? 2 : 1;
  }
  if (copyCount == 1)
    return;
  Value base = sharedBase(op->getAttrOfType<IntegerAttr>("tlx.scratch").getInt());
  Value place = bitXor(linearCombination(laneId, lanes), linearCombination(warpInTask(), warps));
  Value own = offsetPointer(offsetPointer(base, place), linearCombination(warpInTask(), copies));
  taskBarrier();
  for (auto [coords, value] : llvm::zip(places, partial))
    LLVM::StoreOp::create(b, loc, value, offsetPointer(own, offset(coords)), bytes);
  taskBarrier();
  Value all = offsetPointer(base, place);
  for (auto [coords, value] : llvm::zip(places, partial)) {
    Registers list;
    for (int64_t copy = 0; copy < copyCount; ++copy)
      list.push_back(
          LLVM::LoadOp::create(b, loc, element, offsetPointer(all, copy * copyBytes + offset(coords)), bytes));
    value = reduceList(list, [&](Value a, Value c) { return combine(op.getCombine(), a, c); });
  }
}
