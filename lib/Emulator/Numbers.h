// Number formats: narrow floats to and from float, rounding to nearest even as the hardware does.
#ifndef TLX_EMULATOR_NUMBERS_H
#define TLX_EMULATOR_NUMBERS_H

#include "Program.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace tlx::emu {

inline float asFloat(uint64_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}
inline uint64_t asBits(float value) {
  return std::bit_cast<uint32_t>(value);
}

/// Layout of a narrow float format. `finite`: no infinity, the code with all bits set is the only NaN (e4m3).
/// `unsignedZero`: neither infinity nor minus zero, whose code is the only NaN, and a bias that is one more (FNUZ).
/// `noSpecial`: every code is a number.
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  bool finite;
  bool unsignedZero = false, noSpecial = false;
  int bias() const { return (1 << (exponentBits - 1)) - (unsignedZero ? 0 : 1); }
};
constexpr FloatFormat formatF16{5, 10, false}, formatBF16{8, 7, false}, formatE4M3{4, 3, true}, formatE5M2{5, 2, false},
    formatTF32{8, 10, false}, formatE4M3FNUZ{4, 3, true, true}, formatE5M2FNUZ{5, 2, true, true},
    formatE2M3{2, 3, true, false, true}, formatE3M2{3, 2, true, false, true}, formatE2M1{2, 1, true, false, true};

/// Rounds to nearest even into `format`; `saturate` maps overflow and infinity to the largest finite number.
uint32_t encodeFloat(double value, const FloatFormat &format, bool saturate);
float decodeFloat(uint32_t code, const FloatFormat &format);

inline float decodeF16(uint16_t code) {
  uint32_t sign = (code & 0x8000u) << 16, exponent = (code >> 10) & 31, mantissa = code & 0x3ff;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float value = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -value : value;
}
inline uint16_t encodeF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>(0x7fffu);
  if (magnitude >= 0x477ff000u)
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Adding 0.5 aligns the subnormal's last place with the float's; the FPU rounds to nearest even.
    float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000u));
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}
inline float decodeBF16(uint16_t code) {
  return std::bit_cast<float>(static_cast<uint32_t>(code) << 16);
}
inline uint16_t encodeBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}
/// The tensor core reads the upper 19 bits of a tf32 operand.
inline float truncateTF32(uint32_t bits) {
  return std::bit_cast<float>(bits & 0xffffe000u);
}
inline float flushSubnormal(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// How arithmetic on a FloatKind is done: in which C++ type, and how it is read from and written to a slot.
template <FloatKind kind> struct FloatTraits;
template <> struct FloatTraits<FloatKind::F32> {
  using Type = float;
  static float get(uint64_t bits) { return asFloat(bits); }
  static uint64_t put(float value) { return asBits(value); }
};
template <> struct FloatTraits<FloatKind::F64> {
  using Type = double;
  static double get(uint64_t bits) { return std::bit_cast<double>(bits); }
  static uint64_t put(double value) { return std::bit_cast<uint64_t>(value); }
};
template <> struct FloatTraits<FloatKind::F16> {
  using Type = float;
  static float get(uint64_t bits) { return decodeF16(static_cast<uint16_t>(bits)); }
  static uint64_t put(float value) { return encodeF16(value); }
};
template <> struct FloatTraits<FloatKind::BF16> {
  using Type = float;
  static float get(uint64_t bits) { return decodeBF16(static_cast<uint16_t>(bits)); }
  static uint64_t put(float value) { return encodeBF16(value); }
};

/// The value of a slot as a double, and back with one rounding.
double toDouble(uint64_t bits, FloatKind kind);
uint64_t fromDouble(double value, FloatKind kind);

} // namespace tlx::emu

#endif
