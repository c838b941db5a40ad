// The lanes of a warp, and loops over the active ones.
#ifndef TLX_EMULATOR_LANES_H
#define TLX_EMULATOR_LANES_H

#include <bit>
#include <cstdint>

namespace tlx::emu {

/// Lanes of a warp of NVIDIA's GPUs and of a wave of AMD's. What both execute asks the program which it is.
constexpr unsigned warpSize = 32, waveSize = 64;
/// One bit for each lane.
using LaneMask = uint64_t;
constexpr LaneMask fullWarp = 0xffffffffu, fullWave = ~0ull;

template <typename Function> inline void forLanes(LaneMask mask, Function &&function) {
  if (mask == fullWarp || mask == fullWave) {
    // A fixed number of lanes at a time, so that the compiler can work on several at once.
    const unsigned count = mask == fullWarp ? warpSize : waveSize;
    for (unsigned first = 0; first < count; first += warpSize)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        function(first + lane);
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
