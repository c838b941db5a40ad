// The C interface: null checks, status numbers, and the text of the last error.
#include "KernelLaunch.h"
#include "tlx/Manifest/ReadFile.h"

#include <filesystem>
#include <new>

using namespace tlx;
using namespace tlx::rt;

#define TLX_ELEMENT_TYPE(NAME, SPELLING, BYTES, NUMBER)                                                                \
  static_assert(TLXRT_##NAME == NUMBER, "tlxrt_dtype and ElementTypes.def agree");
#include "tlx/Manifest/ElementTypes.def"
static_assert(
    TLXRT_ERROR_FILE == int(ErrorKind::File) && TLXRT_ERROR_MANIFEST == int(ErrorKind::Manifest) &&
        TLXRT_ERROR_IMAGE == int(ErrorKind::Image) && TLXRT_ERROR_DRIVER_MISSING == int(ErrorKind::DriverMissing) &&
        TLXRT_ERROR_NO_DEVICE == int(ErrorKind::NoDevice) && TLXRT_ERROR_WRONG_DEVICE == int(ErrorKind::WrongDevice) &&
        TLXRT_ERROR_DRIVER == int(ErrorKind::Driver) && TLXRT_ERROR_ARGUMENT_COUNT == int(ErrorKind::ArgumentCount) &&
        TLXRT_ERROR_ARGUMENT_KIND == int(ErrorKind::ArgumentKind) &&
        TLXRT_ERROR_ARGUMENT_VALUE == int(ErrorKind::ArgumentValue) &&
        TLXRT_ERROR_TENSOR_MAP == int(ErrorKind::TensorMap) && TLXRT_ERROR_GRID == int(ErrorKind::Grid) &&
        TLXRT_ERROR_UNSUPPORTED == int(ErrorKind::Unsupported) && TLXRT_ERROR_NULL == int(ErrorKind::NullArgument) &&
        TLXRT_ERROR_OUT_OF_MEMORY == int(ErrorKind::OutOfMemory),
    "tlxrt_status and ErrorKinds.def agree");

// The contract of tlxrt_last_error asks for exactly this state.
static thread_local std::string lastError;

static tlxrt_status fail(const Error &error) {
  lastError = error.text;
  return tlxrt_status(int(error.kind));
}

static tlxrt_status failNull(const char *name) {
  return fail({ErrorKind::NullArgument, std::string("`") + name + "` is null"});
}

/// Runs `body`, which returns a Status, and turns what it gives into a status number.
template <typename Body> static tlxrt_status guarded(Body body) {
  try {
    Status status = body();
    return status ? TLXRT_SUCCESS : fail(status.error());
  } catch (const std::bad_alloc &) {
    return fail({ErrorKind::OutOfMemory, "the host has no memory left"});
  }
}

static Status loadKernel(const char *manifestText, std::string image, tlxrt_kernel **kernel) {
  Result<Manifest> manifest = parse(manifestText);
  if (!manifest)
    return manifest.error();
  auto created = tlxrt_kernel::create(std::move(*manifest), std::move(image));
  if (!created)
    return created.error();
  *kernel = created->release();
  return Done();
}

static Status loadFromFile(const char *path, tlxrt_kernel **kernel) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  Result<Manifest> manifest = parse(*text);
  if (!manifest)
    return Error{manifest.error().kind, "`" + std::string(path) + "`: " + manifest.error().text};
  Result<std::string> image = readFile(std::filesystem::path(path).parent_path() / manifest->image.file);
  if (!image)
    return image.error();
  auto created = tlxrt_kernel::create(std::move(*manifest), std::move(*image));
  if (!created)
    return created.error();
  *kernel = created->release();
  return Done();
}

