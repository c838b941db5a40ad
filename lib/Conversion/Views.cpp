// Tiles from indices and from other tiles: no arithmetic, mostly renaming of registers.
#include "Emitter.h"
#include "MatrixReader.h"

#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using layout::Coords;
using layout::InDim;

void Emitter::emitSplat(Value result, Value one) {
  const TileInfo &info = tileInfo(result.getType());
  Registers single(info.pack, one);
  Registers packed = packElements(info, single);
  setValues(result, Registers(info.valueCount(), packed[0]));
}

/// Whether addresses are computed from a range.
static bool becomesAddress(RangeOp range) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> pending{range};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (isa<AddPtrOp>(op))
      return true;
    if (seen.insert(op).second)
      llvm::append_range(pending, op->getUsers());
  }
  return false;
}

void Emitter::emitRange(RangeOp op) {
  const TileInfo info = tileInfo(op.getType());
  Value thread;
  if (becomesAddress(op)) {
    // From the thread's own number, not the warp's, which is uniform: the assembler would compute the address of each
    // copy anew on the slower uniform path.
    SmallVector<int64_t> bits;
    for (InDim dim : {InDim::Lane, InDim::Warp})
      for (int bit = 0; bit < info.layout.inBits(dim); ++bit)
        bits.push_back(info.layout.basis(dim, bit)[0]);
    thread = linearCombination(threadInTask(), bits);
  } else {
    thread = threadPart(info.layout, [](ArrayRef<int32_t> coords) { return coords[0]; });
  }
  int64_t fromThreads = 0;
  for (InDim dim : {InDim::Lane, InDim::Warp})
    for (int bit = 0; bit < info.layout.inBits(dim); ++bit)
      fromThreads |= info.layout.basis(dim, bit)[0];
  Registers emitted;
  for (int i = 0; i < info.elementCount(); ++i) {
    // Swizzled layouts let threads and registers reach the same bits, which only XOR puts together.
    int64_t fromRegister = info.coords(i)[0];
    Value index = fromThreads & fromRegister ? bitXor(thread, i32(fromRegister)) : addConstant(thread, fromRegister);
    emitted.push_back(addConstant(index, op.getStart()));
  }
  setElements(op.getResult(), emitted);
}

/// Each element of `result` is in a register of the same thread of `source`: the one whose coordinates `sourceCoords`
/// gives. Thread parts agree by contract, so lane 0 of warp 0 decides for all.
void Emitter::renameRegisters(Value source, Value result, llvm::function_ref<Coords(ArrayRef<int32_t>)> sourceCoords) {
  const TileInfo from = tileInfo(source.getType()), to = tileInfo(result.getType());
  llvm::DenseMap<uint64_t, int> where;
  for (int i = 0; i < from.elementCount(); ++i)
    where.try_emplace(from.layout.flatten(from.coords(i)), i);
  Registers held = elements(source), emitted;
  for (int i = 0; i < to.elementCount(); ++i) {
    auto found = where.find(from.layout.flatten(sourceCoords(to.coords(i))));
    assert(found != where.end() && "the thread does not hold the element: a layout conversion is missing");
    emitted.push_back(held[found->second]);
  }
  setElements(result, emitted);
}

void Emitter::emitSplit(SplitOp op) {
  auto half = [&](Value result, int32_t index) {
    renameRegisters(op.getSource(), result, [&](ArrayRef<int32_t> coords) {
      Coords source(coords.begin(), coords.end());
      source.push_back(index);
      return source;
    });
  };
  half(op.getFirst(), 0);
  half(op.getSecond(), 1);
}

void Emitter::emitJoin(JoinOp op) {
  const TileInfo to = tileInfo(op.getType()), from = tileInfo(op.getFirst().getType());
  llvm::DenseMap<uint64_t, int> where;
  for (int i = 0; i < from.elementCount(); ++i)
    where.try_emplace(from.layout.flatten(from.coords(i)), i);
  Registers first = elements(op.getFirst()), second = elements(op.getSecond()), emitted;
  for (int i = 0; i < to.elementCount(); ++i) {
    Coords coords = to.coords(i);
    Registers &side = coords.pop_back_val() ? second : first;
    emitted.push_back(side[where.lookup(from.layout.flatten(coords))]);
  }
  setElements(op.getResult(), emitted);
}

