// The manifest of a kernel, from what lowering wrote on its function.
#ifndef TLX_LIB_COMPILER_MANIFESTBUILDER_H
#define TLX_LIB_COMPILER_MANIFESTBUILDER_H

#include "mlir/IR/BuiltinOps.h"
#include "tlx/Arch/Arch.h"
#include "tlx/Manifest/Manifest.h"
#include "tlx/Target/Assembler.h"
#include "tlx/Target/CodeObject.h"
#include "llvm/Support/Error.h"

namespace tlx {

/// All that the lowered module tells: kernel, parameters, launch, resources as far as the assembler has no part in
/// them. An error means that lowering broke its promise (lib/Conversion/README.md): our bug.
llvm::Expected<rt::Manifest> buildManifest(mlir::ModuleOp lowered, const Arch &arch);

/// Adds what the assembler found.
void addReport(const AssemblerReport &report, rt::Manifest &manifest);

/// Adds what AMD's image says of itself. Fails when its arguments lie elsewhere than the manifest says: our bug.
llvm::Error addReport(const CodeObjectReport &report, const Arch &arch, rt::Manifest &manifest);

} // namespace tlx

#endif
