// Layouts that the source writes, and the tiles that it pins to them.
#include "PinnedLayouts.h"
#include "LayoutSpec.h"
#include "Specializer.h"
#include "tlx/Dialect/PinnedLayouts.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

bool LayoutValue::operator==(const LayoutValue &other) const {
  return spec == other.spec || *spec == *other.spec;
}

static Datum layoutOf(LayoutSpec spec) {
  return Datum(LayoutValue{std::make_shared<const LayoutSpec>(std::move(spec))});
}

//===-- shape and stride ----------------------------------------------------------------------------------===//

static bool flatten(const Datum &value, SmallVectorImpl<int64_t> &numbers) {
  if (auto number = value.asInt()) {
    numbers.push_back(*number);
    return true;
  }
  const SequenceValue *sequence = value.asSequence();
  return sequence && llvm::all_of(sequence->elements, [&](const Datum &part) { return flatten(part, numbers); });
}

/// `((thread...), (value...))`.
static bool flattenPair(const Datum &value, SmallVector<int64_t> (&parts)[2]) {
  const SequenceValue *pair = value.asSequence();
  return pair && pair->elements.size() == 2 && flatten(pair->elements[0], parts[0]) &&
         flatten(pair->elements[1], parts[1]);
}

/// `((_32,_4),(_2)):((_2,_64),(_1))`, as CuTe writes it and `tlx.dump_layout` prints it, up to the colon or the end.
static std::optional<Datum> readNested(StringRef &text) {
  text = text.ltrim();
  if (!text.consume_front("(")) {
    text.consume_front("_");
    int64_t number;
    if (text.consumeInteger(10, number))
      return std::nullopt;
    return Datum(number);
  }
  std::vector<Datum> elements;
  for (text = text.ltrim(); !text.consume_front(")"); text = text.ltrim()) {
    auto element = readNested(text);
    if (!element)
      return std::nullopt;
    elements.push_back(*element);
    text = text.ltrim();
    if (!text.consume_front(",") && !text.starts_with(")"))
      return std::nullopt;
  }
  return Datum::sequence(std::move(elements), false);
}

static std::optional<std::pair<Datum, Datum>> readSpec(StringRef text) {
  // Each bracket is a call.
  if (text.size() > 4096 || text.count('(') > 256)
    return std::nullopt;
  auto shape = readNested(text);
  bool isSeparated = shape && text.ltrim().consume_front(":");
  if (!isSeparated)
    return std::nullopt;
  text = text.ltrim().drop_front();
  auto stride = readNested(text);
  if (!stride || !text.trim().empty())
    return std::nullopt;
  return std::pair(*shape, *stride);
}

/// Extents become bits; a mode of extent 1 has none.
static LogicalResult addModes(Call &call, ArrayRef<int64_t> extents, ArrayRef<int64_t> strides,
                              std::vector<int64_t> &bits) {
  for (auto [extent, stride] : llvm::zip_equal(extents, strides)) {
    bool isLinear =
        extent >= 1 && llvm::isPowerOf2_64(extent) && stride >= 0 && (stride == 0 || llvm::isPowerOf2_64(stride));
    if (!isLinear || extent > (1 << 20) || stride > (1 << 30)) {
      call.emit.error(diag::Kind::PinnedLayout)
          << "the mode " << extent << ":" << stride << " is not one of powers of two, or strides 0";
      return failure();
    }
    for (int64_t step = 1; step < extent; step *= 2)
      bits.push_back(step * stride);
  }
  return success();
}

