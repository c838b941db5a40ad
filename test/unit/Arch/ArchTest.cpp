// The table of targets: limits that users meet, and plain names that become their accelerated form.
#include "tlx/Arch/Arch.h"
#include <gtest/gtest.h>
#include <set>

using namespace tlx;

TEST(Arch, FindsEveryTargetByItsExactName) {
  for (const char *name :
       {"sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103a", "sm_100f", "sm_120a", "gfx942", "gfx950"}) {
    const Arch *arch = findArch(name);
    ASSERT_TRUE(arch) << name;
    EXPECT_EQ(arch->name.str(), name);
  }
  EXPECT_EQ(allArchs().size(), 9u);
}

TEST(Arch, RefusesNamesThatAreNotInTheTable) {
  for (const char *name : {"", "sm_9", "sm_90b", "SM_90A", "sm_90a ", "gfx90a"})
    EXPECT_FALSE(findArch(name)) << name;
  EXPECT_EQ(archNames(), "sm_90, sm_90a, sm_100, sm_100a, sm_103a, sm_100f, sm_120a, gfx942, gfx950");
}

TEST(Arch, NamesAreUniqueAndAcceleratedFormsExist) {
  std::set<std::string> names;
  for (const Arch &arch : allArchs()) {
    EXPECT_TRUE(names.insert(arch.name.str()).second) << arch.name.str();
    const Arch *accelerated = findArch(arch.accelerated);
    ASSERT_TRUE(accelerated) << arch.name.str();
    EXPECT_EQ(accelerated->accelerated, accelerated->name);
    EXPECT_EQ(accelerated->missing(arch.features), Feature::None) << arch.name.str();
  }
}

TEST(Arch, SharedMemoryLimitsAreThoseThatTheAssemblerEnforces) {
  EXPECT_EQ(findArch("sm_90a")->sharedPerBlock, 232448u);
  EXPECT_EQ(findArch("sm_100a")->sharedPerBlock, 232448u);
  EXPECT_EQ(findArch("sm_120a")->sharedPerBlock, 101376u);
  EXPECT_EQ(findArch("gfx942")->sharedPerBlock, 65536u);
}

TEST(Arch, PlainFormBecomesTheAcceleratedOneOnlyWhenNeeded) {
  const Arch &plain = *findArch("sm_90");
  EXPECT_EQ(archWith(plain, Feature::TMA | Feature::Clusters), &plain);
  EXPECT_EQ(archWith(plain, Feature::Wgmma), findArch("sm_90a"));
  EXPECT_EQ(archWith(plain, Feature::TensorMemory), nullptr);
  EXPECT_EQ(archWith(*findArch("sm_120a"), Feature::Wgmma), nullptr);
  EXPECT_EQ(plain.missing(Feature::TMA | Feature::Wgmma), Feature::Wgmma);
}
