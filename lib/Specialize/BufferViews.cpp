// Buffers under other axes, shapes, element types and layouts: the same bytes, nothing moves.
#include "PinnedLayouts.h"
#include "SharedMemory.h"
#include "Specializer.h"
#include "TensorMemory.h"
#include "WrittenLayouts.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/TileOps.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The places of the buffer bit by bit, for views that hardware has no form for.
static FailureOr<SharedLayoutAttr> writtenLayout(Call &call, StringRef argument, BufferType buffer) {
  if (auto written = asWritten(buffer))
    return *written;
  call.error(diag::Kind::UnsupportedOption, argument)
      << "such a view of a swizzled or transposed buffer takes extents that are powers of two";
  return failure();
}

Result tlx::specialize::localTrans(Call &call) {
  auto buffer = call.buffer("input");
  auto dims = call.integers("dims");
  if (failed(buffer) || failed(dims))
    return failure();
  BufferType from = buffer->getType();
  ArrayRef<int64_t> shape = from.getShape();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  if (!std::is_permutation(dims->begin(), dims->end(), axes.begin(), axes.end())) {
    call.error(diag::Kind::ArgumentType, "dims") << "`dims` names each of the " << shape.size() << " axes once";
    return failure();
  }
  SmallVector<int64_t> exchanged;
  for (int64_t axis : *dims)
    exchanged.push_back(shape[axis]);
  SharedLayoutAttr layout = from.getLayout();
  if (*dims == axes)
    return call["input"];
  if (shape.size() == 2 && !layout.isWritten()) {
    layout =
        SharedLayoutAttr::get(call.emit.context(), layout.getSwizzle(), layout.getPanelRows(), !layout.getTransposed());
  } else {
    auto written = writtenLayout(call, "dims", from);
    if (failed(written))
      return failure();
    layout = permuted(from, *written, *dims);
  }
  Type type = BufferType::get(call.emit.context(), exchanged, from.getElementType(), 0, layout);
  return noteWritten(call, "dims", call.emit.create<LocalTransOp>(type, *buffer), call["input"].dtype());
}

static ArrayRef<int64_t> withoutLeadingOnes(ArrayRef<int64_t> shape) {
  while (shape.size() > 1 && shape.front() == 1)
    shape = shape.drop_front();
  return shape;
}

/// Rows one after the other.
static SharedLayoutAttr plainRows(MLIRContext *context, ArrayRef<int64_t> shape) {
  return SharedLayoutAttr::get(context, 0, shape.size() < 2 ? 1 : shape[shape.size() - 2], false);
}

Result tlx::specialize::localReshape(Call &call) {
  auto buffer = call.buffer("src");
  auto shape = call.integers("shape");
  if (failed(buffer) || failed(shape))
    return failure();
  BufferType from = buffer->getType();
  SharedLayoutAttr layout = from.getLayout();
  int64_t before = from.tileBytes() * 8 / from.elementBits();
  uint64_t after = 1;
  for (int64_t extent : *shape)
    after = llvm::SaturatingMultiply(after, extent < 1 ? uint64_t(0) : uint64_t(extent));
  if (uint64_t(before) != after) {
    call.error(diag::Kind::ShapeMismatch, "shape")
        << "the buffer has " << before << " elements; the shape has " << after;
    return failure();
  }
  bool isSameTile = withoutLeadingOnes(from.getShape()) == withoutLeadingOnes(*shape);
  if (!isSameTile && (layout.getSwizzle() || layout.getTransposed() || layout.isWritten())) {
    // Bits of the row-major number stay what they are under any shape of powers of two.
    auto written = writtenLayout(call, "shape", from);
    if (failed(written))
      return failure();
    if (!llvm::all_of(*shape, llvm::isPowerOf2_64)) {
      call.error(diag::Kind::UnsupportedOption, "shape")
          << "such a view of a swizzled or transposed buffer takes extents that are powers of two";
      return failure();
    }
    layout = *written;
  } else if (!isSameTile) {
    layout = plainRows(call.emit.context(), *shape);
  }
  Type type = BufferType::get(call.emit.context(), *shape, from.getElementType(), 0, layout);
  return noteWritten(call, "shape", call.emit.create<LocalReshapeOp>(type, *buffer), call["src"].dtype());
}

//===-- other elements -------------------------------------------------------------------------------------===//

namespace {
/// The bytes of a buffer as elements of another type or under another layout.
struct Reinterpretation {
  TypedValue<BufferType> buffer;
  DType type;
  SmallVector<int64_t> shape;

  BufferType from() const { return buffer.getType(); }
  int64_t bytes() const {
    // Up to 5 extents of 24 bits: what is too large for the machine stays too large.
    uint64_t bytes = type.bytes();
    for (int64_t extent : shape)
      bytes = llvm::SaturatingMultiply(bytes, uint64_t(extent));
    return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX));
  }
};
} // namespace

/// Bytes of memory behind a buffer, padding included.
static int64_t memoryBytes(BufferType type) {
  return type.getLayout().isWritten() ? sharedTile(type).sizeInBytes() : type.tileBytes();
}

static Result refuseBytes(Call &call, const Reinterpretation &view, int64_t wanted) {
  call.error(diag::Kind::ShapeMismatch, call.given("shape") ? "shape" : "dtype")
      << "the buffer has " << memoryBytes(view.from()) << " bytes; as `" << view.type.name() << "` it would have "
      << wanted;
  return failure();
}

