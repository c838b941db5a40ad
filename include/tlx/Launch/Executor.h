// What runs a kernel for a launch file: a GPU, or the emulator.
#ifndef TLX_LAUNCH_EXECUTOR_H
#define TLX_LAUNCH_EXECUTOR_H

#include "tlx/Launch/HostTensor.h"
#include "tlx/Manifest/Manifest.h"

#include <array>
#include <filesystem>

namespace tlx::rt {

/// The value of one visible parameter.
struct BoundArgument {
  enum class Kind { Descriptor, Pointer, Integer, Float };
  /// Of the parameter.
  std::string name;
  Kind kind = Kind::Integer;
  /// Descriptor, Pointer: index of the tensor; -1 is the null pointer.
  int tensor = -1;
  /// Descriptor, Pointer: elements from the start of the tensor's storage.
  int64_t offset = 0;
  /// Descriptor: the view, slowest axis first, in elements.
  std::vector<int64_t> sizes, strides;
  int64_t integer = 0;
  double number = 0;
};

struct LaunchRequest {
  std::array<int, 3> grid{1, 1, 1};
  /// One for each visible parameter of the manifest, in order.
  std::vector<BoundArgument> args;
};

class Executor {
public:
  virtual ~Executor() = default;
  /// Prepares the kernel of `manifest`, which was read from `path`; other files lie beside it.
  virtual Status load(const Manifest &manifest, const std::filesystem::path &path) = 0;
  /// Runs once: reads the storage of `tensors` and leaves there what the kernel made of it.
  virtual Status run(const LaunchRequest &request, std::vector<HostTensor> &tensors) = 0;
};

} // namespace tlx::rt

#endif
