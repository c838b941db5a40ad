// Floating-point instructions: one rounding each, in the precision of their type.
#include "Arithmetic.h"
#include "Lanes.h"
#include "Numbers.h"

namespace tlx::emu {
namespace {

template <FloatKind kind, typename Function>
void unary(const Inst &inst, Registers registers, LaneMask mask, Function function) {
  using Traits = FloatTraits<kind>;
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *source = lanesOf(registers, inst.a);
  forLanes(mask, [&](unsigned lane) { result[lane] = Traits::put(function(Traits::get(source[lane]))); });
}
template <FloatKind kind, typename Function>
void binary(const Inst &inst, Registers registers, LaneMask mask, Function function) {
  using Traits = FloatTraits<kind>;
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *left = lanesOf(registers, inst.a), *right = lanesOf(registers, inst.b);
  forLanes(mask, [&](unsigned lane) {
    result[lane] = Traits::put(function(Traits::get(left[lane]), Traits::get(right[lane])));
  });
}

template <typename T> T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}
template <typename T> T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}

/// The flag holds the relations that count as true: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered.
template <FloatKind kind> void compare(const Inst &inst, Registers registers, LaneMask mask) {
  using Traits = FloatTraits<kind>;
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *left = lanesOf(registers, inst.a), *right = lanesOf(registers, inst.b);
  const unsigned accepts = inst.flag;
  forLanes(mask, [&](unsigned lane) {
    auto a = Traits::get(left[lane]), b = Traits::get(right[lane]);
    unsigned relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    result[lane] = (accepts & relation) != 0;
  });
}

template <FloatKind kind> void fma(const Inst &inst, Registers registers, LaneMask mask) {
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *a = lanesOf(registers, inst.a), *b = lanesOf(registers, inst.b), *c = lanesOf(registers, inst.c);
  using Traits = FloatTraits<kind>;
  forLanes(mask, [&](unsigned lane) {
    if constexpr (kind == FloatKind::F16 || kind == FloatKind::BF16)
      // The product of two narrow floats is exact in double.
      result[lane] =
          fromDouble(static_cast<double>(Traits::get(a[lane])) * Traits::get(b[lane]) + Traits::get(c[lane]), kind);
    else
      result[lane] = Traits::put(std::fma(Traits::get(a[lane]), Traits::get(b[lane]), Traits::get(c[lane])));
  });
}

template <FloatKind kind> bool executeTranscendental(const Inst &inst, Registers registers, LaneMask mask) {
  using T = typename FloatTraits<kind>::Type;
  auto one = [&](auto function) {
    unary<kind>(inst, registers, mask, function);
    return true;
  };
  switch (inst.op) {
  case Opcode::Exp:
    return one([](T a) { return std::exp(a); });
  case Opcode::Exp2:
    return one([](T a) { return std::exp2(a); });
  case Opcode::Exp10:
    return one([](T a) { return static_cast<T>(std::pow(10.0, static_cast<double>(a))); });
  case Opcode::Log:
    return one([](T a) { return std::log(a); });
  case Opcode::Log2:
    return one([](T a) { return std::log2(a); });
  case Opcode::Log10:
    return one([](T a) { return std::log10(a); });
  case Opcode::Sin:
    return one([](T a) { return std::sin(a); });
  case Opcode::Cos:
    return one([](T a) { return std::cos(a); });
  case Opcode::Tan:
    return one([](T a) { return std::tan(a); });
  case Opcode::Tanh:
    return one([](T a) { return std::tanh(a); });
  case Opcode::Pow:
    binary<kind>(inst, registers, mask, [](T a, T b) { return std::pow(a, b); });
    return true;
  case Opcode::Atan2:
    binary<kind>(inst, registers, mask, [](T a, T b) { return std::atan2(a, b); });
    return true;
  default:
    return false;
  }
}

