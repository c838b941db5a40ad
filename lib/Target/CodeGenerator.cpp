// Assembly text and objects out of LLVM's code generators.
#include "tlx/Target/CodeGenerator.h"

#include "Guarded.h"
#include "Machine.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace tlx;

static llvm::Expected<std::string> emit(const llvm::Module &module, const Arch &arch, llvm::CodeGenFileType type) {
  auto machine = makeTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  llvm::SmallString<0> text;
  bool canPrint = true;
  llvm::Error stopped = runGuarded("code generation", module.getContext(), [&] {
    // The code generator changes what it is given, and both a text and an object may be wanted.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    canPrint = !(*machine)->addPassesToEmitFile(passes, stream, nullptr, type);
    if (canPrint)
      passes.run(*copy);
  });
  if (stopped)
    return stopped;
  if (!canPrint)
    return llvm::createStringError("LLVM cannot write such a file for `" + arch.name + "`");
  return text.str().str();
}

llvm::Expected<std::string> tlx::emitAssembly(const llvm::Module &module, const Arch &arch) {
  return emit(module, arch, llvm::CodeGenFileType::AssemblyFile);
}

llvm::Expected<std::string> tlx::emitObject(const llvm::Module &module, const Arch &arch) {
  return emit(module, arch, llvm::CodeGenFileType::ObjectFile);
}

std::string tlx::printLLVM(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::string tlx::llvmVersion() {
  return LLVM_VERSION_STRING;
}
