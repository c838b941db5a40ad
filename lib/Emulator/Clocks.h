// Vector clocks: what an agent knows to have happened. Agents are the warps of a cluster, its warp groups' matrix
// units, and slots for copies in flight.
#ifndef TLX_EMULATOR_CLOCKS_H
#define TLX_EMULATOR_CLOCKS_H

#include "Lanes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tlx::emu {

using Clock = std::vector<uint32_t>;

inline void join(Clock &into, const Clock &from) {
  if (into.size() < from.size())
    into.resize(from.size());
  for (size_t index = 0; index < from.size(); ++index)
    into[index] = std::max(into[index], from[index]);
}

/// What some lanes of a warp did up to a time, published by one of them before the warp met (PTX ISA, bar.warp.sync).
struct LaneTime {
  uint16_t agent;
  LaneMask mask;
  uint32_t time;
};

/// What one agent knows. `generic` is ordinary happens-before; the others hold the events whose ordinary writes the
/// asynchronous proxy sees too, because a proxy fence lies between (PTX ISA, memory consistency model, proxies).
struct Knowledge {
  Clock generic, asyncShared, asyncGlobal;
  /// Beyond `generic`; few, because a meeting of the warp covers them.
  std::vector<LaneTime> lanes;
  /// Accesses to tensor memory that a fence or a commit has published. Empty in kernels that have none.
  Clock tensor;

  explicit Knowledge(size_t agents = 0) : generic(agents), asyncShared(agents), asyncGlobal(agents) {}
  void join(const Knowledge &from) {
    emu::join(generic, from.generic);
    emu::join(asyncShared, from.asyncShared);
    emu::join(asyncGlobal, from.asyncGlobal);
    for (const LaneTime &entry : from.lanes)
      learn(entry);
    emu::join(tensor, from.tensor);
  }
  /// What an agent did up to `time` has happened. For ordinary writes a proxy fence is still to come.
  void learn(uint32_t agent, uint32_t time) { generic[agent] = std::max(generic[agent], time); }
  void learn(const LaneTime &entry) {
    std::erase_if(lanes, [&](const LaneTime &known) { return generic[known.agent] >= known.time; });
    if (generic[entry.agent] >= entry.time)
      return;
    for (LaneTime &known : lanes)
      if (known.agent == entry.agent && known.mask == entry.mask) {
        known.time = std::max(known.time, entry.time);
        return;
      }
    lanes.push_back(entry);
  }
  /// Joins what lanes `mask` of the warp `agent` publish: their own accesses, and of the others those up to `met`.
  void joinLanes(const Knowledge &from, uint16_t agent, LaneMask mask, uint32_t met) {
    const uint32_t before = generic[agent];
    join(from);
    generic[agent] = std::max(before, met);
    learn({agent, mask, from.generic[agent]});
  }
};

} // namespace tlx::emu

#endif
