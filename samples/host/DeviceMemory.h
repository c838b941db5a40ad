// Memory on the GPU through the driver, loaded at run time, so that the sample builds without the CUDA toolkit. A
// program that uses the CUDA runtime or a framework has its own: pass those pointers to the launch function.
#ifndef DEVICEMEMORY_H
#define DEVICEMEMORY_H

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

class Device {
public:
  Device() {
    const char *named = std::getenv("TLXRT_DRIVER");
    library = dlopen(named ? named : "libcuda.so.1", RTLD_NOW);
    if (!library) {
      text = "no GPU driver";
      return;
    }
    int device = 0;
    void *context = nullptr;
    if (call("cuInit", 0u) || call("cuDeviceGet", &device, 0) || call("cuDevicePrimaryCtxRetain", &context, device) ||
        call("cuCtxPushCurrent_v2", context))
      text = "no GPU";
  }

  bool ok() const { return text == nullptr; }
  const char *problem() const { return text; }

  template <typename T> void *upload(const std::vector<T> &data) {
    uint64_t address = 0;
    if (call("cuMemAlloc_v2", &address, data.size() * sizeof(T)))
      return nullptr;
    call("cuMemcpyHtoD_v2", address, static_cast<const void *>(data.data()), data.size() * sizeof(T));
    return reinterpret_cast<void *>(address);
  }
  /// Waits for the launches before it.
  template <typename T> void download(void *from, std::vector<T> &data) {
    call("cuMemcpyDtoH_v2", static_cast<void *>(data.data()), reinterpret_cast<uint64_t>(from),
         data.size() * sizeof(T));
  }

private:
  /// Zero is success, as everywhere in the driver.
  template <typename... Types> int call(const char *name, Types... arguments) {
    void *symbol = dlsym(library, name);
    return symbol ? reinterpret_cast<int (*)(Types...)>(symbol)(arguments...) : -1;
  }

  void *library = nullptr;
  const char *text = nullptr;
};

#endif
