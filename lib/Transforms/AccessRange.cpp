//===- AccessRange.cpp - addresses as one base and small offsets ----------------------------------------===//

#include "AccessRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tlx/Analysis/OffsetRange.h"
#include "tlx/Dialect/TLXDialect.h"

using namespace mlir;
using namespace tlx;

namespace {

/// A tile of integers as a number plus a tile; null stands for 0.
struct Sum {
  Value number, tile;
};

/// Sums nest so deep at most; what is deeper stays whole.
constexpr int deepest = 8;

/// Takes apart sums of tiles; what it makes stands in front of the access.
class UniformParts {
public:
  UniformParts(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Sum split(Value value, int depth = deepest) {
    Operation *op = depth == 0 ? nullptr : value.getDefiningOp();
    if (auto splat = dyn_cast_or_null<SplatOp>(op))
      return {splat.getValue(), Value()};
    if (isa_and_nonnull<ExpandDimsOp, BroadcastOp>(op))
      return onTile(op, split(op->getOperand(0), depth - 1));
    if (isa_and_nonnull<arith::ExtSIOp>(op))
      return extended(op, split(op->getOperand(0), depth - 1));
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
      return {Value(), value};
    Sum a = split(op->getOperand(0), depth - 1), b = split(op->getOperand(1), depth - 1);
    if (!a.number && !b.number)
      return {Value(), value};
    return {combined(op, a.number, b.number), combined(op, a.tile, b.tile)};
  }

  Value add(Value a, Value b) {
    if (!a || !b)
      return a ? a : b;
    return arith::AddIOp::create(builder, loc, wide(a), wide(b));
  }

private:
  Sum onTile(Operation *op, Sum sum) {
    if (!sum.number)
      return {Value(), op->getResult(0)};
    if (sum.tile)
      sum.tile = like(op, sum.tile, cast<RankedTensorType>(op->getResult(0).getType()).getShape());
    return sum;
  }

  Value like(Operation *op, Value source, ArrayRef<int64_t> shape) {
    OperationState state(loc, op->getName(), source, RankedTensorType::get(shape, getElementTypeOrSelf(source)),
                         op->getAttrs());
    return builder.create(state)->getResult(0);
  }

  Sum extended(Operation *op, Sum sum) {
    if (!sum.number || !getElementTypeOrSelf(op->getResult(0)).isInteger(64))
      return {Value(), op->getResult(0)};
    return {wide(sum.number), sum.tile ? wide(sum.tile) : Value()};
  }

  Value combined(Operation *op, Value a, Value b) {
    bool isDifference = isa<arith::SubIOp>(op);
    if (!b || (!a && !isDifference))
      return a ? a : b;
    if (!a)
      a = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(b.getType()));
    return isDifference ? Value(arith::SubIOp::create(builder, loc, a, b))
                        : Value(arith::AddIOp::create(builder, loc, a, b));
  }

  Value wide(Value value) {
    Type wideType = builder.getI64Type();
    if (getElementTypeOrSelf(value).isInteger(64))
      return value;
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      wideType = RankedTensorType::get(tile.getShape(), wideType);
    return arith::ExtSIOp::create(builder, loc, wideType, value);
  }

  OpBuilder &builder;
  Location loc;
};

/// The addresses of an access: one pointer, and offsets in elements in the tile's shape.
struct Address {
  Value base;
  Sum offset;
};

} // namespace

static std::optional<Address> addressOf(OpBuilder &builder, Location loc, Value pointers) {
  UniformParts parts(builder, loc);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(pointers.getType()).getShape();
  Address address;
  while (true) {
    Operation *op = pointers.getDefiningOp();
    if (auto splat = dyn_cast_or_null<SplatOp>(op)) {
      address.base = splat.getValue();
      return address;
    }
    auto add = dyn_cast_or_null<AddPtrOp>(op);
    // A smaller tile of pointers, spread over this one, is not taken apart.
    if (!add || cast<ShapedType>(add.getResult().getType()).getShape() != shape)
      return std::nullopt;
    Sum sum =
        isa<RankedTensorType>(add.getOffset().getType()) ? parts.split(add.getOffset()) : Sum{add.getOffset(), Value()};
    address.offset = {parts.add(address.offset.number, sum.number), parts.add(address.offset.tile, sum.tile)};
    if (!isa<RankedTensorType>(add.getPointer().getType())) {
      address.base = add.getPointer();
      return address;
    }
    pointers = add.getPointer();
  }
}

/// Bytes from the base that the offsets reach, as far as 31 bits count.
static std::optional<int64_t> reach(Operation *access, Value offsets, int64_t bytes) {
  constexpr int64_t most = INT32_MAX;
  if (access->hasAttr("tlx.buffer"))
    return most;
  std::optional<OffsetRange> range = offsetRange(offsets);
  if (!range || range->least < 0 || (range->greatest + 1) * bytes > most)
    return std::nullopt;
  return (range->greatest + 1) * bytes;
}

void tlx::findAccessRange(Operation *access) {
  auto load = dyn_cast<LoadOp>(access);
  auto store = dyn_cast<StoreOp>(access);
  if ((!load && !store) || (load && load.getIsVolatile()))
    return;
  bool isMasked = load ? bool(load.getMask()) : bool(store.getMask());
  Value pointers = load ? load.getPointer() : store.getPointer();
  auto type = cast<RankedTensorType>(pointers.getType());
  int64_t bits = cast<PointerType>(type.getElementType()).getPointee().getIntOrFloatBitWidth();
  if (!isMasked && !access->hasAttr("tlx.buffer"))
    return;
  OpBuilder builder(access);
  Location loc = access->getLoc();
  std::optional<Address> address = addressOf(builder, loc, pointers);
  if (!address || !address->offset.tile)
    return;
  std::optional<int64_t> bytes = reach(access, address->offset.tile, std::max<int64_t>(1, bits / 8));
  if (!bytes)
    return;
  Value base = address->base;
  if (Value number = address->offset.number)
    base = AddPtrOp::create(builder, loc, base.getType(), base, number);
  Value everywhere = SplatOp::create(builder, loc, type, base);
  access->setOperand(0, AddPtrOp::create(builder, loc, type, everywhere, address->offset.tile));
  access->setAttr("tlx.range", builder.getI64IntegerAttr(*bytes));
}
