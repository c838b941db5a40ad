// Allocation of tensor memory, and what warps do there: loads, stores, waits, fences (PTX ISA, tcgen05).
#include "Cluster.h"

#include <cstring>

namespace tlx::emu {

/// Up to which of its own times the loads and stores of a warp are done.
uint32_t Cluster::coveredTime(const Warp &warp) const {
  uint32_t covered = warp.knows.generic[warp.global];
  for (uint32_t first : {warp.firstLoad, warp.firstStore})
    if (first)
      covered = std::min(covered, first - 1);
  return covered;
}

/// Checks and records one lane's access to neighbouring columns; false when it must not be done.
bool Cluster::accessTensor(const TensorRange &range, bool write, const TensorActor &actor) {
  TensorMemory &memory = *range.cta->tensor;
  const Warp &warp = warps[actor.event.warp];
  const std::string what = write ? "writes" : "reads";
  const std::string place = "lane " + std::to_string(range.lane) + ", columns " + std::to_string(range.column) +
                            " to " + std::to_string(range.column + range.columns - 1) + " of tensor memory";
  if (range.lane >= tensorLanes || range.column + range.columns > tensorColumns ||
      !memory.isAllocated(range.column, range.columns)) {
    report(FindingKind::OutOfBounds, warp, actor.event.site, what + " " + place + ", which is not allocated");
    return false;
  }
  for (unsigned column = range.column; column < range.column + range.columns; ++column) {
    if (write) {
      memory.markWritten(range.lane, column);
    } else if (!memory.isWritten(range.lane, column)) {
      report(FindingKind::UninitializedRead, warp, actor.event.site, "reads " + place + ", which nobody has written");
      break;
    }
  }
  if (!options.races)
    return true;
  Access access;
  access.event = actor.event;
  access.write = write;
  access.ordered = access.visible = actor.ordered;
  // Warps work here as wholes: single lanes tell nobody anything.
  const std::vector<LaneTime> none;
  access.lanes = &none;
  uint64_t offset = (static_cast<uint64_t>(range.lane) * tensorColumns + range.column) * 4;
  std::optional<Conflict> conflict = memory.shadow.access(offset, 4ull * range.columns, access);
  if (!conflict)
    return true;
  const Event &other = conflict->other;
  // Ordered by barriers, but not for tensor memory: a fence on one of the two sides is missing.
  bool onlyFence = (*actor.generic)[other.agent] >= other.time;
  Finding found = finding(
      onlyFence ? FindingKind::MissingProxyFence : FindingKind::DataRace, warp, actor.event.site,
      what + " " + place +
          (onlyFence ? " without a tcgen05 fence or wait after an earlier " : ", not ordered with an earlier ") +
          (conflict->otherWrites ? "write" : "read"));
  found.other = placeOf(other.warp, other.site);
  log.add(std::move(found));
  return true;
}

void Cluster::allocateTensor(Warp &warp, const Inst &inst, LaneMask mask) {
  const uint32_t columns = static_cast<uint32_t>(inst.imm);
  TensorMemory &memory = *ctas[warp.cta].tensor;
  if (columns < 32 || columns > tensorColumns || !std::has_single_bit(columns))
    return report(FindingKind::Misuse, warp, inst.site,
                  "allocates " + std::to_string(columns) + " columns; a power of two from 32 to 512 can be");
  if (memory.relinquished)
    return report(FindingKind::Misuse, warp, inst.site, "allocates tensor memory after giving up the right to");
  // Any free place is possible on hardware, except that a pair gets the same one in both CTAs.
  std::optional<uint32_t> room = memory.findRoom(columns, inst.bits ? 0 : random.next());
  if (!room)
    return report(FindingKind::Misuse, warp, inst.site,
                  "allocates " + std::to_string(columns) + " columns where no room is left: it waits for ever");
  memory.allocations[*room] = {columns, warp.global, inst.site};
  memory.forget(*room, columns);
  const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  Target target = resolve(warp, inst.site, Space::Shared, laneValue(warp, inst.a, lane), 4, "writes an address to");
  if (!target.data)
    return;
  access(target, 4, true, actorOf(warp, inst));
  std::memcpy(target.data, &*room, 4);
}

void Cluster::deallocateTensor(Warp &warp, const Inst &inst, LaneMask mask) {
  Cta &cta = ctas[warp.cta];
  const TensorAddress address(laneValue(warp, inst.a, static_cast<unsigned>(std::countr_zero(mask))));
  auto found = cta.tensor->allocations.find(address.column);
  if (address.lane != 0 || found == cta.tensor->allocations.end() || found->second.columns != inst.imm)
    return report(FindingKind::Misuse, warp, inst.site,
                  "gives back " + std::to_string(inst.imm) + " columns at column " + std::to_string(address.column) +
                      ", which is no allocation");
  // Whoever allocates next may write at once. Barriers alone order this; what is not over yet is a conflict.
  Event event{ownTime(warp), inst.site, warp.global, warp.global, clusterIndex, false, false};
  if (options.races)
    for (unsigned lane = 0; lane < tensorLanes; ++lane)
      accessTensor({&cta, lane, address.column, found->second.columns}, true,
                   {event, &warp.knows.generic, &warp.knows.generic});
  cta.tensor->allocations.erase(found);
}

/// Where register `reg` of a thread lies, relative to the address (PTX ISA, tcgen05.ld, shapes).
static TensorAddress placeOfRegister(unsigned shape, unsigned lane, unsigned reg, unsigned distance) {
  TensorAddress place(0);
  // 32x32b: a lane each; 16x32bx2: 16 lanes, of which the second half of the threads holds further columns.
  place.lane = shape == 0 ? lane : lane % 16;
  place.column = shape == 0 ? reg : reg + lane / 16 * distance;
  return place;
}

void Cluster::moveTensor(Warp &warp, const Inst &inst, LaneMask mask) {
  const bool write = inst.op == Opcode::TmemStore;
  const uint64_t bits = laneValue(warp, inst.a, 0);
  const TensorAddress base(bits);
  for (unsigned lane = 1; lane < warpSize; ++lane)
    if (laneValue(warp, inst.a, lane) != bits)
      return report(FindingKind::Misuse, warp, inst.site, "is given different addresses by the lanes of a warp");
  const unsigned quarter = warp.index % 4, lanes32 = inst.flag == 0 ? 32 : 16;
  if (base.lane / 32 != quarter || base.lane % 32 + lanes32 > 32)
    return report(FindingKind::Misuse, warp, inst.site,
                  "reaches for lanes " + std::to_string(base.lane) + " to " + std::to_string(base.lane + lanes32 - 1) +
                      " of tensor memory; this warp has " + std::to_string(32 * quarter) + " to " +
                      std::to_string(32 * quarter + 31));
  Clock ordered = warp.tensorKnown;
  ordered[warp.global] = std::max(ordered[warp.global], coveredTime(warp));
  Event event{ownTime(warp), inst.site, warp.global, warp.global, clusterIndex, false, false};
  const TensorActor actor{event, &ordered, &warp.knows.generic};
  Cta &cta = ctas[warp.cta];
  const unsigned distance = static_cast<unsigned>(inst.imm);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    TensorAddress first = placeOfRegister(inst.flag, lane, 0, distance);
    if (!accessTensor({&cta, base.lane + first.lane, base.column + first.column, inst.count}, write, actor))
      return;
    for (uint32_t reg = 0; reg < inst.count; ++reg) {
      TensorAddress place = placeOfRegister(inst.flag, lane, reg, distance);
      uint32_t &word = cta.tensor->at(base.lane + place.lane, base.column + place.column);
      uint64_t &held = lanes(warp, program.operands[inst.extra + reg])[lane];
      if (write)
        word = static_cast<uint32_t>(held);
      else
        held = word;
    }
  }
  uint32_t &first = write ? warp.firstStore : warp.firstLoad;
  if (first == 0)
    first = event.time;
  for (uint32_t reg = 0; !write && reg < inst.count; ++reg)
    warp.inFlight[program.operands[inst.extra + reg]] = loadInFlight;
  release(warp);
}

