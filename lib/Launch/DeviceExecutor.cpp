// Device memory for the tensors of a launch, and the launch itself through libtlxrt's interface.
#include "tlx/Launch/DeviceExecutor.h"

#include "tlx/Runtime/Device.h"
#include "tlx/Runtime/tlxrt.hpp"

#include <algorithm>
#include <optional>

using namespace tlx;
using namespace tlx::rt;

namespace {

Status statusOf(tlxrt_status status) {
  if (status == TLXRT_SUCCESS)
    return Done();
  return Error{ErrorKind(int(status)), tlxrt_last_error()};
}

/// Bytes behind every tensor that must not change.
constexpr size_t guardBytes = 256;

/// Device memory of one tensor.
class DeviceBuffer {
public:
  explicit DeviceBuffer(Device &device) : device(&device) {}
  DeviceBuffer(DeviceBuffer &&other) noexcept : device(other.device), address(std::exchange(other.address, 0)) {}
  DeviceBuffer &operator=(DeviceBuffer &&) = delete;
  ~DeviceBuffer() {
    if (address)
      device->release(address);
  }

  Status upload(const HostTensor &tensor) {
    if (!address) {
      Result<uint64_t> allocated = device->allocate(tensor.storage.size() + guardBytes);
      if (!allocated)
        return allocated.error();
      address = *allocated;
    }
    std::vector<std::byte> guard(guardBytes, HostTensor::padding);
    if (Status status = device->upload(address, tensor.storage.data(), tensor.storage.size()); !status)
      return status;
    return device->upload(address + tensor.storage.size(), guard.data(), guard.size());
  }

  Status download(HostTensor &tensor) const {
    if (Status status = device->download(tensor.storage.data(), address, tensor.storage.size()); !status)
      return status;
    std::vector<std::byte> guard(guardBytes);
    if (Status status = device->download(guard.data(), address + tensor.storage.size(), guard.size()); !status)
      return status;
    for (size_t i = 0; i < guardBytes; ++i)
      if (guard[i] != HostTensor::padding)
        return Error{ErrorKind::Input,
                     "the kernel wrote " + std::to_string(i) + " bytes behind the end of `" + tensor.name + "`"};
    return Done();
  }

  void *at(int64_t bytes) const { return reinterpret_cast<void *>(address + uint64_t(bytes)); }

private:
  Device *device;
  uint64_t address = 0;
};

/// The arguments of a request with device addresses; owns the tensors that they refer to.
struct DeviceArguments {
  std::vector<tlxrt_tensor> tensors;
  std::vector<tlxrt_arg> args;
};

class RuntimeExecutor final : public DeviceExecutor {
public:
  Status load(const Manifest &manifest, const std::filesystem::path &path) override {
    Result<std::unique_ptr<Device>> opened = Device::open(manifest.image.kind);
    if (!opened)
      return opened.error();
    device = std::move(*opened);
    kernel.emplace(Kernel::load(path.string()));
    if (*kernel)
      return Done();
    return Error{ErrorKind(int(kernel->status())), kernel->message()};
  }

  Status run(const LaunchRequest &request, std::vector<HostTensor> &tensors) override;
  Result<Timing> time(const LaunchRequest &request) override;

private:
  DeviceArguments makeArguments(const LaunchRequest &request) const;
  Status launch(const LaunchRequest &request, const DeviceArguments &arguments) const {
    return statusOf(
        tlxrt_launch(kernel->get(), nullptr, request.grid.data(), arguments.args.data(), int(arguments.args.size())));
  }
  Result<float> measure(const LaunchRequest &request, const DeviceArguments &arguments, int launches) const;

  /// Outlives what it holds for us: kernel and buffers.
  std::unique_ptr<Device> device;
  std::optional<Kernel> kernel;
  std::vector<DeviceBuffer> buffers;
  std::vector<ElementType> types;
};

DeviceArguments RuntimeExecutor::makeArguments(const LaunchRequest &request) const {
  DeviceArguments result;
  // Arguments point into the list, so it must not grow.
  result.tensors.reserve(request.args.size());
  for (const BoundArgument &bound : request.args) {
    tlxrt_arg arg{};
    void *address = nullptr;
    if (bound.tensor >= 0)
      address = buffers[bound.tensor].at(bound.offset * byteSize(types[bound.tensor]));
    switch (bound.kind) {
    case BoundArgument::Kind::Descriptor: {
      tlxrt_tensor tensor{address, int(types[bound.tensor]), int(bound.sizes.size()), {}, {}};
      std::copy(bound.sizes.begin(), bound.sizes.end(), tensor.sizes);
      std::copy(bound.strides.begin(), bound.strides.end(), tensor.strides);
      result.tensors.push_back(tensor);
      arg.kind = TLXRT_ARG_TENSOR, arg.value.tensor = &result.tensors.back();
      break;
    }
    case BoundArgument::Kind::Pointer:
      arg.kind = TLXRT_ARG_POINTER, arg.value.pointer = address;
      break;
    case BoundArgument::Kind::Integer:
      arg.kind = TLXRT_ARG_I64, arg.value.i64 = bound.integer;
      break;
    case BoundArgument::Kind::Float:
      arg.kind = TLXRT_ARG_F64, arg.value.f64 = bound.number;
      break;
    }
    result.args.push_back(arg);
  }
  return result;
}

Status RuntimeExecutor::run(const LaunchRequest &request, std::vector<HostTensor> &tensors) {
  types.clear();
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == buffers.size())
      buffers.emplace_back(*device);
    types.push_back(tensors[i].dtype);
    if (Status status = buffers[i].upload(tensors[i]); !status)
      return status;
  }
  DeviceArguments arguments = makeArguments(request);
  if (Status status = launch(request, arguments); !status)
    return status;
  if (Status status = device->synchronize(); !status)
    return status;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (Status status = buffers[i].download(tensors[i]); !status)
      return status;
  return Done();
}

Result<float> RuntimeExecutor::measure(const LaunchRequest &request, const DeviceArguments &arguments,
                                       int launches) const {
  Result<float> milliseconds = device->time([&]() -> Status {
    for (int i = 0; i < launches; ++i)
      if (Status status = launch(request, arguments); !status)
        return status;
    return Done();
  });
  if (!milliseconds)
    return milliseconds;
  return *milliseconds / float(launches);
}

Result<Timing> RuntimeExecutor::time(const LaunchRequest &request) {
  constexpr int samples = 21;
  // Short kernels are launched several times between two events, so that a sample takes at least a millisecond.
  constexpr float leastSample = 1.0f;
  DeviceArguments arguments = makeArguments(request);
  for (int i = 0; i < 3; ++i)
    if (Result<float> warm = measure(request, arguments, 10); !warm)
      return warm.error();
  Result<float> single = measure(request, arguments, 10);
  if (!single)
    return single.error();
  Timing timing{0, 0, samples, std::max(1, int(leastSample / std::max(*single, 1e-4f)) + 1)};
  std::vector<float> times;
  for (int i = 0; i < samples; ++i) {
    Result<float> sample = measure(request, arguments, timing.launchesPerSample);
    if (!sample)
      return sample.error();
    times.push_back(*sample);
  }
  std::sort(times.begin(), times.end());
  timing.medianMilliseconds = times[samples / 2];
  timing.leastMilliseconds = times[0];
  return timing;
}

} // namespace

std::unique_ptr<DeviceExecutor> DeviceExecutor::create() {
  return std::make_unique<RuntimeExecutor>();
}
