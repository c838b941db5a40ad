// The object file that holds images and manifests, made by LLVM for the machine that tlxc runs on.
#include "tlx/Compiler/Package.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace tlx;

static llvm::Constant *bytesOf(llvm::Module &module, llvm::StringRef bytes, bool endsWithZero, const llvm::Twine &name,
                               unsigned align) {
  llvm::Constant *data = llvm::ConstantDataArray::getString(module.getContext(), bytes, endsWithZero);
  auto *global = new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, data, name);
  global->setAlignment(llvm::Align(align));
  return global;
}

static void addTable(llvm::Module &module, llvm::ArrayRef<llvm::Constant *> entries, const llvm::Twine &name,
                     bool isConstant = true) {
  auto *type = llvm::ArrayType::get(entries.front()->getType(), entries.size());
  new llvm::GlobalVariable(module, type, isConstant, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantArray::get(type, entries), name);
}

static void addData(llvm::Module &module, llvm::ArrayRef<CompileResult> results) {
  std::string name = packageName(results.front());
  llvm::SmallVector<llvm::Constant *> manifests, images, sizes, handles;
  for (const CompileResult &result : results) {
    const std::string &image = result.artifacts.at(imageOf(*result.arch));
    std::string suffix = result.arch->name.str();
    manifests.push_back(
        bytesOf(module, result.artifacts.at(Artifact::Manifest), true, name + "_manifest_" + suffix, 1));
    // NVIDIA's driver reads the image as ELF with loads of sixteen bytes at most; clang aligns what HIP reads to a
    // page.
    images.push_back(bytesOf(module, image, false, name + "_image_" + suffix, result.arch->isNVIDIA() ? 16 : 4096));
    sizes.push_back(llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), image.size()));
    handles.push_back(llvm::ConstantPointerNull::get(llvm::PointerType::get(module.getContext(), 0)));
  }
  addTable(module, manifests, name + "_manifests");
  addTable(module, images, name + "_images");
  addTable(module, sizes, name + "_image_bytes");
  addTable(module, handles, name + "_handles", /*isConstant=*/false);
}

llvm::Expected<std::string> tlx::packageObject(llvm::ArrayRef<CompileResult> results) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string reason;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError("no object file can be made for this machine: " + reason);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
  llvm::LLVMContext context;
  llvm::Module module("kernels", context);
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  addData(module, results);
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("LLVM writes no object files for this machine");
  passes.run(module);
  return object.str().str();
}