void Cluster::fenceTensor(Warp &warp, const Inst &inst) {
  if (inst.flag) {
    join(warp.tensorKnown, warp.knows.tensor);
    return;
  }
  join(warp.knows.tensor, warp.tensorKnown);
  uint32_t &own = warp.knows.tensor[warp.global];
  own = std::max(own, coveredTime(warp));
  release(warp);
}

void Cluster::tensorMemory(Warp &warp, const Inst &inst, LaneMask mask) {
  // Fences are each thread's own; everything else here is of the whole warp (.sync.aligned).
  if (inst.op != Opcode::Tcgen05Fence && !checkConverged(warp, inst, mask))
    return;
  switch (inst.op) {
  case Opcode::TmemAlloc:
    return allocateTensor(warp, inst, mask);
  case Opcode::TmemRelinquish:
    ctas[warp.cta].tensor->relinquished = true;
    return;
  case Opcode::TmemDealloc:
    return deallocateTensor(warp, inst, mask);
  case Opcode::TmemLoad:
  case Opcode::TmemStore:
    return moveTensor(warp, inst, mask);
  case Opcode::TmemWaitStore:
    warp.firstStore = 0;
    return;
  case Opcode::TmemWaitLoad:
    warp.firstLoad = 0;
    for (uint32_t index = 0; index < inst.count; ++index) {
      const uint32_t from = program.operands[inst.extra + index];
      std::copy_n(lanes(warp, from), warpSize, lanes(warp, inst.dst + index));
      warp.inFlight[inst.dst + index] = 0;
    }
    return;
  default:
    return fenceTensor(warp, inst);
  }
}

void Cluster::checkTensorAtExit(Cta &cta) {
  for (auto &[column, allocation] : cta.tensor->allocations)
    report(FindingKind::OutstandingAtExit, warps[allocation.warp], allocation.site,
           "the CTA exits and " + std::to_string(allocation.columns) + " columns of tensor memory are still allocated");
}

} // namespace tlx::emu
