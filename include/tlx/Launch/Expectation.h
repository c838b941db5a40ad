// Comparison of what a kernel wrote with what it should have written.
#ifndef TLX_LAUNCH_EXPECTATION_H
#define TLX_LAUNCH_EXPECTATION_H

#include "tlx/Launch/HostTensor.h"
#include "tlx/Launch/LaunchFile.h"

namespace tlx::rt {

struct Verdict {
  std::string tensor;
  bool passed = false;
  /// One line: errors found and limits, or what is wrong and where.
  std::string text;
};

/// Checks one expectation. References are computed from `before`, the tensors as they were before the launch.
Result<Verdict> checkExpectation(const LaunchFile &file, const ExpectDecl &expect,
                                 const std::vector<HostTensor> &before, const std::vector<HostTensor> &after);

} // namespace tlx::rt

#endif