void Emitter::emitConvertLayout(ConvertLayoutOp op) {
  const TileInfo from = tileInfo(op.getSource().getType()), to = tileInfo(op.getType());
  layout::Movement movement = layout::movement(from.layout, to.layout);
  auto same = [](ArrayRef<int32_t> coords) { return Coords(coords.begin(), coords.end()); };
  if (movement == layout::Movement::None || movement == layout::Movement::Registers)
    return renameRegisters(op.getSource(), op.getResult(), same);
  convertThroughShared(op, from, to);
}

/// Out of the source's registers in rows, swizzled against bank conflicts, and into the result's.
void Emitter::convertThroughShared(ConvertLayoutOp op, const TileInfo &from, const TileInfo &to) {
  bool isBit = to.element.isInteger(1);
  Type stored = isBit ? b.getI8Type() : to.element;
  int bytes = isa<LLVM::LLVMPointerType>(stored) ? 8 : stored.getIntOrFloatBitWidth() / 8;
  SharedAccess access(*this, scratchTile(to.shape, bytes), /*transposed=*/false,
                      sharedBase(op->getAttrOfType<IntegerAttr>("tlx.scratch").getInt()), stored);
  taskBarrier();
  Registers held = elements(op.getSource());
  if (isBit)
    for (Value &value : held)
      value = LLVM::ZExtOp::create(b, loc, stored, value);
  when(holdsFirstCopy(from.layout), [&] { access.store(from, held); });
  taskBarrier();
  if (auto reader = isBit ? std::nullopt : MatrixReader::create(access, to))
    return setValues(op.getResult(), reader->tile());
  Registers emitted = access.load(to);
  if (isBit)
    for (Value &value : emitted)
      value = LLVM::TruncOp::create(b, loc, to.element, value);
  setElements(op.getResult(), emitted);
}

FailureOr<bool> Emitter::emitView(Operation *op) {
  if (auto range = dyn_cast<RangeOp>(op)) {
    emitRange(range);
  } else if (auto splat = dyn_cast<SplatOp>(op)) {
    emitSplat(splat.getResult(), scalar(splat.getValue()));
  } else if (auto undefined = dyn_cast<UndefinedOp>(op)) {
    Registers emitted;
    for (Type type : emittedTypes(undefined.getType()))
      emitted.push_back(LLVM::UndefOp::create(b, loc, type));
    setValues(undefined.getResult(), emitted);
  } else if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    renameRegisters(expand.getSource(), expand.getResult(), [&](ArrayRef<int32_t> coords) {
      Coords source(coords.begin(), coords.end());
      source.erase(source.begin() + expand.getAxis());
      return source;
    });
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(broadcast.getSource().getType()).getShape();
    renameRegisters(broadcast.getSource(), broadcast.getResult(), [&](ArrayRef<int32_t> coords) {
      Coords source(coords.begin(), coords.end());
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] == 1)
          source[axis] = 0;
      return source;
    });
  } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    const layout::LinearLayout from = tileInfo(reshape.getSource().getType()).layout;
    const layout::LinearLayout to = tileInfo(reshape.getType()).layout;
    renameRegisters(reshape.getSource(), reshape.getResult(),
                    [&](ArrayRef<int32_t> coords) { return from.unflatten(to.flatten(coords)); });
  } else if (auto permute = dyn_cast<PermuteOp>(op)) {
    renameRegisters(permute.getSource(), permute.getResult(), [&](ArrayRef<int32_t> coords) {
      Coords source(coords.size());
      for (auto [axis, from] : llvm::enumerate(permute.getOrder()))
        source[from] = coords[axis];
      return source;
    });
  } else if (auto split = dyn_cast<SplitOp>(op)) {
    emitSplit(split);
  } else if (auto join = dyn_cast<JoinOp>(op)) {
    emitJoin(join);
  } else if (auto slice = dyn_cast<ExtractSliceOp>(op)) {
    renameRegisters(slice.getSource(), slice.getResult(), [&](ArrayRef<int32_t> coords) {
      Coords source(coords.begin(), coords.end());
      for (auto [axis, offset] : llvm::enumerate(slice.getOffsets()))
        source[axis] += offset;
      return source;
    });
  } else if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    emitConvertLayout(convert);
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    emitReduce(reduce);
  } else {
    return false;
  }
  return true;
}
