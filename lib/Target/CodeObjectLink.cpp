// lld, called as a library.
#include "tlx/Target/CodeObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

using namespace tlx;

static llvm::Expected<llvm::SmallString<128>> temporaryFile(llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tlxc", suffix, path))
    return llvm::createStringError(code, "no temporary file can be made");
  return path;
}

llvm::Expected<std::string> tlx::linkCodeObject(llvm::StringRef object, bool keepDebug) {
  auto input = temporaryFile("o");
  if (!input)
    return input.takeError();
  llvm::FileRemover removeInput(*input);
  auto output = temporaryFile("hsaco");
  if (!output)
    return output.takeError();
  llvm::FileRemover removeOutput(*output);
  // Not written atomically: nobody else knows the name, and the linker reads it at once.
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(*input, code);
    stream << object;
    if (code || (stream.close(), stream.has_error()))
      return llvm::createStringError("the object for the linker cannot be written");
  }
  llvm::SmallVector<const char *> arguments = {"ld.lld",       "-shared", "--no-undefined", "--threads=1",
                                               input->c_str(), "-o",      output->c_str()};
  if (!keepDebug)
    arguments.push_back("--strip-debug");
  std::string words;
  llvm::raw_string_ostream stream(words);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return llvm::createStringError("the linker refused the code object: " + llvm::StringRef(words).trim());
  auto image = llvm::MemoryBuffer::getFile(*output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!image)
    return llvm::createStringError(image.getError(), "the linker's output cannot be read");
  return (*image)->getBuffer().str();
}
