// Tensor memory: its allocation at entry, views, and tiles moved between it and registers.
#include "TensorMemoryAccess.h"

#include "tlx/Layout/TensorMemoryLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;

/// Warp 0 allocates for the kernel and gives up the right to: what stays are other CTAs' claims. All threads read the
/// address behind the barrier that also publishes the initialised mbarriers.
void Emitter::allocateTensorMemory() {
  auto columns = kernel->getAttrOfType<IntegerAttr>("tlx.tmem_columns");
  if (!columns)
    return initializeBarriers();
  LocalAllocOp place;
  kernel.walk([&](LocalAllocOp alloc) {
    if (alloc->hasAttr("tlx.tmem_address"))
      place = alloc;
  });
  bool pair = kernel->hasAttr("tlx.tmem_pair");
  Value address = sharedBase(*place.getOffset());
  when(equals(warpId, 0), [&] {
    thread::TmemAllocOp::create(b, loc, address, static_cast<uint32_t>(columns.getInt()), pair);
    thread::TmemRelinquishOp::create(b, loc, pair);
  });
  thread::Tcgen05FenceOp::create(b, loc, /*after=*/false);
  initializeBarriers();
  thread::Tcgen05FenceOp::create(b, loc, /*after=*/true);
  tensorMemory = LLVM::LoadOp::create(b, loc, b.getI32Type(), address, /*alignment=*/4);
}

/// Every access is over when all warps have met; in a cluster they have just met at its barrier.
void Emitter::releaseTensorMemory() {
  if (!tensorMemory)
    return;
  if (!inCluster) {
    thread::Tcgen05FenceOp::create(b, loc, /*after=*/false);
    NVVM::Barrier0Op::create(b, loc);
  }
  thread::Tcgen05FenceOp::create(b, loc, /*after=*/true);
  when(equals(warpId, 0), [&] {
    auto columns = kernel->getAttrOfType<IntegerAttr>("tlx.tmem_columns");
    thread::TmemDeallocOp::create(b, loc, tensorMemory, static_cast<uint32_t>(columns.getInt()),
                                  kernel->hasAttr("tlx.tmem_pair"));
  });
}

FailureOr<TensorMemoryAccess> TensorMemoryAccess::of(Emitter &emitter, Operation *op, Value buffer, Type tile) {
  auto type = cast<tmem::BufferType>(buffer.getType());
  const TaskContext &task = emitter.task;
  if (task.warps % 4 != 0 || task.firstWarp % 4 != 0)
    return op->emitError() << "a tile of tensor memory is reached by whole groups of 4 warps; this task has "
                           << task.warps << " warps from warp " << task.firstWarp << " on [tensor-memory-warps]";
  int64_t rows = type.getShape()[0];
  int64_t elements = static_cast<int64_t>(emitter.tileInfo(tile).elementCount());
  if (elements * type.elementBits() % 32 != 0)
    return op->emitError() << "each thread would move " << elements << " elements of " << type.elementBits()
                           << " bits; tensor memory moves whole columns of 32 [tensor-memory-shape]";
  TensorMemoryAccess access{emitter};
  access.shape = rows == 64 ? thread::TmemShape::Lanes16Twice : thread::TmemShape::Lanes32;
  access.words = static_cast<int>(elements * type.elementBits() / 32);
  access.run = static_cast<int>(layout::tensorMemoryRun(rows, elements) * type.elementBits() / 32);
  access.distance = rows == 64 ? access.run : 0;
  access.elementBits = static_cast<int>(type.elementBits());
  // PTX ISA, tcgen05.ld: the warp's number modulo 4 chooses its 32 lanes; the lane stands in the upper half.
  OpBuilder &b = emitter.b;
  Value quarter = emitter.bitAnd(emitter.warpId, emitter.i32(3));
  Value lanes = LLVM::ShlOp::create(b, emitter.loc, quarter, emitter.i32(21));
  access.address = emitter.add(emitter.scalar(buffer), lanes);
  if (task.warps > 4) {
    Value group = LLVM::LShrOp::create(b, emitter.loc, emitter.warpInTask(), emitter.i32(2));
    int64_t step = access.words * (rows == 64 ? 2 : 1);
    access.address = emitter.add(access.address, LLVM::MulOp::create(b, emitter.loc, group, emitter.i32(step)));
  }
  return access;
}

/// PTX ISA, tcgen05.ld: a power of two of registers, at most 128.
int TensorMemoryAccess::wordsAt(int first) const {
  int most = shape == thread::TmemShape::Lanes32 ? 128 : run;
  return static_cast<int>(llvm::bit_floor(static_cast<unsigned>(std::min(words - first, most))));
}

/// Half of the threads have every second run.
Value TensorMemoryAccess::addressOf(int first) const {
  return emitter.addConstant(address, shape == thread::TmemShape::Lanes32 ? first : 2 * first);
}

Registers TensorMemoryAccess::load() const {
  OpBuilder &b = emitter.b;
  Registers started;
  for (int first = 0; first < words; first += wordsAt(first)) {
    SmallVector<Type> types(wordsAt(first), b.getI32Type());
    auto part =
        thread::TmemLoadOp::create(b, emitter.loc, types, shape, addressOf(first), static_cast<uint32_t>(distance));
    llvm::append_range(started, part.getResult());
  }
  auto wait =
      thread::TmemWaitLoadOp::create(b, emitter.loc, SmallVector<Type>(started.size(), b.getI32Type()), started);
  return Registers(wait.getResult().begin(), wait.getResult().end());
}

