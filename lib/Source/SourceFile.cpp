#include "tlx/Source/SourceFile.h"
#include <algorithm>
#include <cassert>

using namespace tlx;

SourceFile::SourceFile(FileId id, std::string path, std::string text)
    : fileId(id), filePath(std::move(path)), fileText(std::move(text)) {
  assert(fileText.size() < noFile && "offsets are 32-bit");
  starts.push_back(0);
  for (size_t at = fileText.find('\n'); at != std::string::npos; at = fileText.find('\n', at + 1))
    starts.push_back(static_cast<uint32_t>(at + 1));
}

llvm::StringRef SourceFile::text(SourceRange range) const {
  assert(range.file == fileId && "a range of another file");
  return text().slice(range.begin, range.end);
}

LineAndColumn SourceFile::lineAndColumn(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(fileText.size()));
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  unsigned line = static_cast<unsigned>(next - starts.begin());
  return {line, offset - *std::prev(next) + 1};
}

llvm::StringRef SourceFile::line(unsigned number) const {
  if (number == 0 || number > starts.size())
    return {};
  uint32_t end = number < starts.size() ? starts[number] : static_cast<uint32_t>(fileText.size());
  llvm::StringRef line = text().slice(starts[number - 1], end);
  line.consume_back("\n");
  line.consume_back("\r");
  return line;
}
