// Device memory for the tensors of a launch, and the launch itself through libtlxrt's interface.
#include "tlx/Launch/DeviceExecutor.h"

#include "tlx/Runtime/Driver.h"
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
  explicit DeviceBuffer(const Driver &driver) : driver(&driver) {}
  DeviceBuffer(DeviceBuffer &&other) noexcept : driver(other.driver), address(std::exchange(other.address, 0)) {}
  DeviceBuffer &operator=(DeviceBuffer &&) = delete;
  ~DeviceBuffer() {
    if (address)
      driver->memFree(address);
  }

  Status upload(const HostTensor &tensor) {
    if (!address)
      TLX_TRY_DRIVER(*driver, memAlloc, &address, tensor.storage.size() + guardBytes);
    std::vector<std::byte> guard(guardBytes, HostTensor::padding);
    TLX_TRY_DRIVER(*driver, memcpyHtoD, address, tensor.storage.data(), tensor.storage.size());
    TLX_TRY_DRIVER(*driver, memcpyHtoD, address + tensor.storage.size(), guard.data(), guard.size());
    return Done();
  }

  Status download(HostTensor &tensor) const {
    TLX_TRY_DRIVER(*driver, memcpyDtoH, tensor.storage.data(), address, tensor.storage.size());
    std::vector<std::byte> guard(guardBytes);
    TLX_TRY_DRIVER(*driver, memcpyDtoH, guard.data(), address + tensor.storage.size(), guard.size());
    for (size_t i = 0; i < guardBytes; ++i)
      if (guard[i] != HostTensor::padding)
        return Error{ErrorKind::Input,
                     "the kernel wrote " + std::to_string(i) + " bytes behind the end of `" + tensor.name + "`"};
    return Done();
  }

  void *at(int64_t bytes) const { return reinterpret_cast<void *>(address + uint64_t(bytes)); }

private:
  const Driver *driver;
  cuda::DevicePointer address = 0;
};

/// The arguments of a request with device addresses; owns the tensors that they refer to.
struct DeviceArguments {
  std::vector<tlxrt_tensor> tensors;
  std::vector<tlxrt_arg> args;
};

class CudaExecutor final : public DeviceExecutor {
public:
  CudaExecutor(const Driver &driver, ContextScope scope) : driver(driver), scope(std::move(scope)) {}

  Status load(const Manifest &, const std::filesystem::path &path) override {
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

  const Driver &driver;
  ContextScope scope;
  std::optional<Kernel> kernel;
  std::vector<DeviceBuffer> buffers;
  std::vector<ElementType> types;
};

DeviceArguments CudaExecutor::makeArguments(const LaunchRequest &request) const {
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

Status CudaExecutor::run(const LaunchRequest &request, std::vector<HostTensor> &tensors) {
  types.clear();
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == buffers.size())
      buffers.emplace_back(driver);
    types.push_back(tensors[i].dtype);
    if (Status status = buffers[i].upload(tensors[i]); !status)
      return status;
  }
  DeviceArguments arguments = makeArguments(request);
  if (Status status = launch(request, arguments); !status)
    return status;
  TLX_TRY_DRIVER(driver, ctxSynchronize);
  for (size_t i = 0; i < tensors.size(); ++i)
    if (Status status = buffers[i].download(tensors[i]); !status)
      return status;
  return Done();
}

Result<float> CudaExecutor::measure(const LaunchRequest &request, const DeviceArguments &arguments,
                                    int launches) const {
  cuda::Event start = nullptr, end = nullptr;
  TLX_TRY_DRIVER(driver, eventCreate, &start, 0);
  TLX_TRY_DRIVER(driver, eventCreate, &end, 0);
  TLX_TRY_DRIVER(driver, eventRecord, start, nullptr);
  for (int i = 0; i < launches; ++i)
    if (Status status = launch(request, arguments); !status)
      return status.error();
  TLX_TRY_DRIVER(driver, eventRecord, end, nullptr);
  TLX_TRY_DRIVER(driver, eventSynchronize, end);
  float milliseconds = 0;
  TLX_TRY_DRIVER(driver, eventElapsedTime, &milliseconds, start, end);
  driver.eventDestroy(start);
  driver.eventDestroy(end);
  return milliseconds / float(launches);
}

Result<Timing> CudaExecutor::time(const LaunchRequest &request) {
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

Result<std::unique_ptr<DeviceExecutor>> DeviceExecutor::create() {
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  return std::unique_ptr<DeviceExecutor>(std::make_unique<CudaExecutor>(**driver, std::move(*scope)));
}
