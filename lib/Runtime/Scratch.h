// Scratch memory of one launch, the same for every driver that orders memory in streams.
#ifndef TLX_LIB_RUNTIME_SCRATCH_H
#define TLX_LIB_RUNTIME_SCRATCH_H

#include "ArgumentPacker.h"

namespace tlx::rt {

/// Ordered in the stream, so launches in different streams never share it.
template <typename D, typename Stream> class Scratch {
public:
  Scratch(const D &driver, Stream stream) : driver(driver), stream(stream) {}
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    if (address)
      driver.memFreeAsync(address, stream);
  }

  Status provide(const Manifest &manifest, const int grid[3], ParameterBlock &block) {
    const Launch &launch = manifest.launch;
    uint64_t blocks = uint64_t(grid[0]) * grid[1] * grid[2];
    uint64_t alignment = launch.scratchAlign > 0 ? launch.scratchAlign : 1;
    if (launch.scratchBytes > 0)
      TLX_TRY_DRIVER(driver, memAllocAsync, &address, blocks * launch.scratchBytes + alignment, stream);
    packScratch(manifest, (address + alignment - 1) / alignment * alignment, block);
    return Done();
  }

private:
  const D &driver;
  Stream stream;
  unsigned long long address = 0;
};

} // namespace tlx::rt

#endif
