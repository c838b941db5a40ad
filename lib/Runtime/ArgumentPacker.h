// From the arguments of a call to the parameter block of a launch.
#ifndef TLX_LIB_RUNTIME_ARGUMENTPACKER_H
#define TLX_LIB_RUNTIME_ARGUMENTPACKER_H

#include "KernelState.h"
#include "TensorMapRequest.h"

#include <cstring>
#include <functional>

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

/// Writes the tensor map of the parameter of that index to a place in the block.
using MapWriter = std::function<Status(size_t index, const TensorMapRequest &request, std::byte *to)>;

/// Checks `args` against the manifest and writes every parameter except scratch.
Status packArguments(const tlxrt_kernel &kernel, const MapWriter &writeMap, const tlxrt_arg *args, int count,
                     ParameterBlock &block);

/// Writes the address of scratch memory.
inline void packScratch(const Manifest &manifest, uint64_t address, ParameterBlock &block) {
  for (const Param &param : manifest.params)
    if (param.kind == ParamKind::Scratch)
      std::memcpy(block.at(param.offset), &address, sizeof address);
}

} // namespace tlx::rt

#endif
