// What the stand-in for HIP recorded, and what it should pretend.
#ifndef TLX_TEST_RUNTIME_HIPSTANDIN_H
#define TLX_TEST_RUNTIME_HIPSTANDIN_H

#include "tlx/Runtime/HipTypes.h"

#include <string>
#include <vector>

struct RecordedHipLaunch {
  unsigned grid[3] = {}, block[3] = {};
  unsigned sharedBytes = 0;
  void *stream = nullptr;
  /// The device that was current.
  int device = 0;
  /// The whole argument buffer.
  std::vector<unsigned char> arguments;
  /// The list `extra` had the markers in their order, and there were no single parameters.
  bool wellFormed = false;
};

struct HipStandIn {
  // What it pretends.
  int major = 9, minor = 4;
  int sharedPerBlock = 65536;
  std::string entry = "gemm";
  int device = 0;
  /// The function that fails, by its symbol, and how.
  std::string failing;
  tlx::rt::hip::Result failure = 0;
  // What it recorded.
  std::vector<RecordedHipLaunch> launches;
  std::vector<int> modulesLoadedOn, modulesUnloadedOn;
  std::string image;
  size_t scratchAllocated = 0;
  unsigned long long scratchFreed = 0;
  int buffers = 0, events = 0;
};

/// Exported by the stand-in as `hipStandIn`.
using HipStandInAccess = HipStandIn *(*)();

#endif
