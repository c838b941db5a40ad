// Locations and constants.
#include "Emitter.h"
#include "tlx/Dialect/TLXDialect.h"
#include <cmath>

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

Location Emitter::fileLocation() const {
  MLIRContext *context = builder.getContext();
  if (!range.isKnown())
    return UnknownLoc::get(context);
  const SourceFile &file = files.file(range.file);
  LineAndColumn place = file.lineAndColumn(range.begin);
  return FileLineColLoc::get(context, file.path(), place.line, place.column);
}

Location Emitter::location() const {
  return callSite ? Location(CallSiteLoc::get(fileLocation(), *callSite)) : fileLocation();
}

mlir::Value Emitter::i32(int64_t value) {
  return create<arith::ConstantIntOp>(builder.getI32Type(), value).getResult();
}

Type Emitter::typeOf(DType element, ArrayRef<int64_t> shape) {
  Type type = element.toMLIR(context());
  return shape.empty() ? type : Type(RankedTensorType::get(shape, type));
}

/// As many elements as the language lets a tile have.
static constexpr int64_t largestTile = 1 << 20;
/// Products have a multiple of 8 columns (PTX ISA, wgmma), which need not be a power of two.
static constexpr int64_t extentUnit = 8;

LogicalResult Emitter::checkExtents(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent <= 0 || ((extent & (extent - 1)) && extent % extentUnit != 0)) {
      error(diag::Kind::TileExtent) << "extent " << extent << " of a tile is neither a power of two nor a multiple of "
                                    << extentUnit;
      return failure();
    }
    count = extent > largestTile ? extent : count * extent;
    if (count > largestTile) {
      error(diag::Kind::TileExtent) << "the tile has more than " << largestTile << " elements";
      return failure();
    }
  }
  return success();
}

static bool fits(int64_t number, DType type) {
  unsigned bits = type.bits();
  if (bits >= 64)
    return type.isSigned() || number >= 0;
  if (type.isSigned())
    return number >= -(int64_t(1) << (bits - 1)) && number < (int64_t(1) << (bits - 1));
  return number >= 0 && number < (int64_t(1) << bits);
}

FailureOr<IRValue> Emitter::literal(const Datum &number, DType type, ArrayRef<int64_t> shape) {
  if (!number.isNumber() || type.isPointer) {
    error(diag::Kind::OperandType) << number.describe() << " is not a number that can become `" << type.name() << "`";
    return failure();
  }
  Type element = type.toMLIR(context());
  TypedAttr attribute;
  if (type.isFloat()) {
    attribute = FloatAttr::get(element, *number.asDouble());
  } else {
    double truncated = number.asInt() ? 0 : std::trunc(*number.asDouble());
    if (!(std::abs(truncated) < 9.2e18)) {
      error(diag::Kind::LiteralRange) << number.describe() << " does not fit `" << type.name() << "`";
      return failure();
    }
    int64_t integer = number.asInt() ? *number.asInt() : static_cast<int64_t>(truncated);
    if (type.isBool())
      integer = *number.truth();
    // A negative number beside an unsigned one wraps: `x & -16`.
    if (!fits(integer, type) && !(integer < 0 && !type.isSigned() && fits(integer, DType{ScalarKind::I64}))) {
      error(diag::Kind::LiteralRange) << "`" << integer << "` does not fit `" << type.name() << "`, which has "
                                      << type.bits() << " bits";
      return failure();
    }
    attribute = IntegerAttr::get(element, APInt(type.bits(), static_cast<uint64_t>(integer), /*isSigned=*/false,
                                                /*implicitTrunc=*/true));
  }
  if (!shape.empty())
    attribute = DenseElementsAttr::get(RankedTensorType::get(shape, element), Attribute(attribute));
  return IRValue{create<arith::ConstantOp>(attribute).getResult(), type};
}

FailureOr<IRValue> Emitter::asIR(const Datum &value) {
  if (const auto *ir = value.getIf<IRValue>())
    return *ir;
  if (auto type = value.literalType())
    return literal(value, *type);
  error(diag::Kind::OperandType) << value.describe() << " is not a number, tile or pointer";
  return failure();
}

FailureOr<IRValue> Emitter::convert(const Datum &value, DType type) {
  if (value.isNumber())
    return literal(value, type);
  auto ir = asIR(value);
  if (failed(ir))
    return failure();
  return cast(*ir, type);
}
