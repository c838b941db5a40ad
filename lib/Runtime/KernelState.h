// What stands behind the handle `tlxrt_kernel`.
#ifndef TLX_LIB_RUNTIME_KERNELSTATE_H
#define TLX_LIB_RUNTIME_KERNELSTATE_H

#include "LoadedModule.h"
#include "TensorMapRequest.h"
#include "tlx/Runtime/tlxrt.h"

#include <memory>
#include <mutex>

namespace tlx::rt {

/// The last few maps of one parameter, so that a repeated launch encodes nothing.
class TensorMapCache {
public:
  /// The map for `request`, encoded when it is not there. The pointer lives until the next call.
  Result<const cuda::TensorMapBits *> find(const Driver &driver, const Param &param, const TensorMapRequest &request);

private:
  static constexpr size_t capacity = 8;
  struct Entry {
    TensorMapRequest request;
    cuda::TensorMapBits bits;
  };
  std::vector<Entry> entries;
  size_t oldest = 0;
};

} // namespace tlx::rt

/// Immutable after creation, except for modules and maps, which `mutex` guards.
struct tlxrt_kernel {
  tlx::rt::Manifest manifest;
  std::string image;
  /// Indices into `manifest.params`.
  std::vector<int> visible;
  int64_t parameterBytes = 0;

  std::mutex mutex;
  std::vector<std::unique_ptr<tlx::rt::LoadedModule>> modules;
  std::vector<tlx::rt::TensorMapCache> maps;

  static tlx::rt::Result<std::unique_ptr<tlxrt_kernel>> create(tlx::rt::Manifest manifest, std::string image);
  ~tlxrt_kernel();

  /// The module of `context`, loaded at first use. Lives as long as the kernel.
  tlx::rt::Result<const tlx::rt::LoadedModule *> moduleFor(const tlx::rt::Driver &driver,
                                                           tlx::rt::cuda::Context context);
};

#endif
