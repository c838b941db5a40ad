#include "tlx/Source/SourceFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace tlx;

TEST(SourceFile, LinesAndColumnsCountFromOne) {
  SourceFile file(0, "a", "ab\n\ncd");
  EXPECT_EQ(file.lineAndColumn(0), (LineAndColumn{1, 1}));
  EXPECT_EQ(file.lineAndColumn(2), (LineAndColumn{1, 3}));
  EXPECT_EQ(file.lineAndColumn(3), (LineAndColumn{2, 1}));
  EXPECT_EQ(file.lineAndColumn(5), (LineAndColumn{3, 2}));
  EXPECT_EQ(file.lineAndColumn(6), (LineAndColumn{3, 3}));
  EXPECT_EQ(file.lineAndColumn(100), (LineAndColumn{3, 3}));
}

TEST(SourceFile, LinesComeWithoutTheirEnd) {
  SourceFile file(0, "a", "ab\r\n\ncd\n");
  EXPECT_EQ(file.line(1), "ab");
  EXPECT_EQ(file.line(2), "");
  EXPECT_EQ(file.line(3), "cd");
  EXPECT_EQ(file.line(4), "");
  EXPECT_EQ(file.line(0), "");
  EXPECT_EQ(file.line(9), "");
}

TEST(SourceFile, EmptyFileHasOneLine) {
  SourceFile file(0, "a", "");
  EXPECT_EQ(file.lineStarts().size(), 1u);
  EXPECT_EQ(file.lineAndColumn(0), (LineAndColumn{1, 1}));
}

TEST(SourceFile, TextOfARange) {
  SourceFile file(3, "a", "hello");
  EXPECT_EQ(file.text({3, 1, 3}), "el");
  EXPECT_EQ(file.text({3, 4, 99}), "o");
}

TEST(SourceManager, FilesStayWhileOthersCome) {
  SourceManager files;
  FileId first = files.add("first", "1");
  const SourceFile &kept = files.file(first);
  for (int i = 0; i < 100; ++i)
    files.add("more", "x");
  EXPECT_EQ(&kept, &files.file(first));
  EXPECT_EQ(kept.path(), "first");
  EXPECT_EQ(files.fileCount(), 101u);
}

TEST(SourceManager, DescribesPlaces) {
  SourceManager files;
  FileId id = files.add("k.tlx", "a\nbc");
  EXPECT_EQ(files.describe({id, 3, 4}), "k.tlx:2:2");
  EXPECT_EQ(files.describe({}), "<unknown>");
}

TEST(SourceManager, OpensFiles) {
  llvm::SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tlx", "tlx", descriptor, path));
  llvm::FileRemover remove(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << "x = 1\n";
  SourceManager files;
  llvm::Expected<FileId> id = files.open(path);
  ASSERT_TRUE(static_cast<bool>(id));
  EXPECT_EQ(files.file(*id).text(), "x = 1\n");
  EXPECT_EQ(files.file(*id).path(), path);
}

TEST(SourceManager, MissingFileIsAnError) {
  SourceManager files;
  llvm::Expected<FileId> id = files.open("/no/such/file.tlx");
  ASSERT_FALSE(static_cast<bool>(id));
  EXPECT_EQ(llvm::toString(id.takeError()).find("cannot read `/no/such/file.tlx`: "), 0u);
  EXPECT_EQ(files.fileCount(), 0u);
}
