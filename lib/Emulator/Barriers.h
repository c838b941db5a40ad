// State of the barriers of one CTA.
#ifndef TLX_EMULATOR_BARRIERS_H
#define TLX_EMULATOR_BARRIERS_H

#include "Clocks.h"

#include <cstdint>
#include <vector>

namespace tlx::emu {

/// A source line that arrived at a barrier, and in which phase it did so last.
struct Arrival {
  uint32_t site;
  uint16_t cta, warp;
  uint64_t phase;
};

/// One mbarrier object (PTX ISA, mbarrier). `phase` counts the completed phases; its lowest bit is the parity of the
/// phase that is going on.
struct Mbarrier {
  uint32_t count = 0, pending = 0;
  int64_t transactions = 0;
  uint64_t phase = 0;
  uint32_t initSite = 0;
  uint16_t initWarp = 0;
  /// When the initialisation happened, and the fence after it that publishes it to other proxies; 0: no fence yet.
  uint32_t initTime = 0, fenceTime = 0;
  /// What the arrivals of this and of earlier phases knew, and the part of it that completed phases released.
  Knowledge gathered, released;
  std::vector<Arrival> arrivals;

  bool completed(uint32_t parity) const { return (phase & 1) != (parity & 1); }
  /// Ends the phase when nothing is pending; true when it did.
  bool advance() {
    if (pending != 0 || transactions != 0)
      return false;
    pending = count;
    ++phase;
    released = gathered;
    return true;
  }
  void noteArrival(uint32_t site, uint16_t cta, uint16_t warp) {
    for (Arrival &arrival : arrivals)
      if (arrival.site == site && arrival.cta == cta && arrival.warp == warp) {
        arrival.phase = phase;
        return;
      }
    arrivals.push_back({site, cta, warp, phase});
  }
};

/// One of the sixteen named barriers of a CTA, or the barrier of a cluster.
struct NamedBarrier {
  uint32_t expected = 0, arrived = 0;
  uint64_t generation = 0;
  uint32_t firstSite = 0;
  uint16_t firstWarp = 0;
  Knowledge gathered, released;
  /// Warps that arrived in this generation.
  std::vector<std::pair<uint16_t, uint32_t>> participants;

  void complete() {
    arrived = 0;
    ++generation;
    released = gathered;
  }
};

} // namespace tlx::emu

#endif
