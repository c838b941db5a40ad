// Buffers in shared memory: allocation, views, and moving tiles between them and registers.
#include "MatrixReader.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using layout::Coords;
using layout::InDim;

layout::SharedTile tlx::scratchTile(ArrayRef<int64_t> shape, int elementBytes) {
  SmallVector<int64_t> padded;
  for (int64_t extent : shape)
    padded.push_back(llvm::PowerOf2Ceil(extent));
  return layout::SharedTile::whole(padded, elementBytes, layout::SharedTile::defaultSwizzle(padded, elementBytes));
}

int64_t SharedAccess::offset(ArrayRef<int32_t> coords) const {
  SmallVector<int64_t> place(coords.begin(), coords.end());
  if (transposed)
    std::swap(place[place.size() - 1], place[place.size() - 2]);
  place.erase(place.begin(), place.begin() + std::max<int>(0, static_cast<int>(place.size()) - tile.rank()));
  return tile.linearOffset(place);
}

Value SharedAccess::padded(Value place) const {
  Value result = place;
  for (auto [interval, amount] : tile.padding) {
    Value passed = LLVM::LShrOp::create(emitter.b, emitter.loc, place,
                                        emitter.i32(llvm::Log2_64(static_cast<uint64_t>(interval * tile.elemBytes))));
    result =
        emitter.add(result, LLVM::MulOp::create(emitter.b, emitter.loc, passed, emitter.i32(amount * tile.elemBytes)));
  }
  return result;
}

Value SharedAccess::threadOffset(const TileInfo &info) const {
  return emitter.threadPart(info.layout, [&](ArrayRef<int32_t> coords) { return offset(coords); });
}

Value SharedAccess::address(const TileInfo &info, Value thread, int i) const {
  int64_t constant = offset(info.coords(i));
  Value place = constant ? emitter.bitXor(thread, emitter.i32(constant)) : thread;
  return emitter.offsetPointer(base, padded(place));
}

int SharedAccess::run(const TileInfo &info) const {
  int bytes = isa<LLVM::LLVMPointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8;
  int width = 1;
  auto holds = [&](int candidate) {
    // A vector never straddles a swizzled chunk, and its address must be a multiple of its size in every thread.
    for (int bit = 0; (1 << bit) < candidate; ++bit)
      if (bit >= info.layout.inBits(InDim::Register) || offset(info.layout.basis(InDim::Register, bit)) != bytes << bit)
        return false;
    for (auto [interval, amount] : tile.padding)
      if (interval % candidate != 0 || amount % candidate != 0)
        return false;
    for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp})
      for (int bit = dim == InDim::Register ? llvm::Log2_32(candidate) : 0; bit < info.layout.inBits(dim); ++bit)
        if (offset(info.layout.basis(dim, bit)) % (bytes * candidate) != 0)
          return false;
    return info.elementCount() % candidate == 0;
  };
  while (width * 2 * bytes <= 16 && holds(width * 2))
    width *= 2;
  return width;
}

void SharedAccess::store(const TileInfo &info, const Registers &elements) const {
  OpBuilder &b = emitter.b;
  Value thread = threadOffset(info);
  int width = run(info), bytes = isa<LLVM::LLVMPointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8;
  for (int i = 0; i < info.elementCount(); i += width) {
    Value data = elements[i];
    if (width > 1) {
      data = LLVM::PoisonOp::create(b, emitter.loc, VectorType::get({width}, element));
      for (int j = 0; j < width; ++j)
        data = LLVM::InsertElementOp::create(b, emitter.loc, data, elements[i + j], emitter.i32(j));
    }
    LLVM::StoreOp::create(b, emitter.loc, data, address(info, thread, i), width * bytes);
  }
}

Registers SharedAccess::load(const TileInfo &info) const {
  OpBuilder &b = emitter.b;
  Value thread = threadOffset(info);
  int width = run(info), bytes = isa<LLVM::LLVMPointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8;
  Registers result;
  for (int i = 0; i < info.elementCount(); i += width) {
    Type type = width > 1 ? Type(VectorType::get({width}, element)) : element;
    Value data = LLVM::LoadOp::create(b, emitter.loc, type, address(info, thread, i), width * bytes);
    for (int j = 0; j < width; ++j)
      result.push_back(width > 1 ? LLVM::ExtractElementOp::create(b, emitter.loc, data, emitter.i32(j)) : data);
  }
  return result;
}

/// PTX ISA, stmatrix: lane t holds row t/4, columns 2(t%4) and 2(t%4)+1 of each 8x8 matrix; lanes 8i..8i+7 give the
/// addresses of the rows of matrix i.
static bool isMatrixFragment(const layout::LinearLayout &layout, int row, int column) {
  if (layout.inBits(InDim::Register) < 3 || layout.inBits(InDim::Lane) != 5)
    return false;
  auto moves = [&](InDim dim, int bit, int axis, int by) {
    Coords expected(layout.rank(), 0);
    expected[axis] = by;
    return layout.basis(dim, bit) == expected;
  };
  return moves(InDim::Register, 0, column, 1) && moves(InDim::Lane, 0, column, 2) && moves(InDim::Lane, 1, column, 4) &&
         moves(InDim::Lane, 2, row, 1) && moves(InDim::Lane, 3, row, 2) && moves(InDim::Lane, 4, row, 4);
}

