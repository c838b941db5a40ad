// Loads and stores: where an address leads, whether the access is within bounds, defined and ordered.
#include "Cluster.h"

#include <cstring>

namespace tlx::emu {

Cluster::Actor Cluster::actorOf(const Warp &warp, const Inst &inst) const {
  Event event{warp.knows.generic[warp.global], inst.site, warp.global, warp.global, clusterIndex, false, false};
  event.step = static_cast<uint32_t>(warp.steps);
  return {event, &warp.knows, warp.cta};
}

static std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Finds the memory behind an address; reports and returns no data when there is none.
Cluster::Target Cluster::resolve(Warp &warp, uint32_t site, Space space, uint64_t address, uint64_t bytes,
                                 const char *what) {
  Target target;
  if (space == Space::Generic) {
    bool shared = address >= sharedWindow && address < parameterWindow;
    space = shared ? Space::Cluster : Space::Global;
    address = shared ? address - sharedWindow : address;
  }
  if (space == Space::Shared || space == Space::Cluster) {
    const uint64_t rank = address >> clusterRankShift;
    const uint32_t offset = sharedOffset(address);
    if (space == Space::Shared && rank != warp.cta && rank < ctas.size()) {
      report(FindingKind::OutOfBounds, warp, site,
             std::string(what) + " the shared memory of CTA " + std::to_string(rank) +
                 " with an instruction that reaches only its own CTA's");
      return target;
    }
    if (rank < ctas.size() && ctas[rank].shared->contains(offset, bytes)) {
      target.cta = &ctas[rank];
      target.offset = offset;
      target.data = target.cta->shared->at(offset);
      if (target.cta->exited) {
        report(FindingKind::OutstandingAtExit, warp, site,
               std::string(what) + " the shared memory of CTA " + std::to_string(rank) + ", which has left already");
        return {};
      }
      return target;
    }
    Finding found =
        finding(FindingKind::OutOfBounds, warp, site,
                std::string(what) + " " + std::to_string(bytes) + " bytes at offset " +
                    std::to_string(static_cast<int64_t>(offset) - static_cast<int64_t>(sharedBase)) + " of " +
                    program.words().shared + "; the kernel has " + std::to_string(program.sharedBytes));
    log.add(std::move(found));
    return target;
  }
  if (GlobalRegion *region = global.find(address, bytes)) {
    target.region = region;
    target.offset = address - region->address;
    target.data = region->data + target.offset;
    return target;
  }
  const GlobalRegion *near = global.nearest(address);
  report(FindingKind::OutOfBounds, warp, site,
         std::string(what) + " " + std::to_string(bytes) + " bytes at " +
             (near ? "offset " + std::to_string(static_cast<int64_t>(address - near->address)) + " of `" + near->name +
                         "`, which has " + std::to_string(near->bytes)
                   : "address " + hex(address) + ", where nothing is allocated"));
  return target;
}

bool Cluster::checkAligned(Warp &warp, uint32_t site, uint64_t address, uint64_t alignment, const char *what) {
  if (address % alignment == 0)
    return true;
  report(FindingKind::Misuse, warp, site,
         std::string(what) + " address " + hex(address) + ", which is not a multiple of " + std::to_string(alignment));
  return false;
}

/// The checks of one access to `target`; true when it may be done.
bool Cluster::access(const Target &target, uint64_t bytes, bool write, const Actor &actor) {
  if (target.cta && program.hasWaves() && meetsLdsLoad(target, bytes, write, actor))
    return true;
  if (target.cta) {
    SharedMemory &shared = *target.cta->shared;
    uint32_t address = static_cast<uint32_t>(target.offset);
    if (write) {
      shared.markWritten(address, bytes);
    } else if (!shared.isWritten(address, bytes)) {
      Finding found = finding(FindingKind::UninitializedRead, warps[actor.event.warp], actor.event.site,
                              std::string("reads ") + program.words().shared + " that nobody has written");
      nameBuffer(found, address);
      log.add(std::move(found));
    }
    auto barrier = target.cta->mbarriers.lower_bound(address > 7 ? address - 7 : 0);
    if (barrier != target.cta->mbarriers.end() && barrier->first < address + bytes) {
      Finding found = finding(FindingKind::BarrierMisuse, warps[actor.event.warp], actor.event.site,
                              std::string(write ? "writes" : "reads") + " the bytes of a live barrier");
      nameBarrier(found, barrier->first);
      log.add(std::move(found));
    }
    if (actor.mustFinish && (actor.event.agent != actor.event.warp || target.cta->rank != actor.cta))
      target.cta->remote[actor.event.agent] = actor.event;
  }
  if (!options.races)
    return true;
  Access access{actor.event, write, &actor.knows->generic, &actor.knows->generic};
  if (actor.event.async && !program.hasWaves())
    access.visible = target.cta ? &actor.knows->asyncShared : &actor.knows->asyncGlobal;
  access.lanes = &actor.knows->lanes;
  access.met = warps[actor.event.warp].met;
  Shadow &shadow = target.cta ? target.cta->shared->shadow : target.region->shadow;
  uint64_t offset = target.cta ? target.offset - sharedBase : target.offset;
  if (std::optional<Conflict> conflict = shadow.access(offset, bytes, access))
    reportConflict(target, bytes, write, actor, *conflict);
  return true;
}

void Cluster::reportConflict(const Target &target, uint64_t bytes, bool write, const Actor &actor,
                             const Conflict &conflict) {
  // A cluster that has used atomics may know of the other one's accesses in ways that its own clocks do not show.
  const bool tooNarrow = conflict.other.atomic && actor.event.atomic;
  if (conflict.other.cluster != clusterIndex && usesAtomics && !tooNarrow)
    return;
  if (program.hasWaves() && target.cta && reportLdsLoad(target, write, actor, conflict))
    return;
  // Threads that hold copies of a value may all write it: whichever comes last, the bytes are the same.
  if (actor.rewrites && conflict.otherWrites && !conflict.other.async && conflict.other.cluster == clusterIndex)
    return;
  auto what = [](bool writes, bool async, bool atomic) {
    return std::string(atomic ? "atomic " : async ? "asynchronous " : "") + (writes ? "write" : "read");
  };
  const bool betweenLanes = conflict.other.agent == actor.event.agent && conflict.other.cluster == clusterIndex;
  std::string memory = target.cta ? program.words().shared : "`" + target.region->name + "`";
  std::string message;
  if (conflict.onlyFenceMissing)
    message = what(write, true, false) + " of " + memory +
              " may miss an ordinary write before it; a proxy fence between them is missing";
  else
    message =
        what(write, actor.event.async, actor.event.atomic) + " of " + memory + " races with " +
        (conflict.otherWrites == write && conflict.other.async == actor.event.async ? "another " : "an earlier ") +
        what(conflict.otherWrites, conflict.other.async, conflict.other.atomic);
  Finding found = finding(conflict.onlyFenceMissing ? FindingKind::MissingProxyFence : FindingKind::DataRace,
                          warps[actor.event.warp], actor.event.site, message);
  if (betweenLanes)
    found.notes.push_back(program.hasWaves()
                              ? "both are lanes of one wave; no fence between keeps the accesses in order"
                              : "both are lanes of one warp; nothing between makes them meet (bar.warp.sync)");
  if (conflict.other.cluster == clusterIndex) {
    found.other = placeOf(conflict.other.warp, conflict.other.site);
  } else {
    // All clusters have the same warps.
    found.other = placeOf(conflict.other.warp, conflict.other.site);
    found.other->cta += (conflict.other.cluster - clusterIndex) * static_cast<unsigned>(ctas.size());
    if (tooNarrow)
      found.notes.push_back("an atomic access of the scope `workgroup` or less may not be one for others");
    found.notes.push_back(std::string("the other access is by another ") +
                          (program.hasWaves() ? "workgroup" : "cluster") + " of the grid");
  }
  if (target.cta)
    nameBuffer(found, static_cast<uint32_t>(target.offset));
  else
    found.notes.push_back("at byte " + std::to_string(target.offset) + " of `" + target.region->name + "`");
  log.add(std::move(found));
}

void Cluster::load(Warp &warp, const Inst &inst, LaneMask mask) {
  const uint64_t *addresses = lanes(warp, inst.a);
  const unsigned count = static_cast<unsigned>(inst.imm), size = (inst.bits + 7u) / 8u, bytes = count * size;
  const Space space = static_cast<Space>(inst.flag);
  const MemoryOrder order = static_cast<MemoryOrder>(inst.toBits);
  Actor actor = actorOf(warp, inst);
  actor.event.atomic = order != MemoryOrder::Plain;
  actor.event.narrow = inst.narrow;
  warp.circle.look = inst.site;
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = addresses[lane];
    Target target;
    if (checkAligned(warp, inst.site, address, bytes & (0 - bytes), "reads from"))
      target = resolve(warp, inst.site, space, address, bytes, "reads");
    if (target.data) {
      if (order != MemoryOrder::Plain)
        acquireAt(warp, target, order);
      actor.event.lane = static_cast<uint8_t>(lane);
      access(target, bytes, false, actor);
    }
    for (unsigned part = 0; part < count; ++part) {
      uint64_t value = 0;
      if (target.data)
        std::memcpy(&value, target.data + part * size, size);
      lanes(warp, inst.dst + part)[lane] = value & lowBits(inst.bits);
    }
  });
  if (program.hasWaves())
    countVectorMemory(warp, space, mask, addresses);
}

