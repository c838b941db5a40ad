// Places of elements in shared memory, bit by bit: what views make of them, and who cannot read them.
#include "WrittenLayouts.h"
#include "Specializer.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/TileOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

std::optional<SharedLayoutAttr> tlx::specialize::asWritten(BufferType buffer) {
  SharedLayoutAttr layout = buffer.getLayout();
  if (layout.isWritten())
    return layout;
  ArrayRef<int64_t> shape = buffer.getShape();
  if (!llvm::all_of(shape, llvm::isPowerOf2_64))
    return std::nullopt;
  layout::SharedTile tile = sharedTile(buffer);
  SmallVector<int64_t> places;
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis)
    for (int64_t step = 1; step < shape[axis]; step *= 2) {
      SmallVector<int64_t> coords(shape.size(), 0);
      coords[axis] = step;
      // A transposed view has the tile's axes in reverse.
      if (layout.getTransposed())
        std::reverse(coords.begin(), coords.end());
      places.push_back(tile.byteOffset(coords) / tile.elemBytes);
    }
  return SharedLayoutAttr::get(buffer.getContext(), places, ArrayRef<int64_t>());
}

/// For each axis the places of its bits.
static SmallVector<ArrayRef<int64_t>> placesByAxis(ArrayRef<int64_t> shape, ArrayRef<int64_t> places) {
  SmallVector<ArrayRef<int64_t>> result(shape.size());
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
    size_t bits = llvm::Log2_64(shape[axis]);
    result[axis] = places.take_front(bits);
    places = places.drop_front(bits);
  }
  return result;
}

SharedLayoutAttr tlx::specialize::permuted(BufferType buffer, SharedLayoutAttr written, ArrayRef<int64_t> order) {
  SmallVector<ArrayRef<int64_t>> axes = placesByAxis(buffer.getShape(), written.getPlaces());
  SmallVector<int64_t> places;
  for (int64_t axis : llvm::reverse(order))
    llvm::append_range(places, axes[axis]);
  return SharedLayoutAttr::get(buffer.getContext(), places, written.getPadding());
}

std::optional<SharedLayoutAttr> tlx::specialize::sliced(BufferType buffer, ArrayRef<int64_t> offsets,
                                                        ArrayRef<int64_t> shape) {
  SharedLayoutAttr written = buffer.getLayout();
  SmallVector<ArrayRef<int64_t>> axes = placesByAxis(buffer.getShape(), written.getPlaces());
  SmallVector<int64_t> places;
  int64_t reached = 0, begin = 0;
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
    if (!llvm::isPowerOf2_64(shape[axis]) || offsets[axis] % shape[axis] != 0)
      return std::nullopt;
    for (auto [bit, place] : llvm::enumerate(axes[axis])) {
      if (int64_t(1) << bit < shape[axis]) {
        places.push_back(place);
        reached |= place;
      } else if (offsets[axis] >> bit & 1) {
        begin ^= place;
      }
    }
  }
  // Where the part begins is added, not XORed.
  if (begin & reached)
    return std::nullopt;
  return SharedLayoutAttr::get(buffer.getContext(), places, written.getPadding());
}

Datum tlx::specialize::noteWritten(Call &call, StringRef argument, mlir::Value buffer, DType type) {
  if (cast<BufferType>(buffer.getType()).getLayout().isWritten())
    call.specializer.writtenLayouts[buffer.getDefiningOp()] = call.argument(argument).range;
  return Datum::ir(buffer, type);
}

/// Where the source wrote the layout that a view has.
static SourceRange placeOfLayout(const Specializer &specializer, mlir::Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto found = specializer.writtenLayouts.find(op); found != specializer.writtenLayouts.end())
      return found->second;
    if (op->getNumOperands() == 0)
      break;
    buffer = op->getOperand(0);
  }
  return {};
}

FailureOr<TypedValue<BufferType>> tlx::specialize::hardwareBuffer(Call &call, StringRef name) {
  auto buffer = call.buffer(name);
  if (failed(buffer) || !buffer->getType().getLayout().isWritten())
    return buffer;
  auto builder = call.error(diag::Kind::LayoutReader, name);
  builder << "`" << call.builtin.name << "` reads or writes the buffer as the hardware does: in plain rows, or in rows "
          << "of 32, 64 or 128 bytes whose 16-byte chunks are XORed with the row; its layout is neither";
  if (SourceRange place = placeOfLayout(call.specializer, *buffer); place.isKnown())
    builder.note(place, "the layout comes from here");
  return failure();
}
