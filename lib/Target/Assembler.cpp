// Runs ptxas as a subprocess.
#include "tlx/Target/Assembler.h"

#include "tlx/Support/AtomicFile.h"
#include "tlx/Support/Subprocess.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace tlx;

std::optional<std::string> tlx::findAssembler() {
  // A name given on purpose is taken as it is, so that a wrong one is an error and not a silent other choice.
  if (const char *named = std::getenv("TLXC_PTXAS"); named && *named)
    return std::string(named);
  llvm::SmallVector<std::string, 3> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable); home && *home)
      folders.push_back(std::string(home) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders) {
    std::string path = folder + "/ptxas";
    if (llvm::sys::fs::can_execute(path))
      return path;
  }
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  return std::nullopt;
}

llvm::Expected<std::string> tlx::assemblerVersion(llvm::StringRef assembler) {
  llvm::Expected<SubprocessResult> result = runSubprocess(assembler, {"--version"});
  if (!result)
    return result.takeError();
  // "Cuda compilation tools, release 13.0, V13.0.88".
  llvm::StringRef text = result->standardOutput;
  size_t place = text.find(", V");
  if (result->exitCode != 0 || place == llvm::StringRef::npos)
    return llvm::createStringError("`" + assembler + " --version` does not answer as NVIDIA's assembler does");
  return text.drop_front(place + 3).take_while([](char c) { return llvm::isDigit(c) || c == '.'; }).str();
}

/// A temporary file that is removed when the object goes.
static llvm::Expected<llvm::SmallString<128>> temporaryFile(llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tlxc", suffix, path))
    return llvm::createStringError(code, "no temporary file can be made");
  return path;
}

static llvm::SmallVector<llvm::StringRef> argumentsOf(const AssemblerJob &job, llvm::StringRef archOption,
                                                      llvm::StringRef input, llvm::StringRef output) {
  llvm::SmallVector<llvm::StringRef> arguments = {archOption, "-O3", "-v"};
  if (job.lineInfo)
    arguments.push_back("-lineinfo");
  arguments.append({input, "-o", output});
  return arguments;
}

static llvm::Error refusal(const AssemblerJob &job, llvm::StringRef archOption, const SubprocessResult &result) {
  if (llvm::Error error = writeFileAtomically(job.keepOnFailure, job.ptx))
    return error;
  llvm::SmallVector<llvm::StringRef> arguments = argumentsOf(job, archOption, job.keepOnFailure, "/dev/null");
  std::string words = llvm::StringRef(result.standardError + result.standardOutput).trim().str();
  return llvm::createStringError("the assembler refused the PTX of `" + job.kernel + "` (exit code " +
                                 llvm::Twine(result.exitCode) + "):\n" + words + "\nrepeat with: " + job.assembler +
                                 " " + llvm::join(arguments, " "));
}

llvm::Expected<AssemblerResult> tlx::assemble(const AssemblerJob &job) {
  auto input = temporaryFile("ptx");
  if (!input)
    return input.takeError();
  llvm::FileRemover removeInput(*input);
  auto output = temporaryFile("cubin");
  if (!output)
    return output.takeError();
  llvm::FileRemover removeOutput(*output);
  if (llvm::Error error = writeFileAtomically(*input, job.ptx))
    return error;

  std::string archOption = ("-arch=" + job.arch->name).str();
  auto result = runSubprocess(job.assembler, argumentsOf(job, archOption, *input, *output));
  if (!result)
    return result.takeError();
  if (result->exitCode != 0)
    return refusal(job, archOption, *result);
  auto image = llvm::MemoryBuffer::getFile(*output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!image)
    return llvm::createStringError(image.getError(), "the assembler's output cannot be read");
  return AssemblerResult{(*image)->getBuffer().str(),
                         parseAssemblerReport(result->standardError + result->standardOutput, job.kernel)};
}
