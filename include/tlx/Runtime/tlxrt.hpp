// C++ over tlxrt.h, header only: owning handle and arguments by construction. Nothing throws.
#ifndef TLX_RUNTIME_TLXRT_HPP
#define TLX_RUNTIME_TLXRT_HPP

#include "tlx/Runtime/tlxrt.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>

namespace tlx::rt {

/// An argument of a launch. A tensor is referred to, not copied: it must outlive the call.
struct Argument : tlxrt_arg {
  Argument(const tlxrt_tensor &tensor) {
    kind = TLXRT_ARG_TENSOR;
    value.tensor = &tensor;
  }
  Argument(void *pointer) {
    kind = TLXRT_ARG_POINTER;
    value.pointer = pointer;
  }
  Argument(std::nullptr_t) : Argument(static_cast<void *>(nullptr)) {}
  Argument(std::integral auto integer) {
    kind = TLXRT_ARG_I64;
    value.i64 = static_cast<int64_t>(integer);
  }
  Argument(std::floating_point auto number) {
    kind = TLXRT_ARG_F64;
    value.f64 = number;
  }
};
static_assert(sizeof(Argument) == sizeof(tlxrt_arg), "a list of Argument is passed as a list of tlxrt_arg");

/// Owns a kernel. Empty after a failed load: then `status()` and `message()` say why.
class Kernel {
public:
  static Kernel load(const std::string &manifestPath) {
    tlxrt_kernel *handle = nullptr;
    tlxrt_status status = tlxrt_kernel_load(manifestPath.c_str(), &handle);
    return Kernel(handle, status);
  }
  static Kernel load(const char *manifestJson, const void *image, size_t imageBytes) {
    tlxrt_kernel *handle = nullptr;
    tlxrt_status status = tlxrt_kernel_load_memory(manifestJson, image, imageBytes, &handle);
    return Kernel(handle, status);
  }

  explicit operator bool() const { return kernel != nullptr; }
  tlxrt_status status() const { return loadStatus; }
  const std::string &message() const { return loadMessage; }
  tlxrt_kernel *get() const { return kernel.get(); }

  tlxrt_status launch(void *stream, std::array<int, 3> grid, std::initializer_list<Argument> arguments) const {
    return tlxrt_launch(kernel.get(), stream, grid.data(), arguments.begin(), static_cast<int>(arguments.size()));
  }

private:
  struct Free {
    void operator()(tlxrt_kernel *handle) const { (void)tlxrt_kernel_free(handle); }
  };
  Kernel(tlxrt_kernel *handle, tlxrt_status status)
      : kernel(handle), loadStatus(status), loadMessage(handle ? "" : tlxrt_last_error()) {}

  std::unique_ptr<tlxrt_kernel, Free> kernel;
  tlxrt_status loadStatus;
  std::string loadMessage;
};

} // namespace tlx::rt

#endif
