// AMD: loads and stores through a buffer resource, whose range the hardware checks.
#include "Cluster.h"

#include <cstring>

namespace tlx::emu {

/// `resource`: slots of stride, records and flags.
bool Cluster::checkBuffer(Warp &warp, const Inst &inst, const uint32_t *resource, unsigned lane) {
  // CDNA3 ISA, buffer resource descriptor, word 3: elements of 32 bits, and a destination for each of the four parts.
  constexpr uint64_t rawFlags = 0x27000;
  const uint64_t stride = laneValue(warp, resource[0], lane), flags = laneValue(warp, resource[2], lane);
  if (stride != 0)
    report(FindingKind::Misuse, warp, inst.site,
           "uses a buffer with a stride of " + std::to_string(stride) + "; raw accesses need 0");
  else if (flags != rawFlags)
    report(FindingKind::Misuse, warp, inst.site,
           "uses a buffer whose flags are " + std::to_string(flags) + "; raw accesses need " +
               std::to_string(rawFlags));
  return stride == 0 && flags == rawFlags;
}

/// Where a lane's bytes lie. The range check counts bytes from the base; whether the offset of the wave is part of that
/// is told in two ways, so that an access for which it matters is a fault.
Cluster::BufferPlace Cluster::placeInBuffer(Warp &warp, const Inst &inst, const uint32_t *resource, unsigned lane,
                                            uint32_t waveOffset, uint64_t fixed, uint64_t bytes) {
  const uint64_t base = laneValue(warp, inst.a, lane) & lowBits(48), records = laneValue(warp, resource[1], lane);
  const uint64_t offset = (laneValue(warp, inst.b, lane) & 0xffffffffu) + fixed;
  const bool inside = offset + waveOffset + bytes <= records, insideAlone = offset + bytes <= records;
  if (inside != insideAlone && bytes <= 4)
    report(FindingKind::Misuse, warp, inst.site,
           "reaches beyond the buffer only by the offset of the wave, which the range check may leave out");
  return {base + offset + waveOffset, inside};
}

/// Loads into or stores from `data` what of a lane's bytes lies in the buffer, in whole words
/// from the first.
void Cluster::accessBuffer(Warp &warp, const Inst &inst, unsigned lane, bool write, uint8_t *data, unsigned bytes) {
  const uint32_t *resource = &program.operands[inst.extra];
  const uint32_t waveOffset = static_cast<uint32_t>(laneValue(warp, inst.c, lane));
  const unsigned word = std::min(bytes, 4u);
  for (unsigned valid = checkBuffer(warp, inst, resource, lane) ? bytes : 0; valid > 0; valid -= word) {
    const BufferPlace place = placeInBuffer(warp, inst, resource, lane, waveOffset, 0, valid);
    if (!place.inside)
      continue;
    if (!checkAligned(warp, inst.site, place.address, word, write ? "writes to" : "reads from"))
      return;
    const Target target = resolve(warp, inst.site, Space::Global, place.address, valid, write ? "writes" : "reads");
    if (!target.data)
      return;
    Actor actor = actorOf(warp, inst);
    actor.event.lane = static_cast<uint8_t>(lane);
    actor.rewrites = write && std::memcmp(target.data, data, valid) == 0;
    access(target, valid, write, actor);
    global.changes += write && !actor.rewrites;
    std::memcpy(write ? target.data : data, write ? data : target.data, valid);
    return;
  }
}

void Cluster::bufferLoad(Warp &warp, const Inst &inst, LaneMask mask) {
  const unsigned count = static_cast<unsigned>(inst.imm), size = inst.bits / 8u;
  forLanes(mask, [&](unsigned lane) {
    // What lies outside is zero.
    uint8_t data[16] = {};
    accessBuffer(warp, inst, lane, false, data, count * size);
    for (unsigned part = 0; part < count; ++part) {
      uint64_t value = 0;
      std::memcpy(&value, data + part * size, size);
      lanes(warp, inst.dst + part)[lane] = value;
    }
  });
  countVectorMemory(warp, Space::Global, mask, nullptr);
}

void Cluster::bufferStore(Warp &warp, const Inst &inst, LaneMask mask) {
  const uint32_t *stored = &program.operands[inst.extra] + 3;
  const unsigned count = static_cast<unsigned>(inst.imm), size = inst.bits / 8u;
  forLanes(mask, [&](unsigned lane) {
    uint8_t data[16] = {};
    for (unsigned part = 0; part < count; ++part)
      std::memcpy(data + part * size, &lanes(warp, stored[part])[lane], size);
    accessBuffer(warp, inst, lane, true, data, count * size);
  });
  countVectorMemory(warp, Space::Global, mask, nullptr);
}

} // namespace tlx::emu
