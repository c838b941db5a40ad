// A shared library with the names of HIP. It records calls; device memory is host memory; launches do nothing.
#include "HipStandIn.h"

#include <cstdlib>
#include <cstring>

using namespace tlx::rt::hip;

static HipStandIn state;

/// Success, or what the test asked of this function.
static Result outcome(const char *symbol) {
  return state.failing == symbol ? state.failure : success;
}

extern "C" {

HipStandIn *hipStandIn() {
  return &state;
}

Result hipInit(unsigned) {
  return std::getenv("STANDIN_NO_DEVICE") ? errorNoDevice : success;
}
const char *hipGetErrorName(Result error) {
  switch (error) {
  case errorInvalidValue:
    return "hipErrorInvalidValue";
  case errorOutOfMemory:
    return "hipErrorOutOfMemory";
  case errorInvalidImage:
    return "hipErrorInvalidImage";
  case errorNoBinaryForGpu:
    return "hipErrorNoBinaryForGpu";
  case errorLaunchFailure:
    return "hipErrorLaunchFailure";
  default:
    return nullptr;
  }
}
const char *hipGetErrorString(Result) {
  return "as the test asked";
}

Result hipGetDevice(int *device) {
  *device = state.device;
  return outcome("hipGetDevice");
}
Result hipSetDevice(int device) {
  state.device = device;
  return success;
}
Result hipDeviceGetAttribute(int *value, DeviceAttribute attribute, int) {
  *value = attribute == multiprocessorCount      ? 304
           : attribute == computeCapabilityMajor ? state.major
           : attribute == computeCapabilityMinor ? state.minor
                                                 : state.sharedPerBlock;
  return outcome("hipDeviceGetAttribute");
}
Result hipDeviceSynchronize() {
  return outcome("hipDeviceSynchronize");
}

Result hipModuleLoadData(Module *module, const void *image) {
  *module = reinterpret_cast<Module>(0x2000);
  state.image = std::string(static_cast<const char *>(image), 5);
  if (Result result = outcome("hipModuleLoadData"))
    return result;
  state.modulesLoadedOn.push_back(state.device);
  return success;
}
Result hipModuleUnload(Module) {
  state.modulesUnloadedOn.push_back(state.device);
  return success;
}
Result hipModuleGetFunction(Function *function, Module, const char *name) {
  *function = reinterpret_cast<Function>(0x3000);
  return name == state.entry ? success : errorNotFound;
}

Result hipModuleLaunchKernel(Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                             unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters, void **extra) {
  RecordedHipLaunch launch{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, stream, state.device};
  auto marker = [&](int index) { return reinterpret_cast<uintptr_t>(extra[index]); };
  launch.wellFormed = !parameters && extra && marker(0) == launchParamBufferPointer &&
                      marker(2) == launchParamBufferSize && marker(4) == launchParamEnd;
  if (launch.wellFormed) {
    auto *bytes = static_cast<unsigned char *>(extra[1]);
    launch.arguments.assign(bytes, bytes + *static_cast<size_t *>(extra[3]));
  }
  state.launches.push_back(launch);
  return outcome("hipModuleLaunchKernel");
}
Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function, int threads, size_t) {
  *blocks = 2048 / threads;
  return outcome("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
}

Result hipMalloc(DevicePointer *address, size_t bytes) {
  *address = reinterpret_cast<uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  ++state.buffers;
  return outcome("hipMalloc");
}
Result hipFree(DevicePointer address) {
  std::free(reinterpret_cast<void *>(address));
  --state.buffers;
  return success;
}
Result hipMallocAsync(DevicePointer *address, size_t bytes, Stream) {
  state.scratchAllocated = bytes;
  *address = 0x500010;
  return outcome("hipMallocAsync");
}
Result hipFreeAsync(DevicePointer address, Stream) {
  state.scratchFreed = address;
  return success;
}
Result hipMemcpyHtoD(DevicePointer to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return outcome("hipMemcpyHtoD");
}
Result hipMemcpyDtoH(void *to, DevicePointer from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return outcome("hipMemcpyDtoH");
}

Result hipEventCreateWithFlags(Event *event, unsigned) {
  *event = nullptr;
  ++state.events;
  return success;
}
Result hipEventDestroy(Event) {
  --state.events;
  return success;
}
Result hipEventRecord(Event, Stream) {
  return success;
}
Result hipEventSynchronize(Event) {
  return outcome("hipEventSynchronize");
}
Result hipEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 1.5f;
  return success;
}

} // extern "C"
