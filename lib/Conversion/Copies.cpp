// Asynchronous copies: cp.async by every thread, tensor-map copies by the task's leader.
#include "SharedAccess.h"

using namespace mlir;
using namespace tlx;

LogicalResult Emitter::emitAsyncLoad(AsyncLoadOp op) {
  auto tile = cast<RankedTensorType>(op.getPointer().getType());
  BufferType buffer = op.getBuffer().getType();
  const TileInfo info = tileInfo(tile);
  Type element = elementType(buffer.getElementType());
  SharedAccess access(*this, sharedTile(buffer), buffer.getLayout().getTransposed(), scalar(op.getBuffer()), element);
  auto vector = op->getAttrOfType<IntegerAttr>("tlx.vector");
  int bytes = buffer.elementBits() / 8, width = access.run(info);
  while (width > (vector ? vector.getInt() : 1))
    width /= 2;
  // PTX ISA, cp.async: 4, 8 or 16 bytes.
  if (width * bytes < 4)
    return op.emitError() << "async_load needs at least 4 bytes at consecutive, aligned addresses for each thread; "
                          << "here " << width * bytes
                          << " are known to be so. Declare the pointer's alignment (`:16`) and "
                          << "use a constant inner stride of 1 [async-load-too-narrow]";
  Registers others = op.getOther() ? elements(op.getOther()) : Registers();
  Registers pointers = elements(op.getPointer());
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  Value thread = access.threadOffset(info);
  when(holdsFirstCopy(info.layout), [&] {
    for (int i = 0; i < info.elementCount(); i += width) {
      Value valid;
      Value mask = masks.empty() ? Value() : masks[masks.size() == 1 ? 0 : i];
      if (mask && !others.empty()) {
        // Threads write what is not copied themselves.
        when(bitXor(mask, i1(true)), [&] {
          for (int j = i; j < i + width; ++j)
            LLVM::StoreOp::create(b, loc, others[others.size() == 1 ? 0 : j], access.address(info, thread, j), bytes);
        });
        when(mask, [&] {
          thread::CpAsyncOp::create(b, loc, access.address(info, thread, i), pointers[i], width * bytes, Value());
        });
        continue;
      }
      if (!masks.empty())
        valid = LLVM::SelectOp::create(b, loc, masks[masks.size() == 1 ? 0 : i], i32(width * bytes), i32(0));
      thread::CpAsyncOp::create(b, loc, access.address(info, thread, i), pointers[i], width * bytes, valid);
    }
  });
  setValues(op.getToken(), {});
  return success();
}

namespace {
/// The messages that move one block: the origin of each in the block, and where it lies in the tile.
struct Message {
  SmallVector<int64_t> origin;
  int64_t bytes;
};
} // namespace

/// A block is moved box by box (PTX ISA: the inner extent of a box is at most the swizzle span).
static SmallVector<Message> messagesOf(DescriptorType descriptor, ArrayRef<int64_t> box,
                                       const layout::SharedTile &tile) {
  ArrayRef<int64_t> block = descriptor.getShape();
  SmallVector<Message> result;
  SmallVector<int64_t> origin(block.size(), 0);
  while (true) {
    ArrayRef<int64_t> inTile = ArrayRef(origin).take_back(tile.rank());
    result.push_back({origin, tile.byteOffset(inTile)});
    int axis = static_cast<int>(block.size()) - 1;
    for (; axis >= 0; --axis) {
      origin[axis] += box[axis];
      if (origin[axis] < block[axis])
        break;
      origin[axis] = 0;
    }
    if (axis < 0)
      return result;
  }
}

/// The box of the tensor map, as AssignTensorMaps wrote it on the kernel's argument.
static SmallVector<int64_t> boxOf(func::FuncOp kernel, Value descriptor) {
  auto argument = dyn_cast<BlockArgument>(descriptor);
  auto map = argument ? kernel.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(), "tlx.tensor_map")
                      : descriptor.getDefiningOp()->getAttrOfType<DictionaryAttr>("tlx.tensor_map");
  return SmallVector<int64_t>(map.getAs<DenseI64ArrayAttr>("box").asArrayRef());
}

/// Innermost axis first, as the hardware wants them.
static Registers coordinatesOf(ArrayRef<Value> offsets, const Message &message,
                               llvm::function_ref<Value(Value, int64_t)> addConstant) {
  Registers result;
  for (int axis = static_cast<int>(offsets.size()) - 1; axis >= 0; --axis)
    result.push_back(addConstant(offsets[axis], message.origin[axis]));
  return result;
}

