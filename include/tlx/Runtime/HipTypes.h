// The part of HIP's binary interface that is used here, declared so that no HIP header is needed.
// Source of names and numbers: HIP runtime API reference, ROCm 5.4 and later.
#ifndef TLX_RUNTIME_HIPTYPES_H
#define TLX_RUNTIME_HIPTYPES_H

#include <cstddef>
#include <cstdint>

namespace tlx::rt::hip {

using Result = int;
/// A void pointer in HIP; a number here, as in CUDA's driver, and the same to the machine.
using DevicePointer = unsigned long long;
static_assert(sizeof(DevicePointer) == sizeof(void *), "an address is passed as a number");
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

inline constexpr Result success = 0;
inline constexpr Result errorInvalidValue = 1;
inline constexpr Result errorOutOfMemory = 2;
inline constexpr Result errorNoDevice = 100;
inline constexpr Result errorInvalidImage = 200;
inline constexpr Result errorNoBinaryForGpu = 209;
inline constexpr Result errorSharedObjectInitFailed = 303;
inline constexpr Result errorNotFound = 500;
inline constexpr Result errorLaunchFailure = 719;

enum DeviceAttribute : int {
  computeCapabilityMajor = 23,
  computeCapabilityMinor = 61,
  multiprocessorCount = 63,
  maxSharedMemoryPerBlock = 74
};

/// Marks in the list `extra` of a launch: the next entry is the address of all arguments, or of their size; the list
/// ends.
inline constexpr uintptr_t launchParamBufferPointer = 1, launchParamBufferSize = 2, launchParamEnd = 3;

} // namespace tlx::rt::hip

#endif
