// Runs a launch on the GPU through the runtime.
#ifndef TLX_LAUNCH_DEVICEEXECUTOR_H
#define TLX_LAUNCH_DEVICEEXECUTOR_H

#include "tlx/Launch/Executor.h"

#include <memory>

namespace tlx::rt {

struct Timing {
  double medianMilliseconds = 0, leastMilliseconds = 0;
  int samples = 0;
  /// Launches between two events, so that a sample is long enough to be measured.
  int launchesPerSample = 0;
};

class DeviceExecutor : public Executor {
public:
  /// Loading a kernel opens the device that its image is for, until the executor is destroyed.
  static std::unique_ptr<DeviceExecutor> create();

  /// Times repeated launches on the device memory of the last run.
  virtual Result<Timing> time(const LaunchRequest &request) = 0;
};

} // namespace tlx::rt

#endif
