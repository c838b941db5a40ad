// 8-bit floats that the machine has no instructions for. A code's bits, moved to where f32 has its exponent and
// mantissa, are the number times a power of two: subnormal numbers too, since f32 keeps those.
#include "Float8.h"

using namespace mlir;
using namespace tlx;

namespace {

/// Field widths and special codes. OCP 8-bit Floating Point Specification, section 5; AMD CDNA3 ISA, FP8 and BF8.
struct Format {
  explicit Format(Type type) {
    isShort = isa<Float8E5M2Type, Float8E5M2FNUZType>(type);
    isFNUZ = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
    mantissa = isShort ? 2 : 3;
    bias = (isShort ? 15 : 7) + (isFNUZ ? 1 : 0);
    nan = isFNUZ ? 0x80 : 0x7f;
    largest = llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics()).convertToDouble();
  }
  bool isShort, isFNUZ;
  int mantissa, bias, nan;
  double largest;
};

/// Code for one element. All integers are i32.
class Converter {
public:
  Converter(OpBuilder &b, Location loc, Type type) : b(b), loc(loc), format(type) {}

  Value encode(Value x) {
    Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), x);
    Value sign = shiftRight(both(bits, 0x80000000), 24), size = LLVM::FAbsOp::create(b, loc, x);
    size = LLVM::MinNumOp::create(b, loc, size, f32(format.largest));
    Value sizeBits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), size);
    // To nearest even: half of a step less one, and one more where the last bit that stays is set.
    int dropped = 23 - format.mantissa;
    Value odd = both(shiftRight(sizeBits, dropped), 1);
    Value rounded = plus(plus(sizeBits, i32((1 << (dropped - 1)) - 1)), odd);
    Value normal = plus(shiftRight(rounded, dropped), i32(-((127 - format.bias) << format.mantissa)));
    // Beside this number the last place of an f32 is that of the format's subnormal numbers: the addition rounds.
    double anchor = std::ldexp(1.0, 1 - format.bias + dropped);
    Value aligned = LLVM::FAddOp::create(b, loc, size, f32(anchor));
    Value anchorBits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), f32(anchor));
    Value subnormal = LLVM::SubOp::create(b, loc, LLVM::BitcastOp::create(b, loc, b.getI32Type(), aligned), anchorBits);
    double leastNormal = std::ldexp(1.0, 1 - format.bias);
    Value code =
        choose(LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::olt, size, f32(leastNormal)), subnormal, normal);
    Value withSign = LLVM::OrOp::create(b, loc, code, sign);
    if (format.isFNUZ)
      withSign = choose(isEqual(code, 0), code, withSign);
    return choose(LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, x, x), i32(format.nan), withSign);
  }

  Value decode(Value byte) {
    Value code = LLVM::ZExtOp::create(b, loc, b.getI32Type(), byte), magnitude = both(code, 0x7f);
    Value moved = LLVM::ShlOp::create(b, loc, magnitude, i32(23 - format.mantissa));
    Value scaled = LLVM::BitcastOp::create(b, loc, b.getF32Type(), moved);
    Value number = LLVM::FMulOp::create(b, loc, scaled, f32(std::ldexp(1.0, 127 - format.bias)));
    Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), number);
    if (!format.isFNUZ && format.isShort) {
      // Infinity and NaN keep their mantissa under the largest exponent.
      Value special = LLVM::OrOp::create(b, loc, moved, i32(0x7f800000));
      bits = choose(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::uge, magnitude, i32(0x7c)), special, bits);
    } else {
      bits = choose(isEqual(format.isFNUZ ? code : magnitude, format.nan), i32(0x7fffffff), bits);
    }
    Value sign = LLVM::ShlOp::create(b, loc, both(code, 0x80), i32(24));
    return LLVM::BitcastOp::create(b, loc, b.getF32Type(), LLVM::OrOp::create(b, loc, bits, sign));
  }

private:
  Value i32(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value f32(double value) {
    return LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value both(Value a, int64_t mask) { return LLVM::AndOp::create(b, loc, a, i32(mask)); }
  Value plus(Value a, Value c) { return LLVM::AddOp::create(b, loc, a, c); }
  Value shiftRight(Value a, int count) { return LLVM::LShrOp::create(b, loc, a, i32(count)); }
  Value choose(Value condition, Value yes, Value no) { return LLVM::SelectOp::create(b, loc, condition, yes, no); }
  Value isEqual(Value a, int64_t constant) {
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, a, i32(constant));
  }

  OpBuilder &b;
  Location loc;
  Format format;
};

} // namespace

static Value pairOf(OpBuilder &b, Location loc, Value low, Value high) {
  auto at = [&](int64_t index) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(index)));
  };
  Value pair = LLVM::PoisonOp::create(b, loc, VectorType::get({2}, low.getType()));
  pair = LLVM::InsertElementOp::create(b, loc, pair, low, at(0));
  return LLVM::InsertElementOp::create(b, loc, pair, high, at(1));
}

Value tlx::packFloat8(const Machine &machine, OpBuilder &b, Location loc, Type type, Value low, Value high) {
  if (machine.hasFloat8(type))
    return machine.toFloat8(b, loc, type, low, high);
  Converter converter(b, loc, type);
  auto byte = [&](Value x) { return LLVM::TruncOp::create(b, loc, b.getI8Type(), converter.encode(x)); };
  Value first = byte(low), second = byte(high);
  return pairOf(b, loc, first, second);
}

Value tlx::unpackFloat8(const Machine &machine, OpBuilder &b, Location loc, Type type, Value bytes) {
  if (machine.hasFloat8(type))
    return machine.fromFloat8(b, loc, type, bytes);
  Converter converter(b, loc, type);
  auto number = [&](int32_t index) {
    Value place = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(index));
    return converter.decode(LLVM::ExtractElementOp::create(b, loc, bytes, place));
  };
  Value first = number(0), second = number(1);
  return pairOf(b, loc, first, second);
}
