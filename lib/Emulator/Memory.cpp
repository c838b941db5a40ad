// Where addresses lead.
#include "Memory.h"

#include <cstring>

namespace tlx::emu {

GlobalMemory::GlobalMemory(const std::vector<HostBuffer> &buffers, const std::vector<Argument> &arguments) {
  // Allocations are as aligned as the driver's and lie apart, so that running out of one does not reach the next.
  constexpr uint64_t alignment = 512, gap = 1 << 20;
  uint64_t next = globalWindow;
  for (const HostBuffer &buffer : buffers) {
    regions.push_back({buffer.name, next, static_cast<uint8_t *>(buffer.data), buffer.bytes, {}});
    next += (buffer.bytes + gap + alignment - 1) / alignment * alignment;
  }
  for (size_t index = 0; index < arguments.size(); ++index)
    if (arguments[index].kind == Argument::Kind::TensorMap)
      maps.emplace(tensorMapAddress(index), TensorMap(arguments[index].map, addressOf(arguments[index].map.buffer,
                                                                                      arguments[index].map.offset)));
}

GlobalRegion *GlobalMemory::find(uint64_t address, uint64_t bytes) {
  auto holds = [&](const GlobalRegion &region) {
    return address >= region.address && address - region.address <= region.bytes &&
           bytes <= region.bytes - (address - region.address);
  };
  if (lastHit < regions.size() && holds(regions[lastHit]))
    return &regions[lastHit];
  for (size_t index = 0; index < regions.size(); ++index)
    if (holds(regions[index])) {
      lastHit = index;
      return &regions[index];
    }
  return nullptr;
}

const GlobalRegion *GlobalMemory::nearest(uint64_t address) const {
  const GlobalRegion *best = nullptr;
  uint64_t distance = 1 << 20;
  for (const GlobalRegion &region : regions) {
    uint64_t end = region.address + region.bytes;
    uint64_t away = address < region.address ? region.address - address : address >= end ? address - end : 0;
    if (away < distance) {
      distance = away;
      best = &region;
    }
  }
  return best;
}

const TensorMap *GlobalMemory::tensorMap(uint64_t address) const {
  auto found = maps.find(address);
  return found == maps.end() ? nullptr : &found->second;
}

bool GlobalMemory::makeTensorMap(uint64_t address, uint64_t base, HostTensorMap map) {
  const GlobalRegion *region = find(base, 1);
  if (!region)
    return false;
  map.buffer = static_cast<unsigned>(region - regions.data());
  map.offset = base - region->address;
  maps.insert_or_assign(address, TensorMap(map, base));
  return true;
}

bool SharedMemory::isWritten(uint32_t address, uint64_t bytes) const {
  return std::memchr(written.data() + (address - sharedBase), 0, bytes) == nullptr;
}
void SharedMemory::markWritten(uint32_t address, uint64_t bytes) {
  std::memset(written.data() + (address - sharedBase), 1, bytes);
}
void SharedMemory::markUnwritten(uint32_t address, uint64_t bytes) {
  std::memset(written.data() + (address - sharedBase), 0, bytes);
}

} // namespace tlx::emu
