// What one vendor's driver does for a kernel. Which vendor's it is follows from the image.
#ifndef TLX_LIB_RUNTIME_BACKEND_H
#define TLX_LIB_RUNTIME_BACKEND_H

#include "tlx/Manifest/Manifest.h"
#include "tlx/Runtime/tlxrt.h"

#include <memory>

namespace tlx::rt {

/// Holds the modules of one kernel; several threads may call it at the same time.
class Backend {
public:
  virtual ~Backend() = default;

  /// The grid has been checked against the manifest.
  virtual Status launch(const tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args,
                        int count) = 0;
  /// Clusters that can be resident on the current device at once.
  virtual Result<int> maxActiveClusters(const tlxrt_kernel &kernel) = 0;
  virtual Result<int> multiprocessors() = 0;
};

/// The backend for an image, or why no driver can run it.
Result<std::unique_ptr<Backend>> makeBackend(const Manifest &manifest);

Result<std::unique_ptr<Backend>> makeCudaBackend(const Manifest &manifest);
Result<std::unique_ptr<Backend>> makeHipBackend(const Manifest &manifest);

} // namespace tlx::rt

#endif
