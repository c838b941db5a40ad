// PTX text out of LLVM's NVPTX code generator.
#include "tlx/Target/CodeGenerator.h"

#include "Guarded.h"
#include "Machine.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlx;

llvm::Expected<std::string> tlx::emitPTX(llvm::Module &module, const Arch &arch) {
  auto machine = makeTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  llvm::SmallString<0> text;
  bool canPrint = true;
  llvm::Error stopped = runGuarded("code generation", [&] {
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    canPrint = !(*machine)->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile);
    if (canPrint)
      passes.run(module);
  });
  if (stopped)
    return stopped;
  if (!canPrint)
    return llvm::createStringError("LLVM cannot print assembly for `" + arch.name + "`");
  return text.str().str();
}

std::string tlx::printLLVM(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::string tlx::llvmVersion() { return LLVM_VERSION_STRING; }
