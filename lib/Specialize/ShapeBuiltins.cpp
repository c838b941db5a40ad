// Making tiles and giving them other shapes.
#include "PinnedLayouts.h"
#include "Specializer.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(shape, stream);
  return text + "]";
}

static int64_t elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Result tlx::specialize::arange(Call &call) {
  auto start = call.integer("start"), end = call.integer("end");
  if (failed(start) || failed(end))
    return failure();
  int64_t extent = *end - *start;
  if (extent <= 0 || (extent & (extent - 1)) || *end > INT32_MAX || *start < INT32_MIN) {
    call.emit.error(diag::Kind::TileExtent)
        << "a range from " << *start << " to " << *end << " has " << extent << " elements, which is not a power of two";
    return failure();
  }
  if (failed(call.emit.checkExtents({extent})))
    return failure();
  Type type = call.emit.typeOf({ScalarKind::I32}, {extent});
  return Datum::ir(call.emit.create<RangeOp>(type, *start, *end), {ScalarKind::I32});
}

static Result filled(Call &call, const Datum &number, FailureOr<SmallVector<int64_t>> shape, FailureOr<DType> type) {
  if (failed(shape) || failed(type) || failed(call.emit.checkExtents(*shape)))
    return failure();
  if (number.isNumber()) {
    auto constant = call.emit.literal(number, *type, *shape);
    return failed(constant) ? Result(failure()) : Result(Datum(*constant));
  }
  auto scalar = call.emit.convert(number, *type);
  if (failed(scalar))
    return failure();
  auto tile = call.emit.broadcast(*scalar, *shape);
  return failed(tile) ? Result(failure()) : Result(Datum(*tile));
}

Result tlx::specialize::zeros(Call &call) {
  auto tile = filled(call, Datum(int64_t(0)), call.integers("shape"), call.dtype("dtype"));
  if (failed(tile) || call.builtin.name != "tlx.zeros")
    return tile;
  return pinned(call, "layout", *tile->getIf<IRValue>());
}

Result tlx::specialize::full(Call &call) {
  return filled(call, call["value"], call.integers("shape"), call.dtype("dtype"));
}

Result tlx::specialize::zerosLike(Call &call) {
  auto input = call.number("input");
  if (failed(input))
    return failure();
  return filled(call, Datum(int64_t(0)), SmallVector<int64_t>(shapeOf(input->value)), input->dtype);
}

Result tlx::specialize::reshape(Call &call) {
  auto input = call.tile("input");
  auto shape = call.integersOfRest("shape");
  if (failed(input) || failed(shape) || failed(call.emit.checkExtents(*shape)))
    return failure();
  ArrayRef<int64_t> from = shapeOf(input->value);
  if (elementCount(from) != elementCount(*shape)) {
    call.emit.error(diag::Kind::ShapeMismatch) << shapeText(from) << " has " << elementCount(from) << " elements; "
                                               << shapeText(*shape) << " has " << elementCount(*shape);
    return failure();
  }
  if (from == ArrayRef<int64_t>(*shape))
    return Datum(*input);
  return Datum::ir(call.emit.create<ReshapeOp>(call.emit.typeOf(input->dtype, *shape), input->value), input->dtype);
}

static Result permuted(Call &call, IRValue input, ArrayRef<int64_t> order) {
  ArrayRef<int64_t> from = shapeOf(input.value);
  SmallVector<bool> seen(from.size(), false);
  bool isPermutation = order.size() == from.size();
  for (int64_t axis : order) {
    isPermutation = isPermutation && axis >= 0 && axis < static_cast<int64_t>(from.size()) && !seen[axis];
    if (!isPermutation)
      break;
    seen[axis] = true;
  }
  if (!isPermutation) {
    call.emit.error(diag::Kind::ShapeMismatch)
        << shapeText(order) << " does not reorder the " << from.size() << " axes of " << shapeText(from);
    return failure();
  }
  SmallVector<int64_t> shape;
  SmallVector<int32_t> axes;
  for (int64_t axis : order) {
    shape.push_back(from[axis]);
    axes.push_back(static_cast<int32_t>(axis));
  }
  Type type = call.emit.typeOf(input.dtype, shape);
  return Datum::ir(call.emit.create<PermuteOp>(type, input.value, axes), input.dtype);
}

Result tlx::specialize::permute(Call &call) {
  auto input = call.tile("input");
  auto order = call.integersOfRest("dims");
  return failed(input) || failed(order) ? Result(failure()) : permuted(call, *input, *order);
}

Result tlx::specialize::transpose(Call &call) {
  auto input = call.tile("input");
  auto order = call.integersOfRest("dims");
  if (failed(input) || failed(order))
    return failure();
  if (order->empty()) {
    size_t rank = shapeOf(input->value).size();
    for (size_t axis = 0; axis < rank; ++axis)
      order->push_back(static_cast<int64_t>(axis));
    if (rank >= 2)
      std::swap((*order)[rank - 1], (*order)[rank - 2]);
  }
  return permuted(call, *input, *order);
}

