// A driver that runs on the CPU and computes what gemm_ws computes, from the tensor maps that it is launched with:
// enough to see that a program hands its tensors to the kernel as it should, on machines without a GPU.
#include "tlx/Runtime/DriverTypes.h"

#include <cstdlib>
#include <cstring>

using namespace tlx::rt::cuda;

namespace {

/// What this driver keeps in the 128 opaque bytes.
struct Map {
  _Float16 *data;
  uint64_t columns, rows, rowBytes;
};
static_assert(sizeof(Map) <= sizeof(TensorMapBits));

Map mapOf(void *parameter) {
  Map map;
  std::memcpy(&map, parameter, sizeof map);
  return map;
}

_Float16 &element(const Map &map, uint64_t row, uint64_t column) {
  return *reinterpret_cast<_Float16 *>(reinterpret_cast<char *>(map.data) + row * map.rowBytes + 2 * column);
}

int dummy;

} // namespace

extern "C" {

Result cuInit(unsigned) {
  return success;
}
Result cuGetErrorName(Result, const char **text) {
  return *text = "error", success;
}
Result cuGetErrorString(Result, const char **text) {
  return *text = "an error", success;
}
Result cuDeviceGet(Device *device, int) {
  return *device = 0, success;
}
Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, Device) {
  *value = attribute == computeCapabilityMajor         ? 9
           : attribute == maxSharedMemoryPerBlockOptin ? 232448
           : attribute == multiprocessorCount          ? 4
                                                       : 0;
  return success;
}
Result cuDevicePrimaryCtxRetain(Context *context, Device) {
  return *context = reinterpret_cast<Context>(&dummy), success;
}
Result cuCtxGetCurrent(Context *context) {
  return cuDevicePrimaryCtxRetain(context, 0);
}
Result cuCtxPushCurrent_v2(Context) {
  return success;
}
Result cuCtxPopCurrent_v2(Context *context) {
  return cuDevicePrimaryCtxRetain(context, 0);
}
Result cuCtxGetDevice(Device *device) {
  return *device = 0, success;
}
Result cuCtxSynchronize() {
  return success;
}
Result cuModuleLoadDataEx(Module *module, const void *image, unsigned, JitOption *, void **) {
  *module = reinterpret_cast<Module>(&dummy);
  return std::memcmp(image, "\177ELF", 4) == 0 ? success : errorInvalidImage;
}
Result cuModuleUnload(Module) {
  return success;
}
Result cuModuleGetFunction(Function *function, Module, const char *name) {
  *function = reinterpret_cast<Function>(&dummy);
  return std::strcmp(name, "gemm_ws") == 0 ? success : errorNotFound;
}
Result cuFuncSetAttribute(Function, FunctionAttribute, int) {
  return success;
}

Result cuTensorMapEncodeTiled(TensorMapBits *bits, TensorMapDataType type, uint32_t rank, void *address,
                              const uint64_t *sizes, const uint64_t *strides, const uint32_t *, const uint32_t *, int,
                              int, int, int) {
  if (rank != 2 || type != tensorMapFloat16)
    return errorInvalidValue;
  Map map{static_cast<_Float16 *>(address), sizes[0], sizes[1], strides[0]};
  std::memcpy(bits, &map, sizeof map);
  return success;
}

Result cuLaunchKernelEx(const LaunchConfig *config, Function, void **parameters, void **) {
  Map a = mapOf(parameters[0]), b = mapOf(parameters[1]), c = mapOf(parameters[2]);
  uint64_t sizes[3];
  for (int i = 0; i < 3; ++i)
    sizes[i] = *static_cast<int32_t *>(parameters[3 + i]);
  if (config->blockX != 384 || a.rows != sizes[0] || b.rows != sizes[1] || a.columns != sizes[2])
    return errorInvalidValue;
  for (uint64_t row = 0; row < c.rows; ++row)
    for (uint64_t column = 0; column < c.columns; ++column) {
      float sum = 0;
      for (uint64_t k = 0; k < a.columns; ++k)
        sum += static_cast<float>(element(a, row, k)) * static_cast<float>(element(b, column, k));
      element(c, row, column) = static_cast<_Float16>(sum);
    }
  return success;
}

Result cuOccupancyMaxActiveClusters(int *clusters, Function, const LaunchConfig *) {
  return *clusters = 1, success;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function, int, size_t) {
  return *blocks = 1, success;
}
Result cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  *address = reinterpret_cast<DevicePointer>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return success;
}
Result cuMemFree_v2(DevicePointer address) {
  return std::free(reinterpret_cast<void *>(address)), success;
}
Result cuMemAllocAsync(DevicePointer *address, size_t bytes, Stream) {
  return cuMemAlloc_v2(address, bytes);
}
Result cuMemFreeAsync(DevicePointer address, Stream) {
  return cuMemFree_v2(address);
}
Result cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  return std::memcpy(reinterpret_cast<void *>(to), from, bytes), success;
}
Result cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void *>(from), bytes), success;
}
Result cuStreamSynchronize(Stream) {
  return success;
}
Result cuEventCreate(Event *event, unsigned) {
  return *event = reinterpret_cast<Event>(&dummy), success;
}
Result cuEventDestroy_v2(Event) {
  return success;
}
Result cuEventRecord(Event, Stream) {
  return success;
}
Result cuEventSynchronize(Event) {
  return success;
}
Result cuEventElapsedTime(float *milliseconds, Event, Event) {
  return *milliseconds = 1, success;
}

} // extern "C"
