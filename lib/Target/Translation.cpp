// MLIR's LLVM, NVVM and ROCDL dialects to LLVM IR.
#include "tlx/Target/Translation.h"

#include "CodeObjectModule.h"
#include "Machine.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace mlir;
using namespace tlx;

void tlx::registerTargetDialects(DialectRegistry &registry) {
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
  registerConvertNVVMToLLVMInterface(registry);
}

/// NVVM operations that stand for inline PTX become it, and functions get the debug scopes that make `.loc` lines.
static LogicalResult prepare(ModuleOp module, bool lineTables) {
  PassManager passes(module.getContext());
  passes.enableVerifier(true);
  passes.addPass(createConvertNVVMToLLVMPass());
  // In PTX any other kind makes LLVM print `.target …, debug`, and the assembler then compiles in debug mode.
  LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
  scopes.emissionKind = lineTables ? LLVM::DIEmissionKind::LineTablesOnly : LLVM::DIEmissionKind::DebugDirectivesOnly;
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  return passes.run(module);
}

/// Inline PTX with effects may be a `.aligned` instruction, which all threads of a warp must reach together: LLVM must
/// not copy it into the arms of a branch.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
          if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
            if (assembly->hasSideEffects()) {
              call->setConvergent();
              function.setConvergent();
            }
}

/// Shared memory of the kernel, as lowering wrote it on the function.
static uint64_t sharedBytes(ModuleOp module) {
  uint64_t most = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto bytes = function->getAttrOfType<IntegerAttr>("tlx.shared_bytes"))
      most = std::max<uint64_t>(most, bytes.getInt());
  return most;
}

llvm::Expected<std::unique_ptr<llvm::Module>> tlx::translateToLLVM(ModuleOp module, llvm::LLVMContext &context,
                                                                   const Arch &arch, bool lineInfo) {
  auto machine = makeTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  std::string reason;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (reason.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      llvm::raw_string_ostream(reason) << diagnostic.getLocation() << ": " << diagnostic;
    return success();
  });
  OwningOpRef<ModuleOp> copy(module.clone());
  if (failed(prepare(*copy, lineInfo && !arch.isNVIDIA())))
    return llvm::createStringError("the lowered module cannot be prepared for LLVM: " + reason);
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(*copy, context, "tlx");
  if (!result)
    return llvm::createStringError("the lowered module cannot be translated to LLVM IR: " + reason);
  result->setTargetTriple((*machine)->getTargetTriple());
  result->setDataLayout((*machine)->createDataLayout());
  markConvergent(*result);
  if (!arch.isNVIDIA())
    completeCodeObjectModule(*result, sharedBytes(module));
  return result;
}
