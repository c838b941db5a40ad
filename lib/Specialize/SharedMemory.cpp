// Buffers in shared memory: allocation, views, loads and stores.
#include "SharedMemory.h"
#include "PinnedLayouts.h"
#include "Specializer.h"
#include "TensorMemory.h"
#include "WrittenLayouts.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

SharedLayoutAttr tlx::specialize::defaultLayout(MLIRContext *context, ArrayRef<int64_t> shape, DType type) {
  if (shape.size() < 2)
    return SharedLayoutAttr::get(context, 0, 1, false);
  int64_t rows = shape[shape.size() - 2], rowBytes = shape.back() * type.bytes();
  unsigned swizzle = 0;
  for (unsigned span : {32u, 64u, 128u})
    if (rows >= 8 && rowBytes % span == 0)
      swizzle = span;
  return SharedLayoutAttr::get(context, swizzle, rows, false);
}

Result tlx::specialize::allocateBuffers(Call &call, ArrayRef<int64_t> shape, DType type, int64_t count,
                                        mlir::Value reuse) {
  // Far above any shared memory: the allocator names what is too large for a target.
  constexpr int64_t mostBytes = int64_t(1) << 31;
  int64_t bytes = std::min(count, mostBytes + 1) * type.bytes();
  bool fits = !shape.empty() && shape.size() <= 5 && count >= 1 && !type.isPointer && type.bits() >= 8;
  for (int64_t extent : shape) {
    fits = fits && extent >= 1 && extent <= mostBytes && bytes <= mostBytes;
    bytes = fits ? bytes * extent : bytes;
  }
  if (!fits || bytes > mostBytes) {
    call.emit.error(diag::Kind::ArgumentType) << "an allocation has at least one buffer of 1 to 5 positive extents, "
                                                 "elements of whole bytes, and at most 2 GiB";
    return failure();
  }
  Type buffer = BufferType::get(call.emit.context(), shape, type.toMLIR(call.emit.context()), count,
                                defaultLayout(call.emit.context(), shape, type));
  auto name = call.emit.builder.getStringAttr(call.specializer.allocationName("buffer"));
  return Datum::ir(call.emit.create<LocalAllocOp>(buffer, name, IntegerAttr(), reuse), type);
}

/// The buffers whose memory is used again.
static FailureOr<mlir::Value> reusedBuffers(Call &call, int64_t bytes) {
  auto other = dyn_cast_if_present<TypedValue<BufferType>>(call["reuse"].irValue());
  if (!other) {
    call.error(diag::Kind::ArgumentType, "reuse") << "`reuse` takes buffers; this is " << call["reuse"].describe();
    return failure();
  }
  int64_t room = other.getType().tileBytes() * std::max<int64_t>(other.getType().getCount(), 1);
  if (bytes > room) {
    call.error(diag::Kind::ShapeMismatch, "reuse")
        << "the allocation needs " << bytes << " bytes; the memory to reuse has " << room;
    return failure();
  }
  return mlir::Value(other);
}

Result tlx::specialize::localAlloc(Call &call) {
  auto shape = call.integers("shape");
  auto type = call.dtype("dtype");
  auto count = call.integer("num");
  if (failed(shape) || failed(type) || failed(count))
    return failure();
  if (call["storage"] == Datum(std::string("tmem")))
    return allocateTensorMemory(call, *shape, *type, *count);
  if (failed(call.refuse("storage")))
    return failure();
  auto allocated = allocateBuffers(call, *shape, *type, *count, mlir::Value());
  if (failed(allocated))
    return failure();
  auto op = allocated->irValue().getDefiningOp<LocalAllocOp>();
  auto layout = pinnedBuffer(call, *shape, *type, op.getType().getLayout());
  if (failed(layout))
    return failure();
  op.getResult().setType(BufferType::get(call.emit.context(), *shape, op.getType().getElementType(), *count, *layout));
  noteWritten(call, "layout", op, *type);
  if (!call.given("reuse"))
    return allocated;
  if (LocalAllocOp spec = aliasSpec(call["reuse"])) {
    op.getReuseMutable().assign(spec.getResult());
    return failed(placeInSpec(call, op, spec)) ? Result(failure()) : allocated;
  }
  auto reuse = reusedBuffers(call, op.getType().tileBytes() * *count);
  if (failed(reuse))
    return failure();
  op.getReuseMutable().assign(*reuse);
  return allocated;
}

Result tlx::specialize::localView(Call &call) {
  return call.specializer.viewOf(call["local_allocated_buffers"], call["buffer_idx"], call.range);
}

namespace {
struct SliceRequest {
  BufferType parent;
  ArrayRef<int64_t> offsets, shape;
};
} // namespace

static LogicalResult checkBounds(Call &call, const SliceRequest &slice) {
  size_t rank = slice.parent.getShape().size();
  if (slice.offsets.size() != rank || slice.shape.size() != rank) {
    call.error(diag::Kind::ShapeMismatch, "offset") << slice.offsets.size() << " offsets and " << slice.shape.size()
                                                    << " extents are given; the buffer has " << rank << " axes";
    return failure();
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t extent = slice.parent.getShape()[axis], end = slice.offsets[axis] + slice.shape[axis];
    if (slice.offsets[axis] >= 0 && slice.shape[axis] >= 1 && end <= extent)
      continue;
    call.error(diag::Kind::IndexOutOfRange, "offset")
        << "the slice ends at " << end << " on axis " << axis << "; the buffer has " << extent;
    return failure();
  }
  return success();
}

