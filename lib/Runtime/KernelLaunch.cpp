// What every launch begins with, whichever driver does the rest.
#include "KernelLaunch.h"

#include "tlx/Runtime/Driver.h"

using namespace tlx;
using namespace tlx::rt;

static Status checkGrid(const Manifest &manifest, const int grid[3]) {
  static constexpr const char *axes[] = {"x", "y", "z"};
  const Launch &launch = manifest.launch;
  for (int axis = 0; axis < 3; ++axis) {
    std::string what = std::string("grid ") + axes[axis] + " is " + std::to_string(grid[axis]);
    if (grid[axis] < 1)
      return Error{ErrorKind::Grid, what + "; it must be at least 1"};
    if (grid[axis] > launch.maxGrid[axis])
      return Error{ErrorKind::Grid,
                   what + "; `" + manifest.kernel + "` takes at most " + std::to_string(launch.maxGrid[axis])};
    if (grid[axis] % launch.cluster[axis] != 0)
      return Error{ErrorKind::Grid, what + ", no multiple of the cluster's " + std::to_string(launch.cluster[axis])};
  }
  return Done();
}

Status rt::launch(tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args, int count) {
  if (Status status = checkGrid(kernel.manifest, grid); !status)
    return status;
  return kernel.backend->launch(kernel, stream, grid, args, count);
}

Result<int> rt::multiprocessors() {
  Manifest any;
  Result<std::unique_ptr<Backend>> cuda = makeCudaBackend(any), hip = makeHipBackend(any);
  Result<int> count = (*cuda)->multiprocessors();
  // Without NVIDIA's driver there may be AMD's; when there is neither, the first is what most miss.
  if (count || count.error().kind != ErrorKind::DriverMissing)
    return count;
  Result<int> other = (*hip)->multiprocessors();
  return other ? other : count;
}
