// What literals mean.
#include "Literals.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tlx::ast;

static std::string decoded(llvm::StringRef body, bool isBytes = false) {
  std::string text;
  return decodeEscapes(body, isBytes, text) ? "<problem>" : text;
}

TEST(Literals, Integers) {
  EXPECT_EQ(intValue("0").value, 0u);
  EXPECT_EQ(intValue("1_000").value, 1000u);
  EXPECT_EQ(intValue("0xFF").value, 255u);
  EXPECT_EQ(intValue("0b_101").value, 5u);
  EXPECT_EQ(intValue("0o17").value, 15u);
  EXPECT_EQ(intValue("18446744073709551615").value, UINT64_MAX);
  EXPECT_FALSE(intValue("18446744073709551615").overflow);
}

TEST(Literals, IntegersBeyond64BitsSaySo) {
  EXPECT_TRUE(intValue("18446744073709551616").overflow);
  EXPECT_EQ(intValue("18446744073709551617").value, 1u);
  EXPECT_TRUE(intValue("0x1_0000_0000_0000_0000").overflow);
  EXPECT_TRUE(intValue("100000000000000000000000000").overflow);
}

TEST(Literals, Floats) {
  EXPECT_EQ(floatValue("1.5"), 1.5);
  EXPECT_EQ(floatValue(".5"), 0.5);
  EXPECT_EQ(floatValue("1."), 1.0);
  EXPECT_EQ(floatValue("1_0e-1"), 1.0);
  EXPECT_EQ(floatValue("1.44269504"), 1.44269504);
  EXPECT_TRUE(std::isinf(floatValue("1e999")));
  EXPECT_EQ(floatValue("1e-999"), 0.0);
}

TEST(Literals, Escapes) {
  EXPECT_EQ(decoded("a\\n\\t\\\\\\'\\\"b"), "a\n\t\\'\"b");
  EXPECT_EQ(decoded("\\x41\\101\\0"), std::string("AA\0", 3));
  EXPECT_EQ(decoded("\\u00e9\\U0001F600"), "\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(decoded("\\N{BULLET}"), "\xE2\x80\xA2");
  EXPECT_EQ(decoded("a\\\nb\\\r\nc"), "abc");
  EXPECT_EQ(decoded("\\d\\"), "\\d\\");
}

TEST(Literals, BytesHaveNoUnicodeEscapes) {
  EXPECT_EQ(decoded("\\u0041", /*isBytes=*/true), "\\u0041");
  EXPECT_EQ(decoded("\\xff", /*isBytes=*/true), "\xFF");
  EXPECT_EQ(decoded("\\xff"), "\xC3\xBF");
}

TEST(Literals, EscapesThatNameNoCharacter) {
  for (llvm::StringRef body : {"\\x4", "\\xg0", "\\u12", "\\U00110000", "\\ud800", "\\N{NO SUCH NAME}", "\\N", "\\x+1"})
    EXPECT_EQ(decoded(body), "<problem>") << body.str();
}

TEST(Literals, PartsOfAString) {
  StringParts parts = splitString("Rb'''x'''");
  EXPECT_TRUE(parts.isRaw && parts.isBytes && !parts.isFormatted);
  EXPECT_EQ(parts.bodyBegin, 5u);
  EXPECT_EQ(parts.bodyEnd, 6u);
}
