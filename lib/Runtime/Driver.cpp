// Loading of the driver library and choice of the context.
#include "tlx/Runtime/Driver.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tlx;
using namespace tlx::rt;

static const char *symbolOf(std::string_view member) {
#define TLX_DRIVER_FUNCTION(MEMBER, SYMBOL, PARAMETERS)                                                                \
  if (member == #MEMBER)                                                                                               \
    return #SYMBOL;
#define TLX_DRIVER_OPTION(MEMBER, SYMBOL, PARAMETERS)
#include "tlx/Runtime/DriverFunctions.def"
  return "driver call";
}

Error Driver::failure(cuda::Result result, const char *call) const {
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  ErrorKind kind = ErrorKind::Driver;
  if (result == cuda::errorOutOfMemory)
    kind = ErrorKind::OutOfMemory;
  if (result == cuda::errorNoDevice)
    kind = ErrorKind::NoDevice;
  return Error{kind, std::string(symbolOf(call)) + ": " + (name ? name : "error " + std::to_string(result)) +
                         (text ? std::string(" (") + text + ")" : "")};
}

Status Driver::check(cuda::Result result, const char *call) const {
  if (result == cuda::success)
    return Done();
  return failure(result, call);
}

template <typename T> static bool resolve(void *library, const char *symbol, T &function) {
  function = reinterpret_cast<T>(dlsym(library, symbol));
  return function != nullptr;
}

static Status resolveAll(void *library, const std::string &name, cuda::FunctionTable &table) {
#define TLX_DRIVER_FUNCTION(MEMBER, SYMBOL, PARAMETERS)                                                                \
  if (!resolve(library, #SYMBOL, table.MEMBER))                                                                        \
    return Error{ErrorKind::DriverMissing, "`" + name + "` has no " #SYMBOL "; a driver for CUDA 12.0 or later has"};
#define TLX_DRIVER_OPTION(MEMBER, SYMBOL, PARAMETERS) resolve(library, #SYMBOL, table.MEMBER);
#include "tlx/Runtime/DriverFunctions.def"
  return Done();
}

Result<const Driver *> Driver::open() {
  const char *chosen = std::getenv("TLXRT_DRIVER");
  std::string name = chosen && *chosen ? chosen : "libcuda.so.1";
  void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Error{ErrorKind::DriverMissing, "`" + name + "` cannot be loaded: " + (reason ? reason : "no reason given")};
  }
  // Lives as long as the process: the driver cannot be unloaded safely.
  static Driver driver;
  if (Status status = resolveAll(library, name, driver); !status)
    return status.error();
  TLX_TRY_DRIVER(driver, init, 0);
  return &driver;
}

Result<const Driver *> Driver::get() {
  static const Result<const Driver *> opened = open();
  return opened;
}

static Result<cuda::Context> primaryContext(const Driver &driver) {
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  TLX_TRY_DRIVER(driver, deviceGet, &device, 0);
  TLX_TRY_DRIVER(driver, devicePrimaryCtxRetain, &context, device);
  return context;
}

Result<ContextScope> ContextScope::enter(const Driver &driver) {
  cuda::Context context = nullptr;
  TLX_TRY_DRIVER(driver, ctxGetCurrent, &context);
  if (context)
    return ContextScope(driver, context, false);
  // Retained once and kept: modules and memory live in it until the process ends.
  static const Result<cuda::Context> primary = primaryContext(driver);
  if (!primary)
    return primary.error();
  TLX_TRY_DRIVER(driver, ctxPushCurrent, *primary);
  return ContextScope(driver, *primary, true);
}

ContextScope::ContextScope(ContextScope &&other) noexcept
    : driver(other.driver), current(other.current), pushed(std::exchange(other.pushed, false)) {}

ContextScope::~ContextScope() {
  cuda::Context ignored = nullptr;
  if (pushed)
    driver->ctxPopCurrent(&ignored);
}
