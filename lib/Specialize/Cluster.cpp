// Copies of consecutive bytes in one piece, and what goes to other blocks of the cluster.
#include "SharedMemory.h"
#include "Specializer.h"
#include "WrittenLayouts.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static constexpr int64_t bulkUnit = 16;

static FailureOr<TypedValue<PointerType>> scalarPointer(Call &call, StringRef name) {
  if (auto pointer = dyn_cast_if_present<TypedValue<PointerType>>(call[name].irValue()))
    return pointer;
  call.error(diag::Kind::ArgumentType, name)
      << "`" << name << "` of `" << call.builtin.name << "` is the address of the first element; this is "
      << call[name].describe();
  return failure();
}

/// Bytes of a bulk copy: a multiple of 16, by default those of the buffer.
static FailureOr<mlir::Value> bulkBytes(Call &call, StringRef name, BufferType buffer) {
  const Datum &size = call[name];
  std::optional<int64_t> known = size.isNone() ? buffer.tileBytes() : size.asInt();
  if (known && (*known <= 0 || *known % bulkUnit != 0 || *known > buffer.tileBytes())) {
    call.error(diag::Kind::ArgumentType, name) << *known << " bytes are to be copied; a bulk copy moves multiples of "
                                               << bulkUnit << ", and the buffer has " << buffer.tileBytes();
    return failure();
  }
  if (known)
    return call.emit.i32(*known);
  return call.i32(name);
}

Result tlx::specialize::bulkLoad(Call &call) {
  auto buffer = hardwareBuffer(call, "result");
  auto barrier = call.barrier("barrier");
  auto pointer = scalarPointer(call, "src");
  if (failed(buffer) || failed(barrier) || failed(pointer) || failed(call.refuse("mask")) ||
      failed(call.refuse("other")))
    return failure();
  auto bytes = bulkBytes(call, "bulk_size", buffer->getType());
  if (failed(bytes))
    return failure();
  call.emit.create<BulkLoadOp>(*pointer, *buffer, *bytes, *barrier);
  return Datum(NoneValue());
}

Result tlx::specialize::asyncStore(Call &call) {
  auto pointer = scalarPointer(call, "dst_global_ptr");
  auto buffer = hardwareBuffer(call, "src_smem");
  auto bytes = failed(buffer) ? FailureOr<mlir::Value>(failure()) : bulkBytes(call, "size", buffer->getType());
  if (failed(pointer) || failed(bytes))
    return failure();
  call.emit.create<BulkStoreOp>(*buffer, *pointer, *bytes);
  return Datum(NoneValue());
}

static LogicalResult needsCluster(Call &call) {
  if (call.specializer.clusterSize > 1)
    return success();
  call.emit.error(diag::Kind::ArgumentType)
      << "`" << call.builtin.name << "` reaches another block of a cluster; the kernel's cluster has one";
  return failure();
}

static LogicalResult checkRank(Call &call, StringRef name) {
  auto rank = call[name].asInt();
  if (!rank || (*rank >= 0 && *rank < call.specializer.clusterSize))
    return success();
  call.error(diag::Kind::IndexOutOfRange, name)
      << "rank " << *rank << " of a cluster of " << call.specializer.clusterSize << " blocks";
  return failure();
}

static Result remoteStore(Call &call, bool isAsync) {
  auto buffer = call.buffer("dst");
  auto value = call.tile("src");
  if (failed(buffer) || failed(value) || failed(needsCluster(call)) || failed(checkRank(call, "remote_cta_rank")))
    return failure();
  if (shapeOf(value->value) != buffer->getType().getShape() || value->dtype != call["dst"].dtype()) {
    call.error(diag::Kind::ShapeMismatch, "src")
        << "the value is " << call["src"].describe() << "; it is stored in " << call["dst"].describe();
    return failure();
  }
  // PTX ISA, st.async: 32 bits at least.
  if (isAsync && buffer->getType().elementBits() < 32) {
    call.error(diag::Kind::ArgumentType, "src")
        << "an asynchronous store to another block moves 32 or 64 bits; elements have "
        << buffer->getType().elementBits();
    return failure();
  }
  auto rank = call.i32("remote_cta_rank");
  mlir::Value signal;
  if (isAsync) {
    auto barrier = call.barrier("barrier");
    if (failed(barrier))
      return failure();
    signal = *barrier;
  }
  if (failed(rank))
    return failure();
  call.emit.create<RemoteStoreOp>(*buffer, value->value, *rank, signal);
  return Datum(NoneValue());
}

Result tlx::specialize::remoteSharedStore(Call &call) {
  return remoteStore(call, false);
}
Result tlx::specialize::asyncRemoteSharedStore(Call &call) {
  return remoteStore(call, true);
}

Result tlx::specialize::asyncRemoteSharedCopy(Call &call) {
  auto destination = hardwareBuffer(call, "dst"), source = hardwareBuffer(call, "src");
  auto barrier = call.barrier("barrier");
  if (failed(destination) || failed(source) || failed(barrier) || failed(needsCluster(call)) ||
      failed(checkRank(call, "remote_cta_rank")))
    return failure();
  BufferType to = destination->getType(), from = source->getType();
  if (to.tileBytes() != from.tileBytes() || to.getLayout() != from.getLayout()) {
    call.error(diag::Kind::ShapeMismatch, "src") << "the source is " << call["src"].describe() << "; it is copied to "
                                                 << call["dst"].describe() << " as it lies in memory";
    return failure();
  }
  auto rank = call.i32("remote_cta_rank");
  if (failed(rank))
    return failure();
  call.emit.create<RemoteCopyOp>(*source, *destination, *rank, *barrier);
  return Datum(NoneValue());
}