extern "C" {

const char *tlxrt_status_string(tlxrt_status status) {
  return status == TLXRT_SUCCESS ? "success" : describe(ErrorKind(int(status)));
}

const char *tlxrt_last_error(void) {
  return lastError.c_str();
}

int tlxrt_version(void) {
  return 100;
}

tlxrt_status tlxrt_kernel_load(const char *manifest_path, tlxrt_kernel **kernel) {
  if (!kernel)
    return failNull("kernel");
  *kernel = nullptr;
  if (!manifest_path)
    return failNull("manifest_path");
  return guarded([&] { return loadFromFile(manifest_path, kernel); });
}

tlxrt_status tlxrt_kernel_load_memory(const char *manifest_json, const void *image, size_t image_bytes,
                                      tlxrt_kernel **kernel) {
  if (!kernel)
    return failNull("kernel");
  *kernel = nullptr;
  if (!manifest_json || !image)
    return failNull(manifest_json ? "image" : "manifest_json");
  return guarded(
      [&] { return loadKernel(manifest_json, std::string(static_cast<const char *>(image), image_bytes), kernel); });
}

tlxrt_status tlxrt_kernel_free(tlxrt_kernel *kernel) {
  delete kernel;
  return TLXRT_SUCCESS;
}

static const Param *visibleParam(const tlxrt_kernel *kernel, int index) {
  if (!kernel || index < 0 || index >= int(kernel->visible.size()))
    return nullptr;
  return &kernel->manifest.params[kernel->visible[index]];
}

int tlxrt_kernel_parameter_count(const tlxrt_kernel *kernel) {
  return kernel ? int(kernel->visible.size()) : -1;
}

const char *tlxrt_kernel_parameter_name(const tlxrt_kernel *kernel, int index) {
  const Param *param = visibleParam(kernel, index);
  return param ? param->name.c_str() : nullptr;
}

int tlxrt_kernel_parameter_kind(const tlxrt_kernel *kernel, int index) {
  const Param *param = visibleParam(kernel, index);
  if (!param)
    return -1;
  if (param->kind == ParamKind::TensorMap)
    return TLXRT_PARAMETER_TENSOR_MAP;
  return param->kind == ParamKind::Pointer ? TLXRT_PARAMETER_POINTER : TLXRT_PARAMETER_SCALAR;
}

int tlxrt_kernel_parameter_dtype(const tlxrt_kernel *kernel, int index) {
  const Param *param = visibleParam(kernel, index);
  if (!param)
    return TLXRT_NO_DTYPE;
  auto type = param->tensorMap ? std::optional(param->tensorMap->dtype) : param->elementType();
  return type ? int(*type) : TLXRT_NO_DTYPE;
}

const char *tlxrt_kernel_name(const tlxrt_kernel *kernel) {
  return kernel ? kernel->manifest.kernel.c_str() : nullptr;
}

void tlxrt_kernel_cluster(const tlxrt_kernel *kernel, int cluster[3]) {
  for (int axis = 0; kernel && axis < 3; ++axis)
    cluster[axis] = int(kernel->manifest.launch.cluster[axis]);
}

int tlxrt_kernel_threads(const tlxrt_kernel *kernel) {
  return kernel ? int(kernel->manifest.launch.threads) : -1;
}

int tlxrt_kernel_constexpr(const tlxrt_kernel *kernel, const char *name, int64_t *value) {
  if (!kernel || !name || !value)
    return 0;
  for (auto &[key, constant] : kernel->manifest.constexprs) {
    if (key != name)
      continue;
    if (auto *integer = std::get_if<int64_t>(&constant))
      return *value = *integer, 1;
    if (auto *boolean = std::get_if<bool>(&constant))
      return *value = *boolean, 1;
  }
  return 0;
}

tlxrt_status tlxrt_launch(tlxrt_kernel *kernel, void *stream, const int grid[3], const tlxrt_arg *args, int count) {
  if (!kernel)
    return failNull("kernel");
  if (!grid)
    return failNull("grid");
  if (!args && count > 0)
    return failNull("args");
  return guarded([&] { return launch(*kernel, stream, grid, args, count); });
}

tlxrt_status tlxrt_max_active_clusters(tlxrt_kernel *kernel, int *clusters) {
  if (!kernel || !clusters)
    return failNull(kernel ? "clusters" : "kernel");
  return guarded([&]() -> Status {
    Result<int> active = kernel->backend->maxActiveClusters(*kernel);
    if (!active)
      return active.error();
    *clusters = *active;
    return Done();
  });
}

tlxrt_status tlxrt_multiprocessor_count(int *count) {
  if (!count)
    return failNull("count");
  return guarded([&]() -> Status {
    Result<int> processors = multiprocessors();
    if (!processors)
      return processors.error();
    *count = *processors;
    return Done();
  });
}

tlxrt_status tlxrt_kernel_multiprocessor_count(tlxrt_kernel *kernel, int *count) {
  if (!kernel || !count)
    return failNull(kernel ? "count" : "kernel");
  return guarded([&]() -> Status {
    Result<int> processors = kernel->backend->multiprocessors();
    if (!processors)
      return processors.error();
    *count = *processors;
    return Done();
  });
}

} // extern "C"
