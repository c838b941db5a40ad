// The table of kinds, the builder and the sink.
#include "tlx/Support/Diagnostics.h"
#include <gtest/gtest.h>
#include <set>

using namespace tlx;
using namespace tlx::diag;

TEST(Diagnostics, BuilderReportsWhenTheExpressionEnds) {
  Sink sink;
  sink.error(Kind::DuplicateName, {0, 3, 5}) << "`"
                                             << "x"
                                             << "` is given " << 2 << " times";
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  const Diagnostic &diagnostic = sink.diagnostics().front();
  EXPECT_EQ(diagnostic.kind, Kind::DuplicateName);
  EXPECT_EQ(diagnostic.message, "`x` is given 2 times");
  EXPECT_EQ(diagnostic.range, (SourceRange{0, 3, 5}));
  EXPECT_TRUE(diagnostic.notes.empty());
  EXPECT_EQ(sink.errorCount(), 1u);
}

TEST(Diagnostics, BuilderKeepsNotesAndRepair) {
  Sink sink;
  sink.error(Kind::ExpectedToken, {0, 1, 2}).note({0, 7, 8}, llvm::Twine("see ") + "here").fixIt("==") << "wrong";
  const Diagnostic &diagnostic = sink.diagnostics().front();
  ASSERT_EQ(diagnostic.notes.size(), 1u);
  EXPECT_EQ(diagnostic.notes.front().message, "see here");
  EXPECT_EQ(diagnostic.notes.front().range.begin, 7u);
  EXPECT_EQ(diagnostic.fixIt, "==");
}

TEST(Diagnostics, MovedBuilderReportsOnce) {
  Sink sink;
  {
    Builder first = sink.error(Kind::ExpectedToken, {});
    first << "a";
    Builder second = std::move(first);
    second << "b";
    EXPECT_EQ(sink.errorCount(), 0u);
  }
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(sink.diagnostics().front().message, "ab");
}

TEST(Diagnostics, SinkKeepsTheOrder) {
  Sink sink;
  EXPECT_FALSE(sink.hasErrors());
  sink.error(Kind::ExpectedBlock, {}) << "one";
  sink.error(Kind::ExpectedToken, {}) << "two";
  EXPECT_TRUE(sink.hasErrors());
  EXPECT_EQ(sink.diagnostics()[0].message, "one");
  EXPECT_EQ(sink.diagnostics()[1].message, "two");
}

TEST(Diagnostics, TableIsWellFormed) {
  std::set<std::string> seen;
  for (Kind kind : allKinds()) {
    llvm::StringRef name = spelling(kind);
    EXPECT_TRUE(seen.insert(name.str()).second) << name.str() << " stands twice";
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), llvm::StringRef::npos) << name.str();
    EXPECT_FALSE(rule(kind).empty());
    EXPECT_FALSE(rule(kind).ends_with(".")) << name.str();
    EXPECT_EQ(kindOfSpelling(name), kind);
  }
  EXPECT_EQ(kindOfSpelling("no-such-kind"), std::nullopt);
}

TEST(SourceRange, JoinCoversBoth) {
  EXPECT_EQ(join({1, 4, 6}, {1, 2, 5}), (SourceRange{1, 2, 6}));
  EXPECT_EQ(join({}, {1, 2, 5}), (SourceRange{1, 2, 5}));
  EXPECT_EQ(join({1, 2, 5}, {}), (SourceRange{1, 2, 5}));
  EXPECT_FALSE(SourceRange().isKnown());
}
