// Creation of a kernel from manifest and image, its modules and its tensor maps.
#include "KernelState.h"

#include "tlx/Manifest/Sha256.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::rt;

Result<const cuda::TensorMapBits *> TensorMapCache::find(const Driver &driver, const Param &param,
                                                         const TensorMapRequest &request) {
  for (const Entry &entry : entries)
    if (entry.request == request)
      return &entry.bits;
  Result<cuda::TensorMapBits> bits = encode(driver, param, request);
  if (!bits)
    return bits.error();
  if (entries.size() < capacity) {
    entries.push_back({request, *bits});
    return &entries.back().bits;
  }
  Entry &entry = entries[oldest];
  oldest = (oldest + 1) % capacity;
  entry = {request, *bits};
  return &entry.bits;
}

static Status checkImage(const Image &image, const std::string &bytes) {
  if (image.kind == ImageKind::Hsaco)
    return Error{ErrorKind::Unsupported, "`" + image.file +
                                             "` is an image for AMD GPUs; this runtime launches cubin and "
                                             "ptx"};
  if (int64_t(bytes.size()) != image.bytes)
    return Error{ErrorKind::Image, "`" + image.file + "` has " + std::to_string(bytes.size()) +
                                       " bytes; the manifest says " + std::to_string(image.bytes)};
  if (std::string hash = sha256(bytes); hash != image.sha256)
    return Error{ErrorKind::Image, "`" + image.file + "` has SHA-256 " + hash + "; the manifest says " + image.sha256};
  return Done();
}

Result<std::unique_ptr<tlxrt_kernel>> tlxrt_kernel::create(Manifest manifest, std::string image) {
  if (Status status = checkImage(manifest.image, image); !status)
    return status.error();
  auto kernel = std::make_unique<tlxrt_kernel>();
  for (size_t i = 0; i < manifest.params.size(); ++i) {
    const Param &param = manifest.params[i];
    if (param.kind == ParamKind::TensorMap)
      if (Status status = checkRecipe(param); !status)
        return status.error();
    if (param.kind == ParamKind::Scalar && param.size != byteSize(*param.elementType()))
      return Error{ErrorKind::Manifest,
                   "`" + param.name + "`: size " + std::to_string(param.size) + " of a `" + param.type + "`"};
    if ((param.kind == ParamKind::Pointer || param.kind == ParamKind::Scratch) && param.size != 8)
      return Error{ErrorKind::Manifest, "`" + param.name + "`: size " + std::to_string(param.size) + " of a pointer"};
    if (!param.isHidden())
      kernel->visible.push_back(int(i));
    kernel->parameterBytes = std::max(kernel->parameterBytes, param.offset + param.size);
  }
  kernel->maps.resize(manifest.params.size());
  kernel->manifest = std::move(manifest);
  kernel->image = std::move(image);
  return kernel;
}

tlxrt_kernel::~tlxrt_kernel() {
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
    (*driver)->ctxPopCurrent(&ignored);
  }
}

Result<const LoadedModule *> tlxrt_kernel::moduleFor(const Driver &driver, cuda::Context context) {
  unsigned long long id = contextIdentity(driver, context);
  std::lock_guard lock(mutex);
  for (const auto &loaded : modules)
    if (loaded->contextId == id)
      return loaded.get();
  Result<LoadedModule> loaded = loadModule(driver, manifest, image, context);
  if (!loaded)
    return loaded.error();
  modules.push_back(std::make_unique<LoadedModule>(*loaded));
  return modules.back().get();
}
