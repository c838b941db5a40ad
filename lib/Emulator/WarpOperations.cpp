// Special registers, and operations among the lanes of a warp.
#include "Cluster.h"
#include "Hardware.h"

#include <algorithm>

namespace tlx::emu {

void Cluster::readSpecial(Warp &warp, const Inst &inst, LaneMask mask) {
  const Cta &cta = ctas[warp.cta];
  const std::array<uint32_t, 3> &shape = program.cluster;
  const std::array<uint32_t, 3> inCluster = {cta.rank % shape[0], cta.rank / shape[0] % shape[1],
                                             cta.rank / shape[0] / shape[1]};
  auto axis = [&](SpecialRegister base) { return inst.flag - static_cast<unsigned>(base); };
  const SpecialRegister which = static_cast<SpecialRegister>(inst.flag);
  uint64_t *result = lanes(warp, inst.dst);
  auto uniform = [&](uint64_t value) { forLanes(mask, [&](unsigned lane) { result[lane] = value; }); };
  auto perLane = [&](auto function) { forLanes(mask, [&](unsigned lane) { result[lane] = function(lane); }); };
  using Register = SpecialRegister;
  switch (which) {
  case Register::TidX:
    return perLane([&](unsigned lane) { return warp.index * program.lanes + lane; });
  case Register::TidY:
  case Register::TidZ:
    return uniform(0);
  case Register::NtidX:
    return uniform(program.threads);
  case Register::NtidY:
  case Register::NtidZ:
    return uniform(1);
  case Register::CtaidX:
  case Register::CtaidY:
  case Register::CtaidZ:
    return uniform(cta.id[axis(Register::CtaidX)]);
  case Register::NctaidX:
  case Register::NctaidY:
  case Register::NctaidZ:
    return uniform(launch.grid[axis(Register::NctaidX)]);
  case Register::ClusteridX:
  case Register::ClusteridY:
  case Register::ClusteridZ:
    return uniform(cta.id[axis(Register::ClusteridX)] / shape[axis(Register::ClusteridX)]);
  case Register::NclusteridX:
  case Register::NclusteridY:
  case Register::NclusteridZ:
    return uniform(launch.grid[axis(Register::NclusteridX)] / shape[axis(Register::NclusteridX)]);
  case Register::ClusterCtaidX:
  case Register::ClusterCtaidY:
  case Register::ClusterCtaidZ:
    return uniform(inCluster[axis(Register::ClusterCtaidX)]);
  case Register::ClusterNctaidX:
  case Register::ClusterNctaidY:
  case Register::ClusterNctaidZ:
    return uniform(shape[axis(Register::ClusterNctaidX)]);
  case Register::ClusterCtarank:
    return uniform(cta.rank);
  case Register::ClusterNctarank:
    return uniform(ctas.size());
  case Register::LaneId:
    return perLane([](unsigned lane) { return lane; });
  case Register::WarpId:
    return uniform(warp.index);
  case Register::NwarpId:
    return uniform(program.threads / program.lanes);
  case Register::WarpSize:
    return uniform(program.lanes);
  // Any placement is possible; one multiprocessor per CTA of the H200's 132.
  case Register::SmId:
    return uniform((clusterIndex * ctas.size() + cta.rank) % 132);
  case Register::NsmId:
    return uniform(132);
  case Register::GridId:
    return uniform(1);
  case Register::LaneMaskEq:
    return perLane([](unsigned lane) { return 1u << lane; });
  case Register::LaneMaskLe:
    return perLane([](unsigned lane) { return (2u << lane) - 1; });
  case Register::LaneMaskLt:
    return perLane([](unsigned lane) { return (1u << lane) - 1; });
  case Register::LaneMaskGe:
    return perLane([](unsigned lane) { return ~((1u << lane) - 1); });
  case Register::LaneMaskGt:
    return perLane([](unsigned lane) { return ~((2u << lane) - 1); });
  case Register::Clock:
  case Register::Clock64:
  case Register::GlobalTimer:
    return uniform(now & lowBits(inst.bits));
  case Register::SharedBase:
    return uniform(sharedBase | static_cast<uint64_t>(cta.rank) << clusterRankShift);
  case Register::DynamicSharedSize:
  case Register::TotalSharedSize:
    return uniform(program.sharedBytes);
  }
}

/// For instructions that all lanes of the warp must execute together.
bool Cluster::checkConverged(Warp &warp, const Inst &inst, LaneMask mask) {
  if (mask == program.fullMask())
    return true;
  report(FindingKind::ParticipantMismatch, warp, inst.site,
         "is executed by " + std::to_string(std::popcount(mask)) + " of " + std::to_string(program.lanes) +
             " lanes; all of the " + program.words().warp + " must take part");
  return false;
}

void Cluster::warpOperation(Warp &warp, const Inst &inst, LaneMask mask) {
  // The lanes that the instruction names must be those that execute it.
  auto checkMask = [&](uint32_t slot) {
    LaneMask named = laneValue(warp, slot, static_cast<unsigned>(std::countr_zero(mask)));
    LaneMask alive = 0;
    for (const Frame &frame : warp.frames)
      alive |= frame.mask;
    if ((named & alive) != mask)
      report(FindingKind::ParticipantMismatch, warp, inst.site,
             "names " + std::to_string(std::popcount(named)) + " lanes but is executed by " +
                 std::to_string(std::popcount(mask)) + " at once");
  };
  switch (inst.op) {
  case Opcode::Shuffle:
    checkMask(program.operands[inst.extra]);
    return shuffle(warp, inst, mask);
  case Opcode::Vote:
    checkMask(inst.a);
    return vote(warp, inst, mask);
  case Opcode::Redux:
    checkMask(inst.b);
    return redux(warp, inst, mask);
  case Opcode::Elect: {
    checkMask(inst.a);
    uint64_t *result = lanes(warp, inst.dst);
    const unsigned leader = static_cast<unsigned>(std::countr_zero(mask));
    return forLanes(mask, [&](unsigned lane) { result[lane] = lane == leader; });
  }
  case Opcode::Match: {
    checkMask(inst.a);
    uint64_t *result = lanes(warp, inst.dst);
    const uint64_t *value = lanes(warp, inst.b);
    return forLanes(mask, [&](unsigned lane) {
      uint64_t same = 0;
      forLanes(mask, [&](unsigned other) { same |= static_cast<uint64_t>(value[other] == value[lane]) << other; });
      result[lane] = same;
    });
  }
  case Opcode::WarpSync:
    checkMask(inst.a);
    return meetLanes(warp);
  default:
    return;
  }
}

/// PTX ISA, setmaxnreg: a decrease gives registers back to the block, an increase waits until it has them.
Cluster::Step Cluster::setMaxRegisters(Warp &warp, const Inst &inst, LaneMask mask) {
  checkConverged(warp, inst, mask);
  const uint32_t wanted = static_cast<uint32_t>(inst.imm);
  uint32_t &pool = ctas[warp.cta].freeRegisters;
  bool wrongWay = warp.registersKnown && (inst.flag ? wanted < warp.registersBudget : wanted > warp.registersBudget);
  if (wanted < 24 || wanted > 256 || wanted % 8 || wrongWay) {
    report(FindingKind::Misuse, warp, inst.site,
           "asks for " + std::to_string(wanted) + " registers with a budget of " +
               std::to_string(warp.registersBudget) + "; needs a multiple of 8 from 24 to 256, not " +
               (inst.flag ? "below" : "above") + " the budget");
    return Step::Next;
  }
  if (inst.flag && wanted > warp.registersBudget) {
    const uint32_t more = (wanted - warp.registersBudget) * warpSize;
    if (more > pool) {
      Wait wait;
      wait.kind = Wait::Kind::Registers;
      wait.pending = more;
      return block(warp, wait, inst.site);
    }
    pool -= more;
  } else if (wanted < warp.registersBudget) {
    pool += (warp.registersBudget - wanted) * warpSize;
  }
  warp.registersBudget = wanted;
  warp.registersKnown = true;
  return Step::Next;
}

/// PTX ISA, shfl.sync: `c` packs the segment mask (bits 8-12) and the clamp (bits 0-4).
void Cluster::shuffle(Warp &warp, const Inst &inst, LaneMask mask) {
  uint64_t source[warpSize];
  std::copy_n(lanes(warp, inst.a), warpSize, source);
  forLanes(mask, [&](unsigned lane) {
    unsigned packed = static_cast<unsigned>(lanes(warp, inst.c)[lane]),
             offset = static_cast<unsigned>(lanes(warp, inst.b)[lane]) & 31;
    unsigned clamp = packed & 31, segment = packed >> 8 & 31;
    int highest = static_cast<int>((lane & segment) | (clamp & ~segment)), from = 0;
    bool valid = false;
    switch (inst.flag) {
    case 0:
      from = static_cast<int>(lane ^ offset);
      valid = from <= highest;
      break;
    case 1:
      from = static_cast<int>(lane) - static_cast<int>(offset);
      valid = from >= highest;
      break;
    case 2:
      from = static_cast<int>(lane + offset);
      valid = from <= highest;
      break;
    case 3:
      from = static_cast<int>((lane & segment) | (offset & ~segment));
      valid = from <= highest;
      break;
    }
    if (!valid)
      from = static_cast<int>(lane);
    if (!(mask >> from & 1))
      report(FindingKind::ParticipantMismatch, warp, inst.site,
             "reads from lane " + std::to_string(from) + ", which does not take part");
    lanes(warp, inst.dst)[lane] = source[from];
    if (inst.imm)
      lanes(warp, inst.dst + 1)[lane] = valid;
  });
}

/// any, all, ballot, uni in the order of NVVM's enum.
void Cluster::vote(Warp &warp, const Inst &inst, LaneMask mask) {
  uint32_t yes = 0;
  const uint64_t *predicate = lanes(warp, inst.b);
  forLanes(mask, [&](unsigned lane) { yes |= static_cast<uint32_t>(predicate[lane] & 1) << lane; });
  uint64_t result = inst.flag == 0   ? yes != 0
                    : inst.flag == 1 ? yes == mask
                    : inst.flag == 2 ? yes
                                     : yes == 0 || yes == mask;
  forLanes(mask, [&](unsigned lane) { lanes(warp, inst.dst)[lane] = result; });
}

void Cluster::redux(Warp &warp, const Inst &inst, LaneMask mask) {
  const uint64_t *source = lanes(warp, inst.a);
  uint32_t result = static_cast<uint32_t>(source[std::countr_zero(mask)]);
  forLanes(mask & (mask - 1), [&](unsigned lane) {
    uint32_t value = static_cast<uint32_t>(source[lane]);
    switch (static_cast<Reduction>(inst.flag)) {
    case Reduction::Add:
      result += value;
      break;
    case Reduction::And:
      result &= value;
      break;
    case Reduction::Or:
      result |= value;
      break;
    case Reduction::Xor:
      result ^= value;
      break;
    case Reduction::UMax:
      result = std::max(result, value);
      break;
    case Reduction::UMin:
      result = std::min(result, value);
      break;
    case Reduction::Max:
      result = static_cast<uint32_t>(std::max(static_cast<int32_t>(result), static_cast<int32_t>(value)));
      break;
    case Reduction::Min:
      result = static_cast<uint32_t>(std::min(static_cast<int32_t>(result), static_cast<int32_t>(value)));
      break;
    }
  });
  forLanes(mask, [&](unsigned lane) { lanes(warp, inst.dst)[lane] = result; });
}

} // namespace tlx::emu
