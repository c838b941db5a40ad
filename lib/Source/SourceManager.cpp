#include "tlx/Source/SourceFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cassert>

using namespace tlx;

static constexpr size_t largestFile = size_t(1) << 30;

FileId SourceManager::add(std::string path, std::string text) {
  FileId id = static_cast<FileId>(files.size());
  files.push_back(std::make_unique<SourceFile>(id, std::move(path), std::move(text)));
  return id;
}

llvm::Expected<FileId> SourceManager::open(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read `%s`: %s", path.str().c_str(),
                                   buffer.getError().message().c_str());
  if ((*buffer)->getBufferSize() > largestFile)
    return llvm::createStringError(std::errc::file_too_large, "`%s` has %zu bytes; a source has at most %zu",
                                   path.str().c_str(), (*buffer)->getBufferSize(), largestFile);
  return add(path == "-" ? "<stdin>" : path.str(), (*buffer)->getBuffer().str());
}

const SourceFile &SourceManager::file(FileId id) const {
  assert(id < files.size() && "no such file");
  return *files[id];
}

std::string SourceManager::describe(SourceRange range) const {
  if (!range.isKnown())
    return "<unknown>";
  LineAndColumn at = file(range.file).lineAndColumn(range.begin);
  return (file(range.file).path() + ":" + llvm::Twine(at.line) + ":" + llvm::Twine(at.column)).str();
}
