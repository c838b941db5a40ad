// Names, MLIR types and promotion of element types.
#include "DType.h"
#include "tlx/Dialect/TLXDialect.h"

using namespace mlir;
using namespace tlx::specialize;

namespace {
struct ScalarRow {
  ScalarKind kind;
  llvm::StringLiteral shortName;
  llvm::StringLiteral longName;
  unsigned bits;
};
} // namespace

static constexpr ScalarRow scalarRows[] = {
    {ScalarKind::Bool, "i1", "int1", 1},
    {ScalarKind::I8, "i8", "int8", 8},
    {ScalarKind::I16, "i16", "int16", 16},
    {ScalarKind::I32, "i32", "int32", 32},
    {ScalarKind::I64, "i64", "int64", 64},
    {ScalarKind::U8, "u8", "uint8", 8},
    {ScalarKind::U16, "u16", "uint16", 16},
    {ScalarKind::U32, "u32", "uint32", 32},
    {ScalarKind::U64, "u64", "uint64", 64},
    {ScalarKind::F8E4M3, "fp8e4nv", "float8e4nv", 8},
    {ScalarKind::F8E5M2, "fp8e5", "float8e5", 8},
    {ScalarKind::F8E4B8, "fp8e4b8", "float8e4b8", 8},
    {ScalarKind::F8E5B16, "fp8e5b16", "float8e5b16", 8},
    {ScalarKind::F16, "fp16", "float16", 16},
    {ScalarKind::BF16, "bf16", "bfloat16", 16},
    {ScalarKind::F32, "fp32", "float32", 32},
    {ScalarKind::F64, "fp64", "float64", 64},
    {ScalarKind::Void, "void", "void", 8},
};

static const ScalarRow &rowOf(ScalarKind kind) {
  return scalarRows[static_cast<unsigned>(kind)];
}

unsigned DType::bits() const {
  return rowOf(kind).bits;
}

std::string DType::name() const {
  return (isPointer ? "*" : "") + rowOf(kind).shortName.str();
}

static Type scalarType(ScalarKind kind, MLIRContext *context) {
  switch (kind) {
  case ScalarKind::F8E4M3:
    return Float8E4M3FNType::get(context);
  case ScalarKind::F8E5M2:
    return Float8E5M2Type::get(context);
  case ScalarKind::F8E4B8:
    return Float8E4M3FNUZType::get(context);
  case ScalarKind::F8E5B16:
    return Float8E5M2FNUZType::get(context);
  case ScalarKind::F16:
    return Float16Type::get(context);
  case ScalarKind::BF16:
    return BFloat16Type::get(context);
  case ScalarKind::F32:
    return Float32Type::get(context);
  case ScalarKind::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, rowOf(kind).bits);
  }
}

Type DType::toMLIR(MLIRContext *context) const {
  Type scalar = scalarType(kind, context);
  return isPointer ? Type(PointerType::get(context, scalar)) : scalar;
}

std::optional<DType> tlx::specialize::parseDType(llvm::StringRef text) {
  DType type;
  type.isPointer = text.consume_front("*");
  // The names that people write for the same types elsewhere.
  if (text == "fp8e4m3" || text == "fp8e4m3fn")
    text = "fp8e4nv";
  if (text == "fp8e5m2")
    text = "fp8e5";
  if (text == "fp8e4m3fnuz")
    text = "fp8e4b8";
  if (text == "fp8e5m2fnuz")
    text = "fp8e5b16";
  for (const ScalarRow &row : scalarRows)
    if (text == row.shortName || text == row.longName) {
      type.kind = row.kind;
      return type;
    }
  return std::nullopt;
}

static DType promoteIntegers(DType left, DType right) {
  if (left.isSigned() == right.isSigned() || left.isBool() || right.isBool())
    return left.bits() >= right.bits() ? left : right;
  DType signedType = left.isSigned() ? left : right;
  DType unsignedType = left.isSigned() ? right : left;
  return unsignedType.bits() >= signedType.bits() ? unsignedType : signedType;
}

DType tlx::specialize::promote(DType left, DType right, bool isDivision) {
  auto either = [&](ScalarKind kind) { return left.kind == kind || right.kind == kind; };
  if (either(ScalarKind::F64))
    return {ScalarKind::F64};
  if (either(ScalarKind::F32))
    return {ScalarKind::F32};
  if (either(ScalarKind::F16))
    return {isDivision ? ScalarKind::F32 : ScalarKind::F16};
  if (either(ScalarKind::BF16))
    return {left == right && !isDivision ? ScalarKind::BF16 : ScalarKind::F32};
  if (left.isFloat8() && right.isFloat8())
    return left == right ? left : DType{ScalarKind::F16};
  if (left.isFloat8() || right.isFloat8())
    return left.isFloat8() ? left : right;
  return promoteIntegers(left, right);
}

/// bool < integer < float: a literal of a lower or equal kind adopts the other side's type.
static int numericRank(DType type) {
  return type.isBool() ? 0 : type.isInteger() ? 1 : 2;
}

DType tlx::specialize::promoteLiteral(DType literal, DType other, bool isDivision) {
  if (numericRank(literal) > numericRank(other))
    return promote(literal, other, isDivision);
  if (isDivision && (other.kind == ScalarKind::F16 || other.kind == ScalarKind::BF16))
    return {ScalarKind::F32};
  return other;
}