template <FloatKind kind> bool executeKind(const Inst &inst, Registers registers, LaneMask mask) {
  using T = typename FloatTraits<kind>::Type;
  auto one = [&](auto function) {
    unary<kind>(inst, registers, mask, function);
    return true;
  };
  auto two = [&](auto function) {
    binary<kind>(inst, registers, mask, function);
    return true;
  };
  switch (inst.op) {
  case Opcode::FAdd:
    return two([](T a, T b) { return a + b; });
  case Opcode::FSub:
    return two([](T a, T b) { return a - b; });
  case Opcode::FMul:
    return two([](T a, T b) { return a * b; });
  case Opcode::FDiv:
    return two([](T a, T b) { return a / b; });
  case Opcode::FRem:
    return two([](T a, T b) { return std::fmod(a, b); });
  case Opcode::MaxNum:
    return two([](T a, T b) { return std::fmax(a, b); });
  case Opcode::MinNum:
    return two([](T a, T b) { return std::fmin(a, b); });
  case Opcode::Maximum:
    return two([](T a, T b) { return maximum(a, b); });
  case Opcode::Minimum:
    return two([](T a, T b) { return minimum(a, b); });
  case Opcode::CopySign:
    return two([](T a, T b) { return std::copysign(a, b); });
  case Opcode::FNeg:
    return one([](T a) { return -a; });
  case Opcode::FAbs:
    return one([](T a) { return std::fabs(a); });
  case Opcode::Sqrt:
    return one([](T a) { return std::sqrt(a); });
  case Opcode::Floor:
    return one([](T a) { return std::floor(a); });
  case Opcode::Ceil:
    return one([](T a) { return std::ceil(a); });
  case Opcode::Rint:
    return one([](T a) { return std::nearbyint(a); });
  case Opcode::Round:
    return one([](T a) { return std::round(a); });
  case Opcode::FTrunc:
    return one([](T a) { return std::trunc(a); });
  case Opcode::FCmp:
    compare<kind>(inst, registers, mask);
    return true;
  case Opcode::Fma:
  case Opcode::FMulAdd:
    fma<kind>(inst, registers, mask);
    return true;
  default:
    return executeTranscendental<kind>(inst, registers, mask);
  }
}

/// Float to integer as cvt.rzi does it: toward zero, out of range saturates, NaN gives zero.
uint64_t toInteger(double value, unsigned bits, bool isSigned) {
  if (std::isnan(value))
    return 0;
  value = std::trunc(value);
  if (isSigned) {
    double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
    int64_t result = value >= limit   ? static_cast<int64_t>(lowBits(bits - 1))
                     : value < -limit ? -static_cast<int64_t>(lowBits(bits - 1)) - 1
                                      : static_cast<int64_t>(value);
    return static_cast<uint64_t>(result) & lowBits(bits);
  }
  return value <= 0                                         ? 0
         : value >= std::ldexp(1.0, static_cast<int>(bits)) ? lowBits(bits)
                                                            : static_cast<uint64_t>(value);
}

bool executeConversion(const Inst &inst, Registers registers, LaneMask mask) {
  uint64_t *result = inst.dst == noSlot ? nullptr : lanesOf(registers, inst.dst);
  const uint64_t *source = inst.a == noSlot ? nullptr : lanesOf(registers, inst.a);
  const FloatKind to = static_cast<FloatKind>(inst.toBits), from = static_cast<FloatKind>(inst.bits);
  switch (inst.op) {
  case Opcode::FConvert:
    if (from == FloatKind::F32 && to == FloatKind::F16)
      forLanes(mask, [&](unsigned lane) { result[lane] = encodeF16(asFloat(source[lane])); });
    else if (from == FloatKind::F32 && to == FloatKind::BF16)
      forLanes(mask, [&](unsigned lane) { result[lane] = encodeBF16(asFloat(source[lane])); });
    else
      forLanes(mask, [&](unsigned lane) { result[lane] = fromDouble(toDouble(source[lane], from), to); });
    return true;
  // An integer of more than 53 bits would be rounded twice on its way through double; only f64 and f32 results can
  // tell.
  case Opcode::SIToFP:
    forLanes(mask, [&](unsigned lane) {
      int64_t value = signExtend(source[lane], inst.bits);
      result[lane] =
          to == FloatKind::F32 ? asBits(static_cast<float>(value)) : fromDouble(static_cast<double>(value), to);
    });
    return true;
  case Opcode::UIToFP:
    forLanes(mask, [&](unsigned lane) {
      result[lane] = to == FloatKind::F32 ? asBits(static_cast<float>(source[lane]))
                                          : fromDouble(static_cast<double>(source[lane]), to);
    });
    return true;
  case Opcode::FPToSI:
  case Opcode::FPToUI:
    forLanes(mask, [&](unsigned lane) {
      result[lane] = toInteger(toDouble(source[lane], from), inst.toBits, inst.op == Opcode::FPToSI);
    });
    return true;
  case Opcode::RoundTF32:
    forLanes(mask, [&](unsigned lane) {
      uint32_t bits = static_cast<uint32_t>(source[lane]);
      bool special = (bits & 0x7f800000u) == 0x7f800000u;
      // cvt.rna: to nearest, ties away from zero.
      result[lane] = special ? bits : (bits + 0x1000u) & 0xffffe000u;
    });
    return true;
  default:
    return false;
  }
}

