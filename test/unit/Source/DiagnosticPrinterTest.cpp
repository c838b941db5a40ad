// The printed form of diagnostics, byte for byte: editors parse it.
#include "tlx/Source/DiagnosticPrinter.h"
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::diag;

namespace {
struct DiagnosticPrinter : testing::Test {
  std::string printed() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    print(sink, files, stream);
    return text;
  }
  SourceManager files;
  Sink sink;
};
} // namespace

TEST_F(DiagnosticPrinter, UnderlinesTheRange) {
  FileId id = files.add("k.tlx", "one\nx = foo(1)\n");
  sink.error(Kind::ExpectedToken, {id, 8, 11}) << "found `foo`";
  EXPECT_EQ(printed(), "k.tlx:2:5: error: found `foo` [expected-token]\n"
                       "  x = foo(1)\n"
                       "      ^~~\n");
}

TEST_F(DiagnosticPrinter, PrintsNotesAndRepair) {
  FileId id = files.add("k.tlx", "if a = b:\n");
  sink.error(Kind::ExpectedToken, {id, 5, 6}).note({id, 0, 2}, "in this").fixIt("==") << "found `=`";
  EXPECT_EQ(printed(), "k.tlx:1:6: error: found `=` [expected-token]\n"
                       "  if a = b:\n"
                       "       ^\n"
                       "k.tlx:1:6: note: write `==` here\n"
                       "  if a = b:\n"
                       "       ^\n"
                       "k.tlx:1:1: note: in this\n"
                       "  if a = b:\n"
                       "  ^~\n");
}

TEST_F(DiagnosticPrinter, KeepsTabsAndCountsCharacters) {
  FileId id = files.add("k.tlx", "\t\"\xC3\xA9\" xy");
  sink.error(Kind::ExpectedToken, {id, 6, 8}) << "m";
  EXPECT_EQ(printed(), "k.tlx:1:7: error: m [expected-token]\n"
                       "  \t\"\xC3\xA9\" xy\n"
                       "  \t    ^~\n");
}

TEST_F(DiagnosticPrinter, LongLinesAreCutAroundThePlace) {
  std::string dots = std::string(10000, '.');
  FileId id = files.add("k.tlx", dots + "\tfoo" + dots);
  sink.error(Kind::ExpectedToken, {id, 10001, 10004}) << "m";
  EXPECT_EQ(printed(), "k.tlx:1:10002: error: m [expected-token]\n  ..." + dots.substr(0, 59) + "\tfoo" +
                           dots.substr(0, 97) + "...\n     " + std::string(59, ' ') + "\t^~~\n");
}

TEST_F(DiagnosticPrinter, LongLinesAreCutBetweenCharacters) {
  std::string accents;
  for (int i = 0; i < 500; ++i)
    accents += "\xC3\xA9";
  FileId id = files.add("k.tlx", accents);
  sink.error(Kind::ExpectedToken, {id, 0, 1000}) << "m";
  sink.error(Kind::ExpectedToken, {id, 1000, 1000}) << "m";
  EXPECT_EQ(printed(), "k.tlx:1:1: error: m [expected-token]\n  " + accents.substr(0, 320) + "...\n  ^" +
                           std::string(159, '~') + "\nk.tlx:1:1001: error: m [expected-token]\n  ..." +
                           accents.substr(0, 320) + "\n     " + std::string(160, ' ') + "^\n");
}

TEST_F(DiagnosticPrinter, RangeOfSeveralLinesStopsAtTheFirst) {
  FileId id = files.add("k.tlx", "f(a,\n  b)\n");
  sink.error(Kind::ExpectedToken, {id, 0, 9}) << "m";
  EXPECT_EQ(printed(), "k.tlx:1:1: error: m [expected-token]\n  f(a,\n  ^~~~\n");
}

TEST_F(DiagnosticPrinter, PlaceAtTheEndOfTheFile) {
  FileId id = files.add("k.tlx", "ab");
  sink.error(Kind::ExpectedToken, {id, 2, 2}) << "m";
  EXPECT_EQ(printed(), "k.tlx:1:3: error: m [expected-token]\n  ab\n    ^\n");
}

TEST_F(DiagnosticPrinter, WithoutAPlace) {
  sink.error(Kind::ExpectedToken, {}) << "m";
  EXPECT_EQ(printed(), "tlxc: error: m [expected-token]\n");
}
