// What stands behind the handle `tlxrt_kernel`.
#ifndef TLX_LIB_RUNTIME_KERNELSTATE_H
#define TLX_LIB_RUNTIME_KERNELSTATE_H

#include "Backend.h"

#include <string>
#include <vector>

/// Immutable after creation; the backend guards what it holds.
struct tlxrt_kernel {
  tlx::rt::Manifest manifest;
  std::string image;
  /// Indices into `manifest.params`.
  std::vector<int> visible;
  int64_t parameterBytes = 0;
  std::unique_ptr<tlx::rt::Backend> backend;

  static tlx::rt::Result<std::unique_ptr<tlxrt_kernel>> create(tlx::rt::Manifest manifest, std::string image);
};

#endif