bool SharedAccess::storeByMatrix(const TileInfo &info, const Registers &packed) const {
  int rank = info.layout.rank();
  if (info.pack != 2 || rank < 2 || transposed || tile.swizzleBytes == 0 || packed.size() % 4 != 0 ||
      !isMatrixFragment(info.layout, rank - 2, rank - 1))
    return false;
  // The rows that lane t points at: row t%8 of matrix t/8, matrices being register bits 1 and 2.
  SmallVector<int64_t> lanes;
  for (int bit : {2, 3, 4})
    lanes.push_back(offset(info.layout.basis(InDim::Lane, bit)));
  for (int bit : {1, 2})
    lanes.push_back(offset(info.layout.basis(InDim::Register, bit)));
  SmallVector<int64_t> warps;
  for (int bit = 0; bit < info.layout.inBits(InDim::Warp); ++bit)
    warps.push_back(offset(info.layout.basis(InDim::Warp, bit)));
  Value thread = emitter.bitXor(emitter.linearCombination(emitter.laneId, lanes),
                                emitter.linearCombination(emitter.warpInTask(), warps));
  // The fragment leaves no lanes with copies; whole warps may hold them.
  emitter.when(emitter.holdsFirstCopy(info.layout), [&] {
    OpBuilder &b = emitter.b;
    for (size_t i = 0; i < packed.size(); i += 4) {
      Registers words;
      for (size_t j = i; j < i + 4; ++j)
        words.push_back(LLVM::BitcastOp::create(b, emitter.loc, b.getI32Type(), packed[j]));
      thread::StMatrixOp::create(b, emitter.loc, address(info, thread, static_cast<int>(2 * i)), words,
                                 /*transposed=*/false);
    }
  });
  return true;
}

void Emitter::emitLocalLoad(LocalLoadOp op) {
  BufferType type = op.getBuffer().getType();
  SharedAccess access(*this, sharedTile(type), type.getLayout().getTransposed(), scalar(op.getBuffer()),
                      elementType(type.getElementType()));
  const TileInfo info = tileInfo(op.getType());
  if (auto reader = MatrixReader::create(access, info))
    setValues(op.getResult(), reader->tile());
  else
    setElements(op.getResult(), access.load(info));
}

void Emitter::emitLocalStore(LocalStoreOp op) {
  BufferType type = op.getBuffer().getType();
  SharedAccess access(*this, sharedTile(type), type.getLayout().getTransposed(), scalar(op.getBuffer()),
                      elementType(type.getElementType()));
  const TileInfo info = tileInfo(op.getValue().getType());
  if (access.storeByMatrix(info, values(op.getValue())))
    return;
  Registers held = elements(op.getValue());
  when(holdsFirstCopy(info.layout), [&] { access.store(info, held); });
}

/// Base address of the element at `offsets` of the viewed tile.
static int64_t sliceOffset(LocalSliceOp op) {
  BufferType type = op.getBuffer().getType();
  SmallVector<int64_t> at(op.getOffsets());
  if (type.getLayout().getTransposed())
    std::swap(at[at.size() - 1], at[at.size() - 2]);
  return sharedTile(type).byteOffset(at);
}

FailureOr<bool> Emitter::emitSharedMemory(Operation *op) {
  if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
    setValues(alloc, {sharedBase(*alloc.getOffset())});
  } else if (auto alloc = dyn_cast<AllocBarriersOp>(op)) {
    setValues(alloc, {sharedBase(*alloc.getOffset())});
  } else if (auto view = dyn_cast<LocalViewOp>(op)) {
    Value offset = LLVM::MulOp::create(b, loc, scalar(view.getIndex()), i32(tileStride(view.getBuffer().getType())));
    setValues(view, {offsetPointer(scalar(view.getBuffer()), offset)});
  } else if (auto view = dyn_cast<BarrierViewOp>(op)) {
    Value offset = LLVM::MulOp::create(b, loc, scalar(view.getIndex()), i32(8));
    setValues(view, {offsetPointer(scalar(view.getBarrier()), offset)});
  } else if (auto slice = dyn_cast<LocalSliceOp>(op)) {
    setValues(slice, {offsetPointer(scalar(slice.getBuffer()), sliceOffset(slice))});
  } else if (isa<LocalTransOp, LocalReshapeOp>(op)) {
    setValues(op->getResult(0), {scalar(op->getOperand(0))});
  } else if (auto load = dyn_cast<LocalLoadOp>(op)) {
    emitLocalLoad(load);
  } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
    emitLocalStore(store);
  } else {
    return false;
  }
  return true;
}
