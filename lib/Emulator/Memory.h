// The memories of a device: global allocations that belong to the host, and the shared memory of each CTA.
#ifndef TLX_EMULATOR_MEMORY_H
#define TLX_EMULATOR_MEMORY_H

#include "Program.h"
#include "Races.h"
#include "TensorMap.h"
#include "tlx/Emulator/Emulator.h"

#include <map>
#include <memory>
#include <vector>

namespace tlx::emu {

/// Generic addresses: windows for shared memory, parameters and global memory. An address of shared memory holds the
/// rank of its CTA in the cluster above bit 24, as on hardware, where the window of a cluster is one.
constexpr uint64_t sharedWindow = 1ull << 40, parameterWindow = 2ull << 40, globalWindow = 4ull << 40;
constexpr unsigned clusterRankShift = 24;
inline uint32_t sharedOffset(uint64_t address) {
  return static_cast<uint32_t>(address & ((1u << clusterRankShift) - 1));
}

struct GlobalRegion {
  std::string name;
  uint64_t address;
  uint8_t *data;
  uint64_t bytes;
  Shadow shadow;
};

class GlobalMemory {
public:
  GlobalMemory(const std::vector<HostBuffer> &buffers, const std::vector<Argument> &arguments);
  uint64_t addressOf(unsigned buffer, uint64_t offset) const { return regions[buffer].address + offset; }
  /// The region that holds all of [address, address + bytes), or nothing.
  GlobalRegion *find(uint64_t address, uint64_t bytes);
  /// The region whose end or start is nearest, for messages.
  const GlobalRegion *nearest(uint64_t address) const;
  /// The tensor map at an address of the parameter window.
  const TensorMap *tensorMap(uint64_t address) const;
  /// A tensor map that the kernel writes at `address`, of memory that begins at `base`. False when that is nobody's.
  bool makeTensorMap(uint64_t address, uint64_t base, HostTensorMap map);
  uint64_t tensorMapAddress(size_t argument) const { return parameterWindow + argument * tensorMapBytes; }

  /// Counts what changed anywhere in the grid: memory, barriers, work in flight, who has left.
  uint64_t changes = 0;

private:
  static constexpr uint64_t tensorMapBytes = 128;
  std::vector<GlobalRegion> regions;
  std::map<uint64_t, TensorMap> maps;
  size_t lastHit = 0;
};

/// Shared memory of one CTA.
class SharedMemory {
public:
  explicit SharedMemory(uint32_t bytes) : data(bytes), written(bytes) {}
  bool contains(uint32_t address, uint64_t bytes) const {
    return address >= sharedBase && address - sharedBase + bytes <= data.size();
  }
  uint8_t *at(uint32_t address) { return data.data() + (address - sharedBase); }
  bool isWritten(uint32_t address, uint64_t bytes) const;
  void markWritten(uint32_t address, uint64_t bytes);
  void markUnwritten(uint32_t address, uint64_t bytes);
  uint32_t size() const { return static_cast<uint32_t>(data.size()); }

  Shadow shadow;

private:
  std::vector<uint8_t> data, written;
};

} // namespace tlx::emu

#endif
