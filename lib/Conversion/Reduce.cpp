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
  case Combine::UMax: return LLVM::UMaxOp::create(b, loc, a, c);
  case Combine::UMin: return LLVM::UMinOp::create(b, loc, a, c);
  case Combine::And: return LLVM::AndOp::create(b, loc, a, c);
  case Combine::Or: return LLVM::OrOp::create(b, loc, a, c);
  case Combine::Xor: return LLVM::XOrOp::create(b, loc, a, c);
  }
  llvm_unreachable("unknown combination");
}

/// The value `value` of lane `laneId ^ mask`; shuffles move 32 bits.
static Value shuffle(OpBuilder &b, Location loc, Value value, int mask) {
  auto constant = [&](int64_t number) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(number));
  };
  auto word = [&](Value operand) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), constant(-1), operand, constant(mask), constant(31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
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
      Value part = word(LLVM::ExtractElementOp::create(b, loc, parts, constant(i)));
      moved = LLVM::InsertElementOp::create(b, loc, moved, part, constant(i));
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
  SmallVector<uint64_t> places;
  Registers partial;
  for (auto &[place, list] : groups) {
    places.push_back(place);
    partial.push_back(reduceList(list, join));
  }
  for (int bit = 0; bit < from.layout.inBits(InDim::Lane); ++bit) {
    if (from.layout.basis(InDim::Lane, bit)[axis] == 0)
      continue;
    for (Value &value : partial)
      value = join(value, shuffle(b, loc, value, 1 << bit));
  }
  reduceAcrossWarps(op, from, partial);
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile)
    return setValues(op.getResult(), {partial[0]});
  const TileInfo to = tileInfo(tile);
  Registers emitted;
  for (int i = 0; i < to.elementCount(); ++i) {
    Coords coords = to.coords(i);
    coords.insert(coords.begin() + axis, 0);
    emitted.push_back(partial[llvm::find(places, from.layout.flatten(coords)) - places.begin()]);
  }
  setElements(op.getResult(), emitted);
}

/// Every warp leaves its partial results, and each warp combines those of the warps along the axis. One row of scratch
/// for each warp: 32 lanes x partial results.
void Emitter::reduceAcrossWarps(ReduceOp op, const TileInfo &from, Registers &partial) {
  int along = 0, warpBits = from.layout.inBits(InDim::Warp);
  for (int bit = 0; bit < warpBits; ++bit)
    if (from.layout.basis(InDim::Warp, bit)[op.getAxis()] != 0)
      along |= 1 << bit;
  if (along == 0)
    return;
  Type element = partial[0].getType();
  int64_t bytes = std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8), row = 32 * bytes * partial.size();
  Value base = sharedBase(op->getAttrOfType<IntegerAttr>("tlx.scratch").getInt());
  Value lane = LLVM::MulOp::create(b, loc, laneId, i32(bytes * partial.size()));
  auto place = [&](Value warp, size_t i) {
    Value offset = add(LLVM::MulOp::create(b, loc, warp, i32(row)), lane);
    return offsetPointer(offsetPointer(base, offset), i * bytes);
  };
  taskBarrier();
  for (auto [i, value] : llvm::enumerate(partial))
    LLVM::StoreOp::create(b, loc, value, place(warpInTask(), i), bytes);
  taskBarrier();
  SmallVector<Registers> lists(partial.size());
  Value first = bitAnd(warpInTask(), i32(~along));
  for (int others = 0; others < (1 << warpBits); ++others) {
    if ((others & ~along) != 0)
      continue;
    Value warp = others ? LLVM::OrOp::create(b, loc, first, i32(others)) : first;
    for (size_t i = 0; i < partial.size(); ++i)
      lists[i].push_back(LLVM::LoadOp::create(b, loc, element, place(warp, i), bytes));
  }
  for (size_t i = 0; i < partial.size(); ++i)
    partial[i] = reduceList(lists[i], [&](Value a, Value c) { return combine(op.getCombine(), a, c); });
}
