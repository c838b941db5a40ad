// AMD: the barrier of a workgroup, and the counter of vector-memory operations.
#include "Cluster.h"

#include <algorithm>

namespace tlx::emu {

/// CDNA3 ISA, s_barrier: waits for all waves of the workgroup that have not ended. It orders no memory by itself: a
/// release fence before it publishes, an acquire fence behind it learns. Only data that has landed in LDS needs none to
/// be published, because it came there without the caches.
Cluster::Step Cluster::waveBarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  if (warp.frames.size() > 1)
    checkConverged(warp, inst, mask);
  Cta &cta = ctas[warp.cta];
  NamedBarrier &barrier = cta.named[0];
  if (barrier.arrived == 0)
    barrier.participants.clear();
  barrier.participants.push_back({warp.global, inst.site});
  ++barrier.arrived;
  barrier.expected = cta.liveWarps;
  barrier.gathered.join(warp.atFence);
  for (size_t agent = firstTensorAgent; agent < agents; ++agent)
    barrier.gathered.learn(static_cast<uint32_t>(agent), warp.knows.generic[agent]);
  ++warp.barriers;
  warp.lastSite = inst.site;
  const uint64_t generation = barrier.generation;
  if (barrier.arrived >= barrier.expected)
    completeWaveBarrier(cta);
  Wait wait;
  wait.kind = Wait::Kind::Named;
  wait.generation = generation;
  return block(warp, wait, inst.site);
}

/// A wave has ended: the others no longer wait for it.
void Cluster::leaveWaveBarrier(Warp &warp) {
  Cta &cta = ctas[warp.cta];
  cta.named[0].expected = cta.liveWarps;
  if (cta.named[0].arrived > 0 && cta.named[0].arrived >= cta.liveWarps)
    completeWaveBarrier(cta);
}

void Cluster::completeWaveBarrier(Cta &cta) {
  NamedBarrier &barrier = cta.named[0];
  auto [first, site] = barrier.participants.front();
  for (const Warp &other : warps) {
    if (other.cta != cta.rank || !other.exited || other.barriers >= warps[first].barriers)
      continue;
    Finding found = finding(FindingKind::ParticipantMismatch, warps[first], site,
                            "goes on at an s_barrier without wave " + std::to_string(other.index) +
                                ", which has ended after " + std::to_string(other.barriers) +
                                " of them; this is number " + std::to_string(warps[first].barriers));
    found.barrier = "s_barrier";
    found.other = placeOf(other.global, other.lastSite);
    log.add(std::move(found));
    break;
  }
  barrier.complete();
}

/// Loads and stores of global memory count in vmcnt; those of LDS do not. A generic access counts when it leads there.
void Cluster::countVectorMemory(Warp &warp, Space space, LaneMask mask, const uint64_t *addresses) {
  if (!countsOrdinary || space == Space::Shared)
    return;
  bool counts = space == Space::Global;
  if (space == Space::Generic)
    forLanes(mask,
             [&](unsigned lane) { counts |= addresses[lane] < sharedWindow || addresses[lane] >= parameterWindow; });
  warp.vectorIssued += counts;
}

/// CDNA3 ISA, s_waitcnt: goes on when at most so many of the wave's operations, the youngest ones, are in flight.
Cluster::Step Cluster::waitCounters(Warp &warp, const Inst &inst) {
  const uint64_t most = static_cast<uint64_t>(inst.imm);
  const uint64_t goal = warp.vectorIssued > most ? warp.vectorIssued - most : 0;
  if (!ldsLoadsDone(warp, goal)) {
    Wait wait;
    wait.kind = Wait::Kind::VectorMemory;
    wait.generation = goal;
    return block(warp, wait, inst.site);
  }
  coverLdsLoads(warp, goal);
  return Step::Next;
}

/// Whether all loads to LDS among the first `goal` operations have landed.
bool Cluster::ldsLoadsDone(const Warp &warp, uint64_t goal) const {
  return std::all_of(warp.ldsLoads.begin(), warp.ldsLoads.end(),
                     [&](const CopyRef &load) { return load->issueIndex >= goal || load->done; });
}

void Cluster::coverLdsLoads(Warp &warp, uint64_t goal) {
  while (!warp.ldsLoads.empty() && warp.ldsLoads.front()->issueIndex < goal) {
    warp.knows.learn(warp.ldsLoads.front()->agent, warp.ldsLoads.front()->time);
    warp.ldsLoads.pop_front();
  }
}

/// CDNA3 ISA, s_endpgm: the hardware waits for all counters before a wave ends.
void Cluster::drainLdsLoads(Warp &warp) {
  for (size_t index = 0; index < flying.size();)
    if (flying[index]->kind == Copy::Kind::LdsLoad && flying[index]->warp == warp.global)
      fire(index);
    else
      ++index;
  coverLdsLoads(warp, warp.vectorIssued);
}

} // namespace tlx::emu
