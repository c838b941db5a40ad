// Element types: names, ranges, and conversion of single elements from and to double by integer arithmetic on the bits,
// so that every machine gives the same result.
#include "tlx/Manifest/ElementType.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tlx;
using namespace tlx::rt;

namespace {

/// A binary float of at most 16 bits: exponent and mantissa width, and what happens beyond the largest finite value.
struct SmallFloat {
  int exponentBits;
  int mantissaBits;
  uint32_t maxFinite;
  uint32_t overflow;
  uint32_t nan;
  /// No minus zero, whose code is the only NaN, and a bias that is one more.
  bool isFNUZ = false;

  int bias() const { return (1 << (exponentBits - 1)) - (isFNUZ ? 0 : 1); }
  int signShift() const { return exponentBits + mantissaBits; }
};

// The 8-bit types: "OCP 8-bit Floating Point Specification", section 5. Overflow as PTX ISA, cvt.rn.satfinite.
constexpr SmallFloat formatFP16{5, 10, 0x7BFF, 0x7C00, 0x7E00};
constexpr SmallFloat formatBF16{8, 7, 0x7F7F, 0x7F80, 0x7FC0};
constexpr SmallFloat formatE4M3{4, 3, 0x7E, 0x7E, 0x7F};
constexpr SmallFloat formatE5M2{5, 2, 0x7B, 0x7B, 0x7F};
// AMD CDNA3 ISA, data formats FP8 and BF8.
constexpr SmallFloat formatE4M3FNUZ{4, 3, 0x7F, 0x7F, 0x80, true};
constexpr SmallFloat formatE5M2FNUZ{5, 2, 0x7F, 0x7F, 0x80, true};

uint32_t encodeSigned(const SmallFloat &format, double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint32_t sign = uint32_t(bits >> 63) << format.signShift();
  if (std::isnan(value))
    return format.nan;
  int exponent = int((bits >> 52) & 0x7FF) - 1023;
  if (exponent == -1023)
    return sign;
  if (exponent > 1000)
    return sign | format.overflow;
  uint64_t mantissa = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
  int biased = exponent + format.bias();
  int shift = 52 - format.mantissaBits + (biased < 1 ? 1 - biased : 0);
  if (shift > 54)
    return sign;
  uint64_t quotient = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
  quotient += rest > half || (rest == half && (quotient & 1));
  // The leading one of a normal number adds one to the exponent field; so does a carry out of the mantissa.
  uint64_t magnitude = quotient + (biased > 1 ? uint64_t(biased - 1) << format.mantissaBits : 0);
  return sign | (magnitude > format.maxFinite ? format.overflow : uint32_t(magnitude));
}

uint32_t encodeSmall(const SmallFloat &format, double value) {
  uint32_t code = encodeSigned(format, value), minusZero = 1u << format.signShift();
  return format.isFNUZ && code == minusZero && !std::isnan(value) ? 0 : code;
}

double decodeSmall(const SmallFloat &format, uint32_t bits) {
  if (format.isFNUZ && bits == format.nan)
    return std::numeric_limits<double>::quiet_NaN();
  uint32_t magnitude = bits & ((1u << format.signShift()) - 1);
  uint64_t sign = uint64_t((bits >> format.signShift()) & 1) << 63;
  uint64_t exponent = magnitude >> format.mantissaBits;
  uint64_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (magnitude > format.maxFinite) {
    // e5m2 keeps an infinity although conversions never make one.
    bool infinite = format.exponentBits >= 5 && mantissa == 0;
    double special = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return sign ? -special : special;
  }
  if (exponent == 0) {
    double value = std::ldexp(double(mantissa), 1 - format.bias() - format.mantissaBits);
    return sign ? -value : value;
  }
  uint64_t wide = (exponent + 1023 - format.bias()) << 52 | mantissa << (52 - format.mantissaBits);
  return std::bit_cast<double>(sign | wide);
}

template <typename T> double load(const void *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return double(value);
}

template <typename T> void storeInteger(double value, void *bytes) {
  T result = 0;
  if (!std::isnan(value)) {
    // Both bounds are powers of two or one below, so the upper one is tested with >=.
    if (value >= double(std::numeric_limits<T>::max()))
      result = std::numeric_limits<T>::max();
    else if (value <= double(std::numeric_limits<T>::min()))
      result = std::numeric_limits<T>::min();
    else
      result = static_cast<T>(value);
  }
  std::memcpy(bytes, &result, sizeof result);
}

template <typename T> void storeBits(T value, void *bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

uint32_t loadBits(const void *bytes, int size) {
  uint16_t two = 0;
  std::memcpy(&two, bytes, size);
  return two;
}

} // namespace

std::optional<ElementType> rt::parseElementType(std::string_view text) {
#define TLX_ELEMENT_TYPE(NAME, SPELLING, BYTES, NUMBER)                                                                \
  if (text == SPELLING)                                                                                                \
    return ElementType::NAME;
#include "tlx/Manifest/ElementTypes.def"
  return std::nullopt;
}

std::string_view rt::spelling(ElementType type) {
  switch (type) {
#define TLX_ELEMENT_TYPE(NAME, SPELLING, BYTES, NUMBER)                                                                \
  case ElementType::NAME:                                                                                              \
    return SPELLING;
#include "tlx/Manifest/ElementTypes.def"
  }
  return "?";
}

int rt::byteSize(ElementType type) {
  switch (type) {
#define TLX_ELEMENT_TYPE(NAME, SPELLING, BYTES, NUMBER)                                                                \
  case ElementType::NAME:                                                                                              \
    return BYTES;
#include "tlx/Manifest/ElementTypes.def"
  }
  return 0;
}

bool rt::isFloat(ElementType type) {
  return type >= ElementType::FP16;
}

bool rt::isSigned(ElementType type) {
  return type >= ElementType::I8 && type <= ElementType::I64;
}

int64_t rt::minInteger(ElementType type) {
  assert(!isFloat(type) && "range of a float");
  return isSigned(type) ? -maxInteger(type) - 1 : 0;
}

int64_t rt::maxInteger(ElementType type) {
  assert(!isFloat(type) && "range of a float");
  if (type == ElementType::I1)
    return 1;
  int bits = 8 * byteSize(type) - (isSigned(type) ? 1 : 0);
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t(1) << bits) - 1;
}

