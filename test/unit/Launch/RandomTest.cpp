// Random streams: published values, pinned bits, and agreement with the C library's functions.
#include "tlx/Launch/Random.h"
#include "tlx/Launch/HostTensor.h"
#include "tlx/Launch/LaunchSession.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

using namespace tlx::rt;

TEST(Random, SplitMixIsThePublishedOne) {
  // First outputs for seed 1234567, as in the reference code of the authors.
  EXPECT_EQ(splitMix64(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(splitMix64(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(splitMix64(1234567, 2), 9817491932198370423u);
}

TEST(Random, NormalAgreesWithTheCLibrary) {
  for (uint64_t i = 0; i < 200000; i += 2) {
    double first = double((splitMix64(9, i) >> 11) + 1) * 0x1p-53, turns = double(splitMix64(9, i + 1) >> 11) * 0x1p-53;
    double radius = std::sqrt(-2 * std::log(first)), angle = 2 * M_PI * turns;
    ASSERT_NEAR(standardNormal(9, i), radius * std::cos(angle), 1e-14) << i;
    ASSERT_NEAR(standardNormal(9, i + 1), radius * std::sin(angle), 1e-14) << i;
  }
}

TEST(Random, NormalHasTheRightMoments) {
  double sum = 0, squares = 0, fourths = 0;
  constexpr int count = 1000000;
  for (int i = 0; i < count; ++i) {
    double z = standardNormal(3, uint64_t(i));
    sum += z, squares += z * z, fourths += z * z * z * z;
  }
  EXPECT_NEAR(sum / count, 0, 0.004);
  EXPECT_NEAR(squares / count, 1, 0.006);
  EXPECT_NEAR(fourths / count, 3, 0.05);
}

TEST(Random, BitsArePinned) {
  uint64_t hash = 0;
  for (uint64_t i = 0; i < 1000; ++i)
    hash = hash * 31 + std::bit_cast<uint64_t>(standardNormal(1, i));
  EXPECT_EQ(hash, 6415734133783177066u) << "the streams changed: files written with them are no longer reproducible";
  EXPECT_EQ(std::bit_cast<uint64_t>(standardNormal(1, 0)), 13807171693206598365u);
}

TEST(Random, IntegersStayInRange) {
  int seen[7] = {};
  for (uint64_t i = 0; i < 70000; ++i) {
    int64_t value = uniformInteger(5, i, -3, 4);
    ASSERT_GE(value, -3);
    ASSERT_LT(value, 4);
    ++seen[value + 3];
  }
  for (int count : seen)
    EXPECT_NEAR(count, 10000, 500);
}

TEST(Random, TensorsDoNotDependOnStrides) {
  auto file = parseLaunchFile(R"json({"manifest": "m.json", "grid": [1], "tensors": {
    "a": {"dtype": "fp16", "shape": [5, 7], "init": "randn", "seed": 4},
    "b": {"dtype": "fp16", "shape": [5, 7], "strides": [1, 8], "offset": 3, "init": "randn", "seed": 4}}})json",
                              ".");
  ASSERT_TRUE(file) << file.error().text;
  auto tensors = makeTensors(*file);
  ASSERT_TRUE(tensors);
  double a[7], b[7];
  for (int row = 0; row < 5; ++row) {
    (*tensors)[0].readRow(row, a);
    (*tensors)[1].readRow(row, b);
    for (int column = 0; column < 7; ++column)
      EXPECT_EQ(a[column], b[column]);
  }
  EXPECT_EQ((*tensors)[1].firstTouchedPadding(), -1);
}
