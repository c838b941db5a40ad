// Conversions of narrow floats, written for any format.
#include "Numbers.h"

namespace tlx::emu {

uint32_t encodeFloat(double value, const FloatFormat &format, bool saturate) {
  const unsigned mantissaBits = format.mantissaBits;
  const int bias = format.bias();
  const uint32_t signBit = 1u << (format.exponentBits + format.mantissaBits);
  const uint32_t sign = std::signbit(value) ? signBit : 0;
  const uint32_t allOnes = (1u << (format.exponentBits + mantissaBits)) - 1;
  const uint32_t infinity = ((1u << format.exponentBits) - 1) << mantissaBits;
  const uint32_t largest = format.unsignedZero || format.noSpecial ? allOnes
                           : format.finite                         ? allOnes - 1
                                                                   : infinity - 1;
  if (std::isnan(value))
    return format.unsignedZero ? signBit : allOnes;
  const uint32_t overflow = saturate ? largest : format.finite ? allOnes : infinity;
  double magnitude = std::fabs(value);
  if (format.unsignedZero && !saturate && std::isinf(magnitude))
    return signBit;
  if (std::isinf(magnitude))
    return sign | overflow;
  if (magnitude == 0)
    return format.unsignedZero ? 0 : sign;
  int exponent = std::ilogb(magnitude);
  const int lowest = 1 - bias;
  if (exponent < lowest)
    exponent = lowest;
  // Scaling by a power of two is exact, so that rint rounds once, to nearest even.
  double units = std::rint(std::ldexp(magnitude, static_cast<int>(mantissaBits) - exponent));
  double code = units + std::ldexp(static_cast<double>(exponent - lowest), static_cast<int>(mantissaBits));
  if (code > largest)
    return format.unsignedZero && !saturate ? signBit : sign | overflow;
  if (format.unsignedZero && code == 0)
    return 0;
  return sign | static_cast<uint32_t>(code);
}

float decodeFloat(uint32_t code, const FloatFormat &format) {
  const int bias = format.bias();
  const uint32_t allOnes = (1u << (format.exponentBits + format.mantissaBits)) - 1;
  const bool negative = code >> (format.exponentBits + format.mantissaBits) & 1;
  uint32_t magnitude = code & allOnes, mantissa = code & ((1u << format.mantissaBits) - 1);
  int exponent = static_cast<int>(magnitude >> format.mantissaBits);
  float value;
  if (format.unsignedZero && negative && magnitude == 0)
    return std::bit_cast<float>(0x7fffffffu);
  const bool special = !format.unsignedZero && !format.noSpecial;
  if (special && (format.finite ? magnitude == allOnes : exponent == (1 << format.exponentBits) - 1 && mantissa))
    value = std::bit_cast<float>(0x7fffffffu);
  else if (!format.finite && exponent == (1 << format.exponentBits) - 1)
    value = std::bit_cast<float>(0x7f800000u);
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(mantissa), 1 - bias - static_cast<int>(format.mantissaBits));
  else
    value = std::ldexp(static_cast<float>(mantissa + (1u << format.mantissaBits)),
                       exponent - bias - static_cast<int>(format.mantissaBits));
  return negative ? -value : value;
}

double toDouble(uint64_t bits, FloatKind kind) {
  switch (kind) {
  case FloatKind::F16:
    return decodeF16(static_cast<uint16_t>(bits));
  case FloatKind::BF16:
    return decodeBF16(static_cast<uint16_t>(bits));
  case FloatKind::F32:
    return asFloat(bits);
  case FloatKind::F64:
    return std::bit_cast<double>(bits);
  }
  return 0;
}

uint64_t fromDouble(double value, FloatKind kind) {
  switch (kind) {
  case FloatKind::F16:
    return encodeFloat(value, formatF16, false);
  case FloatKind::BF16:
    return encodeFloat(value, formatBF16, false);
  case FloatKind::F32:
    return asBits(static_cast<float>(value));
  case FloatKind::F64:
    return std::bit_cast<uint64_t>(value);
  }
  return 0;
}

} // namespace tlx::emu