Result tlx::specialize::split(Call &call) {
  auto input = call.tile("a");
  if (failed(input))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(input->value);
  if (shape.back() != 2) {
    call.error(diag::Kind::ShapeMismatch, "a")
        << "the last axis of " << shapeText(shape) << " has extent " << shape.back() << "; a split needs 2";
    return failure();
  }
  if (shape.size() == 1) {
    call.error(diag::Kind::ShapeMismatch, "a") << "a tile of one axis cannot be split";
    return failure();
  }
  Type half = call.emit.typeOf(input->dtype, shape.drop_back());
  auto op = call.emit.create<SplitOp>(half, half, input->value);
  return Datum::sequence({Datum::ir(op.getFirst(), input->dtype), Datum::ir(op.getSecond(), input->dtype)}, false);
}

Result tlx::specialize::extractSlice(Call &call) {
  auto source = call.tile("src");
  auto shape = call.integers("shape"), offsets = call.integers("offsets");
  if (failed(source) || failed(shape) || failed(offsets))
    return failure();
  ArrayRef<int64_t> whole = shapeOf(source->value);
  if (shape->size() != whole.size() || offsets->size() != whole.size()) {
    call.error(diag::Kind::ShapeMismatch, shape->size() != whole.size() ? "shape" : "offsets")
        << "a part of a tile of " << whole.size() << " axes has as many extents and offsets";
    return failure();
  }
  for (auto [axis, extent] : llvm::enumerate(*shape)) {
    int64_t offset = (*offsets)[axis];
    if (extent <= 0 || (extent != whole[axis] && !llvm::isPowerOf2_64(extent))) {
      call.error(diag::Kind::TileExtent, "shape") << "extent " << extent << " of a part is not a power of two";
      return failure();
    }
    if (offset < 0 || offset % extent != 0 || offset + extent > whole[axis]) {
      call.error(diag::Kind::IndexOutOfRange, "offsets")
          << "a part of extent " << extent << " of an axis of " << whole[axis] << " begins at a multiple of " << extent
          << " and ends inside; this one begins at " << offset;
      return failure();
    }
  }
  if (whole == ArrayRef<int64_t>(*shape))
    return Datum(*source);
  return Datum::ir(call.emit.create<ExtractSliceOp>(call.emit.typeOf(source->dtype, *shape), source->value, *offsets),
                   source->dtype);
}

Result tlx::specialize::join(Call &call) {
  auto operands = call.emit.unify(call["a"], call["b"], false);
  if (failed(operands))
    return failure();
  auto [a, b] = *operands;
  SmallVector<int64_t> shape(shapeOf(a.value));
  if (shape.empty()) {
    call.error(diag::Kind::ArgumentType, "a") << "`tl.join` takes tiles; this is " << call["a"].describe();
    return failure();
  }
  shape.push_back(2);
  if (failed(call.emit.checkExtents(shape)))
    return failure();
  return Datum::ir(call.emit.create<JoinOp>(call.emit.typeOf(a.dtype, shape), a.value, b.value), a.dtype);
}

Result tlx::specialize::expandDims(Call &call) {
  auto input = call.tile("input");
  auto axes = call.integers("axis");
  if (failed(input) || failed(axes))
    return failure();
  IRValue value = *input;
  for (int64_t axis : *axes) {
    int64_t rank = static_cast<int64_t>(shapeOf(value.value).size());
    if (axis < -rank - 1 || axis > rank) {
      call.error(diag::Kind::IndexOutOfRange, "axis") << "axis " << axis << " of a tile of " << rank << " axes";
      return failure();
    }
    value = call.emit.expandDims(value, static_cast<unsigned>(axis < 0 ? axis + rank + 1 : axis));
  }
  return Datum(value);
}

Result tlx::specialize::broadcastTo(Call &call) {
  auto input = call.number("input");
  auto shape = call.integersOfRest("shape");
  if (failed(input) || failed(shape) || failed(call.emit.checkExtents(*shape)))
    return failure();
  auto result = call.emit.broadcast(*input, *shape);
  return failed(result) ? Result(failure()) : Result(Datum(*result));
}

Result tlx::specialize::broadcastPair(Call &call) {
  auto input = call.number("input"), other = call.number("other");
  if (failed(input) || failed(other))
    return failure();
  auto shape = call.emit.joinShapes(shapeOf(input->value), shapeOf(other->value));
  if (failed(shape))
    return failure();
  auto first = call.emit.broadcast(*input, *shape), second = call.emit.broadcast(*other, *shape);
  if (failed(first) || failed(second))
    return failure();
  return Datum::sequence({Datum(*first), Datum(*second)}, false);
}
