// A shared library with the names of the GPU driver. It records calls; device memory is host memory; launches do
// nothing.
#include "StandInDriver.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace tlx::rt::cuda;

static StandIn state;

extern "C" {

StandIn *standIn() {
  return &state;
}

/// For users that are not C++: where the parameters of the image are, as pairs of offset and size.
void standInPlaces(const size_t *pairs, int count) {
  state.places.clear();
  for (int i = 0; i < count; ++i)
    state.places.emplace_back(pairs[2 * i], pairs[2 * i + 1]);
}

Result cuInit(unsigned) {
  return std::getenv("STANDIN_NO_DEVICE") ? errorNoDevice : success;
}
Result cuGetErrorName(Result error, const char **text) {
  *text = error == errorInvalidValue   ? "CUDA_ERROR_INVALID_VALUE"
          : error == errorInvalidImage ? "CUDA_ERROR_INVALID_IMAGE"
          : error == errorNoDevice     ? "CUDA_ERROR_NO_DEVICE"
                                       : "CUDA_ERROR_OTHER";
  return success;
}
Result cuGetErrorString(Result, const char **text) {
  *text = "as the test asked";
  return success;
}
Result cuDeviceGet(Device *device, int ordinal) {
  *device = ordinal;
  return success;
}
Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, Device) {
  *value = attribute == multiprocessorCount      ? 132
           : attribute == computeCapabilityMajor ? state.major
           : attribute == computeCapabilityMinor ? state.minor
                                                 : state.sharedOptin;
  return success;
}
Result cuDevicePrimaryCtxRetain(Context *context, Device) {
  state.log.push_back("retain");
  *context = reinterpret_cast<Context>(0x1000);
  return success;
}
Result cuCtxGetCurrent(Context *context) {
  *context = static_cast<Context>(state.context);
  return success;
}
Result cuCtxPushCurrent_v2(Context context) {
  state.context = context;
  ++state.contextDepth;
  return success;
}
Result cuCtxPopCurrent_v2(Context *context) {
  *context = static_cast<Context>(state.context);
  state.context = nullptr;
  --state.contextDepth;
  return success;
}
Result cuCtxGetDevice(Device *device) {
  *device = 0;
  return state.context ? success : 201;
}
Result cuCtxSynchronize() {
  return success;
}
Result cuCtxGetId(Context context, unsigned long long *id) {
  *id = state.contextId + reinterpret_cast<uintptr_t>(context);
  return success;
}

Result cuModuleLoadDataEx(Module *module, const void *, unsigned count, JitOption *options, void **values) {
  if (state.loadResult && count > 0 && options[0] == jitErrorLogBuffer)
    std::strcpy(static_cast<char *>(values[0]), "the log");
  *module = reinterpret_cast<Module>(0x2000);
  state.modulesLoaded += state.loadResult == success;
  return state.loadResult;
}
Result cuModuleUnload(Module) {
  ++state.modulesUnloaded;
  return success;
}
Result cuModuleGetFunction(Function *function, Module, const char *name) {
  *function = reinterpret_cast<Function>(0x3000);
  return name == state.entry ? success : errorNotFound;
}
Result cuFuncSetAttribute(Function, FunctionAttribute attribute, int value) {
  state.functionAttributes.emplace_back(attribute, value);
  return success;
}
Result cuFuncGetParamInfo(Function, size_t index, size_t *offset, size_t *bytes) {
  if (index >= state.places.size())
    return errorInvalidValue;
  *offset = state.places[index].first, *bytes = state.places[index].second;
  return success;
}

Result cuTensorMapEncodeTiled(TensorMapBits *map, TensorMapDataType type, uint32_t rank, void *address,
                              const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                              const uint32_t *elementStrides, int interleave, int swizzle, int l2Promotion, int fill) {
  RecordedMap record{type, reinterpret_cast<uintptr_t>(address)};
  record.sizes.assign(sizes, sizes + rank), record.strides.assign(strides, strides + rank - 1);
  record.box.assign(box, box + rank), record.elementStrides.assign(elementStrides, elementStrides + rank);
  record.interleave = interleave, record.swizzle = swizzle, record.l2Promotion = l2Promotion, record.fill = fill;
  state.maps.push_back(record);
  // A map can be told from others by its number.
  std::memset(map, 0, sizeof *map);
  map->words[0] = 0xABCD0000 + state.maps.size();
  return state.encodeResult;
}

Result cuLaunchKernelEx(const LaunchConfig *config, Function, void **parameters, void **) {
  RecordedLaunch launch{{config->gridX, config->gridY, config->gridZ},
                        {config->blockX, config->blockY, config->blockZ},
                        config->sharedBytes,
                        config->stream};
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    const unsigned *words = attribute.value.clusterDimension;
    launch.attributes.emplace_back(attribute.id, std::vector<unsigned>(words, words + 3));
  }
  for (size_t i = 0; i < state.places.size(); ++i) {
    auto *bytes = static_cast<unsigned char *>(parameters[i]);
    launch.parameters.emplace_back(bytes, bytes + state.places[i].second);
  }
  state.launches.push_back(launch);
  return state.launchResult;
}

Result cuOccupancyMaxActiveClusters(int *clusters, Function, const LaunchConfig *config) {
  *clusters = config->attributeCount == 1 ? 66 : -1;
  return success;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function, int, size_t) {
  *blocks = 2;
  return success;
}

Result cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  *address = reinterpret_cast<uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return success;
}
Result cuMemFree_v2(DevicePointer address) {
  std::free(reinterpret_cast<void *>(address));
  return success;
}
Result cuMemAllocAsync(DevicePointer *address, size_t bytes, Stream) {
  state.scratchAllocated = bytes;
  *address = 0x500010;
  return success;
}
Result cuMemFreeAsync(DevicePointer address, Stream) {
  state.scratchFreed = address;
  return success;
}
Result cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return success;
}
Result cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return success;
}
Result cuStreamSynchronize(Stream) {
  return success;
}
Result cuEventCreate(Event *event, unsigned) {
  *event = nullptr;
  return success;
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
  *milliseconds = 1.5f;
  return success;
}

} // extern "C"
