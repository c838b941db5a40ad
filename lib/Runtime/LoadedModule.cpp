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

/// A parameter as the image has it.
struct Place {
  size_t offset = 0, bytes = 0;
};

static std::vector<Place> placesInImage(const Driver &driver, cuda::Function function) {
  std::vector<Place> places;
  for (Place place; driver.funcGetParamInfo(function, places.size(), &place.offset, &place.bytes) == cuda::success;)
    places.push_back(place);
  return places;
}

/// True when the parameters of the manifest, laid out one after the other from an address that is `start` modulo 64,
/// have the distances of `places`. The driver counts from the start of its parameters in the constant bank, which is
/// less aligned than a tensor map: on Hopper at 16 modulo 64, so that a tensor map that comes first is reported at 48.
static bool fits(const Manifest &manifest, const std::vector<Place> &places, size_t start) {
  size_t at = start;
  for (size_t i = 0; i < places.size(); ++i) {
    size_t align = size_t(manifest.params[i].align);
    at = (at + align - 1) / align * align;
    if (places[i].offset != at - start)
      return false;
    at += size_t(manifest.params[i].size);
  }
  return true;
}

static Status checkPlaces(const Driver &driver, const Manifest &manifest, cuda::Function function) {
  if (!driver.funcGetParamInfo)
    return Done();
  std::vector<Place> places = placesInImage(driver, function);
  if (places.size() != manifest.params.size())
    return Error{ErrorKind::Image, "the image has " + std::to_string(places.size()) + " parameters; the manifest has " +
                                       std::to_string(manifest.params.size())};
  std::string list;
  for (size_t i = 0; i < places.size(); ++i) {
    const Param &param = manifest.params[i];
    if (places[i].bytes != size_t(param.size))
      return Error{ErrorKind::Image, "`" + param.name + "` has " + std::to_string(places[i].bytes) +
                                         " bytes in the image; the manifest says " + std::to_string(param.size)};
    list += (i ? ", " : "") + std::to_string(places[i].offset);
  }
  for (size_t start = 0; start < 64; start += 4)
    if (fits(manifest, places, start))
      return Done();
  return Error{ErrorKind::Image,
               "the parameters of the image lie at offsets " + list + "; those of the manifest cannot be laid out so"};
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

Result<cuda::DevicePointer> rt::zerosOf(const Driver &driver, LoadedModule &module) {
  constexpr char zeros[16] = {};
  if (!module.zeros) {
    cuda::DevicePointer address = 0;
    TLX_TRY_DRIVER(driver, memAlloc, &address, sizeof zeros);
    TLX_TRY_DRIVER(driver, memcpyHtoD, address, zeros, sizeof zeros);
    module.zeros = address;
  }
  return module.zeros;
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