Result tlx::specialize::registerLayout(Call &call) {
  Datum shape = call["shape"], stride = call["stride"];
  if (call.given("spec")) {
    const auto *text = call["spec"].getIf<std::string>();
    auto spec = text ? readSpec(*text) : std::nullopt;
    if (!spec) {
      call.error(diag::Kind::ArgumentType, "spec")
          << "`tlx.layout` takes `shape=` and `stride=`, or a string such as \"((32,4),(2)):((2,64),(1))\"; this is "
          << call["spec"].describe();
      return failure();
    }
    std::tie(shape, stride) = *spec;
  }
  SmallVector<int64_t> extents[2], strides[2];
  bool isPair = flattenPair(shape, extents) && flattenPair(stride, strides);
  if (!isPair || extents[0].size() != strides[0].size() || extents[1].size() != strides[1].size()) {
    call.emit.error(diag::Kind::PinnedLayout)
        << "a layout of registers has a shape ((threads), (values)) and a stride for each of its numbers";
    return failure();
  }
  RegisterBits bits;
  if (failed(addModes(call, extents[0], strides[0], bits.threads)) ||
      failed(addModes(call, extents[1], strides[1], bits.values)))
    return failure();
  return layoutOf({bits});
}

//===-- AMD's matrix instructions --------------------------------------------------------------------------===//

Result tlx::specialize::matrixResultLayout(Call &call) {
  auto instruction = call.integers("instr_shape"), warps = call.integers("warps_per_cta");
  auto transposed = call.boolean("transposed");
  if (failed(instruction) || failed(warps) || failed(transposed) || failed(call.refuse("tiles_per_warp")))
    return failure();
  bool isSquare = instruction->size() >= 2 && (*instruction)[0] == (*instruction)[1] &&
                  ((*instruction)[0] == 16 || (*instruction)[0] == 32);
  auto isCount = [](int64_t count) { return count >= 1 && count <= 16 && llvm::isPowerOf2_64(count); };
  if (!isSquare || warps->size() != 2 || !llvm::all_of(*warps, isCount)) {
    call.error(diag::Kind::PinnedLayout, isSquare ? "warps_per_cta" : "instr_shape")
        << "a matrix instruction has 16 x 16 or 32 x 32 results, and the warps are two powers of two up to 16";
    return failure();
  }
  return layoutOf({MatrixResult{(*instruction)[0], (*warps)[0], (*warps)[1], *transposed}});
}

Result tlx::specialize::matrixOperandLayout(Call &call) {
  auto operand = call.integer("operand_index"), run = call.integer("k_width");
  const auto *parent = call["parent"].getIf<LayoutValue>();
  const auto *result = parent ? std::get_if<MatrixResult>(&parent->spec->form) : nullptr;
  if (failed(operand) || failed(run))
    return failure();
  if (!result || *operand < 0 || *operand > 1 || *run < 1 || *run > 32 || !llvm::isPowerOf2_64(*run)) {
    call.emit.error(diag::Kind::PinnedLayout) << "`tlx.dot_operand_layout` takes operand 0 or 1, a parent made by "
                                                 "`tlx.amd_mfma_layout` and a power of two up to "
                                                 "32 as `k_width`";
    return failure();
  }
  return layoutOf({MatrixOperand{*result, *operand, *run}});
}

//===-- shared memory ------------------------------------------------------------------------------------------===//

Result tlx::specialize::swizzledLayout(Call &call) {
  auto bits = call.integer("B"), base = call.integer("M"), shift = call.integer("S");
  auto order = call.given("order") ? call.integers("order") : FailureOr<SmallVector<int64_t>>(SmallVector<int64_t>());
  if (failed(bits) || failed(base) || failed(shift) || failed(order))
    return failure();
  auto fits = [](int64_t count) { return count >= 0 && count <= 16; };
  if (!fits(*bits) || !fits(*base) || !fits(*shift)) {
    call.emit.error(diag::Kind::PinnedLayout)
        << "a swizzle has 0 to 16 bits, at a base and a shift of 0 to 16; these are " << *bits << ", " << *base
        << " and " << *shift;
    return failure();
  }
  for (size_t i = 0; i < order->size(); ++i)
    if ((*order)[i] != static_cast<int64_t>(order->size() - 1 - i)) {
      call.error(diag::Kind::UnsupportedOption, "order")
          << "only rows one after the other, the last axis fastest, are supported yet";
      return failure();
    }
  return layoutOf({SharedSwizzle{*bits, *base, *bits == 0 ? 0 : *shift}});
}