/// ex2, lg2, rsqrt, sin, cos, tanh, rcp in the order of the thread dialect's enum.
float approximate(unsigned function, float value) {
  value = flushSubnormal(value);
  float result = value;
  switch (function) {
  case 0:
    result = std::exp2(value);
    break;
  case 1:
    result = std::log2(value);
    break;
  case 2:
    result = static_cast<float>(1.0 / std::sqrt(static_cast<double>(value)));
    break;
  case 3:
    result = std::sin(value);
    break;
  case 4:
    result = std::cos(value);
    break;
  case 5:
    result = std::tanh(value);
    break;
  case 6:
    result = 1.0f / value;
    break;
  }
  return flushSubnormal(result);
}

bool executePacking(const Inst &inst, Registers registers, LaneMask mask) {
  uint64_t *result = inst.dst == noSlot ? nullptr : lanesOf(registers, inst.dst);
  const uint64_t *a = inst.a == noSlot ? nullptr : lanesOf(registers, inst.a);
  const uint64_t *b = inst.b == noSlot ? nullptr : lanesOf(registers, inst.b);
  const FloatFormat &f8 = inst.flag & 1 ? formatE5M2 : formatE4M3;
  const FloatFormat &waveF8 = !(inst.flag & 2) ? f8 : inst.flag & 1 ? formatE5M2FNUZ : formatE4M3FNUZ;
  switch (inst.op) {
  case Opcode::Approx:
    forLanes(mask, [&](unsigned lane) { result[lane] = asBits(approximate(inst.flag, asFloat(a[lane]))); });
    return true;
  case Opcode::Pack:
    if (static_cast<FloatKind>(inst.toBits) == FloatKind::F16)
      forLanes(mask, [&](unsigned lane) {
        result[lane] = encodeF16(asFloat(a[lane])) | static_cast<uint64_t>(encodeF16(asFloat(b[lane]))) << 16;
      });
    else
      forLanes(mask, [&](unsigned lane) {
        result[lane] = encodeBF16(asFloat(a[lane])) | static_cast<uint64_t>(encodeBF16(asFloat(b[lane]))) << 16;
      });
    return true;
  case Opcode::PackF8:
    // `a` goes to the high byte. `toBits` 8: the result is two slots of a vector instead of one i16. cvt.rn.satfinite.
    forLanes(mask, [&](unsigned lane) {
      FloatKind from = static_cast<FloatKind>(inst.bits);
      uint64_t high = encodeFloat(toDouble(a[lane], from), f8, true),
               low = encodeFloat(toDouble(b[lane], from), f8, true);
      if (inst.toBits == 8) {
        result[lane] = low;
        lanesOf(registers, inst.dst + 1)[lane] = high;
      } else {
        result[lane] = low | high << 8;
      }
    });
    return true;
  case Opcode::WavePackF8:
    // `a` goes to the low byte of a half of `c`, whose other half stays. Overflow is not clamped (CDNA3 ISA, MODE).
    forLanes(mask, [&](unsigned lane) {
      uint64_t halves = encodeFloat(asFloat(a[lane]), waveF8, false) |
                        static_cast<uint64_t>(encodeFloat(asFloat(b[lane]), waveF8, false)) << 8;
      const unsigned shift = inst.imm ? 16 : 0;
      result[lane] = (lanesOf(registers, inst.c)[lane] & ~(0xffffull << shift)) | halves << shift;
    });
    return true;
  case Opcode::WaveUnpackF8:
    forLanes(mask, [&](unsigned lane) {
      result[lane] = asBits(decodeFloat(static_cast<uint32_t>(a[lane] >> (8 * inst.imm) & 0xff), waveF8));
    });
    return true;
  case Opcode::UnpackF8:
    forLanes(mask, [&](unsigned lane) {
      result[lane] =
          fromDouble(decodeFloat(static_cast<uint32_t>(a[lane] & 0xff), f8), static_cast<FloatKind>(inst.toBits));
    });
    return true;
  default:
    return false;
  }
}

} // namespace

bool executeFloat(const Inst &inst, Registers registers, LaneMask mask) {
  if (inst.op >= Opcode::FConvert)
    return executeConversion(inst, registers, mask) || executePacking(inst, registers, mask);
  switch (static_cast<FloatKind>(inst.bits)) {
  case FloatKind::F32:
    return executeKind<FloatKind::F32>(inst, registers, mask);
  case FloatKind::F64:
    return executeKind<FloatKind::F64>(inst, registers, mask);
  case FloatKind::F16:
    return executeKind<FloatKind::F16>(inst, registers, mask);
  case FloatKind::BF16:
    return executeKind<FloatKind::BF16>(inst, registers, mask);
  }
  return false;
}

} // namespace tlx::emu