/// A cache policy as createpolicy makes it (PTX ISA, createpolicy.fractional with fraction 1.0).
static std::optional<int64_t> cachePolicy(StringRef eviction) {
  if (eviction == "evict_first")
    return 0x12F0000000000000;
  if (eviction == "evict_last")
    return 0x14F0000000000000;
  return std::nullopt;
}

void Emitter::emitTMALoad(TMALoadOp op) {
  layout::SharedTile tile = sharedTile(op.getBuffer().getType());
  SmallVector<Value> offsets;
  for (Value offset : op.getOffsets())
    offsets.push_back(scalar(offset));
  Value predicate = op.getPredicate() ? scalar(op.getPredicate()) : Value();
  auto plus = [&](Value value, int64_t constant) { return addConstant(value, constant); };
  when(isLeader(predicate), [&] {
    Value mask, policy;
    if (op.getMulticast())
      mask = LLVM::TruncOp::create(b, loc, b.getI16Type(), scalar(op.getMulticast()));
    if (auto bits = cachePolicy(op.getEviction()))
      policy = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(*bits));
    for (const Message &message : messagesOf(op.getDescriptor().getType(), boxOf(kernel, op.getDescriptor()), tile)) {
      auto load = thread::TMALoadOp::create(b, loc, offsetPointer(scalar(op.getBuffer()), message.bytes),
                                            scalar(op.getDescriptor()), coordinatesOf(offsets, message, plus),
                                            scalar(op.getBarrier()), mask, policy);
      if (op->hasAttr("tlx.pair"))
        load->setAttr("tlx.pair", b.getUnitAttr());
    }
  });
}

void Emitter::emitTMAStore(TMAStoreOp op) {
  layout::SharedTile tile = sharedTile(op.getBuffer().getType());
  SmallVector<Value> offsets;
  for (Value offset : op.getOffsets())
    offsets.push_back(scalar(offset));
  auto plus = [&](Value value, int64_t constant) { return addConstant(value, constant); };
  when(isLeader(), [&] {
    for (const Message &message : messagesOf(op.getDescriptor().getType(), boxOf(kernel, op.getDescriptor()), tile))
      thread::TMAStoreOp::create(b, loc, scalar(op.getDescriptor()),
                                 offsetPointer(scalar(op.getBuffer()), message.bytes),
                                 coordinatesOf(offsets, message, plus), op.getReduceAttr());
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  });
}

FailureOr<bool> Emitter::emitCopy(Operation *op) {
  if (auto load = dyn_cast<AsyncLoadOp>(op); load && !isa<RankedTensorType>(load.getPointer().getType())) {
    load.emitError("async_load copies a tile; the pointer is a scalar [async-load-scalar]");
    return failure();
  }
  if (machine->target().has(Feature::LaneCopy) && emitCopyByLanes(op))
    return true;
  if (auto load = dyn_cast<AsyncLoadOp>(op)) {
    if (failed(emitAsyncLoad(load)))
      return failure();
  } else if (isa<AsyncCommitOp>(op)) {
    NVVM::CpAsyncCommitGroupOp::create(b, loc);
    setValues(op->getResult(0), {});
  } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    NVVM::CpAsyncWaitGroupOp::create(b, loc, wait.getPendings());
    setValues(wait.getToken(), {});
  } else if (auto load = dyn_cast<TMALoadOp>(op)) {
    emitTMALoad(load);
  } else if (auto store = dyn_cast<TMAStoreOp>(op)) {
    emitTMAStore(store);
  } else if (auto wait = dyn_cast<TMAStoreWaitOp>(op)) {
    // Bulk groups belong to the thread that issued them.
    when(isLeader(), [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, b.getI32IntegerAttr(wait.getPendings()),
                                           wait.getComplete() ? UnitAttr() : b.getUnitAttr());
    });
  } else if (auto prefetch = dyn_cast<TMAPrefetchOp>(op)) {
    Registers coordinates;
    for (Value offset : llvm::reverse(prefetch.getOffsets()))
      coordinates.push_back(scalar(offset));
    when(isLeader(), [&] { thread::TMAPrefetchOp::create(b, loc, scalar(prefetch.getDescriptor()), coordinates); });
  } else {
    return false;
  }
  return true;
}
