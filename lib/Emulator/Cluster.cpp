// Setting up a cluster, choosing who runs next, and leaving.
#include "Cluster.h"

#include <algorithm>

namespace tlx::emu {

Cluster::Cluster(const Program &program, const Launch &launch, const Options &options, GlobalMemory &global,
                 FindingLog &log, Timeline *timeline, LaunchQueue &queue, unsigned index)
    : program(program), launch(launch), options(options), global(global), log(log), timeline(timeline),
      clusterIndex(index), random(options.seed * 0x2545f4914f6cdd1dull + index), queue(queue) {
  const std::array<uint32_t, 3> &shape = program.cluster;
  firstCta = firstCtaOf(index);
  const unsigned ctaCount = shape[0] * shape[1] * shape[2], warpCount = program.threads / program.lanes;
  // Waves have a clock each for their loads to LDS instead, behind the others.
  const unsigned groupCount = program.hasWaves() ? 0 : (warpCount + 3) / 4;
  const unsigned copyAgentCount = program.hasWaves() ? 0 : 64;
  firstCopyAgent = ctaCount * (warpCount + groupCount);
  firstTensorAgent = firstCopyAgent + copyAgentCount;
  agents = firstTensorAgent + (program.usesTensorMemory || program.hasWaves() ? ctaCount * warpCount : 0);
  copyAgents.resize(copyAgentCount);
  copyTimes.resize(copyAgentCount);
  clusterBarrierState.gathered = clusterBarrierState.released = Knowledge(agents);
  clusterBarrierState.expected = ctaCount * program.threads;
  countsOrdinary = !program.hasWaves() || random.below(2);
  ctas.resize(ctaCount);
  warps.resize(ctaCount * warpCount);
  live = warps.size();
  for (unsigned rank = 0; rank < ctaCount; ++rank) {
    Cta &cta = ctas[rank];
    cta.rank = static_cast<uint16_t>(rank);
    cta.id = {firstCta[0] + rank % shape[0], firstCta[1] + rank / shape[0] % shape[1],
              firstCta[2] + rank / shape[0] / shape[1]};
    cta.shared = std::make_unique<SharedMemory>(program.sharedBytes);
    if (program.usesTensorMemory)
      cta.tensor = std::make_unique<TensorMemory>();
    cta.liveWarps = warpCount;
    cta.atExit = Knowledge(agents);
    cta.freeRegisters = 65536 - program.threads * std::min(255u / 8 * 8, 65536 / program.threads / 8 * 8);
    for (NamedBarrier &barrier : cta.named)
      barrier.gathered = barrier.released = Knowledge(agents);
    cta.groups.resize(groupCount);
    for (unsigned group = 0; group < groupCount; ++group)
      cta.groups[group].agent = ctaCount * warpCount + rank * groupCount + group;
    for (unsigned warp = 0; warp < warpCount; ++warp)
      createWarp(cta, warp);
  }
}

std::array<uint32_t, 3> Cluster::firstCtaOf(unsigned cluster) const {
  const std::array<uint32_t, 3> &shape = program.cluster;
  std::array<uint32_t, 3> clusters;
  for (unsigned axis = 0; axis < 3; ++axis)
    clusters[axis] = launch.grid[axis] / shape[axis];
  return {cluster % clusters[0] * shape[0], cluster / clusters[0] % clusters[1] * shape[1],
          cluster / clusters[0] / clusters[1] * shape[2]};
}

void Cluster::createWarp(Cta &cta, unsigned index) {
  const unsigned warpCount = program.threads / program.lanes, number = cta.rank * warpCount + index;
  Warp &warp = warps[number];
  warp.cta = cta.rank;
  warp.index = static_cast<uint16_t>(index);
  warp.global = static_cast<uint16_t>(number);
  for (uint32_t task = 0; task < program.tasks.size(); ++task)
    if (index >= program.tasks[task].firstWarp && index < program.tasks[task].firstWarp + program.tasks[task].warps)
      warp.task = task;
  warp.registers = std::make_unique<uint64_t[]>(static_cast<size_t>(program.slots) * program.lanes);
  warp.inFlight.resize(program.slots);
  if (program.watchesTouches)
    warp.touched.resize(program.slots);
  if (program.watchesUndefined) {
    warp.undefined.resize(program.slots);
    warp.undefined[program.undefined] = program.fullMask();
  }
  for (auto [slot, bits] : program.constants)
    std::fill_n(lanes(warp, slot), program.lanes, bits);
  for (size_t argument = 0; argument < program.parameters.size(); ++argument) {
    const Argument &given = launch.arguments[argument];
    uint64_t bits = given.kind == Argument::Kind::Scalar    ? given.bits & lowBits(program.parameters[argument].bits)
                    : given.kind == Argument::Kind::Pointer ? global.addressOf(given.buffer, given.offset)
                                                            : global.tensorMapAddress(argument);
    std::fill_n(lanes(warp, program.parameters[argument].slot), program.lanes, bits);
  }
  warp.knows = warp.atFence = warp.toAcquire = Knowledge(agents);
  ownTime(warp) = 1;
  if (program.usesTensorMemory)
    warp.tensorKnown.resize(agents);
  warp.asyncCopies.resize(program.lanes);
  warp.bulkCopies.resize(program.lanes);
  // PTX ISA, setmaxnreg: a kernel starts with the block's registers shared out evenly, in steps of 8.
  warp.registersBudget = std::min(255u / 8 * 8, 65536 / program.threads / 8 * 8);
  warp.frames.push_back({program.blocks.front().first, program.fullMask(), exitBlock});
  if (timeline)
    timeline->nameTrack(clusterIndex * static_cast<unsigned>(ctas.size()) + cta.rank, index,
                        program.words().warp + (" " + std::to_string(index)) +
                            (warp.task == ~0u ? "" : " " + program.tasks[warp.task].name));
}

bool Cluster::run() {
  constexpr uint64_t pollsOfSlice = 4096;
  polls = 0;
  while (live > 0 && !log.full()) {
    if (polls > pollsOfSlice)
      return false;
    fireDue();
    Warp *chosen = nullptr;
    size_t start = random.below(warps.size());
    for (size_t step = 0; step < warps.size() && !chosen; ++step) {
      Warp &warp = warps[(start + step) % warps.size()];
      if (!warp.exited && (warp.wait.kind == Wait::Kind::None || isReady(warp)))
        chosen = &warp;
    }
    if (!chosen) {
      if (stuck())
        return true;
      continue;
    }
    if (chosen->wait.kind != Wait::Kind::None)
      unblock(*chosen);
    if (chosen->circle.changes == global.changes && chosen->circle.closed && goesInCircles())
      return false;
    watchCircle(*chosen);
    runWarp(*chosen, 1 + random.below(400));
    if (chosen->steps > options.maxSteps) {
      report(FindingKind::Endless, *chosen, program.code[chosen->frames.back().pc].site,
             "has executed " + std::to_string(chosen->steps) + " instructions without an end");
      return true;
    }
    if (chosen->exited)
      --live;
  }
  while (!flying.empty() && !log.full())
    fire(flying.size() - 1);
  return true;
}

/// Nobody can run: lets the copies in flight go on, in any order; without any this is a deadlock.
bool Cluster::stuck() {
  if (flying.empty()) {
    reportDeadlock();
    return true;
  }
  fire(random.below(flying.size()));
  return false;
}

bool Cluster::isReady(const Warp &warp) const {
  const Wait &wait = warp.wait;
  switch (wait.kind) {
  case Wait::Kind::None:
    return true;
  case Wait::Kind::Mbarrier: {
    auto found = ctas[warp.cta].mbarriers.find(wait.address);
    return found == ctas[warp.cta].mbarriers.end() || found->second.completed(wait.parity);
  }
  case Wait::Kind::Named:
    return ctas[warp.cta].named[wait.address].generation > wait.generation;
  case Wait::Kind::ClusterBarrier:
    return clusterBarrierState.generation > wait.generation;
  case Wait::Kind::Matrix: {
    const uint64_t goal = wait.generation;
    const unsigned base = warp.global - warp.index % 4;
    for (unsigned other = base; other < base + 4; ++other)
      if (warps[other].matrixGroups.size() < goal)
        return false;
    return true;
  }
  case Wait::Kind::CpAsync:
  case Wait::Kind::Bulk:
  case Wait::Kind::BulkRead:
    return copiesReady(warp, warp.frames.back().mask, wait.kind, wait.pending);
  case Wait::Kind::VectorMemory:
    return ldsLoadsDone(warp, wait.generation);
  case Wait::Kind::Registers:
    return ctas[warp.cta].freeRegisters >= wait.pending;
  }
  return true;
}

Cluster::Step Cluster::block(Warp &warp, Wait wait, uint32_t site) {
  wait.site = site;
  wait.since = now;
  warp.wait = wait;
  return Step::Blocked;
}

void Cluster::unblock(Warp &warp) {
  static constexpr const char *names[] = {
      "",          "wait mbarrier",  "named barrier",  "cluster barrier", "wait matrix", "wait cp.async",
      "wait bulk", "wait bulk read", "wait registers", "wait vmcnt"};
  if (timeline && now > warp.wait.since) {
    std::string name = names[static_cast<unsigned>(warp.wait.kind)];
    if (warp.wait.kind == Wait::Kind::Mbarrier)
      name = "wait " + describeBarrier(warp.wait.address);
    if (warp.wait.kind == Wait::Kind::Named && program.hasWaves())
      name = "s_barrier";
    timeline->span(clusterIndex * static_cast<unsigned>(ctas.size()) + warp.cta, warp.index,
                   name + " (line " + std::to_string(program.sites[warp.wait.site].line) + ")", "wait", warp.wait.since,
                   now);
  }
  // Barriers of warps were already arrived at, so these go on behind their instruction; other waits execute again.
  if (warp.wait.kind == Wait::Kind::Named) {
    if (program.hasWaves()) {
      // What the others published becomes known at the next fence: the barrier alone orders no memory.
      warp.toAcquire.join(ctas[warp.cta].named[warp.wait.address].released);
      warp.hasToAcquire = true;
    } else {
      warp.knows.join(ctas[warp.cta].named[warp.wait.address].released);
      meetLanes(warp);
    }
    ++warp.frames.back().pc;
  } else if (warp.wait.kind == Wait::Kind::ClusterBarrier) {
    warp.knows.join(clusterBarrierState.released);
    warp.arrivedCluster = false;
    meetLanes(warp);
    ++warp.frames.back().pc;
  }
  warp.wait = Wait();
}

void Cluster::runWarp(Warp &warp, uint64_t quantum) {
  const uint64_t started = now;
  for (; quantum > 0; --quantum) {
    Frame frame = warp.frames.back();
    const Inst &inst = program.code[frame.pc];
    if (frame.pc == warp.circle.place)
      meetCircle(warp);
    ++instructions;
    ++warp.steps;
    ++now;
    Step step = inst.watch ? executeWatched(warp, inst, frame.mask) : execute(warp, inst, frame.mask);
    if (step == Step::Next)
      ++warp.frames.back().pc;
    else if (step != Step::Jumped)
      break;
  }
  if (timeline && now > started)
    timeline->span(clusterIndex * static_cast<unsigned>(ctas.size()) + warp.cta, warp.index,
                   warp.task == ~0u ? "run" : program.tasks[warp.task].name, "task", started, now);
}

void Cluster::exitWarp(Warp &warp) {
  if (program.hasWaves())
    drainLdsLoads(warp);
  warp.exited = true;
  ++global.changes;
  warp.registers.reset();
  Cta &cta = ctas[warp.cta];
  cta.atExit.join(warp.knows);
  // Only threads that have not exited count at the cluster's barrier (PTX ISA, barrier.cluster).
  if (!warp.arrivedCluster) {
    NamedBarrier &barrier = clusterBarrierState;
    barrier.expected -= program.lanes;
    if (barrier.arrived > 0 && barrier.arrived == barrier.expected)
      barrier.complete();
  }
  if (--cta.liveWarps == 0)
    exitCta(cta);
  else if (program.hasWaves())
    leaveWaveBarrier(warp);
}

/// Shared memory ends with the CTA: everything that others do with it must have happened before.
void Cluster::exitCta(Cta &cta) {
  cta.exited = true;
  const Warp &last = warps[cta.rank * (program.threads / program.lanes)];
  auto complain = [&](const Event &event, const char *what) {
    Finding found = finding(FindingKind::OutstandingAtExit, warps[event.warp], event.site, what);
    found.notes.push_back("CTA " + std::to_string(last.cta) + " of the cluster, whose shared memory this is, has left");
    log.add(std::move(found));
  };
  if (options.races)
    for (auto &[agent, event] : cta.remote)
      if (!knowsOf(cta.atExit.generic, &cta.atExit.lanes, event))
        complain(event,
                 event.async
                     ? "no wait of the CTA covers this asynchronous access to its shared memory before it exits"
                     : "this access from a peer is not ordered before the CTA exits; a cluster barrier is missing");
  for (const CopyRef &copy : flying) {
    bool here = copy->cta == cta.rank && !copy->sourceRead && copy->kind != Copy::Kind::AsyncArrive &&
                actorOf(*copy).mustFinish;
    if (here && (!options.races || cta.atExit.generic[copy->agent] < copy->time))
      complain({copy->time, copy->site, static_cast<uint16_t>(copy->agent), copy->warp, clusterIndex, true, false},
               "is still in flight when the CTA exits");
  }
  if (cta.tensor)
    checkTensorAtExit(cta);
  auto inFlight = [&](uint32_t barrier) {
    return std::any_of(flying.begin(), flying.end(), [&](const CopyRef &copy) {
      return (copy->kind == Copy::Kind::TensorLoad || copy->signals) && copy->barrierCta == cta.rank &&
             copy->barrier == barrier;
    });
  };
  for (auto &[address, barrier] : cta.mbarriers)
    if (barrier.transactions != 0 && !inFlight(address)) {
      Finding found =
          finding(FindingKind::BarrierMisuse, warps[barrier.initWarp], barrier.initSite,
                  barrier.transactions > 0
                      ? std::to_string(barrier.transactions) + " bytes that the barrier expects never came"
                      : std::to_string(-barrier.transactions) + " bytes more than expected came to the barrier");
      nameBarrier(found, address);
      found.phase = static_cast<int>(barrier.phase);
      log.add(std::move(found));
    }
}

} // namespace tlx::emu
