// An image loaded into one context, ready to launch.
#ifndef TLX_LIB_RUNTIME_LOADEDMODULE_H
#define TLX_LIB_RUNTIME_LOADEDMODULE_H

#include "tlx/Manifest/Manifest.h"
#include "tlx/Runtime/Driver.h"

namespace tlx::rt {

struct LoadedModule {
  cuda::Context context = nullptr;
  unsigned long long contextId = 0;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  /// What maps of tensors without elements show; allocated when there is one.
  cuda::DevicePointer zeros = 0;
};

/// Gives the address of zeros in the module's context, which is the current one.
Result<cuda::DevicePointer> zerosOf(const Driver &driver, LoadedModule &module);

/// A number that tells contexts apart even when one takes the address of another that is gone.
unsigned long long contextIdentity(const Driver &driver, cuda::Context context);

/// Loads `image` into the current context after comparing device and image with the manifest.
Result<LoadedModule> loadModule(const Driver &driver, const Manifest &manifest, const std::string &image,
                                cuda::Context context);

} // namespace tlx::rt

#endif