/// `[[interval, padding], ...]`
static LogicalResult readPadding(Call &call, SharedBases &form) {
  const SequenceValue *pairs = call["interval_padding_pairs"].asSequence();
  for (size_t i = 0; pairs && i < pairs->elements.size(); ++i) {
    SmallVector<int64_t> pair;
    bool isPair = pairs->elements[i].asSequence() && flatten(pairs->elements[i], pair) && pair.size() == 2;
    bool fits = isPair && pair[0] >= 1 && pair[0] <= 1 << 20 && llvm::isPowerOf2_64(pair[0]) && pair[1] >= 1 &&
                pair[1] <= 1 << 16 && i < 8;
    if (fits)
      form.padding.push_back({pair[0], pair[1]});
    else
      pairs = nullptr;
  }
  if (pairs && !form.padding.empty())
    return success();
  call.error(diag::Kind::PinnedLayout, "interval_padding_pairs")
      << "`interval_padding_pairs` is a list of pairs: after how many elements, a power of two, how many of padding";
  return failure();
}

static LogicalResult readBases(Call &call, SharedBases &form) {
  const SequenceValue *bases = call["offset_bases"].asSequence();
  for (size_t i = 0; bases && i < bases->elements.size() && i < 32; ++i) {
    SmallVector<int64_t> coordinates;
    if (!bases->elements[i].asSequence() || !flatten(bases->elements[i], coordinates))
      bases = nullptr;
    form.offsets.push_back(std::vector<int64_t>(coordinates.begin(), coordinates.end()));
  }
  if (!bases || (call.given("block_bases") && call["block_bases"].truth().value_or(true))) {
    call.error(bases ? diag::Kind::UnsupportedOption : diag::Kind::ArgumentType, bases ? "block_bases" : "offset_bases")
        << (bases ? "a buffer lies in one block"
                  : "`offset_bases` is a list of coordinates, one for each bit of the offset");
    return failure();
  }
  return success();
}

/// The axes of a layout in rows, the fastest first.
static FailureOr<SmallVector<int64_t>> axisOrder(Call &call, size_t rank) {
  SmallVector<int64_t> order;
  for (size_t axis = rank; axis > 0; --axis)
    order.push_back(axis - 1);
  if (!call.given("order"))
    return order;
  auto given = call.integers("order");
  if (failed(given))
    return failure();
  if (std::is_permutation(given->begin(), given->end(), order.begin(), order.end()))
    return given;
  call.error(diag::Kind::PinnedLayout, "order")
      << "`order` names each of the " << rank << " axes once, the fastest first";
  return failure();
}

static LogicalResult readShape(Call &call, SharedBases &form) {
  auto shape = call.integers("shape");
  if (failed(shape))
    return failure();
  form.shape.assign(shape->begin(), shape->end());
  auto isExtent = [](int64_t extent) { return extent >= 1 && extent <= 1 << 20 && llvm::isPowerOf2_64(extent); };
  if (!shape->empty() && shape->size() <= 5 && llvm::all_of(*shape, isExtent))
    return success();
  call.error(diag::Kind::PinnedLayout, "shape") << "a written layout is one of 1 to 5 extents that are powers of two";
  return failure();
}

Result tlx::specialize::paddedRows(Call &call) {
  SharedBases form;
  if (failed(readPadding(call, form)) || failed(readShape(call, form)))
    return failure();
  auto order = axisOrder(call, form.shape.size());
  if (failed(order))
    return failure();
  for (int64_t axis : *order)
    for (int64_t step = 1; step < form.shape[axis]; step *= 2) {
      form.offsets.emplace_back(form.shape.size(), 0);
      form.offsets.back()[axis] = step;
    }
  return layoutOf({form});
}

