// The way from a syntax tree and compile-time values to the tlx dialect: partial evaluation of one kernel.
#ifndef TLX_SPECIALIZE_SPECIALIZE_H
#define TLX_SPECIALIZE_SPECIALIZE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"
#include "tlx/Syntax/AST.h"
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tlx::specialize {

/// Bounds on what a kernel makes of the compiler's time.
struct WorkLimits {
  /// Iterations of all unrolled loops together.
  unsigned unrolled = 1 << 17;
  /// Calls of functions of the source.
  unsigned inlined = 1 << 15;
};

/// What the command line says about a kernel.
struct SpecializeOptions {
  /// Empty: the only kernel of the module.
  std::string kernel = {};
  /// Values of `tl.constexpr` parameters, as written: `128`, `True`, `0.5`, `fp16`, or any other text as a string.
  std::vector<std::pair<std::string, std::string>> defines = {};
  /// `name=type` pairs, separated by commas.
  std::string signature = {};
  std::optional<int> numWarps = {};
  std::optional<std::array<int, 3>> cluster = {};
  /// Index into the kernel's `triton.Config` list; the first one when left out.
  std::optional<int> config = {};
  WorkLimits limits = {};
  /// The target multiplies operands with block scales, so that `tl.dot_scaled` may become such a product.
  bool hasBlockScales = false;
};

/// One `triton.jit` function that no other function of the module calls.
struct KernelInfo {
  std::string name;
  SourceRange range;
  /// In order, constexpr ones too.
  std::vector<std::string> parameters;
  std::vector<std::string> constexprs;
  /// Number of configurations that `triton.autotune` lists; 0 without.
  unsigned configs = 0;
};

/// The kernels of a module in source order.
std::vector<KernelInfo> findKernels(const ast::Module &module);

/// A module with one verified `func.func`, or null after at least one error was reported.
mlir::OwningOpRef<mlir::ModuleOp> specialize(const ast::Module &module, const SpecializeOptions &options,
                                             mlir::MLIRContext &context, const SourceManager &files, diag::Sink &sink);

} // namespace tlx::specialize

#endif
