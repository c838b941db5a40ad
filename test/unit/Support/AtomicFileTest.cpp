#include "tlx/Support/AtomicFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace tlx;
namespace fs = llvm::sys::fs;

namespace {
/// A folder that goes away with all it holds.
struct AtomicFile : testing::Test {
  void SetUp() override { ASSERT_FALSE(fs::createUniqueDirectory("tlx-atomic", folder)); }
  void TearDown() override { fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> joined = folder;
    llvm::sys::path::append(joined, name);
    return joined.str().str();
  }
  unsigned fileCount() const {
    unsigned count = 0;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
      ++count;
    return count;
  }
  static std::string read(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "<unreadable>";
  }

  llvm::SmallString<128> folder;
};
} // namespace

TEST_F(AtomicFile, WritesAndReplaces) {
  ASSERT_FALSE(llvm::errorToBool(writeFileAtomically(path("out"), llvm::StringRef("one\0two", 7))));
  EXPECT_EQ(read(path("out")), std::string("one\0two", 7));
  ASSERT_FALSE(llvm::errorToBool(writeFileAtomically(path("out"), "three")));
  EXPECT_EQ(read(path("out")), "three");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(AtomicFile, OthersMayReadTheFile) {
  ASSERT_FALSE(llvm::errorToBool(writeFileAtomically(path("out"), "x")));
  llvm::ErrorOr<fs::perms> permissions = fs::getPermissions(path("out"));
  ASSERT_TRUE(permissions);
  EXPECT_EQ(*permissions, static_cast<fs::perms>(0666 & ~fs::getUmask()));
}

TEST_F(AtomicFile, MissingFolderIsAnError) {
  llvm::Error error = writeFileAtomically(path("missing/out"), "x");
  ASSERT_TRUE(static_cast<bool>(error));
  EXPECT_NE(llvm::toString(std::move(error)).find("cannot write `"), std::string::npos);
}

TEST_F(AtomicFile, FailedRenameLeavesNothing) {
  // A folder that is not empty cannot be replaced by a file.
  ASSERT_FALSE(fs::create_directories(path("out/inner")));
  EXPECT_TRUE(llvm::errorToBool(writeFileAtomically(path("out"), "x")));
  EXPECT_EQ(fileCount(), 1u);
}
