// Artifacts to files or standard output.
#include "Outputs.h"

#include "tlx/Compiler/Package.h"
#include "tlx/Support/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tlx;

std::string Outputs::pathOf(llvm::StringRef fileName) const {
  llvm::SmallString<128> path(command.output == "." ? "" : command.output);
  llvm::sys::path::append(path, fileName);
  return path.str().str();
}

llvm::Error Outputs::writeText(llvm::StringRef fileName, llvm::StringRef contents) {
  if (command.output == "-") {
    llvm::outs() << contents;
    return llvm::Error::success();
  }
  if (std::error_code code = llvm::sys::fs::create_directories(command.output))
    return llvm::createStringError(code, "the folder `%s` cannot be made: %s", command.output.c_str(),
                                   code.message().c_str());
  std::string path = pathOf(fileName);
  written.push_back(path);
  return writeFileAtomically(path, contents);
}

/// What to write of a result, the image before the manifest that names it.
static constexpr Artifact order[] = {
    Artifact::AST,      Artifact::TLX,         Artifact::TLXScheduled, Artifact::TLXLaidOut, Artifact::TLXSynchronized,
    Artifact::TLXFinal, Artifact::LLVMDialect, Artifact::LLVM,         Artifact::PTX,        Artifact::GCN,
    Artifact::Cubin,    Artifact::Hsaco,       Artifact::Manifest};

bool Outputs::isWanted(Artifact artifact) const {
  // The manifest names the module that the emulator executes.
  if (artifact == Artifact::LLVMDialect && command.artifacts.contains(Artifact::Manifest) && command.output != "-")
    return true;
  return command.artifacts.contains(artifact);
}

llvm::Error Outputs::write(const CompileResult &result) {
  for (Artifact artifact : order) {
    auto found = result.artifacts.find(artifact);
    if (!isWanted(artifact) || found == result.artifacts.end())
      continue;
    // The syntax tree is that of the file, whatever the target.
    std::string name =
        artifact == Artifact::AST ? result.kernel + fileSuffix(artifact).str() : result.fileName(artifact);
    if (llvm::Error error = writeText(name, found->second))
      return error;
  }
  return llvm::Error::success();
}

std::string tlx::packageStem(const CompileResult &result) {
  return result.variant.empty() ? result.kernel : result.kernel + "." + result.variant;
}

llvm::Error Outputs::writePackage(llvm::ArrayRef<CompileResult> results) {
  std::string stem = packageStem(results.front());
  if (command.artifacts.contains(Artifact::Header))
    if (llvm::Error error = writeText(stem + ".h", packageHeader(results)))
      return error;
  if (!command.artifacts.contains(Artifact::Object))
    return llvm::Error::success();
  llvm::Expected<std::string> object = packageObject(results);
  if (!object)
    return object.takeError();
  return writeText(stem + ".o", *object);
}

/// Make's quoting of a file name.
static std::string quoted(llvm::StringRef path) {
  std::string result;
  for (char c : path) {
    if (c == ' ' || c == '#' || c == '\\')
      result += '\\';
    if (c == '$')
      result += '$';
    result += c;
  }
  return result;
}

llvm::Error Outputs::writeDependencies(llvm::StringRef stem, const SourceManager &files) {
  std::string rule;
  for (const std::string &path : written)
    rule += (rule.empty() ? "" : " ") + quoted(path);
  rule += ": " + quoted(command.input);
  // Imported modules.
  for (FileId file = 0; file < files.fileCount(); ++file)
    if (files.file(file).path() != command.input)
      rule += " " + quoted(files.file(file).path());
  rule += "\n";
  return writeText((stem + ".d").str(), rule);
}
