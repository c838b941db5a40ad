// Loading of the HIP library.
#include "tlx/Runtime/HipDriver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

using namespace tlx;
using namespace tlx::rt;

static const char *symbolOf(std::string_view member) {
#define TLX_HIP_FUNCTION(MEMBER, SYMBOL, PARAMETERS)                                                                   \
  if (member == #MEMBER)                                                                                               \
    return #SYMBOL;
#define TLX_HIP_TEXT(MEMBER, SYMBOL, PARAMETERS)
#include "tlx/Runtime/HipFunctions.def"
  return "HIP call";
}

Error HipDriver::failure(hip::Result result, const char *call) const {
  const char *name = getErrorName(result), *text = getErrorString(result);
  ErrorKind kind = ErrorKind::Driver;
  if (result == hip::errorOutOfMemory)
    kind = ErrorKind::OutOfMemory;
  if (result == hip::errorNoDevice)
    kind = ErrorKind::NoDevice;
  return Error{kind, std::string(symbolOf(call)) + ": " + (name ? name : "error " + std::to_string(result)) +
                         (text ? std::string(" (") + text + ")" : "")};
}

template <typename T> static bool resolve(void *library, const char *symbol, T &function) {
  function = reinterpret_cast<T>(dlsym(library, symbol));
  return function != nullptr;
}

static Status resolveAll(void *library, const std::string &name, hip::FunctionTable &table) {
#define TLX_HIP_FUNCTION(MEMBER, SYMBOL, PARAMETERS)                                                                   \
  if (!resolve(library, #SYMBOL, table.MEMBER))                                                                        \
    return Error{ErrorKind::DriverMissing, "`" + name + "` has no " #SYMBOL "; HIP of ROCm 5.4 or later has"};
#define TLX_HIP_TEXT(MEMBER, SYMBOL, PARAMETERS) TLX_HIP_FUNCTION(MEMBER, SYMBOL, PARAMETERS)
#include "tlx/Runtime/HipFunctions.def"
  return Done();
}

/// The library that the environment names, else the newest that the loader finds.
static void *loadLibrary(std::string &name) {
  if (const char *chosen = std::getenv("TLXRT_HIP_DRIVER"); chosen && *chosen) {
    name = chosen;
    return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  for (const char *candidate : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}) {
    name = candidate;
    if (void *library = dlopen(candidate, RTLD_NOW | RTLD_LOCAL))
      return library;
  }
  return nullptr;
}

Result<const HipDriver *> HipDriver::open() {
  std::string name;
  void *library = loadLibrary(name);
  if (!library) {
    const char *reason = dlerror();
    return Error{ErrorKind::DriverMissing, "`" + name + "` cannot be loaded: " + (reason ? reason : "no reason given")};
  }
  // Lives as long as the process: the library cannot be unloaded safely.
  static HipDriver driver;
  if (Status status = resolveAll(library, name, driver); !status)
    return status.error();
  TLX_TRY_DRIVER(driver, init, 0);
  return &driver;
}

Result<const HipDriver *> HipDriver::get() {
  static const Result<const HipDriver *> opened = open();
  return opened;
}
