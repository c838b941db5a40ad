// The HIP library of AMD's driver, loaded at run time.
#ifndef TLX_RUNTIME_HIPDRIVER_H
#define TLX_RUNTIME_HIPDRIVER_H

#include "tlx/Manifest/Result.h"
#include "tlx/Runtime/HipTypes.h"
#include "tlx/Runtime/TryDriver.h"

#include <string>

namespace tlx::rt {

namespace hip {
struct FunctionTable {
#define TLX_HIP_FUNCTION(MEMBER, SYMBOL, PARAMETERS) Result(*MEMBER) PARAMETERS = nullptr;
#define TLX_HIP_TEXT(MEMBER, SYMBOL, PARAMETERS) const char *(*MEMBER)PARAMETERS = nullptr;
#include "tlx/Runtime/HipFunctions.def"
};
} // namespace hip

/// The functions of HIP. One for the process, because the library itself is. Calls work on the device that is current
/// on the calling thread.
class HipDriver : public hip::FunctionTable {
public:
  /// Loads and initialises the library on the first call; later calls give the same answer.
  static Result<const HipDriver *> get();

  /// An error that names the call and HIP's error.
  Error failure(hip::Result result, const char *call) const;

private:
  static Result<const HipDriver *> open();
};

} // namespace tlx::rt

#endif
