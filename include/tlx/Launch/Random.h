// Random numbers with the same bits on every machine. Specified in lib/Launch/LaunchFile.md.
#ifndef TLX_LAUNCH_RANDOM_H
#define TLX_LAUNCH_RANDOM_H

#include <cstdint>

namespace tlx::rt {

/// Output number `index` (from 0) of SplitMix64 started with `seed`.
uint64_t splitMix64(uint64_t seed, uint64_t index);

/// Element `index` of the standard normal stream of `seed` (Box-Muller over pairs).
double standardNormal(uint64_t seed, uint64_t index);

/// Element `index` of the stream of integers from `low` up to but without `high`.
int64_t uniformInteger(uint64_t seed, uint64_t index, int64_t low, int64_t high);

} // namespace tlx::rt

#endif
