// The user's files: their text, and the way from a byte offset to the line and column that people count in.
#ifndef TLX_SOURCE_SOURCEFILE_H
#define TLX_SOURCE_SOURCEFILE_H

#include "tlx/Support/SourceRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tlx {

/// Both count from one; the column counts bytes.
struct LineAndColumn {
  unsigned line = 1;
  unsigned column = 1;
  bool operator==(const LineAndColumn &) const = default;
};

/// One file, immutable once made.
class SourceFile {
public:
  SourceFile(FileId id, std::string path, std::string text);

  FileId id() const { return fileId; }
  llvm::StringRef path() const { return filePath; }
  llvm::StringRef text() const { return fileText; }
  /// The text that a range of this file covers.
  llvm::StringRef text(SourceRange range) const;

  /// Byte offset of the first character of each line; never empty.
  llvm::ArrayRef<uint32_t> lineStarts() const { return starts; }
  /// Offsets beyond the end count as the end.
  LineAndColumn lineAndColumn(uint32_t offset) const;
  /// The text of line `number` (from one) without its line end; empty when there is no such line.
  llvm::StringRef line(unsigned number) const;

private:
  FileId fileId;
  std::string filePath;
  std::string fileText;
  std::vector<uint32_t> starts;
};

/// Owns the files of a compile. References to files stay good while it lives.
class SourceManager {
public:
  /// Takes text that is already in memory, under the name by which diagnostics call it.
  FileId add(std::string path, std::string text);
  /// Reads a file, or standard input when `path` is "-". Fails when it cannot be read or has more than 1 GiB.
  llvm::Expected<FileId> open(llvm::StringRef path);

  const SourceFile &file(FileId id) const;
  unsigned fileCount() const { return static_cast<unsigned>(files.size()); }
  /// "path:line:column" of where the range begins, or "<unknown>".
  std::string describe(SourceRange range) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files;
};

} // namespace tlx

#endif