double rt::decodeElement(ElementType type, const void *bytes) {
  switch (type) {
  case ElementType::I1:
    return load<uint8_t>(bytes) != 0;
  case ElementType::I8:
    return load<int8_t>(bytes);
  case ElementType::I16:
    return load<int16_t>(bytes);
  case ElementType::I32:
    return load<int32_t>(bytes);
  case ElementType::I64:
    return load<int64_t>(bytes);
  case ElementType::U8:
    return load<uint8_t>(bytes);
  case ElementType::U16:
    return load<uint16_t>(bytes);
  case ElementType::U32:
    return load<uint32_t>(bytes);
  case ElementType::U64:
    return load<uint64_t>(bytes);
  case ElementType::FP16:
    return decodeSmall(formatFP16, loadBits(bytes, 2));
  case ElementType::BF16:
    return decodeSmall(formatBF16, loadBits(bytes, 2));
  case ElementType::FP32:
    return load<float>(bytes);
  case ElementType::FP64:
    return load<double>(bytes);
  case ElementType::FP8E4NV:
    return decodeSmall(formatE4M3, loadBits(bytes, 1));
  case ElementType::FP8E5:
    return decodeSmall(formatE5M2, loadBits(bytes, 1));
  case ElementType::FP8E4B8:
    return decodeSmall(formatE4M3FNUZ, loadBits(bytes, 1));
  case ElementType::FP8E5B16:
    return decodeSmall(formatE5M2FNUZ, loadBits(bytes, 1));
  }
  return 0;
}

void rt::encodeElement(ElementType type, double value, void *bytes) {
  switch (type) {
  case ElementType::I1:
    return storeBits<uint8_t>(value != 0, bytes);
  case ElementType::I8:
    return storeInteger<int8_t>(value, bytes);
  case ElementType::I16:
    return storeInteger<int16_t>(value, bytes);
  case ElementType::I32:
    return storeInteger<int32_t>(value, bytes);
  case ElementType::I64:
    return storeInteger<int64_t>(value, bytes);
  case ElementType::U8:
    return storeInteger<uint8_t>(value, bytes);
  case ElementType::U16:
    return storeInteger<uint16_t>(value, bytes);
  case ElementType::U32:
    return storeInteger<uint32_t>(value, bytes);
  case ElementType::U64:
    return storeInteger<uint64_t>(value, bytes);
  case ElementType::FP16:
    return storeBits(uint16_t(encodeSmall(formatFP16, value)), bytes);
  case ElementType::BF16:
    return storeBits(uint16_t(encodeSmall(formatBF16, value)), bytes);
  case ElementType::FP32:
    return storeBits(static_cast<float>(value), bytes);
  case ElementType::FP64:
    return storeBits(value, bytes);
  case ElementType::FP8E4NV:
    return storeBits(uint8_t(encodeSmall(formatE4M3, value)), bytes);
  case ElementType::FP8E5:
    return storeBits(uint8_t(encodeSmall(formatE5M2, value)), bytes);
  case ElementType::FP8E4B8:
    return storeBits(uint8_t(encodeSmall(formatE4M3FNUZ, value)), bytes);
  case ElementType::FP8E5B16:
    return storeBits(uint8_t(encodeSmall(formatE5M2FNUZ, value)), bytes);
  }
}
