#include "tlx/Support/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace tlx;
namespace fs = llvm::sys::fs;

static llvm::Error failure(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError(code, "cannot write `%s`: %s", path.str().c_str(), code.message().c_str());
}

/// What the process would give a file that it creates itself; a temporary file is made private.
static fs::perms permissionsOfNewFile() {
  return static_cast<fs::perms>(0666 & ~fs::getUmask());
}

llvm::Error tlx::writeFileAtomically(llvm::StringRef path, llvm::StringRef contents) {
  llvm::Expected<fs::TempFile> temporary = fs::TempFile::create(path + ".%%%%%%%%.part");
  if (!temporary)
    return failure(path, llvm::errorToErrorCode(temporary.takeError()));
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    stream << contents;
    stream.flush();
    code = stream.error();
    stream.clear_error();
  }
  if (!code)
    code = fs::setPermissions(temporary->FD, permissionsOfNewFile());
  if (code) {
    llvm::consumeError(temporary->discard());
    return failure(path, code);
  }
  // keep() renames, and on failure removes the temporary file itself.
  if (llvm::Error error = temporary->keep(path)) {
    code = llvm::errorToErrorCode(std::move(error));
    llvm::consumeError(temporary->discard());
    return failure(path, code);
  }
  return llvm::Error::success();
}
