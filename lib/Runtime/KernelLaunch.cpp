// One launch: grid, arguments, scratch memory, attributes.
#include "KernelLaunch.h"

#include "ArgumentPacker.h"

#include <cstring>

using namespace tlx;
using namespace tlx::rt;

namespace {

Status checkGrid(const Manifest &manifest, const int grid[3]) {
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

/// The launch configuration with its attributes; refers to itself, so it stays where it was made.
struct Configuration {
  cuda::LaunchConfig config{};
  cuda::LaunchAttribute attributes[3] = {};

  Configuration(const Launch &launch, const int grid[3], cuda::Stream stream) {
    config.gridX = unsigned(grid[0]), config.gridY = unsigned(grid[1]), config.gridZ = unsigned(grid[2]);
    config.blockX = unsigned(launch.threads), config.blockY = 1, config.blockZ = 1;
    config.sharedBytes = unsigned(launch.dynamicShared);
    config.stream = stream;
    config.attributes = attributes;
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1)
      for (int axis = 0; axis < 3; ++axis)
        add(cuda::clusterDimension, axis == 0).value.clusterDimension[axis] = unsigned(launch.cluster[axis]);
    if (launch.cooperative)
      add(cuda::cooperative, true).value.flag = 1;
    if (launch.dependentLaunch)
      add(cuda::programmaticStreamSerialization, true).value.flag = 1;
  }
  Configuration(const Configuration &) = delete;

private:
  cuda::LaunchAttribute &add(cuda::LaunchAttributeId id, bool fresh) {
    if (fresh)
      attributes[config.attributeCount++].id = id;
    return attributes[config.attributeCount - 1];
  }
};

/// Scratch memory of one launch. Ordered in the stream, so launches in different streams never share it.
class Scratch {
public:
  Scratch(const Driver &driver, cuda::Stream stream) : driver(driver), stream(stream) {}
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    if (address)
      driver.memFreeAsync(address, stream);
  }

  Status provide(const Manifest &manifest, const int grid[3], ParameterBlock &block) {
    const Launch &launch = manifest.launch;
    uint64_t blocks = uint64_t(grid[0]) * grid[1] * grid[2];
    uint64_t alignment = launch.scratchAlign > 0 ? launch.scratchAlign : 1;
    if (launch.scratchBytes > 0)
      TLX_TRY_DRIVER(driver, memAllocAsync, &address, blocks * launch.scratchBytes + alignment, stream);
    uint64_t aligned = (address + alignment - 1) / alignment * alignment;
    for (const Param &param : manifest.params)
      if (param.kind == ParamKind::Scratch)
        std::memcpy(block.at(param.offset), &aligned, sizeof aligned);
    return Done();
  }

private:
  const Driver &driver;
  cuda::Stream stream;
  cuda::DevicePointer address = 0;
};

} // namespace

Status rt::launch(tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args, int count) {
  const Manifest &manifest = kernel.manifest;
  if (Status status = checkGrid(manifest, grid); !status)
    return status;
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  auto module = kernel.moduleFor(**driver, scope->context());
  if (!module)
    return module.error();
  ParameterBlock block(kernel.parameterBytes);
  if (Status status = packArguments(kernel, **driver, args, count, block); !status)
    return status;
  Scratch scratch(**driver, static_cast<cuda::Stream>(stream));
  if (Status status = scratch.provide(manifest, grid, block); !status)
    return status;
  std::vector<void *> parameters;
  parameters.reserve(manifest.params.size());
  for (const Param &param : manifest.params)
    parameters.push_back(block.at(param.offset));
  Configuration configuration(manifest.launch, grid, static_cast<cuda::Stream>(stream));
  TLX_TRY_DRIVER(**driver, launchKernelEx, &configuration.config, (*module)->function, parameters.data(), nullptr);
  return Done();
}

static Result<int> multiprocessorsOfContext(const Driver &driver) {
  cuda::Device device = 0;
  int count = 0;
  TLX_TRY_DRIVER(driver, ctxGetDevice, &device);
  TLX_TRY_DRIVER(driver, deviceGetAttribute, &count, cuda::multiprocessorCount, device);
  return count;
}

Result<int> rt::maxActiveClusters(tlxrt_kernel &kernel) {
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  auto module = kernel.moduleFor(**driver, scope->context());
  if (!module)
    return module.error();
  const Launch &launch = kernel.manifest.launch;
  const int grid[] = {int(launch.cluster[0]), int(launch.cluster[1]), int(launch.cluster[2])};
  int active = 0;
  if (grid[0] * grid[1] * grid[2] > 1) {
    Configuration configuration(launch, grid, nullptr);
    TLX_TRY_DRIVER(**driver, occupancyMaxActiveClusters, &active, (*module)->function, &configuration.config);
    return active;
  }
  // Without a cluster the driver counts blocks of one multiprocessor.
  TLX_TRY_DRIVER(**driver, occupancyMaxActiveBlocks, &active, (*module)->function, int(launch.threads),
                 size_t(launch.dynamicShared));
  auto processors = multiprocessorsOfContext(**driver);
  if (!processors)
    return processors;
  return active * *processors;
}

Result<int> rt::multiprocessors() {
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  return multiprocessorsOfContext(**driver);
}
