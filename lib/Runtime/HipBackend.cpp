// Launches through HIP: modules of a device, one buffer with all arguments.
#include "Backend.h"

#include "ArgumentPacker.h"
#include "KernelState.h"
#include "Scratch.h"
#include "tlx/Runtime/HipDriver.h"

#include <mutex>

using namespace tlx;
using namespace tlx::rt;

namespace {

/// An image loaded on one device.
struct HipModule {
  int device = 0;
  hip::Module module = nullptr;
  hip::Function function = nullptr;
};

class HipBackend final : public Backend {
public:
  ~HipBackend() override;

  Status launch(const tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args, int count) override;
  Result<int> maxActiveClusters(const tlxrt_kernel &kernel) override;
  Result<int> multiprocessors() override;

private:
  /// The function on the current device, loaded at first use. Lives as long as the kernel.
  Result<hip::Function> functionFor(const tlxrt_kernel &kernel, const HipDriver &driver);

  /// Guards modules.
  std::mutex mutex;
  std::vector<HipModule> modules;
};

HipBackend::~HipBackend() {
  if (modules.empty())
    return;
  const HipDriver &driver = **HipDriver::get();
  int before = 0;
  bool restores = driver.getDevice(&before) == hip::success;
  for (const HipModule &loaded : modules)
    if (driver.setDevice(loaded.device) == hip::success)
      driver.moduleUnload(loaded.module);
  if (restores)
    driver.setDevice(before);
}

Result<int> attribute(const HipDriver &driver, hip::DeviceAttribute attribute) {
  int device = 0, value = 0;
  TLX_TRY_DRIVER(driver, getDevice, &device);
  TLX_TRY_DRIVER(driver, deviceGetAttribute, &value, attribute, device);
  return value;
}

/// HIP tells the family of a device, "gfx94", as its capability; whether the stepping fits, loading finds out.
Status checkDevice(const HipDriver &driver, const Manifest &manifest) {
  auto major = attribute(driver, hip::computeCapabilityMajor);
  auto minor = attribute(driver, hip::computeCapabilityMinor);
  if (!major || !minor)
    return !major ? major.error() : minor.error();
  std::string family = "gfx" + std::to_string(*major) + std::to_string(*minor), list;
  for (const std::string &name : manifest.devices) {
    if (name.starts_with(family))
      return Done();
    list += (list.empty() ? "`" : ", `") + name + "`";
  }
  if (manifest.devices.empty())
    return Done();
  return Error{ErrorKind::WrongDevice, "the image of `" + manifest.kernel + "` was built as `" + manifest.target +
                                           "` for " + list + "; the device is of the family `" + family + "`"};
}

Status checkSharedMemory(const HipDriver &driver, const Manifest &manifest) {
  auto most = attribute(driver, hip::maxSharedMemoryPerBlock);
  if (!most)
    return most.error();
  int64_t needed = manifest.launch.dynamicShared + manifest.launch.staticShared;
  if (needed <= *most)
    return Done();
  return Error{ErrorKind::WrongDevice, "`" + manifest.kernel + "` needs " + std::to_string(needed) +
                                           " bytes of shared memory; the device has " + std::to_string(*most)};
}

Result<hip::Module> loadImage(const HipDriver &driver, const tlxrt_kernel &kernel) {
  hip::Module module = nullptr;
  hip::Result result = driver.moduleLoadData(&module, kernel.image.data());
  if (result == hip::success)
    return module;
  Error error = driver.failure(result, "moduleLoadData");
  if (result == hip::errorNoBinaryForGpu)
    error.kind = ErrorKind::WrongDevice;
  else if (error.kind == ErrorKind::Driver && result >= hip::errorInvalidImage &&
           result <= hip::errorSharedObjectInitFailed)
    error.kind = ErrorKind::Image;
  error.text = "`" + kernel.manifest.image.file + "`: " + error.text;
  return error;
}

Result<hip::Function> HipBackend::functionFor(const tlxrt_kernel &kernel, const HipDriver &driver) {
  HipModule loaded;
  TLX_TRY_DRIVER(driver, getDevice, &loaded.device);
  std::lock_guard lock(mutex);
  for (const HipModule &old : modules)
    if (old.device == loaded.device)
      return old.function;
  if (Status status = checkDevice(driver, kernel.manifest); !status)
    return status.error();
  if (Status status = checkSharedMemory(driver, kernel.manifest); !status)
    return status.error();
  Result<hip::Module> module = loadImage(driver, kernel);
  if (!module)
    return module.error();
  loaded.module = *module;
  if (driver.moduleGetFunction(&loaded.function, *module, kernel.manifest.entry.c_str()) != hip::success) {
    driver.moduleUnload(*module);
    return Error{ErrorKind::Image, "`" + kernel.manifest.image.file + "` has no entry `" + kernel.manifest.entry + "`"};
  }
  modules.push_back(loaded);
  return loaded.function;
}

/// HIP counts threads of the whole grid with 32 bits on each axis.
Status checkThreads(const Manifest &manifest, const int grid[3]) {
  uint64_t threads = uint64_t(grid[0]) * manifest.launch.threads;
  if (threads <= UINT32_MAX)
    return Done();
  return Error{ErrorKind::Grid, "grid x is " + std::to_string(grid[0]) + ": with " +
                                    std::to_string(manifest.launch.threads) + " threads a block these are " +
                                    std::to_string(threads) + " threads; HIP takes at most " +
                                    std::to_string(UINT32_MAX)};
}

Status HipBackend::launch(const tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args,
                          int count) {
  const Launch &launch = kernel.manifest.launch;
  if (Status status = checkThreads(kernel.manifest, grid); !status)
    return status;
  auto driver = HipDriver::get();
  if (!driver)
    return driver.error();
  auto function = functionFor(kernel, **driver);
  if (!function)
    return function.error();
  ParameterBlock block(kernel.parameterBytes);
  auto noMaps = [](size_t, const TensorMapRequest &, std::byte *) -> Status {
    return Error{ErrorKind::Unsupported, "HIP has no tensor maps"};
  };
  if (Status status = packArguments(kernel, noMaps, args, count, block); !status)
    return status;
  auto hipStream = static_cast<hip::Stream>(stream);
  Scratch scratch(**driver, hipStream);
  if (Status status = scratch.provide(kernel.manifest, grid, block); !status)
    return status;
  // The arguments of the kernel alone: what is hidden behind them the driver writes.
  size_t bytes = size_t(kernel.parameterBytes);
  void *extra[] = {reinterpret_cast<void *>(hip::launchParamBufferPointer), block.at(0),
                   reinterpret_cast<void *>(hip::launchParamBufferSize), &bytes,
                   reinterpret_cast<void *>(hip::launchParamEnd)};
  TLX_TRY_DRIVER(**driver, moduleLaunchKernel, *function, unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]),
                 unsigned(launch.threads), 1, 1, unsigned(launch.dynamicShared), hipStream, nullptr, extra);
  return Done();
}

