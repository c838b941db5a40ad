// What the stand-in driver recorded, and what it should pretend.
#ifndef TLX_TEST_RUNTIME_STANDINDRIVER_H
#define TLX_TEST_RUNTIME_STANDINDRIVER_H

#include "tlx/Runtime/DriverTypes.h"

#include <string>
#include <utility>
#include <vector>

struct RecordedMap {
  int type = 0;
  uint64_t address = 0;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box, elementStrides;
  int interleave = 0, swizzle = 0, l2Promotion = 0, fill = 0;
};

struct RecordedLaunch {
  unsigned grid[3] = {}, block[3] = {};
  unsigned sharedBytes = 0;
  void *stream = nullptr;
  std::vector<std::pair<int, std::vector<unsigned>>> attributes;
  /// The bytes of every parameter, in order.
  std::vector<std::vector<unsigned char>> parameters;
};

struct StandIn {
  // What it pretends.
  int major = 9, minor = 0;
  int sharedOptin = 232448;
  std::string entry = "gemm";
  /// Offset and size of every parameter of the image.
  std::vector<std::pair<size_t, size_t>> places;
  tlx::rt::cuda::Result encodeResult = 0, launchResult = 0, loadResult = 0;
  void *context = nullptr;
  unsigned long long contextId = 1;
  // What it recorded.
  std::vector<RecordedMap> maps;
  std::vector<RecordedLaunch> launches;
  std::vector<std::pair<int, int>> functionAttributes;
  std::vector<std::string> log;
  int modulesLoaded = 0, modulesUnloaded = 0, contextDepth = 0;
  size_t scratchAllocated = 0, scratchFreed = 0;
};

/// Exported by the stand-in as `standIn`.
using StandInAccess = StandIn *(*)();

#endif
