// Launch of a kernel through its backend.
#ifndef TLX_LIB_RUNTIME_KERNELLAUNCH_H
#define TLX_LIB_RUNTIME_KERNELLAUNCH_H

#include "KernelState.h"

namespace tlx::rt {

Status launch(tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args, int count);

/// Multiprocessors of the current device: NVIDIA's where its driver is, else AMD's.
Result<int> multiprocessors();

} // namespace tlx::rt

#endif
