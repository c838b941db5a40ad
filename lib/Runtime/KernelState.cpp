// Creation of a kernel from manifest and image.
#include "KernelState.h"

#include "tlx/Manifest/Sha256.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::rt;

Result<std::unique_ptr<Backend>> rt::makeBackend(const Manifest &manifest) {
  return manifest.image.kind == ImageKind::Hsaco ? makeHipBackend(manifest) : makeCudaBackend(manifest);
}

static Status checkImage(const Image &image, const std::string &bytes) {
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
  auto backend = makeBackend(manifest);
  if (!backend)
    return backend.error();
  auto kernel = std::make_unique<tlxrt_kernel>();
  kernel->backend = std::move(*backend);
  for (size_t i = 0; i < manifest.params.size(); ++i) {
    const Param &param = manifest.params[i];
    if (param.kind == ParamKind::Scalar && param.size != byteSize(*param.elementType()))
      return Error{ErrorKind::Manifest,
                   "`" + param.name + "`: size " + std::to_string(param.size) + " of a `" + param.type + "`"};
    if ((param.kind == ParamKind::Pointer || param.kind == ParamKind::Scratch) && param.size != 8)
      return Error{ErrorKind::Manifest, "`" + param.name + "`: size " + std::to_string(param.size) + " of a pointer"};
    if (!param.isHidden())
      kernel->visible.push_back(int(i));
    kernel->parameterBytes = std::max(kernel->parameterBytes, param.offset + param.size);
  }
  kernel->manifest = std::move(manifest);
  kernel->image = std::move(image);
  return kernel;
}
