// Named barriers, the barrier of the cluster, mbarriers, and the fences that belong to them.
#include "Cluster.h"

namespace tlx::emu {

Cluster::Step Cluster::namedBarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  checkConverged(warp, inst, mask);
  const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  const uint64_t id = laneValue(warp, inst.a, lane), threads = laneValue(warp, inst.b, lane);
  if (id > 15 || threads % warpSize || threads == 0 || threads > program.threads) {
    report(FindingKind::BarrierMisuse, warp, inst.site,
           "uses named barrier " + std::to_string(id) + " with " + std::to_string(threads) +
               " threads; ids are 0 to 15, threads a multiple of 32 up to " + std::to_string(program.threads));
    return Step::Next;
  }
  NamedBarrier &barrier = ctas[warp.cta].named[id];
  if (barrier.arrived == 0) {
    barrier.expected = static_cast<uint32_t>(threads);
    barrier.firstSite = inst.site;
    barrier.firstWarp = warp.global;
    barrier.participants.clear();
  }
  auto complain = [&](std::string message) {
    Finding found = finding(FindingKind::ParticipantMismatch, warp, inst.site, std::move(message));
    found.barrier = "named barrier " + std::to_string(id);
    found.other = placeOf(barrier.firstWarp, barrier.firstSite);
    log.add(std::move(found));
  };
  if (barrier.expected != threads)
    complain("waits for " + std::to_string(threads) + " threads at named barrier " + std::to_string(id) +
             ", where others wait for " + std::to_string(barrier.expected));
  for (auto [other, site] : barrier.participants)
    if (other == warp.global)
      complain("arrives twice at named barrier " + std::to_string(id) + " before it completes");
  barrier.participants.push_back({warp.global, inst.site});
  barrier.arrived += warpSize;
  barrier.gathered.join(warp.knows);
  release(warp);
  const uint64_t generation = barrier.generation;
  if (barrier.arrived >= barrier.expected)
    barrier.complete();
  if (inst.flag)
    return Step::Next;
  Wait wait;
  wait.kind = Wait::Kind::Named;
  wait.address = static_cast<uint32_t>(id);
  wait.generation = generation;
  return block(warp, wait, inst.site);
}

Cluster::Step Cluster::clusterBarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  checkConverged(warp, inst, mask);
  NamedBarrier &barrier = clusterBarrierState;
  if (inst.op == Opcode::ClusterWait) {
    if (!warp.arrivedCluster) {
      report(FindingKind::BarrierMisuse, warp, inst.site,
             "waits for the cluster's barrier without having arrived at it");
      return Step::Next;
    }
    Wait wait;
    wait.kind = Wait::Kind::ClusterBarrier;
    wait.generation = warp.clusterGeneration;
    return block(warp, wait, inst.site);
  }
  if (warp.arrivedCluster) {
    report(FindingKind::BarrierMisuse, warp, inst.site,
           "arrives at the cluster's barrier again without a wait between");
    return Step::Next;
  }
  warp.arrivedCluster = true;
  warp.clusterGeneration = barrier.generation;
  if (barrier.arrived == 0)
    barrier.participants.clear();
  barrier.participants.push_back({warp.global, inst.site});
  if (!inst.flag) {
    barrier.gathered.join(warp.knows);
    release(warp);
  }
  barrier.arrived += warpSize;
  if (barrier.arrived == barrier.expected)
    barrier.complete();
  return Step::Next;
}

