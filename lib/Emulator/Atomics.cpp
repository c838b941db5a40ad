// Atomic operations, and the order that they and memory fences make.
#include "Cluster.h"
#include "Numbers.h"

#include <cstring>

namespace tlx::emu {
namespace {

uint64_t combine(AtomicKind kind, uint64_t old, uint64_t value, unsigned bits, FloatKind floatKind) {
  const int64_t signedOld = signExtend(old, bits), signedValue = signExtend(value, bits);
  switch (kind) {
  case AtomicKind::Exchange:
    return value;
  case AtomicKind::Add:
    return old + value;
  case AtomicKind::Sub:
    return old - value;
  case AtomicKind::And:
    return old & value;
  case AtomicKind::Or:
    return old | value;
  case AtomicKind::Xor:
    return old ^ value;
  case AtomicKind::SMax:
    return signedOld > signedValue ? old : value;
  case AtomicKind::SMin:
    return signedOld < signedValue ? old : value;
  case AtomicKind::UMax:
    return std::max(old, value);
  case AtomicKind::UMin:
    return std::min(old, value);
  case AtomicKind::Inc:
    return old >= value ? 0 : old + 1;
  case AtomicKind::Dec:
    return old == 0 || old > value ? value : old - 1;
  // A sum of two floats of up to 24 bits is rounded correctly from double.
  case AtomicKind::FAdd:
    return fromDouble(toDouble(old, floatKind) + toDouble(value, floatKind), floatKind);
  case AtomicKind::FMax:
    return fromDouble(std::fmax(toDouble(old, floatKind), toDouble(value, floatKind)), floatKind);
  case AtomicKind::FMin:
    return fromDouble(std::fmin(toDouble(old, floatKind), toDouble(value, floatKind)), floatKind);
  }
  return value;
}

} // namespace

/// A warp's own clock moves on behind everything that it publishes, so that what it does next is not published too.
void Cluster::release(Warp &warp) {
  ++ownTime(warp);
}

/// What the lanes that execute now leave for others: with all of the warp everything that it did, else only their own.
void Cluster::publish(Knowledge &into, const Warp &warp) const {
  LaneMask alive = 0;
  for (const Frame &frame : warp.frames)
    alive |= frame.mask;
  const LaneMask mask = warp.frames.back().mask;
  if (mask == alive)
    into.join(warp.knows);
  else
    into.joinLanes(warp.knows, warp.global, mask, warp.met);
}

/// PTX ISA, bar.warp.sync: what the lanes did before is known to all of them after.
void Cluster::meetLanes(Warp &warp) {
  warp.met = ownTime(warp);
  release(warp);
}

void Cluster::memoryFence(Warp &warp, const Inst &inst) {
  const MemoryOrder order = static_cast<MemoryOrder>(inst.toBits);
  // PTX has only fences of both kinds; LLVM's have one, both, and a scope.
  const bool oneWay = program.hasWaves(), block = !inst.narrow;
  if (warp.hasToAcquire && block && (!oneWay || acquires(order))) {
    warp.knows.join(warp.toAcquire);
    warp.hasToAcquire = false;
  }
  if (block && (!oneWay || releases(order))) {
    warp.atFence = warp.knows;
    release(warp);
  }
  // A wave executes in step, so that a fence of all its lanes is where these meet.
  if (oneWay && warp.frames.size() == 1)
    meetLanes(warp);
}

static uint64_t placeKey(uint64_t offset, const void *memory) {
  return reinterpret_cast<uintptr_t>(memory) * 0x9e3779b97f4a7c15ull + offset;
}

/// A releasing access leaves what its warp knows; a relaxed one what it knew at its last fence.
void Cluster::releaseAt(Warp &warp, const Target &target, MemoryOrder order) {
  usesAtomics |= target.region != nullptr;
  uint64_t key = placeKey(target.offset, target.cta ? static_cast<const void *>(target.cta) : target.region);
  auto [place, isNew] = releaseTimes.try_emplace(key, Knowledge(agents));
  if (place->second.generic.size() == agents)
    place->second.join(releases(order) ? warp.knows : warp.atFence);
}

void Cluster::acquireAt(Warp &warp, const Target &target, MemoryOrder order) {
  usesAtomics |= target.region != nullptr;
  polls += target.region != nullptr;
  auto found =
      releaseTimes.find(placeKey(target.offset, target.cta ? static_cast<const void *>(target.cta) : target.region));
  if (found == releaseTimes.end())
    return;
  if (acquires(order)) {
    warp.knows.join(found->second);
  } else {
    warp.toAcquire.join(found->second);
    warp.hasToAcquire = true;
  }
}

void Cluster::atomic(Warp &warp, const Inst &inst, LaneMask mask) {
  const unsigned size = inst.bits / 8u, bytes = size * inst.count;
  const Space space = static_cast<Space>(inst.flag);
  const MemoryOrder order = static_cast<MemoryOrder>(inst.toBits);
  const AtomicKind kind = static_cast<AtomicKind>(inst.imm & 0xff);
  const FloatKind floatKind = static_cast<FloatKind>(inst.imm >> 8 & 0xff);
  Actor actor = actorOf(warp, inst);
  actor.event.atomic = true;
  actor.event.narrow = inst.narrow;
  warp.circle.look = inst.site;
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = lanes(warp, inst.a)[lane];
    Target target;
    if (checkAligned(warp, inst.site, address, bytes, "updates"))
      target = resolve(warp, inst.site, space, address, bytes, "updates");
    if (!target.data)
      return;
    acquireAt(warp, target, order);
    actor.event.lane = static_cast<uint8_t>(lane);
    access(target, bytes, false, actor);
    access(target, bytes, true, actor);
    for (unsigned part = 0; part < inst.count; ++part) {
      uint64_t old = 0;
      std::memcpy(&old, target.data + part * size, size);
      uint64_t value = lanes(warp, program.operands[inst.extra + part])[lane];
      uint64_t result = combine(kind, old, value, inst.bits, floatKind) & lowBits(inst.bits);
      std::memcpy(target.data + part * size, &result, size);
      global.changes += result != old;
      lanes(warp, inst.dst + part)[lane] = old;
    }
    releaseAt(warp, target, order);
  });
  release(warp);
}

void Cluster::compareExchange(Warp &warp, const Inst &inst, LaneMask mask) {
  const unsigned size = inst.bits / 8u;
  const MemoryOrder order = static_cast<MemoryOrder>(inst.toBits);
  Actor actor = actorOf(warp, inst);
  actor.event.atomic = true;
  actor.event.narrow = inst.narrow;
  warp.circle.look = inst.site;
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = lanes(warp, inst.a)[lane];
    Target target;
    if (checkAligned(warp, inst.site, address, size, "updates"))
      target = resolve(warp, inst.site, static_cast<Space>(inst.flag), address, size, "updates");
    if (!target.data)
      return;
    acquireAt(warp, target, order);
    actor.event.lane = static_cast<uint8_t>(lane);
    access(target, size, false, actor);
    access(target, size, true, actor);
    uint64_t old = 0, value = lanes(warp, inst.c)[lane];
    std::memcpy(&old, target.data, size);
    bool equal = old == lanes(warp, inst.b)[lane];
    if (equal)
      std::memcpy(target.data, &value, size);
    global.changes += equal && value != old;
    lanes(warp, inst.dst)[lane] = old;
    lanes(warp, inst.dst + 1)[lane] = equal;
    releaseAt(warp, target, order);
  });
  release(warp);
}

} // namespace tlx::emu
