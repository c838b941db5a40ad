// Whole files, in the rooms that link no LLVM.
#ifndef TLX_MANIFEST_READFILE_H
#define TLX_MANIFEST_READFILE_H

#include "tlx/Manifest/Result.h"

#include <filesystem>

namespace tlx::rt {

/// The bytes of a file, or an error of kind `File` that names it: it is missing, a folder, or cannot be read.
Result<std::string> readFile(const std::filesystem::path &path);

} // namespace tlx::rt

#endif
