// tl.make_block_ptr and tl.advance, and descriptors made by the kernel for accesses by registers.
#include "BlockPointers.h"
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static constexpr StringLiteral marker = "block pointer of ";

std::optional<BlockPointer> BlockPointer::from(const Datum &value) {
  const SequenceValue *parts = value.asSequence();
  if (!parts || parts->elements.size() != 5 || !parts->elements[0].is<std::string>())
    return std::nullopt;
  StringRef text = *parts->elements[0].getIf<std::string>();
  if (!text.consume_front(marker) || !parts->elements[1].isIR())
    return std::nullopt;
  BlockPointer result;
  result.base = *parts->elements[1].getIf<IRValue>();
  auto list = [&](size_t index, SmallVectorImpl<Datum> &into) {
    if (const SequenceValue *sequence = parts->elements[index].asSequence())
      into.assign(sequence->elements.begin(), sequence->elements.end());
  };
  list(2, result.extents);
  list(3, result.strides);
  list(4, result.offsets);
  SmallVector<StringRef> numbers;
  text.split(numbers, ',');
  for (StringRef number : numbers) {
    int64_t extent = 0;
    number.getAsInteger(10, extent);
    result.block.push_back(extent);
  }
  return result;
}

Datum BlockPointer::toDatum() const {
  std::string text = marker.str();
  llvm::raw_string_ostream stream(text);
  llvm::interleave(block, stream, [&](int64_t extent) { stream << extent; }, ",");
  auto tuple = [](ArrayRef<Datum> list) { return Datum::sequence({list.begin(), list.end()}, false); };
  return Datum::sequence({Datum(text), Datum(base), tuple(extents), tuple(strides), tuple(offsets)}, false);
}

/// offset + 0, 1, …, along one axis of the block, as i64.
static FailureOr<IRValue> coordinates(Emitter &emit, const BlockPointer &pointer, size_t axis) {
  int64_t extent = pointer.block[axis];
  DType narrow{ScalarKind::I32}, wide{ScalarKind::I64};
  IRValue index{emit.create<RangeOp>(emit.typeOf(narrow, {extent}), 0, static_cast<int32_t>(extent)), narrow};
  for (size_t other = 0; other < pointer.block.size(); ++other)
    if (other != axis)
      index = emit.expandDims(index, static_cast<unsigned>(other));
  auto widened = emit.cast(index, wide);
  auto offset = emit.convert(pointer.offsets[axis], wide);
  if (failed(widened) || failed(offset))
    return failure();
  auto sum = emit.binary(ast::BinaryOp::Add, Datum(*offset), Datum(*widened));
  return failed(sum) ? FailureOr<IRValue>(failure()) : FailureOr<IRValue>(*sum->getIf<IRValue>());
}

FailureOr<IRValue> BlockPointer::pointers(Emitter &emit) const {
  Datum address(base);
  for (size_t axis = 0; axis < block.size(); ++axis) {
    auto place = coordinates(emit, *this, axis);
    auto stride = failed(place) ? FailureOr<IRValue>(failure()) : emit.convert(strides[axis], {ScalarKind::I64});
    auto step =
        failed(stride) ? Result(failure()) : emit.binary(ast::BinaryOp::Multiply, Datum(*place), Datum(*stride));
    auto next = failed(step) ? step : emit.binary(ast::BinaryOp::Add, address, *step);
    if (failed(next))
      return failure();
    address = *next;
  }
  return emit.broadcast(*address.getIf<IRValue>(), block);
}

FailureOr<mlir::Value> BlockPointer::inside(Emitter &emit, ArrayRef<int64_t> axes) const {
  Datum all;
  for (int64_t axis : axes) {
    auto place = coordinates(emit, *this, static_cast<size_t>(axis));
    auto extent = failed(place) ? FailureOr<IRValue>(failure()) : emit.convert(extents[axis], {ScalarKind::I64});
    if (failed(extent))
      return failure();
    auto above = emit.compare(ast::CompareOp::GreaterEqual, Datum(*place), Datum(int64_t(0)));
    auto below = failed(above) ? above : emit.compare(ast::CompareOp::Less, Datum(*place), Datum(*extent));
    auto both = failed(below) ? below : emit.binary(ast::BinaryOp::BitAnd, *above, *below);
    auto joined = failed(both) || all.isNone() ? both : emit.binary(ast::BinaryOp::BitAnd, all, *both);
    if (failed(joined))
      return failure();
    all = *joined;
  }
  if (all.isNone())
    return mlir::Value();
  auto wide = emit.broadcast(*all.getIf<IRValue>(), block);
  return failed(wide) ? FailureOr<mlir::Value>(failure()) : FailureOr<mlir::Value>(wide->value);
}

/// Integers for each axis, constants or run-time values.
static FailureOr<SmallVector<Datum>> integerList(Call &call, StringRef name, size_t rank) {
  const SequenceValue *sequence = call[name].asSequence();
  bool fits = sequence && sequence->elements.size() == rank;
  for (size_t i = 0; fits && i < rank; ++i) {
    const Datum &element = sequence->elements[i];
    fits = element.asInt() || (element.isScalar() && element.dtype().isInteger());
  }
  if (fits)
    return SmallVector<Datum>(sequence->elements.begin(), sequence->elements.end());
  call.error(diag::Kind::ArgumentType, name) << "`" << name << "` of `" << call.builtin.name << "` takes " << rank
                                             << " integers; this is " << call[name].describe();
  return failure();
}

static FailureOr<IRValue> basePointer(Call &call) {
  const Datum &base = call["base"];
  if (base.isScalar() && base.dtype().isPointer)
    return *base.getIf<IRValue>();
  call.error(diag::Kind::ArgumentType, "base") << "the base is a pointer; this is " << base.describe();
  return failure();
}

Result tlx::specialize::makeBlockPointer(Call &call) {
  auto base = basePointer(call);
  auto block = call.integers("block_shape");
  if (failed(base) || failed(block) || failed(call.emit.checkExtents(*block)))
    return failure();
  auto extents = integerList(call, "shape", block->size()), strides = integerList(call, "strides", block->size());
  auto offsets = integerList(call, "offsets", block->size());
  // The order of axes in memory follows from the strides; what is given is checked for form only.
  auto order = call.integers("order");
  if (failed(extents) || failed(strides) || failed(offsets) || failed(order))
    return failure();
  SmallVector<int64_t> sorted(*order);
  llvm::sort(sorted);
  for (size_t i = 0; i < block->size(); ++i)
    if (sorted.size() != block->size() || sorted[i] != static_cast<int64_t>(i)) {
      call.error(diag::Kind::ShapeMismatch, "order") << "the order names each of the " << block->size() << " axes once";
      return failure();
    }
  return BlockPointer{*base, *extents, *strides, *offsets, *block}.toDatum();
}

Result tlx::specialize::advanceBlockPointer(Call &call) {
  auto pointer = BlockPointer::from(call["base"]);
  if (!pointer) {
    call.error(diag::Kind::ArgumentType, "base")
        << "`tl.advance` moves a block pointer; this is " << call["base"].describe();
    return failure();
  }
  auto steps = integerList(call, "offsets", pointer->block.size());
  if (failed(steps))
    return failure();
  for (auto [offset, step] : llvm::zip(pointer->offsets, *steps)) {
    auto next = call.emit.binary(ast::BinaryOp::Add, offset, step);
    if (failed(next))
      return failure();
    offset = *next;
  }
  return pointer->toDatum();
}