Result tlx::specialize::paddedBases(Call &call) {
  SharedBases form;
  if (failed(readPadding(call, form)) || failed(readShape(call, form)) || failed(readBases(call, form)))
    return failure();
  return layoutOf({form});
}

Result tlx::specialize::linearSharedLayout(Call &call) {
  SharedBases form;
  return failed(readBases(call, form)) ? Result(failure()) : layoutOf({form});
}

FailureOr<SharedLayoutAttr> tlx::specialize::pinnedBuffer(Call &call, ArrayRef<int64_t> shape, DType type,
                                                          SharedLayoutAttr otherwise) {
  if (!call.given("layout"))
    return otherwise;
  const auto *layout = call["layout"].getIf<LayoutValue>();
  if (!layout || !isForShared(*layout->spec)) {
    call.error(diag::Kind::ArgumentType, "layout")
        << "a buffer takes a layout of shared memory, such as `tlx.swizzled_layout(3, 3, 3)`; this is "
        << call["layout"].describe() << (layout ? " of registers" : "");
    return failure();
  }
  if (auto swizzle = sharedSwizzle(*layout->spec, shape, static_cast<int>(type.bytes())))
    return SharedLayoutAttr::get(call.emit.context(), *swizzle, shape.size() < 2 ? 1 : shape[shape.size() - 2], false);
  PlacesOrReason written = sharedPlaces(*layout->spec, shape);
  if (written.reason.empty())
    return SharedLayoutAttr::get(call.emit.context(), written.places, written.padding);
  std::string extents;
  for (int64_t extent : shape)
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  call.error(diag::Kind::LayoutReader, "layout") << written.reason << "; the buffer has the shape [" << extents << "]";
  return failure();
}

//===-- pins ------------------------------------------------------------------------------------------------===//

Result tlx::specialize::pinned(Call &call, llvm::StringRef argument, IRValue tile) {
  if (!call.given(argument))
    return Datum(tile);
  const auto *layout = call[argument].getIf<LayoutValue>();
  if (!layout) {
    call.error(diag::Kind::ArgumentType, argument)
        << "`" << argument << "` of `" << call.builtin.name << "` is " << call[argument].describe()
        << "; it takes a layout of registers, from `tlx.layout`";
    return failure();
  }
  BitsOrReason pin = registerBits(*layout->spec, shapeOf(tile.value));
  if (!pin.reason.empty()) {
    call.error(diag::Kind::PinnedLayout, argument) << pin.reason;
    return failure();
  }
  return Datum::ir(call.emit.create<RequireLayoutOp>(tile.value.getType(), tile.value,
                                                     ArrayRef<int64_t>(pin.bits.threads),
                                                     ArrayRef<int64_t>(pin.bits.values)),
                   tile.dtype);
}

Result tlx::specialize::requireLayout(Call &call) {
  auto tile = call.tile("x");
  if (failed(tile) || failed(call.refuse("late_address_compute")))
    return failure();
  if (!call.given("layout")) {
    call.error(diag::Kind::ArgumentType, "layout") << "`tlx.require_layout` takes a layout; this is `None`";
    return failure();
  }
  return pinned(call, "layout", *tile);
}

Result tlx::specialize::releaseLayout(Call &call) {
  auto tile = call.tile("x");
  if (failed(tile))
    return failure();
  return Datum::ir(call.emit.create<ReleaseLayoutOp>(tile->value.getType(), tile->value), tile->dtype);
}

Result tlx::specialize::assertSameLayout(Call &call) {
  auto left = call.tile("lhs"), right = call.tile("rhs");
  if (failed(left) || failed(right))
    return failure();
  if (shapeOf(left->value) != shapeOf(right->value)) {
    call.error(diag::Kind::ShapeMismatch, "rhs")
        << "one is " << call["lhs"].describe() << ", the other " << call["rhs"].describe();
    return failure();
  }
  call.emit.create<SameLayoutOp>(left->value, right->value);
  return Datum(NoneValue());
}
