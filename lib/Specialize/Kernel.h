// Everything about a kernel that is settled before its body is walked: constants, types of parameters, warps, cluster.
#ifndef TLX_SPECIALIZE_KERNEL_H
#define TLX_SPECIALIZE_KERNEL_H

#include "Configs.h"
#include "TypeText.h"
#include "tlx/Specialize/Specialize.h"

namespace tlx::specialize {

struct KernelParameter {
  const ast::Param *param;
  /// A `tl.constexpr`, or a parameter that is None.
  bool isConstant = false;
  Datum constant;
  ParameterType type;
};

struct Kernel {
  const ast::FunctionDef *function = nullptr;
  std::vector<KernelParameter> parameters;
  int64_t numWarps = 4;
  std::optional<int64_t> numStages;
  /// The most that a thread may have, where the configuration says so.
  std::optional<int64_t> maxRegisters;
  std::array<int, 3> cluster = {1, 1, 1};
};

/// The kernel that the options name; none after errors.
std::optional<Kernel> resolveKernel(const ast::Module &module, const SpecializeOptions &options, diag::Sink &sink);

} // namespace tlx::specialize

#endif
