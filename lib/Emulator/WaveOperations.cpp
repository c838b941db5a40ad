// AMD: instructions among the lanes of a wave, and who executes which of a wave's own instructions.
#include "Cluster.h"

#include <algorithm>

namespace tlx::emu {

Cluster::Step Cluster::executeWave(Warp &warp, const Inst &inst, LaneMask mask) {
  switch (inst.op) {
  case Opcode::WaveBarrier:
    return waveBarrier(warp, inst, mask);
  case Opcode::WaitCounters:
    return waitCounters(warp, inst);
  case Opcode::BufferLoad:
    bufferLoad(warp, inst, mask);
    break;
  case Opcode::BufferStore:
    bufferStore(warp, inst, mask);
    break;
  case Opcode::LoadToLds:
    loadToLds(warp, inst, mask);
    break;
  case Opcode::Mfma:
    mfma(warp, inst, mask);
    break;
  case Opcode::DataParallel:
    moveDataParallel(warp, inst, mask);
    break;
  default:
    waveLanes(warp, inst, mask);
  }
  return Step::Next;
}

/// The value of a lane, which must take part: what an inactive one holds is left over from before.
uint64_t Cluster::activeLane(Warp &warp, const Inst &inst, LaneMask mask, const uint64_t *source, unsigned lane) {
  if (!(mask >> lane & 1))
    report(FindingKind::ParticipantMismatch, warp, inst.site,
           "reads from lane " + std::to_string(lane) + ", which does not take part");
  return source[lane];
}

/// CDNA3 ISA, ds_swizzle_b32: masks within 32 lanes, or a permutation of each four.
static unsigned swizzledLane(unsigned lane, uint32_t pattern) {
  if (pattern & 0x8000)
    return (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
  const unsigned within = ((lane & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
  return (lane & 32) | within;
}

void Cluster::waveLanes(Warp &warp, const Inst &inst, LaneMask mask) {
  uint64_t source[waveSize];
  std::copy_n(lanes(warp, inst.a), waveSize, source);
  uint64_t *result = lanes(warp, inst.dst);
  const unsigned first = static_cast<unsigned>(std::countr_zero(mask));
  auto each = [&](auto function) { forLanes(mask, [&](unsigned lane) { result[lane] = function(lane); }); };
  auto fromLane = [&](unsigned lane) { return activeLane(warp, inst, mask, source, lane); };
  switch (inst.op) {
  case Opcode::DsBpermute:
    // CDNA3 ISA, ds_bpermute_b32: bits 7:2 of the address are the lane.
    return each([&](unsigned lane) { return fromLane(lanes(warp, inst.b)[lane] >> 2 & 63); });
  case Opcode::DsSwizzle:
    return each([&](unsigned lane) { return fromLane(swizzledLane(lane, static_cast<uint32_t>(inst.imm))); });
  case Opcode::ReadFirstLane:
    return each([&](unsigned) { return source[first]; });
  case Opcode::ReadLane: {
    const uint64_t which = laneValue(warp, inst.b, first);
    forLanes(mask, [&](unsigned lane) {
      if (lanes(warp, inst.b)[lane] != which)
        report(FindingKind::Misuse, warp, inst.site, "names different lanes to read; the number is one of the wave");
    });
    return each([&](unsigned) { return fromLane(which & 63); });
  }
  case Opcode::Ballot: {
    LaneMask yes = 0;
    forLanes(mask, [&](unsigned lane) { yes |= (source[lane] & 1) << lane; });
    return each([&](unsigned) { return yes; });
  }
  case Opcode::MaskedBitCount: {
    // CDNA3 ISA, v_mbcnt_lo/hi: bits of the mask below the lane, in the lower or the upper half of the wave.
    const uint64_t *base = lanes(warp, inst.b);
    return each([&](unsigned lane) {
      const unsigned below = inst.flag ? (lane < 32 ? 0 : lane - 32) : std::min(lane, 32u);
      return (base[lane] + static_cast<uint64_t>(std::popcount(source[lane] & lowBits(below)))) & 0xffffffffu;
    });
  }
  case Opcode::LaneSwap: {
    // CDNA4 ISA, v_permlane16/32_swap: odd rows of the first operand change places with even rows of the second.
    uint64_t other[waveSize], *second = lanes(warp, inst.dst + 1);
    std::copy_n(lanes(warp, inst.b), waveSize, other);
    const unsigned row = static_cast<unsigned>(inst.imm);
    checkConverged(warp, inst, mask);
    return forLanes(mask, [&](unsigned lane) {
      const bool odd = lane & row;
      result[lane] = odd ? other[lane - row] : source[lane];
      second[lane] = odd ? other[lane] : source[lane + row];
    });
  }
  default:
    assert(false && "every instruction among lanes is listed");
  }
}

/// The lane of a row of 16 that DPP reads from (CDNA3 ISA, DPP_CTRL); nothing where there is none.
static std::optional<unsigned> dataParallelSource(unsigned lane, uint32_t control) {
  const unsigned row = lane & ~15u, place = lane & 15, amount = control & 15;
  auto within = [&](int from) { return from < 0 || from > 15 ? std::nullopt : std::optional(row + from); };
  if (control < 0x100)
    return (lane & ~3u) | (control >> (2 * (lane & 3)) & 3);
  switch (control >> 4) {
  case 0x10:
    return within(static_cast<int>(place + amount));
  case 0x11:
    return within(static_cast<int>(place) - static_cast<int>(amount));
  case 0x12:
    return row + ((place - amount) & 15);
  default:
    break;
  }
  if (control == 0x140)
    return row + 15 - place;
  if (control == 0x141)
    return (lane & ~7u) + 7 - (lane & 7);
  if (control == 0x142)
    return row ? std::optional(row - 1) : std::nullopt;
  return lane >= 32 ? std::optional(31u) : std::nullopt;
}

/// CDNA3 ISA, DPP: a lane whose row or bank is masked out keeps its old value, as does one without a source unless the
/// bounds are controlled, which gives zero.
void Cluster::moveDataParallel(Warp &warp, const Inst &inst, LaneMask mask) {
  uint64_t source[waveSize];
  std::copy_n(lanes(warp, inst.a), waveSize, source);
  const uint64_t *old = lanes(warp, inst.b);
  uint64_t *result = lanes(warp, inst.dst);
  const uint32_t control = inst.imm & 0xffff, rows = inst.imm >> 16 & 15, banks = inst.imm >> 20 & 15;
  forLanes(mask, [&](unsigned lane) {
    std::optional<unsigned> from = dataParallelSource(lane, control);
    if (!(rows >> lane / 16 & 1) || !(banks >> lane % 16 / 4 & 1))
      result[lane] = old[lane];
    else if (!from || !(mask >> *from & 1))
      result[lane] = inst.flag ? 0 : old[lane];
    else
      result[lane] = source[*from];
  });
}

} // namespace tlx::emu
