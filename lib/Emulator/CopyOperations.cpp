// Issuing copies, and waiting for them by group.
#include "Cluster.h"

#include "Hardware.h"
#include <algorithm>

namespace tlx::emu {

/// A slot for the clock of a copy: one that no copy in flight uses, if there is one.
uint32_t Cluster::takeAgent(const CopyRef &copy) {
  size_t slot = nextCopyAgent;
  for (size_t tries = 0; tries < copyAgents.size(); ++tries) {
    size_t candidate = (nextCopyAgent + tries) % copyAgents.size();
    if (!copyAgents[candidate] || copyAgents[candidate]->done) {
      slot = candidate;
      break;
    }
  }
  nextCopyAgent = (slot + 1) % copyAgents.size();
  copyAgents[slot] = copy;
  copy->time = ++copyTimes[slot];
  return static_cast<uint32_t>(firstCopyAgent + slot);
}

CopyRef Cluster::createCopy(Warp &warp, const Inst &inst, Copy::Kind kind) {
  CopyRef copy = std::make_shared<Copy>();
  copy->kind = kind;
  copy->cta = copy->barrierCta = warp.cta;
  copy->warp = warp.global;
  copy->site = inst.site;
  copy->agent = takeAgent(copy);
  copy->issued = Knowledge(agents);
  publish(copy->issued, warp);
  copy->started = now;
  // What the warp does from here on is not ordered before the copy.
  release(warp);
  ++tensorCopies;
  return copy;
}

/// When a copy gets on: at once, soon, late, or not before everybody waits; all of it may happen on hardware.
uint64_t Cluster::delay() {
  switch (random.below(8)) {
  case 0:
    return 0;
  case 1:
  case 2:
  case 3:
  case 4:
    return random.below(200);
  case 5:
  case 6:
    return random.below(5000);
  default:
    return 1ull << 40;
  }
}

void Cluster::schedule(const CopyRef &copy) {
  copy->ready = now + delay();
  flying.push_back(copy);
}

const TensorMap *Cluster::tensorMapOf(Warp &warp, const Inst &inst, unsigned lane) {
  const TensorMap *map = global.tensorMap(laneValue(warp, inst.b, lane));
  std::string problem = !map ? "is given an address that holds no tensor map" : map->refusal();
  if (map && problem.empty() && inst.count != map->rank())
    problem =
        "has " + std::to_string(inst.count) + " coordinates; the tensor map has rank " + std::to_string(map->rank());
  if (problem.empty())
    return map;
  report(FindingKind::Misuse, warp, inst.site, problem);
  return nullptr;
}

void Cluster::tensorLoad(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    const TensorMap *map = tensorMapOf(warp, inst, lane);
    uint64_t destination = laneValue(warp, inst.a, lane);
    if (!map || !checkAligned(warp, inst.site, destination, map->imageAlignment(), "copies a tile to"))
      return;
    if (!resolve(warp, inst.site, Space::Shared, destination, map->imageBytes(), "copies a tile of").data)
      return;
    uint32_t targets = 1u << warp.cta;
    if (inst.dst != noSlot)
      targets = static_cast<uint32_t>(laneValue(warp, inst.dst, lane) & 0xffff);
    if (targets == 0 || targets >> ctas.size())
      return report(FindingKind::OutOfBounds, warp, inst.site,
                    "multicasts with mask " + std::to_string(targets) + " in a cluster of " +
                        std::to_string(ctas.size()));
    for (unsigned rank = 0; rank < ctas.size(); ++rank) {
      if (!(targets >> rank & 1))
        continue;
      CopyRef copy = createCopy(warp, inst, Copy::Kind::TensorLoad);
      copy->cta = static_cast<uint16_t>(rank);
      // PTX ISA, cp.async.bulk.tensor, .cta_group::2: the barrier may be the other CTA's of the pair.
      copy->barrierCta = static_cast<uint16_t>(inst.toBits ? rank & ~1u : rank);
      copy->map = map;
      copy->shared = sharedOffset(destination);
      copy->barrier = sharedOffset(laneValue(warp, inst.c, lane));
      for (uint32_t axis = 0; axis < inst.count; ++axis)
        copy->coordinates[axis] = static_cast<int32_t>(laneValue(warp, program.operands[inst.extra + axis], lane));
      BarrierTarget target = findMbarrier(warp, inst.site, copy->barrier, copy->barrierCta, "signals");
      // The copy engine sees an initialisation only behind a fence (PTX ISA, fence.mbarrier_init, fence.proxy.async).
      if (options.races && target.barrier &&
          (target.barrier->fenceTime == 0 ||
           warp.knows.generic[target.barrier->initWarp] < target.barrier->fenceTime)) {
        Finding found = finding(FindingKind::MissingProxyFence, warp, inst.site,
                                "signals a barrier whose initialisation no fence publishes to the copy engine");
        found.other = placeOf(target.barrier->initWarp, target.barrier->initSite);
        nameBarrier(found, copy->barrier);
        log.add(std::move(found));
      }
      if (target.barrier)
        schedule(copy);
      else
        copy->done = true;
    }
  });
}