void Cluster::store(Warp &warp, const Inst &inst, LaneMask mask) {
  const uint64_t *addresses = lanes(warp, inst.a);
  const unsigned count = inst.count, size = (inst.bits + 7u) / 8u, bytes = count * size;
  const Space space = static_cast<Space>(inst.flag);
  const MemoryOrder order = static_cast<MemoryOrder>(inst.toBits);
  Actor actor = actorOf(warp, inst);
  actor.event.atomic = order != MemoryOrder::Plain;
  actor.event.narrow = inst.narrow;
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = addresses[lane];
    if (!checkAligned(warp, inst.site, address, bytes & (0 - bytes), "writes to"))
      return;
    Target target = resolve(warp, inst.site, space, address, bytes, "writes");
    if (!target.data)
      return;
    actor.event.lane = static_cast<uint8_t>(lane);
    actor.rewrites = true;
    for (unsigned part = 0; part < count; ++part)
      actor.rewrites &=
          std::memcmp(target.data + part * size, &lanes(warp, program.operands[inst.extra + part])[lane], size) == 0;
    access(target, bytes, true, actor);
    global.changes += !actor.rewrites;
    for (unsigned part = 0; part < count; ++part)
      std::memcpy(target.data + part * size, &lanes(warp, program.operands[inst.extra + part])[lane], size);
    if (order != MemoryOrder::Plain)
      releaseAt(warp, target, order);
  });
  if (order != MemoryOrder::Plain)
    release(warp);
  if (program.hasWaves())
    countVectorMemory(warp, space, mask, addresses);
}

