// The part of the CUDA driver's binary interface that is used here, declared so that no CUDA header is needed.
// Source of names, numbers and layouts: CUDA Driver API reference, 12.0 and later.
#ifndef TLX_RUNTIME_DRIVERTYPES_H
#define TLX_RUNTIME_DRIVERTYPES_H

#include <cstddef>
#include <cstdint>

namespace tlx::rt::cuda {

using Result = int;
using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

inline constexpr Result success = 0;
inline constexpr Result errorInvalidValue = 1;
inline constexpr Result errorOutOfMemory = 2;
inline constexpr Result errorDeinitialized = 4;
inline constexpr Result errorNoDevice = 100;
inline constexpr Result errorInvalidImage = 200;
inline constexpr Result errorNotFound = 500;

/// CUtensorMap: opaque.
struct alignas(64) TensorMapBits {
  uint64_t words[16];
};
static_assert(sizeof(TensorMapBits) == 128, "CUtensorMap has 128 bytes");

enum TensorMapDataType : int {
  tensorMapUint8 = 0,
  tensorMapUint16 = 1,
  tensorMapUint32 = 2,
  tensorMapInt32 = 3,
  tensorMapUint64 = 4,
  tensorMapInt64 = 5,
  tensorMapFloat16 = 6,
  tensorMapFloat32 = 7,
  tensorMapFloat64 = 8,
  tensorMapBfloat16 = 9
};

enum DeviceAttribute : int {
  multiprocessorCount = 16,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerBlockOptin = 97
};

enum FunctionAttribute : int { maxDynamicSharedSizeBytes = 8, nonPortableClusterSizeAllowed = 14 };

enum LaunchAttributeId : int { cooperative = 2, clusterDimension = 4, programmaticStreamSerialization = 6 };

/// CUlaunchAttribute: an id, padding, and a union of 64 bytes of which three cases are used.
struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char bytes[64];
    unsigned clusterDimension[3];
    int flag;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72, "CUlaunchAttribute has 72 bytes");

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(offsetof(LaunchConfig, stream) == 32 && sizeof(LaunchConfig) == 56, "layout of CUlaunchConfig");

enum JitOption : int { jitErrorLogBuffer = 5, jitErrorLogBufferBytes = 6 };

} // namespace tlx::rt::cuda

#endif
