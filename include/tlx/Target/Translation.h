// The step from the last MLIR module to LLVM IR.
#ifndef TLX_TARGET_TRANSLATION_H
#define TLX_TARGET_TRANSLATION_H

#include "mlir/IR/BuiltinOps.h"
#include "tlx/Arch/Arch.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace tlx {

/// Adds to the registry what translation needs: the dialects of the last module and their way to LLVM IR.
void registerTargetDialects(mlir::DialectRegistry &registry);

/// Translates a module of the LLVM, NVVM and ROCDL dialects (nothing else may be left in it), with line directives from
/// its locations and the target's triple, data layout and features. `lineInfo` keeps the table of lines in images that
/// are not made from text. The MLIR module is left as it was. Fails, with the text of the first MLIR diagnostic, on a
/// module that cannot be translated: that is a bug of the passes before.
llvm::Expected<std::unique_ptr<llvm::Module>> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                              const Arch &arch, bool lineInfo = false);

} // namespace tlx

#endif
