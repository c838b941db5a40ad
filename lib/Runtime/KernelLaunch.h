// Launch and occupancy of a kernel.
#ifndef TLX_LIB_RUNTIME_KERNELLAUNCH_H
#define TLX_LIB_RUNTIME_KERNELLAUNCH_H

#include "KernelState.h"

namespace tlx::rt {

Status launch(tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args, int count);

/// Clusters that can be resident on the device of the current context at once.
Result<int> maxActiveClusters(tlxrt_kernel &kernel);

Result<int> multiprocessors();

} // namespace tlx::rt

#endif
