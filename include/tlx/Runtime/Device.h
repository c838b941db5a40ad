// A GPU as programs that test and time kernels see it: memory and events, whichever vendor's driver is behind.
#ifndef TLX_RUNTIME_DEVICE_H
#define TLX_RUNTIME_DEVICE_H

#include "tlx/Manifest/Manifest.h"

#include <functional>
#include <memory>

namespace tlx::rt {

class Device {
public:
  /// The device on which images of that kind run. With NVIDIA's driver a context is current until the object goes.
  static Result<std::unique_ptr<Device>> open(ImageKind kind);
  virtual ~Device() = default;

  virtual Result<uint64_t> allocate(size_t bytes) = 0;
  virtual void release(uint64_t address) = 0;
  virtual Status upload(uint64_t to, const void *from, size_t bytes) = 0;
  virtual Status download(void *to, uint64_t from, size_t bytes) = 0;
  /// Waits for all launches.
  virtual Status synchronize() = 0;
  /// Milliseconds between two events around `launches` in the default stream.
  virtual Result<float> time(const std::function<Status()> &launches) = 0;
};

} // namespace tlx::rt

#endif
