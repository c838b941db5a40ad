// Reading of whole files.
#include "tlx/Manifest/ReadFile.h"

#include <cstdio>

using namespace tlx;
using namespace tlx::rt;

/// C's functions: a C++ stream throws out of its iterators when what was opened is a folder.
Result<std::string> rt::readFile(const std::filesystem::path &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{ErrorKind::File, "`" + path.string() + "` is a folder"};
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return Error{ErrorKind::File, "`" + path.string() + "` cannot be opened"};
  std::string bytes;
  char part[65536];
  while (size_t count = std::fread(part, 1, sizeof part, file))
    bytes.append(part, count);
  bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed)
    return Error{ErrorKind::File, "`" + path.string() + "` cannot be read"};
  return bytes;
}
