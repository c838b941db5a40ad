// AMD: loads from global memory straight to LDS, and what comes too early or too late for them.
#include "Cluster.h"

#include <algorithm>

namespace tlx::emu {

/// The bytes of one lane: checks both sides. False when nothing is to be loaded.
bool Cluster::addLdsPiece(Warp &warp, const Inst &inst, unsigned lane, uint64_t destination, Copy &copy) {
  const uint32_t bytes = static_cast<uint32_t>(inst.imm);
  const uint32_t *operands = &program.operands[inst.extra];
  const uint64_t both = laneValue(warp, operands[0], lane);
  Copy::Piece piece{laneValue(warp, inst.a, lane) + both, 0, bytes, bytes};
  if (inst.b != noSlot) {
    // What lies outside of the buffer is zero in LDS, too.
    const uint32_t waveOffset = static_cast<uint32_t>(laneValue(warp, operands[1], lane));
    if (!checkBuffer(warp, inst, operands + 2, lane))
      return false;
    BufferPlace place;
    for (piece.valid = bytes; piece.valid > 0; piece.valid -= 4)
      if ((place = placeInBuffer(warp, inst, operands + 2, lane, waveOffset, both, piece.valid)).inside)
        break;
    piece.source = place.address;
  }
  if (!checkAligned(warp, inst.site, destination, 4, "loads to") ||
      (piece.valid && !checkAligned(warp, inst.site, piece.source, 4, "loads from")) ||
      !resolve(warp, inst.site, Space::Shared, destination, bytes, "writes").data)
    return false;
  if (piece.valid && !resolve(warp, inst.site, static_cast<Space>(inst.flag), piece.source, piece.valid, "loads").data)
    return false;
  piece.destination = sharedOffset(destination);
  copy.pieces.push_back(piece);
  return true;
}

/// CDNA3 ISA, vector-memory loads to LDS: M0 holds where, so it is one address for the wave; each lane's bytes lie
/// behind those of the lane before. The instruction's offset counts on both sides.
void Cluster::loadToLds(Warp &warp, const Inst &inst, LaneMask mask) {
  const unsigned first = static_cast<unsigned>(std::countr_zero(mask));
  const uint64_t base = laneValue(warp, inst.c, first), both = laneValue(warp, program.operands[inst.extra], first);
  bool uniform = true;
  forLanes(mask, [&](unsigned lane) { uniform &= lanes(warp, inst.c)[lane] == base; });
  if (!uniform)
    report(FindingKind::Misuse, warp, inst.site,
           "is given different addresses in LDS by the lanes of a wave; the hardware takes one");
  CopyRef load = std::make_shared<Copy>();
  load->kind = Copy::Kind::LdsLoad;
  load->cta = load->barrierCta = warp.cta;
  load->warp = warp.global;
  load->site = inst.site;
  load->agent = ldsAgent(warp);
  load->time = ++warp.ldsLoadCount;
  load->issueIndex = warp.vectorIssued++;
  load->issued = Knowledge(agents);
  publish(load->issued, warp);
  load->started = now;
  release(warp);
  ++tensorCopies;
  load->ldsFirst = ~0u;
  forLanes(mask, [&](unsigned lane) {
    const uint64_t destination = base + both + lane * static_cast<uint64_t>(inst.imm);
    if (!addLdsPiece(warp, inst, lane, destination, *load))
      return;
    load->ldsFirst = std::min(load->ldsFirst, sharedOffset(destination));
    load->ldsEnd = std::max(load->ldsEnd, sharedOffset(destination) + static_cast<uint32_t>(inst.imm));
  });
  warp.ldsLoads.push_back(load);
  schedule(load);
}

/// The wave that loads has not waited: names the load, and how far vmcnt has to fall. `after`: operations behind it.
void Cluster::complainAboutLdsLoad(const Target &target, bool write, const Actor &actor, const Place &load,
                                   unsigned loader, uint64_t after) {
  const bool own = actor.event.warp == loader;
  Finding found = finding(FindingKind::InFlightAccess, warps[actor.event.warp], actor.event.site,
                          std::string(write ? "overwrites" : "reads") + " LDS that the load at line " +
                              std::to_string(load.line) + " may still be writing");
  found.other = load;
  found.notes.push_back((own ? std::string("the wave") : "wave " + std::to_string(warps[loader].index)) +
                        " must wait first until vmcnt is " + std::to_string(std::min<uint64_t>(after, 63)) +
                        " or less" + (own ? "" : ", and a barrier must follow"));
  nameBuffer(found, static_cast<uint32_t>(target.offset));
  log.add(std::move(found));
}

bool Cluster::meetsLdsLoad(const Target &target, uint64_t bytes, bool write, const Actor &actor) {
  if (actor.event.agent != actor.event.warp || !options.races)
    return false;
  const uint32_t first = static_cast<uint32_t>(target.offset), end = first + static_cast<uint32_t>(bytes);
  for (const CopyRef &load : flying) {
    if (load->kind != Copy::Kind::LdsLoad || load->cta != target.cta->rank || load->ldsFirst >= end ||
        load->ldsEnd <= first)
      continue;
    const bool hit = std::any_of(load->pieces.begin(), load->pieces.end(), [&](const Copy::Piece &piece) {
      return piece.destination < end && piece.destination + piece.bytes > first;
    });
    if (!hit)
      continue;
    complainAboutLdsLoad(target, write, actor, placeOf(load->warp, load->site), load->warp,
                         warps[load->warp].vectorIssued - load->issueIndex - 1);
    return true;
  }
  return false;
}

/// Of a conflict with a load that has landed: no wait yet is told here; a wait without a barrier is a race.
bool Cluster::reportLdsLoad(const Target &target, bool write, const Actor &actor, const Conflict &conflict) {
  const Event &other = conflict.other;
  if (other.cluster != clusterIndex || other.agent < firstTensorAgent || !conflict.otherWrites ||
      actor.event.agent != actor.event.warp)
    return false;
  const Warp &loader = warps[other.warp];
  if (loader.knows.generic[other.agent] >= other.time)
    return false;
  for (const CopyRef &load : loader.ldsLoads)
    if (load->time == other.time) {
      complainAboutLdsLoad(target, write, actor, placeOf(other.warp, other.site), other.warp,
                           loader.vectorIssued - load->issueIndex - 1);
      return true;
    }
  return false;
}

} // namespace tlx::emu