void Cluster::tensorStore(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    const TensorMap *map = tensorMapOf(warp, inst, lane);
    uint64_t source = laneValue(warp, inst.a, lane);
    if (!map || !checkAligned(warp, inst.site, source, map->imageAlignment(), "copies a tile from"))
      return;
    if (!resolve(warp, inst.site, Space::Shared, source, map->imageBytes(), "copies a tile of").data)
      return;
    CopyRef copy = createCopy(warp, inst, Copy::Kind::TensorStore);
    copy->map = map;
    copy->shared = sharedOffset(source);
    copy->reduce = inst.flag;
    for (uint32_t axis = 0; axis < inst.count; ++axis)
      copy->coordinates[axis] = static_cast<int32_t>(laneValue(warp, program.operands[inst.extra + axis], lane));
    // Measured on an H200; loads may start before the tensor, stores stop with an illegal instruction.
    const int32_t *first = copy->coordinates.data(), *least = std::min_element(first, first + inst.count);
    if (*least < 0) {
      copy->done = true;
      return report(FindingKind::OutOfBounds, warp, inst.site,
                    "stores a tile at coordinate " + std::to_string(*least) +
                        "; a tensor-map store starts inside the tensor");
    }
    warp.bulkCopies[lane].open.push_back(copy);
    schedule(copy);
  });
}

/// One copy object for the warp's instruction; each lane's piece is in its own thread's group.
void Cluster::cpAsync(Warp &warp, const Inst &inst, LaneMask mask) {
  CopyRef copy = createCopy(warp, inst, Copy::Kind::Async);
  const uint32_t bytes = static_cast<uint32_t>(inst.imm);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return report(FindingKind::Misuse, warp, inst.site,
                  "copies " + std::to_string(bytes) + " bytes; cp.async has 4, 8 or 16");
  forLanes(mask, [&](unsigned lane) {
    uint64_t destination = laneValue(warp, inst.a, lane), source = laneValue(warp, inst.b, lane);
    uint32_t valid = std::min(bytes, static_cast<uint32_t>(laneValue(warp, inst.c, lane)));
    if (!checkAligned(warp, inst.site, destination, bytes, "copies to") ||
        !checkAligned(warp, inst.site, valid ? source : 0, bytes, "copies from"))
      return;
    if (!resolve(warp, inst.site, Space::Shared, destination, bytes, "copies").data)
      return;
    if (valid && !resolve(warp, inst.site, static_cast<Space>(inst.flag), source, valid, "copies").data)
      return;
    copy->pieces.push_back({source, sharedOffset(destination), bytes, valid});
    warp.asyncCopies[lane].open.push_back(copy);
  });
  schedule(copy);
}

/// cp.async.mbarrier.arrive: an arrival of each thread once all its copies so far are done. Without noinc the pending
/// count is raised first, so that the arrival is neutral.
void Cluster::cpAsyncArrive(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    BarrierTarget target = findMbarrier(warp, inst.site, laneValue(warp, inst.a, lane), std::nullopt, "arrives at");
    if (!target.barrier)
      return;
    if (!inst.flag)
      ++target.barrier->pending;
    CopyRef copy = createCopy(warp, inst, Copy::Kind::AsyncArrive);
    copy->barrier = target.address;
    copy->after = warp.asyncCopies[lane].open;
    for (const std::vector<CopyRef> &group : warp.asyncCopies[lane].committed)
      copy->after.insert(copy->after.end(), group.begin(), group.end());
    schedule(copy);
  });
}

void Cluster::commitCopies(std::vector<CopyGroups> &groups, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    groups[lane].committed.push_back(std::move(groups[lane].open));
    groups[lane].open.clear();
  });
}

bool Cluster::copiesReady(const Warp &warp, LaneMask mask, Wait::Kind kind, unsigned pending) const {
  const std::vector<CopyGroups> &groups = kind == Wait::Kind::CpAsync ? warp.asyncCopies : warp.bulkCopies;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    const auto &committed = groups[lane].committed;
    for (size_t index = 0; index + pending < committed.size(); ++index)
      for (const CopyRef &copy : committed[index])
        if (!(kind == Wait::Kind::BulkRead ? copy->sourceRead : copy->done))
          return false;
  }
  return true;
}

Cluster::Step Cluster::waitCopies(Warp &warp, const Inst &inst, LaneMask mask, Wait::Kind kind) {
  const unsigned pending = static_cast<unsigned>(inst.imm);
  if (!copiesReady(warp, mask, kind, pending)) {
    Wait wait;
    wait.kind = kind;
    wait.pending = pending;
    return block(warp, wait, inst.site);
  }
  std::vector<CopyGroups> &groups = kind == Wait::Kind::CpAsync ? warp.asyncCopies : warp.bulkCopies;
  forLanes(mask, [&](unsigned lane) {
    auto &committed = groups[lane].committed;
    size_t complete = committed.size() > pending ? committed.size() - pending : 0;
    for (size_t index = 0; index < complete; ++index)
      for (const CopyRef &copy : committed[index])
        warp.knows.learn(copy->agent, copy->time);
    // After a wait for reading only, a later full wait still has to cover these groups.
    if (kind != Wait::Kind::BulkRead)
      committed.erase(committed.begin(), committed.begin() + static_cast<std::ptrdiff_t>(complete));
    else
      while (!committed.empty() && complete-- > 0 &&
             std::all_of(committed.front().begin(), committed.front().end(),
                         [](const CopyRef &copy) { return copy->done; }))
        committed.erase(committed.begin());
  });
  return Step::Next;
}

} // namespace tlx::emu
