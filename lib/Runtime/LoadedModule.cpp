// Loading an image: the device fits, the symbol exists, the parameters lie where the manifest says.
#include "LoadedModule.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::rt;

unsigned long long rt::contextIdentity(const Driver &driver, cuda::Context context) {
  unsigned long long id = 0;
  if (driver.ctxGetId && driver.ctxGetId(context, &id) == cuda::success)
    return id;
  return reinterpret_cast<uintptr_t>(context);
}

static Result<int> attribute(const Driver &driver, cuda::DeviceAttribute attribute) {
  cuda::Device device = 0;
  int value = 0;
  TLX_TRY_DRIVER(driver, ctxGetDevice, &device);
  TLX_TRY_DRIVER(driver, deviceGetAttribute, &value, attribute, device);
  return value;
}

static Status checkDevice(const Driver &driver, const Manifest &manifest) {
  auto major = attribute(driver, cuda::computeCapabilityMajor);
  auto minor = attribute(driver, cuda::computeCapabilityMinor);
  if (!major || !minor)
    return !major ? major.error() : minor.error();
  std::string device = "sm_" + std::to_string(*major) + std::to_string(*minor);
  std::string list;
  for (const std::string &name : manifest.devices) {
    if (name == device)
      return Done();
    list += (list.empty() ? "`" : ", `") + name + "`";
  }
  if (manifest.devices.empty())
    return Done();
  return Error{ErrorKind::WrongDevice, "the image of `" + manifest.kernel + "` was built as `" + manifest.target +
                                           "` for " + list + "; the device is `" + device + "`"};
}

static Status checkSharedMemory(const Driver &driver, const Manifest &manifest) {
  auto most = attribute(driver, cuda::maxSharedMemoryPerBlockOptin);
  if (!most)
    return most.error();
  int64_t needed = manifest.launch.dynamicShared + manifest.launch.staticShared;
  if (needed <= *most)
    return Done();
  return Error{ErrorKind::WrongDevice, "`" + manifest.kernel + "` needs " + std::to_string(needed) +
                                           " bytes of shared memory; the device has " + std::to_string(*most)};
}

static Result<cuda::Module> loadImage(const Driver &driver, const Manifest &manifest, const std::string &image) {
  std::string log(4096, '\0');
  cuda::JitOption options[] = {cuda::jitErrorLogBuffer, cuda::jitErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  cuda::Module module = nullptr;
  // PTX must end with a zero byte, which std::string guarantees.
  cuda::Result result = driver.moduleLoadDataEx(&module, image.data(), 2, options, values);
  if (result == cuda::success)
    return module;
  Error error = driver.failure(result, "moduleLoadDataEx");
  if (error.kind == ErrorKind::Driver && result >= cuda::errorInvalidImage)
    error.kind = ErrorKind::Image;
  std::string reported = log.c_str();
  error.text = "`" + manifest.image.file + "`: " + error.text + (reported.empty() ? "" : ": " + reported);
  return error;
}

static Status checkPlaces(const Driver &driver, const Manifest &manifest, cuda::Function function) {
  if (!driver.funcGetParamInfo)
    return Done();
  // The driver counts from the start of its constant bank, which is not as aligned as a tensor map needs: on Hopper the
  // first one of 64 bytes' alignment is reported at 48. Only distances between parameters mean something.
  size_t start = 0;
  for (size_t i = 0; i <= manifest.params.size(); ++i) {
    size_t offset = 0, bytes = 0;
    bool exists = driver.funcGetParamInfo(function, i, &offset, &bytes) == cuda::success;
    if (i == manifest.params.size()) {
      if (exists)
        return Error{ErrorKind::Image, "the image has more parameters than the manifest, which has " +
                                           std::to_string(manifest.params.size())};
      break;
    }
    const Param &param = manifest.params[i];
    if (!exists)
      return Error{ErrorKind::Image, "the image has " + std::to_string(i) + " parameters; the manifest has " +
                                         std::to_string(manifest.params.size())};
    if (i == 0)
      start = offset - size_t(param.offset);
    offset -= start;
    if (offset != size_t(param.offset) || bytes != size_t(param.size))
      return Error{ErrorKind::Image, "`" + param.name + "`: the image has it at offset " + std::to_string(offset) +
                                         " with " + std::to_string(bytes) + " bytes; the manifest says " +
                                         std::to_string(param.offset) + " with " + std::to_string(param.size)};
  }
  return Done();
}

static Status prepare(const Driver &driver, const Manifest &manifest, cuda::Function function) {
  const Launch &launch = manifest.launch;
  if (launch.dynamicShared > 0)
    TLX_TRY_DRIVER(driver, funcSetAttribute, function, cuda::maxDynamicSharedSizeBytes, int(launch.dynamicShared));
  // 8 blocks are the portable limit of a cluster.
  if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 8)
    TLX_TRY_DRIVER(driver, funcSetAttribute, function, cuda::nonPortableClusterSizeAllowed, 1);
  return checkPlaces(driver, manifest, function);
}

Result<LoadedModule> rt::loadModule(const Driver &driver, const Manifest &manifest, const std::string &image,
                                    cuda::Context context) {
  if (Status status = checkDevice(driver, manifest); !status)
    return status.error();
  if (Status status = checkSharedMemory(driver, manifest); !status)
    return status.error();
  Result<cuda::Module> module = loadImage(driver, manifest, image);
  if (!module)
    return module.error();
  LoadedModule loaded{context, contextIdentity(driver, context), *module, nullptr};
  cuda::Result found = driver.moduleGetFunction(&loaded.function, *module, manifest.entry.c_str());
  Status status = Done();
  if (found != cuda::success)
    status = Error{ErrorKind::Image, "`" + manifest.image.file + "` has no entry `" + manifest.entry + "`"};
  else
    status = prepare(driver, manifest, loaded.function);
  if (status)
    return loaded;
  driver.moduleUnload(*module);
  return status.error();
}
