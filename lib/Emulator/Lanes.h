// Loops over the active lanes of a warp.
#ifndef TLX_EMULATOR_LANES_H
#define TLX_EMULATOR_LANES_H

#include <bit>
#include <cstdint>

namespace tlx::emu {

constexpr unsigned warpSize = 32;
constexpr uint32_t fullMask = ~0u;

template <typename Function> inline void forLanes(uint32_t mask, Function &&function) {
  if (mask == fullMask) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      function(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    function(static_cast<unsigned>(std::countr_zero(mask)));
}

inline uint64_t lowBits(unsigned bits) {
  return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}
inline int64_t signExtend(uint64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<int64_t>(value) : static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

} // namespace tlx::emu

#endif