void Cluster::initMbarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    if (!(laneValue(warp, inst.c, lane) & 1))
      return;
    uint64_t address = laneValue(warp, inst.a, lane);
    uint32_t count = static_cast<uint32_t>(laneValue(warp, inst.b, lane));
    if (address >= sharedWindow && address < parameterWindow)
      address -= sharedWindow;
    if (!checkAligned(warp, inst.site, address, 8, "initialises a barrier at"))
      return;
    Target target = resolve(warp, inst.site, Space::Shared, address, 8, "initialises a barrier in");
    if (!target.data)
      return;
    const uint32_t offset = sharedOffset(address);
    auto complain = [&](std::string message) {
      Finding found = finding(FindingKind::BarrierMisuse, warp, inst.site, std::move(message));
      nameBarrier(found, offset);
      log.add(std::move(found));
    };
    if (count == 0 || count >= 1u << 20)
      return complain("initialises a barrier with a count of " + std::to_string(count) + "; the range is 1 to 1048575");
    std::map<uint32_t, Mbarrier> &barriers = ctas[warp.cta].mbarriers;
    if (barriers.count(offset))
      complain("initialises a barrier that is live already; invalidate it first");
    barriers.erase(offset);
    access(target, 8, true, actorOf(warp, inst));
    Mbarrier barrier;
    barrier.count = barrier.pending = count;
    barrier.initSite = inst.site;
    barrier.initWarp = warp.global;
    barrier.initTime = ownTime(warp);
    barrier.gathered = barrier.released = Knowledge(agents);
    barriers.emplace(offset, std::move(barrier));
  });
}

void Cluster::invalMbarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    BarrierTarget target = findMbarrier(warp, inst.site, laneValue(warp, inst.a, lane), std::nullopt, "invalidates");
    if (target.barrier)
      target.cta->mbarriers.erase(target.address);
  });
}

/// The barrier behind an address; with a rank, the one at the same place of that CTA.
Cluster::BarrierTarget Cluster::findMbarrier(Warp &warp, uint32_t site, uint64_t address, std::optional<uint32_t> rank,
                                             const char *what) {
  if (address >= sharedWindow && address < parameterWindow)
    address -= sharedWindow;
  BarrierTarget target;
  const uint64_t owner = rank ? *rank : address >> clusterRankShift;
  target.address = sharedOffset(address);
  auto complain = [&](FindingKind kind, std::string message) {
    Finding found = finding(kind, warp, site, std::move(message));
    nameBarrier(found, target.address);
    log.add(std::move(found));
    return target;
  };
  if (owner >= ctas.size())
    return complain(FindingKind::OutOfBounds, std::string(what) + " a barrier of CTA " + std::to_string(owner) +
                                                  " of a cluster of " + std::to_string(ctas.size()));
  target.cta = &ctas[owner];
  if (target.cta->exited)
    return complain(FindingKind::OutstandingAtExit,
                    std::string(what) + " a barrier of CTA " + std::to_string(owner) + ", which has left already");
  auto found = target.cta->mbarriers.find(target.address);
  if (found == target.cta->mbarriers.end())
    return complain(FindingKind::BarrierMisuse, std::string(what) + " a barrier that was not initialised, or is dead");
  target.barrier = &found->second;
  // The initialisation must be known to whoever uses the barrier, else another order of the warps finds garbage.
  if (options.races && warp.knows.generic[target.barrier->initWarp] < target.barrier->initTime) {
    Finding race = finding(FindingKind::DataRace, warp, site,
                           std::string(what) + " a barrier whose initialisation is not ordered before");
    race.other = placeOf(target.barrier->initWarp, target.barrier->initSite);
    nameBarrier(race, target.address);
    log.add(std::move(race));
  }
  return target;
}

void Cluster::arrive(Warp &warp, uint32_t site, const BarrierTarget &target, uint32_t count) {
  Mbarrier &barrier = *target.barrier;
  if (count > barrier.pending) {
    Finding found = finding(FindingKind::BarrierMisuse, warp, site,
                            "arrives " + std::to_string(count) + " times where " + std::to_string(barrier.pending) +
                                " of " + std::to_string(barrier.count) + " arrivals are missing in this phase");
    nameBarrier(found, target.address);
    found.phase = static_cast<int>(barrier.phase);
    if (!barrier.arrivals.empty()) {
      const Arrival &other = barrier.arrivals.back();
      found.other = placeOf(other.warp, other.site);
    }
    log.add(std::move(found));
    count = barrier.pending;
  }
  barrier.pending -= count;
  barrier.noteArrival(site, warp.cta, warp.global);
  publish(barrier.gathered, warp);
  if (target.cta->rank != warp.cta)
    target.cta->remote[warp.global] = {
        ownTime(warp), site,  warp.global, warp.global,
        clusterIndex,  false, true,        static_cast<uint8_t>(std::countr_zero(warp.frames.back().mask))};
  release(warp);
  barrier.advance();
}

