#include "tlx/Support/NearestName.h"
#include <gtest/gtest.h>

using tlx::nearestName;

TEST(NearestName, FindsTheLeastDistance) {
  EXPECT_EQ(nearestName("barrier_wiat", {"barrier_arrive", "barrier_wait", "barrier"}), "barrier_wait");
  EXPECT_EQ(nearestName("BLOCK_N", {"BLOCK_M", "BLOCK_N"}), "BLOCK_N");
}

TEST(NearestName, TakesTheFirstOfEquals) {
  EXPECT_EQ(nearestName("abcx", {"abcy", "abcz"}), "abcy");
}

TEST(NearestName, StopsAtAThirdOfTheLength) {
  EXPECT_EQ(nearestName("abcdef", {"abcdxy"}), "abcdxy");
  EXPECT_EQ(nearestName("abcdef", {"abcxyz"}), std::nullopt);
  EXPECT_EQ(nearestName("ab", {"ac"}), std::nullopt);
  EXPECT_EQ(nearestName("ab", {}), std::nullopt);
}