/// A part keeps its parent's panels, so that it begins and ends where panels and groups of 8 rows do.
static LogicalResult checkPanels(Call &call, const SliceRequest &slice) {
  size_t rank = slice.offsets.size();
  ArrayRef<int64_t> extents = slice.parent.getShape();
  unsigned swizzle = slice.parent.getLayout().getSwizzle();
  int64_t elementBytes = slice.parent.elementBits() / 8;
  // A transposed view has the tile's rows on its last axis.
  bool isTransposed = slice.parent.getLayout().getTransposed();
  size_t rowAxis = isTransposed ? rank - 1 : rank - 2, columnAxis = isTransposed ? rank - 2 : rank - 1;
  int64_t panel = swizzle ? swizzle : extents[columnAxis] * elementBytes;
  auto refuse = [&](const char *name, size_t axis, int64_t have, int64_t unit, const char *what) {
    call.error(diag::Kind::MisalignedSlice, name)
        << "the slice has " << name << " " << have << " on axis " << axis << "; " << what << " are " << unit;
    return failure();
  };
  for (auto [name, numbers] : {std::pair("offset", slice.offsets), std::pair("shape", slice.shape)}) {
    if (numbers[columnAxis] * elementBytes % panel)
      return refuse(name, columnAxis, numbers[columnAxis], panel / elementBytes, "elements of a panel");
    bool isWhole = slice.shape[rowAxis] == extents[rowAxis];
    if (!isWhole && numbers[rowAxis] % 8)
      return refuse(name, rowAxis, numbers[rowAxis], 8, "rows that swizzle together");
  }
  for (size_t axis = 1; axis < rank && rank > 2; ++axis)
    if (slice.shape[axis] != extents[axis])
      return refuse("shape", axis, slice.shape[axis], extents[axis], "extents that stay whole");
  return success();
}

static Result sliceWritten(Call &call, mlir::Value buffer, const SliceRequest &slice) {
  auto layout = sliced(slice.parent, slice.offsets, slice.shape);
  if (!layout) {
    call.error(diag::Kind::MisalignedSlice, "offset")
        << "a part of a buffer with a written layout begins at a multiple of its extents, which are powers of two, and "
        << "its elements lie alike wherever it begins; this one does not";
    return failure();
  }
  Type type = BufferType::get(call.emit.context(), slice.shape, slice.parent.getElementType(), 0, *layout);
  return Datum::ir(call.emit.create<LocalSliceOp>(type, buffer, slice.offsets), call["buffer"].dtype());
}

Result tlx::specialize::localSlice(Call &call) {
  if (isTensorMemory(call["buffer"]))
    return sliceTensorMemory(call);
  auto buffer = call.buffer("buffer");
  auto offsets = call.integers("offset"), shape = call.integers("shape");
  if (failed(buffer) || failed(offsets) || failed(shape))
    return failure();
  BufferType parent = buffer->getType();
  SliceRequest slice{parent, *offsets, *shape};
  if (failed(checkBounds(call, slice)))
    return failure();
  if (parent.getLayout().isWritten())
    return sliceWritten(call, *buffer, slice);
  if ((parent.getShape().size() >= 2 && failed(checkPanels(call, slice))))
    return failure();
  Type type = BufferType::get(call.emit.context(), *shape, parent.getElementType(), 0, parent.getLayout());
  return Datum::ir(call.emit.create<LocalSliceOp>(type, *buffer, *offsets), call["buffer"].dtype());
}

Result tlx::specialize::localLoad(Call &call) {
  if (isTensorMemory(call["src"]))
    return loadTensorMemory(call);
  // A token orders the load behind copies on AMD; here the wait before it does, so that it adds nothing.
  auto buffer = call.buffer("src");
  if (failed(buffer) || failed(call.emit.checkExtents(buffer->getType().getShape())))
    return failure();
  DType type = call["src"].dtype();
  mlir::Value tile = call.emit.create<LocalLoadOp>(call.emit.typeOf(type, buffer->getType().getShape()), *buffer);
  return pinned(call, "layout", {tile, type});
}

Result tlx::specialize::localStore(Call &call) {
  if (isTensorMemory(call["dst"]))
    return storeTensorMemory(call);
  auto buffer = call.buffer("dst");
  if (failed(buffer))
    return failure();
  ArrayRef<int64_t> shape = buffer->getType().getShape();
  DType type = call["dst"].dtype();
  auto value = call.tile("src");
  if (failed(value))
    return failure();
  if (shapeOf(value->value) != shape ||
      value->dtype.toMLIR(call.emit.context()) != buffer->getType().getElementType()) {
    call.error(value->dtype == type ? diag::Kind::ShapeMismatch : diag::Kind::ArgumentType, "src")
        << "the value is " << call["src"].describe() << "; it is stored in " << call["dst"].describe();
    return failure();
  }
  call.emit.create<LocalStoreOp>(*buffer, value->value);
  return Datum(NoneValue());
}
