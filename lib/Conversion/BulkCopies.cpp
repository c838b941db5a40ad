// Copies of consecutive bytes in one piece, and what goes to the shared memory of other CTAs of the cluster.
#include "SharedAccess.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

void Emitter::emitRemoteStore(RemoteStoreOp op) {
  BufferType type = op.getBuffer().getType();
  Type element = elementType(type.getElementType());
  SharedAccess access(*this, sharedTile(type), type.getLayout().getTransposed(), scalar(op.getBuffer()), element);
  const TileInfo info = tileInfo(op.getValue().getType());
  Registers held = elements(op.getValue());
  Value rank = scalar(op.getRank()), barrier = op.getBarrier() ? scalar(op.getBarrier()) : Value();
  // PTX ISA, st.async: 32 or 64 bits at a time, or vectors of them.
  int bytes = storedBytes(element), width = access.run(info);
  while (width > 1 && width * bytes > 8)
    width /= 2;
  Type word = b.getIntegerType(8 * width * bytes);
  when(holdsFirstCopy(info.layout), [&] {
    Value thread = access.threadOffset(info);
    for (int i = 0; i < info.elementCount(); i += width) {
      Value data = held[i];
      if (width > 1) {
        data = LLVM::PoisonOp::create(b, loc, VectorType::get({width}, element));
        for (int j = 0; j < width; ++j)
          data = LLVM::InsertElementOp::create(b, loc, data, held[i + j], i32(j));
      }
      if (data.getType() != word)
        data = LLVM::BitcastOp::create(b, loc, word, data);
      thread::RemoteStoreOp::create(b, loc, access.address(info, thread, i), data, rank, barrier);
    }
  });
}

FailureOr<bool> Emitter::emitBulkCopy(Operation *op) {
  if (auto load = dyn_cast<BulkLoadOp>(op)) {
    when(isLeader(), [&] {
      thread::BulkLoadOp::create(b, loc, scalar(load.getBuffer()), scalar(load.getPointer()), scalar(load.getBytes()),
                                 scalar(load.getBarrier()));
    });
  } else if (auto store = dyn_cast<BulkStoreOp>(op)) {
    when(isLeader(), [&] {
      thread::BulkStoreOp::create(b, loc, scalar(store.getPointer()), scalar(store.getBuffer()),
                                  scalar(store.getBytes()));
      NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
    });
  } else if (auto copy = dyn_cast<RemoteCopyOp>(op)) {
    Value bytes = i32(copy.getSource().getType().tileBytes());
    when(isLeader(), [&] {
      thread::BulkRemoteOp::create(b, loc, scalar(copy.getDestination()), scalar(copy.getSource()), bytes,
                                   scalar(copy.getRank()), scalar(copy.getBarrier()));
    });
  } else if (auto store = dyn_cast<RemoteStoreOp>(op)) {
    emitRemoteStore(store);
  } else {
    return false;
  }
  return true;
}
