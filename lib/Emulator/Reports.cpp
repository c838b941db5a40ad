// Findings with all that is known about their places, and the explanation of deadlocks.
#include "Cluster.h"

#include <algorithm>
#include <set>

namespace tlx::emu {

Place Cluster::placeOf(uint16_t number, uint32_t site) const {
  const Warp &warp = warps[number];
  Place place;
  place.file = program.sites[site].file;
  place.line = program.sites[site].line;
  place.column = program.sites[site].column;
  if (warp.task != ~0u) {
    const Task &task = program.tasks[warp.task];
    place.task = task.name;
    if (std::count_if(program.tasks.begin(), program.tasks.end(),
                      [&](const Task &other) { return other.name == task.name; }) > 1)
      place.task += " replica " + std::to_string(task.replica);
  }
  place.cta = clusterIndex * static_cast<unsigned>(ctas.size()) + warp.cta;
  place.warp = warp.index;
  place.inWave = program.hasWaves();
  return place;
}

Finding Cluster::finding(FindingKind kind, const Warp &warp, uint32_t site, std::string message) const {
  Finding found;
  found.kind = kind;
  found.message = std::move(message);
  found.where = placeOf(warp.global, site);
  return found;
}

void Cluster::report(FindingKind kind, const Warp &warp, uint32_t site, std::string message) {
  log.add(finding(kind, warp, site, std::move(message)));
}

void Cluster::nameBuffer(Finding &finding, uint32_t address) const {
  const uint32_t offset = address - sharedBase;
  for (const NamedRange &range : program.buffers)
    if (range.bytes && offset >= range.offset && offset < range.offset + range.bytes * range.count) {
      finding.buffer = range.name;
      finding.slot = static_cast<int>((offset - range.offset) / range.bytes);
      return;
    }
  finding.notes.push_back("at offset " + std::to_string(offset) + " of " + program.words().shared);
}

void Cluster::nameBarrier(Finding &finding, uint32_t address) const {
  const uint32_t offset = address - sharedBase;
  for (const NamedRange &range : program.barriers)
    if (offset >= range.offset && offset < range.offset + 8 * range.count) {
      finding.barrier = range.name;
      finding.barrierSlot = static_cast<int>((offset - range.offset) / 8);
      return;
    }
  finding.barrier = "at offset " + std::to_string(offset);
}

std::string Cluster::describeBarrier(uint32_t address) const {
  Finding scratch{};
  nameBarrier(scratch, address);
  return scratch.barrierSlot >= 0 ? scratch.barrier + "[" + std::to_string(scratch.barrierSlot) + "]"
                                  : "barrier " + scratch.barrier;
}

/// Who arrives at the other slots of the same barrier array: the likeliest to have forgotten this one.
void Cluster::explainNeighbours(const Cta &cta, uint32_t address, std::vector<std::string> &notes) const {
  for (const NamedRange &range : program.barriers) {
    const uint32_t first = sharedBase + range.offset;
    if (address < first || address >= first + 8 * range.count)
      continue;
    std::set<uint32_t> told;
    for (auto slot = cta.mbarriers.lower_bound(first);
         slot != cta.mbarriers.end() && slot->first < first + 8 * range.count; ++slot)
      for (const Arrival &arrival : slot->second.arrivals) {
        Place place = placeOf(arrival.warp, arrival.site);
        if (told.insert(arrival.site).second)
          notes.push_back("line " + std::to_string(place.line) +
                          (place.task.empty() ? "" : ", task `" + place.task + "`") + " arrives at another slot of it");
      }
  }
}

/// Which arrivals the phase lacks, and what became of those who made them before.
std::vector<std::string> Cluster::explainMbarrier(const Warp &warp) const {
  std::vector<std::string> notes;
  const Cta &cta = ctas[warp.cta];
  auto found = cta.mbarriers.find(warp.wait.address);
  if (found == cta.mbarriers.end())
    return notes;
  const Mbarrier &barrier = found->second;
  if (barrier.pending)
    notes.push_back(std::to_string(barrier.pending) + " of " + std::to_string(barrier.count) +
                    " arrivals are missing in phase " + std::to_string(barrier.phase));
  if (barrier.transactions > 0)
    notes.push_back(std::to_string(barrier.transactions) + " expected bytes have not come");
  if (barrier.transactions < 0)
    notes.push_back(std::to_string(-barrier.transactions) + " bytes came that nobody expects");
  if (barrier.arrivals.empty()) {
    notes.push_back("nobody has ever arrived at this barrier");
    explainNeighbours(cta, warp.wait.address, notes);
  }
  for (const Arrival &arrival : barrier.arrivals) {
    Place place = placeOf(arrival.warp, arrival.site);
    const Warp &other = warps[arrival.warp];
    std::string what = "line " + std::to_string(place.line) +
                       (place.task.empty() ? "" : ", task `" + place.task + "`") + ", warp " +
                       std::to_string(place.warp) + " of CTA " + std::to_string(place.cta) + " arrived in phase " +
                       std::to_string(arrival.phase);
    if (arrival.phase < barrier.phase)
      what += other.exited ? "; it has exited since"
                           : "; now it waits at line " + std::to_string(program.sites[other.wait.site].line);
    notes.push_back(what);
  }
  return notes;
}

/// One finding for each line that warps wait at; the deadlock is the set of them.
void Cluster::reportDeadlock() {
  for (const Warp &warp : warps) {
    if (warp.exited || warp.circle.closed)
      continue;
    const Wait &wait = warp.wait;
    Finding found = finding(FindingKind::Deadlock, warp, wait.site, "waits for ever");
    switch (wait.kind) {
    case Wait::Kind::Mbarrier: {
      found.message =
          "waits for ever for `" + describeBarrier(wait.address) + "`, parity " + std::to_string(wait.parity);
      nameBarrier(found, wait.address);
      found.notes = explainMbarrier(warp);
      auto barrier = ctas[warp.cta].mbarriers.find(wait.address);
      if (barrier == ctas[warp.cta].mbarriers.end())
        break;
      found.phase = static_cast<int>(barrier->second.phase);
      for (const Arrival &arrival : barrier->second.arrivals)
        if (!found.other || arrival.phase < barrier->second.phase)
          found.other = placeOf(arrival.warp, arrival.site);
      break;
    }
    case Wait::Kind::Named:
    case Wait::Kind::ClusterBarrier: {
      bool named = wait.kind == Wait::Kind::Named;
      const NamedBarrier &barrier = named ? ctas[warp.cta].named[wait.address] : clusterBarrierState;
      found.barrier = program.hasWaves() ? "s_barrier"
                      : named            ? "named barrier " + std::to_string(wait.address)
                                         : "cluster barrier";
      found.message = "waits for ever at " + found.barrier + ": " + std::to_string(barrier.arrived) + " of " +
                      std::to_string(barrier.expected) + (program.hasWaves() ? " waves" : " threads") + " have arrived";
      for (auto [other, site] : barrier.participants) {
        Place place = placeOf(other, site);
        found.notes.push_back("line " + std::to_string(place.line) + ", " + program.words().warp + " " +
                              std::to_string(place.warp) + " of " + program.words().block + " " +
                              std::to_string(place.cta) + " has arrived");
      }
      break;
    }
    case Wait::Kind::Matrix: {
      found.message = "waits for ever for a matrix operation that not all four warps of its group have issued";
      for (const Warp &other : warps)
        if (other.cta == warp.cta && other.index / 4 == warp.index / 4 && other.matrixGroups.size() < wait.generation)
          found.notes.push_back("warp " + std::to_string(other.index) + " of CTA " + std::to_string(warp.cta) +
                                " has committed " + std::to_string(other.matrixGroups.size()) + " of " +
                                std::to_string(wait.generation) + " groups" + (other.exited ? " and has exited" : ""));
      break;
    }
    case Wait::Kind::Registers:
      found.message = "waits for ever for " + std::to_string(wait.pending) + " registers; the block has " +
                      std::to_string(ctas[warp.cta].freeRegisters) + " free, and no warp gives any back";
      break;
    default:
      break;
    }
    log.add(std::move(found));
  }
}

} // namespace tlx::emu
