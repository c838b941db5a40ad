#include "tlx/Support/Subprocess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <optional>

using namespace tlx;

static llvm::Expected<std::string> findProgram(llvm::StringRef program) {
  if (program.contains('/')) {
    if (llvm::sys::fs::can_execute(program))
      return program.str();
  } else if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(program)) {
    return *found;
  }
  return llvm::createStringError(std::errc::no_such_file_or_directory, "cannot find the program `%s`",
                                 program.str().c_str());
}

static llvm::Expected<std::string> readWhole(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::errorCodeToError(buffer.getError());
  return (*buffer)->getBuffer().str();
}

static llvm::Error makeCapture(llvm::SmallVectorImpl<char> &path) {
  return llvm::errorCodeToError(llvm::sys::fs::createTemporaryFile("tlx", "capture", path));
}

llvm::Expected<SubprocessResult> tlx::runSubprocess(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
                                                    unsigned timeLimitSeconds) {
  llvm::Expected<std::string> path = findProgram(program);
  if (!path)
    return path.takeError();
  llvm::SmallString<128> outputPath, errorPath;
  if (llvm::Error error = makeCapture(outputPath))
    return std::move(error);
  llvm::FileRemover removeOutput(outputPath);
  if (llvm::Error error = makeCapture(errorPath))
    return std::move(error);
  llvm::FileRemover removeError(errorPath);

  llvm::SmallVector<llvm::StringRef> argv = {program};
  llvm::append_range(argv, arguments);
  // An empty path means the null device.
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), outputPath.str(), errorPath.str()};
  std::string message;
  bool failed = false;
  int code = llvm::sys::ExecuteAndWait(*path, argv, /*Env=*/std::nullopt, redirects, timeLimitSeconds,
                                       /*MemoryLimit=*/0, &message, &failed);
  // -1: not started; -2: crashed or out of time.
  if (failed || code < 0)
    return llvm::createStringError(std::errc::io_error, "`%s` did not run to its end: %s", path->c_str(),
                                   message.empty() ? "no reason given" : message.c_str());

  llvm::Expected<std::string> output = readWhole(outputPath);
  if (!output)
    return output.takeError();
  llvm::Expected<std::string> errors = readWhole(errorPath);
  if (!errors)
    return errors.takeError();
  return SubprocessResult{code, std::move(*output), std::move(*errors)};
}