void Cluster::convertAddress(Warp &warp, const Inst &inst, LaneMask mask) {
  uint64_t *result = lanes(warp, inst.dst);
  const uint64_t *source = lanes(warp, inst.a);
  const Space space = static_cast<Space>(inst.flag);
  const bool shared = space == Space::Shared || space == Space::Cluster;
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = source[lane];
    if (inst.op == Opcode::ToGeneric) {
      result[lane] = shared ? address + sharedWindow : address;
    } else if (inst.op == Opcode::FromGeneric) {
      result[lane] = shared ? address - sharedWindow : address;
    } else {
      // mapa: the same place in the CTA of that rank.
      bool generic = space == Space::Generic;
      uint64_t place = sharedOffset(generic ? address - sharedWindow : address);
      uint64_t rank = lanes(warp, inst.b)[lane] & 0xffffffffu;
      result[lane] = (place | rank << clusterRankShift) + (generic ? sharedWindow : 0);
    }
  });
}

/// PTX ISA, stmatrix: lane l gives the address of row l%8 of matrix l/8; lane t holds elements 2*(t%4), +1 of row t/4.
void Cluster::storeMatrix(Warp &warp, const Inst &inst, LaneMask mask) {
  if (!checkConverged(warp, inst, mask))
    return;
  Actor actor = actorOf(warp, inst);
  actor.event.lane = allLanes;
  for (unsigned row = 0; row < inst.imm * 8; ++row) {
    uint64_t address = lanes(warp, inst.a)[row];
    if (!checkAligned(warp, inst.site, address, 16, "writes a matrix row to"))
      continue;
    Target target = resolve(warp, inst.site, Space::Shared, address, 16, "writes");
    if (!target.data)
      continue;
    access(target, 16, true, actor);
    const uint64_t *source = lanes(warp, program.operands[inst.extra + row / 8]);
    for (unsigned column = 0; column < 8; ++column) {
      unsigned lane = inst.flag ? column * 4 + row % 8 / 2 : row % 8 * 4 + column / 2;
      unsigned half = inst.flag ? row % 2 : column % 2;
      uint16_t value = static_cast<uint16_t>(source[lane] >> (16 * half));
      std::memcpy(target.data + column * 2, &value, 2);
    }
  }
}

void Cluster::loadMatrix(Warp &warp, const Inst &inst, LaneMask mask) {
  if (!checkConverged(warp, inst, mask))
    return;
  Actor actor = actorOf(warp, inst);
  actor.event.lane = allLanes;
  for (unsigned row = 0; row < inst.imm * 8; ++row) {
    uint64_t address = lanes(warp, inst.a)[row];
    uint16_t values[8] = {};
    if (checkAligned(warp, inst.site, address, 16, "reads a matrix row from"))
      if (Target target = resolve(warp, inst.site, Space::Shared, address, 16, "reads"); target.data) {
        access(target, 16, false, actor);
        std::memcpy(values, target.data, 16);
      }
    uint64_t *result = lanes(warp, inst.dst + row / 8);
    for (unsigned column = 0; column < 8; ++column) {
      unsigned lane = inst.flag ? column * 4 + row % 8 / 2 : row % 8 * 4 + column / 2;
      unsigned shift = 16 * (inst.flag ? row % 2 : column % 2);
      result[lane] = (result[lane] & ~(0xffffull << shift)) | static_cast<uint64_t>(values[column]) << shift;
    }
  }
  for (unsigned matrix = 0; matrix < inst.imm; ++matrix)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      lanes(warp, inst.dst + matrix)[lane] &= 0xffffffffu;
}

} // namespace tlx::emu
