// Conversions of elements: every bit pattern of the small floats survives, and rounding is to nearest even.
#include "tlx/Manifest/ElementType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tlx::rt;

static uint32_t encoded(ElementType type, double value) {
  uint32_t bits = 0;
  encodeElement(type, value, &bits);
  return bits;
}

TEST(ElementType, NamesRoundTrip) {
#define TLX_ELEMENT_TYPE(NAME, SPELLING, BYTES, NUMBER)                                                                \
  EXPECT_EQ(parseElementType(SPELLING), ElementType::NAME);                                                            \
  EXPECT_EQ(spelling(ElementType::NAME), SPELLING);                                                                    \
  EXPECT_EQ(byteSize(ElementType::NAME), BYTES);
#include "tlx/Manifest/ElementTypes.def"
  EXPECT_FALSE(parseElementType("float16"));
  EXPECT_FALSE(parseElementType(""));
}

TEST(ElementType, EveryBitPatternSurvives) {
  for (ElementType type : {ElementType::FP16, ElementType::BF16, ElementType::FP8E4NV, ElementType::FP8E5,
                           ElementType::FP8E4B8, ElementType::FP8E5B16}) {
    uint32_t patterns = byteSize(type) == 2 ? 65536 : 256;
    int kept = 0;
    for (uint32_t bits = 0; bits < patterns; ++bits) {
      double value = decodeElement(type, &bits);
      if (std::isnan(value) || (std::isinf(value) && byteSize(type) == 1))
        continue;
      EXPECT_EQ(encoded(type, value), bits) << spelling(type);
      ++kept;
    }
    EXPECT_GT(kept, int(patterns * 9 / 10)) << spelling(type);
  }
}

TEST(ElementType, RoundsHalfToEven) {
  // Between neighbours of fp16 at 1: 1 + 2^-11 is half way and goes down, 1 + 3 * 2^-11 goes up.
  EXPECT_EQ(encoded(ElementType::FP16, 1 + std::ldexp(1, -11)), 0x3C00u);
  EXPECT_EQ(encoded(ElementType::FP16, 1 + 3 * std::ldexp(1, -11)), 0x3C02u);
  EXPECT_EQ(encoded(ElementType::FP16, 1 + std::ldexp(1, -11) + std::ldexp(1, -40)), 0x3C01u);
  EXPECT_EQ(encoded(ElementType::BF16, 1 + std::ldexp(1, -8)), 0x3F80u);
  EXPECT_EQ(encoded(ElementType::BF16, 1 + 3 * std::ldexp(1, -8)), 0x3F82u);
  // Subnormals: half of the smallest goes to zero, a bit more does not.
  EXPECT_EQ(encoded(ElementType::FP16, std::ldexp(1, -25)), 0u);
  EXPECT_EQ(encoded(ElementType::FP16, std::ldexp(1.25, -25)), 1u);
  EXPECT_EQ(encoded(ElementType::FP8E4NV, std::ldexp(1, -10)), 0u);
  EXPECT_EQ(encoded(ElementType::FP8E4NV, std::ldexp(3, -10)), 2u);
}

TEST(ElementType, OverflowAndNaN) {
  double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_EQ(encoded(ElementType::FP16, 65519), 0x7BFFu);
  EXPECT_EQ(encoded(ElementType::FP16, 65520), 0x7C00u);
  EXPECT_EQ(encoded(ElementType::FP16, -infinity), 0xFC00u);
  EXPECT_EQ(encoded(ElementType::FP8E4NV, 1e9), 0x7Eu);
  EXPECT_EQ(encoded(ElementType::FP8E4NV, -449), 0xFEu);
  EXPECT_EQ(encoded(ElementType::FP8E5, infinity), 0x7Bu);
  EXPECT_EQ(encoded(ElementType::FP8E4NV, nan), 0x7Fu);
  uint32_t pattern = 0x7C;
  EXPECT_TRUE(std::isinf(decodeElement(ElementType::FP8E5, &pattern)));
  pattern = 0x7F;
  EXPECT_TRUE(std::isnan(decodeElement(ElementType::FP8E4NV, &pattern)));
  pattern = 0xFFFF;
  EXPECT_TRUE(std::isnan(decodeElement(ElementType::BF16, &pattern)));
}

TEST(ElementType, FloatsWithoutMinusZero) {
  double infinity = std::numeric_limits<double>::infinity();
  // AMD CDNA3 ISA: the largest are 240 and 57344, the bias is 8 and 16.
  EXPECT_EQ(encoded(ElementType::FP8E4B8, 1), 0x40u);
  EXPECT_EQ(encoded(ElementType::FP8E5B16, 1), 0x40u);
  EXPECT_EQ(encoded(ElementType::FP8E4B8, 240), 0x7Fu);
  EXPECT_EQ(encoded(ElementType::FP8E4B8, -infinity), 0xFFu);
  EXPECT_EQ(encoded(ElementType::FP8E5B16, 57344), 0x7Fu);
  for (ElementType type : {ElementType::FP8E4B8, ElementType::FP8E5B16}) {
    EXPECT_EQ(encoded(type, -0.0), 0u);
    EXPECT_EQ(encoded(type, -1e-30), 0u);
    EXPECT_EQ(encoded(type, std::nan("")), 0x80u);
    uint32_t pattern = 0x80;
    EXPECT_TRUE(std::isnan(decodeElement(type, &pattern)));
  }
}

TEST(ElementType, IntegersClamp) {
  EXPECT_EQ(encoded(ElementType::I8, 300), 127u);
  EXPECT_EQ(encoded(ElementType::I8, -300), 128u);
  EXPECT_EQ(encoded(ElementType::U8, -1), 0u);
  EXPECT_EQ(encoded(ElementType::I32, -2.9), uint32_t(-2));
  EXPECT_EQ(minInteger(ElementType::I16), -32768);
  EXPECT_EQ(maxInteger(ElementType::U32), 4294967295);
  EXPECT_EQ(maxInteger(ElementType::U64), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(minInteger(ElementType::I64), std::numeric_limits<int64_t>::min());
}