static Result emitView(Call &call, const Reinterpretation &view, SharedLayoutAttr layout) {
  Type type = BufferType::get(call.emit.context(), view.shape, view.type.toMLIR(call.emit.context()), 0, layout);
  return noteWritten(call, "layout", call.emit.create<LocalReinterpretOp>(type, view.buffer), view.type);
}

/// Rows stay rows, so that swizzles stay what they are.
static Result viewAsItLies(Call &call, const Reinterpretation &view) {
  BufferType from = view.from();
  SharedLayoutAttr layout = from.getLayout();
  if (view.bytes() != from.tileBytes())
    return refuseBytes(call, view, view.bytes());
  bool sameRows = view.shape.size() >= 2 && from.getShape().size() >= 2 &&
                  view.shape.back() * view.type.bytes() * 8 == from.getShape().back() * from.elementBits();
  if (!sameRows && (layout.getSwizzle() || layout.getTransposed())) {
    call.error(diag::Kind::UnsupportedOption, "dtype") << "a swizzled buffer keeps the bytes of its rows";
    return failure();
  }
  return emitView(call, view, sameRows ? layout : plainRows(call.emit.context(), view.shape));
}

/// Without a layout for it, memory whose layout the source wrote is what it is: bytes one after the other.
static Result viewOfWritten(Call &call, const Reinterpretation &view) {
  bool isSame = view.type.bits() == view.from().elementBits() && view.from().getShape() == ArrayRef(view.shape);
  if (isSame)
    return emitView(call, view, view.from().getLayout());
  if (view.bytes() > memoryBytes(view.from()))
    return refuseBytes(call, view, view.bytes());
  return emitView(call, view, plainRows(call.emit.context(), view.shape));
}

/// The allocation of which the buffer is a whole slot.
static LocalAllocOp wholeSlotOf(mlir::Value buffer) {
  Operation *op = buffer.getDefiningOp();
  while (isa_and_nonnull<LocalViewOp, LocalReinterpretOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<LocalAllocOp>(op);
}

/// Swizzles go by address: each slot begins where the pattern does.
static LogicalResult alignSlots(Call &call, LocalAllocOp alloc, int64_t alignment) {
  if (alignment <= sharedTile(alloc.getType()).alignment())
    return success();
  if (alloc.getReuse() || (alloc.getType().getCount() > 1 && tileStride(alloc.getType()) % alignment != 0)) {
    call.error(diag::Kind::UnsupportedOption, "layout")
        << "this swizzle begins anew every " << alignment << " bytes; the buffer does not begin at such a place";
    return failure();
  }
  auto before = alloc->getAttrOfType<IntegerAttr>("tlx.alignment");
  alloc->setAttr("tlx.alignment",
                 call.emit.builder.getI64IntegerAttr(std::max(alignment, before ? before.getInt() : int64_t(0))));
  return success();
}

static Result viewWithLayout(Call &call, const Reinterpretation &view) {
  auto layout = pinnedBuffer(call, view.shape, view.type, SharedLayoutAttr());
  LocalAllocOp alloc = wholeSlotOf(view.buffer);
  if (failed(layout))
    return failure();
  if (!alloc) {
    call.error(diag::Kind::UnsupportedOption, "buf") << "a layout is given to a whole buffer, not to a part or a view";
    return failure();
  }
  auto type = BufferType::get(call.emit.context(), view.shape, view.type.toMLIR(call.emit.context()), 0, *layout);
  if (int64_t bytes = sharedTile(type).sizeInBytes();
      bytes > std::max(memoryBytes(view.from()), memoryBytes(alloc.getType())))
    return refuseBytes(call, view, bytes);
  if (failed(alignSlots(call, alloc, sharedTile(type).alignment())))
    return failure();
  return emitView(call, view, *layout);
}

Result tlx::specialize::localReinterpret(Call &call) {
  if (isTensorMemory(call["buf"]))
    return failed(call.refuse("layout")) ? Result(failure()) : reinterpretTensorMemory(call);
  auto buffer = call.buffer("buf");
  auto type = call.dtype("dtype");
  if (failed(buffer) || failed(type))
    return failure();
  Reinterpretation view{*buffer, *type, SmallVector<int64_t>(buffer->getType().getShape())};
  if (call.given("shape")) {
    auto given = call.integers("shape");
    if (failed(given))
      return failure();
    view.shape = *given;
  } else {
    view.shape.back() = view.shape.back() * view.from().elementBits() / std::max(8u, type->bits());
  }
  bool hasExtents = !view.shape.empty() && view.shape.size() <= 5 &&
                    llvm::all_of(view.shape, [](int64_t extent) { return extent >= 1 && extent <= 1 << 24; });
  if (type->isPointer || !hasExtents) {
    call.error(diag::Kind::ShapeMismatch, call.given("shape") ? "shape" : "dtype")
        << "a view has 1 to 5 positive extents of numbers";
    return failure();
  }
  if (call.given("layout"))
    return viewWithLayout(call, view);
  return view.from().getLayout().isWritten() ? viewOfWritten(call, view) : viewAsItLies(call, view);
}
