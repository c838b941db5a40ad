// Launches through NVIDIA's driver: contexts, modules, tensor maps, attributes.
#include "Backend.h"

#include "ArgumentPacker.h"
#include "KernelState.h"
#include "LoadedModule.h"
#include "Scratch.h"
#include "TensorMapCache.h"

#include <mutex>

using namespace tlx;
using namespace tlx::rt;

namespace {

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

class CudaBackend final : public Backend {
public:
  explicit CudaBackend(size_t parameters) : maps(parameters) {}
  ~CudaBackend() override;

  Status launch(const tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args, int count) override;
  Result<int> maxActiveClusters(const tlxrt_kernel &kernel) override;
  Result<int> multiprocessors() override;

private:
  /// The module of `context`, loaded at first use. Lives as long as the kernel.
  Result<LoadedModule *> moduleFor(const tlxrt_kernel &kernel, const Driver &driver, cuda::Context context);

  /// Guards modules and maps.
  std::mutex mutex;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  /// By index of the parameter.
  std::vector<TensorMapCache> maps;
};

CudaBackend::~CudaBackend() {
  if (modules.empty())
    return;
  auto driver = Driver::get();
  for (const auto &loaded : modules) {
    // A context that is gone took its modules with it.
    cuda::Context ignored = nullptr;
    if (contextIdentity(**driver, loaded->context) != loaded->contextId)
      continue;
    if ((*driver)->ctxPushCurrent(loaded->context) != cuda::success)
      continue;
    (*driver)->moduleUnload(loaded->module);
    if (loaded->zeros)
      (*driver)->memFree(loaded->zeros);
    (*driver)->ctxPopCurrent(&ignored);
  }
}

Result<LoadedModule *> CudaBackend::moduleFor(const tlxrt_kernel &kernel, const Driver &driver, cuda::Context context) {
  unsigned long long id = contextIdentity(driver, context);
  std::lock_guard lock(mutex);
  for (const auto &loaded : modules)
    if (loaded->contextId == id)
      return loaded.get();
  Result<LoadedModule> loaded = loadModule(driver, kernel.manifest, kernel.image, context);
  if (!loaded)
    return loaded.error();
  modules.push_back(std::make_unique<LoadedModule>(*loaded));
  return modules.back().get();
}

Status CudaBackend::launch(const tlxrt_kernel &kernel, void *stream, const int grid[3], const tlxrt_arg *args,
                           int count) {
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  auto module = moduleFor(kernel, **driver, scope->context());
  if (!module)
    return module.error();
  ParameterBlock block(kernel.parameterBytes);
  auto writeMap = [&](size_t index, TensorMapRequest request, std::byte *to) -> Status {
    if (request.isEmpty) {
      auto zeros = zerosOf(**driver, **module);
      if (!zeros)
        return zeros.error();
      request.address = *zeros;
    }
    auto bits = maps[index].find(**driver, kernel.manifest.params[index], request);
    if (!bits)
      return bits.error();
    std::memcpy(to, *bits, sizeof **bits);
    return Done();
  };
  {
    std::lock_guard lock(mutex);
    if (Status status = packArguments(kernel, writeMap, args, count, block); !status)
      return status;
  }
  auto cudaStream = static_cast<cuda::Stream>(stream);
  Scratch scratch(**driver, cudaStream);
  if (Status status = scratch.provide(kernel.manifest, grid, block); !status)
    return status;
  std::vector<void *> parameters;
  parameters.reserve(kernel.manifest.params.size());
  for (const Param &param : kernel.manifest.params)
    parameters.push_back(block.at(param.offset));
  Configuration configuration(kernel.manifest.launch, grid, cudaStream);
  TLX_TRY_DRIVER(**driver, launchKernelEx, &configuration.config, (*module)->function, parameters.data(), nullptr);
  return Done();
}

Result<int> multiprocessorsOfContext(const Driver &driver) {
  cuda::Device device = 0;
  int count = 0;
  TLX_TRY_DRIVER(driver, ctxGetDevice, &device);
  TLX_TRY_DRIVER(driver, deviceGetAttribute, &count, cuda::multiprocessorCount, device);
  return count;
}

Result<int> CudaBackend::maxActiveClusters(const tlxrt_kernel &kernel) {
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  auto module = moduleFor(kernel, **driver, scope->context());
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

Result<int> CudaBackend::multiprocessors() {
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  return multiprocessorsOfContext(**driver);
}

} // namespace

Result<std::unique_ptr<Backend>> rt::makeCudaBackend(const Manifest &manifest) {
  for (const Param &param : manifest.params)
    if (param.kind == ParamKind::TensorMap)
      if (Status status = checkRecipe(param); !status)
        return status.error();
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(manifest.params.size()));
}
