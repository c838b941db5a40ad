// The GPU driver library, loaded at run time, and the context that calls work in.
#ifndef TLX_RUNTIME_DRIVER_H
#define TLX_RUNTIME_DRIVER_H

#include "tlx/Manifest/Result.h"
#include "tlx/Runtime/DriverTypes.h"
#include "tlx/Runtime/TryDriver.h"

#include <string>

namespace tlx::rt {

namespace cuda {
struct FunctionTable {
#define TLX_DRIVER_FUNCTION(MEMBER, SYMBOL, PARAMETERS) Result(*MEMBER) PARAMETERS = nullptr;
#define TLX_DRIVER_OPTION(MEMBER, SYMBOL, PARAMETERS) Result(*MEMBER) PARAMETERS = nullptr;
#include "tlx/Runtime/DriverFunctions.def"
};
} // namespace cuda

/// The functions of the driver. One for the process, because the driver itself is.
class Driver : public cuda::FunctionTable {
public:
  /// Loads and initialises the driver on the first call; later calls give the same answer.
  static Result<const Driver *> get();

  /// Success, or an error that names the call and the driver's error.
  Status check(cuda::Result result, const char *call) const;
  Error failure(cuda::Result result, const char *call) const;

private:
  static Result<const Driver *> open();
};

/// Makes sure that a context is current for as long as the scope lives: the caller's, else the primary one of device 0.
class ContextScope {
public:
  static Result<ContextScope> enter(const Driver &driver);
  ContextScope(ContextScope &&other) noexcept;
  ContextScope &operator=(ContextScope &&) = delete;
  ~ContextScope();

  cuda::Context context() const { return current; }

private:
  ContextScope(const Driver &driver, cuda::Context current, bool pushed)
      : driver(&driver), current(current), pushed(pushed) {}

  const Driver *driver;
  cuda::Context current;
  bool pushed;
};

} // namespace tlx::rt

#endif
