// From the arguments of a call to the parameter block of a launch.
#ifndef TLX_LIB_RUNTIME_ARGUMENTPACKER_H
#define TLX_LIB_RUNTIME_ARGUMENTPACKER_H

#include "KernelState.h"

namespace tlx::rt {

/// The parameters of one launch, at the offsets of the manifest.
class ParameterBlock {
public:
  explicit ParameterBlock(int64_t bytes);

  std::byte *at(int64_t offset) { return storage.get() + offset; }

private:
  struct Release {
    void operator()(std::byte *memory) const;
  };
  std::unique_ptr<std::byte, Release> storage;
};

/// Checks `args` against the manifest and writes every parameter except scratch.
Status packArguments(tlxrt_kernel &kernel, const Driver &driver, const tlxrt_arg *args, int count,
                     ParameterBlock &block);

} // namespace tlx::rt

#endif
