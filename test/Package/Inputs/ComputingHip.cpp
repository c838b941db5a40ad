// A library with HIP's names that runs on the CPU and computes what scale computes, from the argument buffer that it is
// launched with. STANDIN_FAMILY is the minor number of the device's architecture.
#include "tlx/Runtime/HipTypes.h"

#include <cstdlib>
#include <cstring>

using namespace tlx::rt::hip;

static int dummy;
/// The processor in the flags of the image that was loaded (AMDGPU usage guide, EF_AMDGPU_MACH).
static unsigned processor;

static int family() {
  const char *named = std::getenv("STANDIN_FAMILY");
  return named ? std::atoi(named) : 4;
}

extern "C" {

Result hipInit(unsigned) {
  return success;
}
const char *hipGetErrorName(Result) {
  return "an error";
}
const char *hipGetErrorString(Result) {
  return "of the test";
}
Result hipGetDevice(int *device) {
  return *device = 0, success;
}
Result hipSetDevice(int) {
  return success;
}
Result hipDeviceGetAttribute(int *value, DeviceAttribute attribute, int) {
  *value = attribute == computeCapabilityMajor ? 9 : attribute == computeCapabilityMinor ? family() : 65536;
  return success;
}
Result hipDeviceSynchronize() {
  return success;
}
Result hipModuleLoadData(Module *module, const void *image) {
  *module = reinterpret_cast<Module>(&dummy);
  if (std::memcmp(image, "\177ELF", 4) != 0)
    return errorInvalidImage;
  // e_flags of a 64-bit header.
  processor = static_cast<const unsigned char *>(image)[48];
  return processor == (family() == 5 ? 0x4fu : 0x4cu) ? success : errorNoBinaryForGpu;
}
Result hipModuleUnload(Module) {
  return success;
}
Result hipModuleGetFunction(Function *function, Module, const char *name) {
  *function = reinterpret_cast<Function>(&dummy);
  return std::strcmp(name, "scale") == 0 ? success : errorNotFound;
}
Result hipModuleLaunchKernel(Function, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                             unsigned, Stream, void **, void **extra) {
  if (*static_cast<size_t *>(extra[3]) != 12)
    return errorInvalidValue;
  float *numbers;
  int count;
  std::memcpy(&numbers, extra[1], 8);
  std::memcpy(&count, static_cast<char *>(extra[1]) + 8, 4);
  for (unsigned i = 0; i < grid * threads && int(i) < count; ++i)
    numbers[i] *= 2;
  return success;
}
Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function, int, size_t) {
  return *blocks = 1, success;
}
Result hipMalloc(DevicePointer *, size_t) {
  return errorOutOfMemory;
}
Result hipFree(DevicePointer) {
  return success;
}
Result hipMallocAsync(DevicePointer *, size_t, Stream) {
  return errorOutOfMemory;
}
Result hipFreeAsync(DevicePointer, Stream) {
  return success;
}
Result hipMemcpyHtoD(DevicePointer, const void *, size_t) {
  return success;
}
Result hipMemcpyDtoH(void *, DevicePointer, size_t) {
  return success;
}
Result hipEventCreateWithFlags(Event *, unsigned) {
  return success;
}
Result hipEventDestroy(Event) {
  return success;
}
Result hipEventRecord(Event, Stream) {
  return success;
}
Result hipEventSynchronize(Event) {
  return success;
}
Result hipEventElapsedTime(float *, Event, Event) {
  return success;
}

} // extern "C"