void TensorMemoryAccess::store(ArrayRef<Value> held) const {
  OpBuilder &b = emitter.b;
  for (int first = 0; first < words; first += wordsAt(first))
    thread::TmemStoreOp::create(b, emitter.loc, shape, addressOf(first), static_cast<uint32_t>(distance),
                                ValueRange(held.slice(first, wordsAt(first))));
  thread::TmemWaitStoreOp::create(b, emitter.loc);
}

/// Words of packed elements to elements, and back: a column holds its first element in the low bits.
static Registers elementsOfWords(OpBuilder &b, Location loc, ArrayRef<Value> words, Type element, int bits) {
  Registers result;
  for (Value word : words) {
    if (bits == 32) {
      result.push_back(element.isInteger(32) ? word : LLVM::BitcastOp::create(b, loc, element, word));
      continue;
    }
    Value vector = LLVM::BitcastOp::create(b, loc, VectorType::get({32 / bits}, element), word);
    for (int i = 0; i < 32 / bits; ++i) {
      Value index = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(i));
      result.push_back(LLVM::ExtractElementOp::create(b, loc, vector, index));
    }
  }
  return result;
}

static Registers wordsOfElements(OpBuilder &b, Location loc, ArrayRef<Value> elements, Type element, int bits) {
  Registers result;
  for (size_t first = 0; first < elements.size(); first += 32 / bits) {
    Value word = elements[first];
    if (bits < 32) {
      word = LLVM::PoisonOp::create(b, loc, VectorType::get({32 / bits}, element));
      for (int i = 0; i < 32 / bits; ++i) {
        Value index = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(i));
        word = LLVM::InsertElementOp::create(b, loc, word, elements[first + i], index);
      }
    }
    result.push_back(word.getType().isInteger(32) ? word : LLVM::BitcastOp::create(b, loc, b.getI32Type(), word));
  }
  return result;
}

LogicalResult TensorMemoryAccess::emitLoad(Emitter &emitter, tmem::LoadOp op) {
  auto access = of(emitter, op, op.getBuffer(), op.getType());
  if (failed(access))
    return failure();
  Type element = emitter.tileInfo(op.getType()).element;
  emitter.setElements(op.getResult(),
                      elementsOfWords(emitter.b, emitter.loc, access->load(), element, access->elementBits));
  return success();
}

LogicalResult TensorMemoryAccess::emitStore(Emitter &emitter, tmem::StoreOp op) {
  auto access = of(emitter, op, op.getBuffer(), op.getValue().getType());
  if (failed(access))
    return failure();
  Type element = emitter.tileInfo(op.getValue().getType()).element;
  access->store(wordsOfElements(emitter.b, emitter.loc, emitter.elements(op.getValue()), element, access->elementBits));
  return success();
}

FailureOr<bool> Emitter::emitTensorMemory(Operation *op) {
  if (auto alloc = dyn_cast<tmem::AllocOp>(op)) {
    setValues(alloc, {addConstant(tensorMemory, *alloc.getColumn())});
  } else if (auto view = dyn_cast<tmem::ViewOp>(op)) {
    Value offset = LLVM::MulOp::create(b, loc, scalar(view.getIndex()), i32(view.getBuffer().getType().columns()));
    setValues(view, {add(scalar(view.getBuffer()), offset)});
  } else if (auto slice = dyn_cast<tmem::SubsliceOp>(op)) {
    setValues(slice, {addConstant(scalar(slice.getBuffer()), slice.getBuffer().getType().columnOf(slice.getOffset()))});
  } else if (auto reinterpret = dyn_cast<tmem::ReinterpretOp>(op)) {
    setValues(reinterpret, {scalar(reinterpret.getBuffer())});
  } else if (auto load = dyn_cast<tmem::LoadOp>(op)) {
    if (failed(TensorMemoryAccess::emitLoad(*this, load)))
      return failure();
  } else if (auto store = dyn_cast<tmem::StoreOp>(op)) {
    if (failed(TensorMemoryAccess::emitStore(*this, store)))
      return failure();
  } else if (auto parity = dyn_cast<tmem::ParityOp>(op)) {
    // PTX ISA, mbarrier.test_wait.parity: true for the parity of the phase that has just been completed.
    Value isOdd = NVVM::MBarrierTestWaitOp::create(b, loc, b.getI1Type(), scalar(parity.getBarrier()), i32(0));
    setValues(parity, {LLVM::ZExtOp::create(b, loc, b.getI32Type(), isOdd)});
  } else if (auto fence = dyn_cast<tmem::FenceOp>(op)) {
    thread::Tcgen05FenceOp::create(b, loc, fence.getSide() == "after");
  } else if (tmem::isIssued(op) || isa<tmem::CommitOp>(op)) {
    if (failed(TensorMemoryAccess::emitProduct(*this, op)))
      return failure();
  } else {
    return false;
  }
  return true;
}