void Cluster::arriveMbarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    std::optional<uint32_t> rank;
    if (inst.b != noSlot)
      rank = static_cast<uint32_t>(laneValue(warp, inst.b, lane));
    BarrierTarget target = findMbarrier(warp, inst.site, laneValue(warp, inst.a, lane), rank, "arrives at");
    if (target.barrier)
      arrive(warp, inst.site, target, static_cast<uint32_t>(inst.imm));
  });
}

/// mbarrier.expect_tx, with flag 1 followed by one arrival.
void Cluster::expectMbarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    BarrierTarget target =
        findMbarrier(warp, inst.site, laneValue(warp, inst.a, lane), std::nullopt, "expects bytes on");
    if (!target.barrier)
      return;
    target.barrier->transactions += static_cast<int64_t>(laneValue(warp, inst.b, lane));
    constexpr int64_t transactionLimit = (1 << 20) - 1;
    if (target.barrier->transactions > transactionLimit) {
      Finding found = finding(FindingKind::BarrierMisuse, warp, inst.site,
                              "makes the barrier expect " + std::to_string(target.barrier->transactions) +
                                  " bytes in one phase; the limit is 1048575");
      nameBarrier(found, target.address);
      log.add(std::move(found));
    }
    if (inst.flag)
      arrive(warp, inst.site, target, 1);
  });
}

/// What a completed phase released. Lanes that all arrived and all wait have met.
void Cluster::acquirePhase(Warp &warp, const Mbarrier &barrier, LaneMask mask) {
  if (mask == program.fullMask())
    warp.met = std::max(warp.met, barrier.released.generic[warp.global]);
  warp.knows.join(barrier.released);
}

Cluster::Step Cluster::waitMbarrier(Warp &warp, const Inst &inst, LaneMask mask) {
  warp.circle.look = inst.site;
  Wait wait;
  forLanes(mask, [&](unsigned lane) {
    uint32_t parity = static_cast<uint32_t>(laneValue(warp, inst.b, lane));
    uint64_t address = laneValue(warp, inst.a, lane);
    BarrierTarget target = findMbarrier(warp, inst.site, address, std::nullopt, "waits for");
    if (target.cta && target.cta->rank != warp.cta)
      report(FindingKind::BarrierMisuse, warp, inst.site,
             "waits for a barrier of another CTA; only its own can be waited for");
    bool done = !target.barrier || target.barrier->completed(parity);
    if (done && target.barrier)
      acquirePhase(warp, *target.barrier, mask);
    if (inst.op == Opcode::MbarrierTest)
      lanes(warp, inst.dst)[lane] = done;
    if (!done && !inst.flag && wait.kind == Wait::Kind::None) {
      wait.kind = Wait::Kind::Mbarrier;
      wait.address = target.address;
      wait.parity = parity;
    }
  });
  // try_wait may suspend until the phase completes; a loop around it then ends like a blocking wait.
  return wait.kind == Wait::Kind::None ? Step::Next : block(warp, wait, inst.site);
}

void Cluster::fence(Warp &warp, const Inst &inst) {
  if (inst.op == Opcode::FenceProxy && inst.flag & 1)
    warp.knows.asyncShared = warp.knows.generic;
  if (inst.op == Opcode::FenceProxy && inst.flag & 2)
    warp.knows.asyncGlobal = warp.knows.generic;
  // Either fence publishes the barriers whose initialisation this warp knows of.
  const uint32_t time = ownTime(warp);
  for (auto &[address, barrier] : ctas[warp.cta].mbarriers)
    if (barrier.fenceTime == 0 && barrier.initWarp == warp.global)
      barrier.fenceTime = time;
  release(warp);
}

} // namespace tlx::emu