Result<int> HipBackend::multiprocessors() {
  auto driver = HipDriver::get();
  if (!driver)
    return driver.error();
  return attribute(**driver, hip::multiprocessorCount);
}

Result<int> HipBackend::maxActiveClusters(const tlxrt_kernel &kernel) {
  auto driver = HipDriver::get();
  if (!driver)
    return driver.error();
  auto function = functionFor(kernel, **driver);
  if (!function)
    return function.error();
  int active = 0;
  TLX_TRY_DRIVER(**driver, occupancyMaxActiveBlocks, &active, *function, int(kernel.manifest.launch.threads),
                 size_t(kernel.manifest.launch.dynamicShared));
  auto processors = multiprocessors();
  if (!processors)
    return processors;
  return active * *processors;
}

Error unsupported(const Manifest &manifest, const char *what) {
  return Error{ErrorKind::Unsupported,
               "`" + manifest.image.file + "` is an image for AMD GPUs, whose launches have no " + what};
}

} // namespace

Result<std::unique_ptr<Backend>> rt::makeHipBackend(const Manifest &manifest) {
  const Launch &launch = manifest.launch;
  if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1)
    return unsupported(manifest, "clusters");
  if (launch.cooperative || launch.dependentLaunch)
    return unsupported(manifest, launch.cooperative ? "cooperative grids here" : "dependent launch");
  for (const Param &param : manifest.params)
    if (param.kind == ParamKind::TensorMap)
      return unsupported(manifest, "tensor maps");
  return std::unique_ptr<Backend>(std::make_unique<HipBackend>());
}
