// Instructions on registers with a history: those that work in flight still writes, those that nobody has written, and
// those that a wgmma shares with other instructions. Which instructions come here says WatchedRegisters.cpp.
#include "Cluster.h"

#include <algorithm>

namespace tlx::emu {

Cluster::Step Cluster::executeWatched(Warp &warp, const Inst &inst, LaneMask mask) {
  if (inst.watch & watchInFlight)
    checkInFlight(warp, inst);
  if (inst.watch & watchTouch && inst.op == Opcode::Wgmma)
    checkTouched(warp, inst);
  const Step step = inst.watch & watchUndefined ? executeUndefined(warp, inst, mask) : execute(warp, inst, mask);
  if (inst.watch & watchTouch && step == Step::Next)
    noteTouched(warp, inst);
  return step;
}

/// PTX ISA, wgmma.mma_async: registers of a matrix operation may not be touched before a wait_group covers it.
void Cluster::checkInFlight(Warp &warp, const Inst &inst) {
  auto check = [&](uint32_t slot) {
    if (slot >= program.slots || warp.inFlight[slot] <= warp.matrixCompleted)
      return;
    if (warp.inFlight[slot] == loadInFlight)
      return report(FindingKind::InFlightAccess, warp, inst.site,
                    "uses a register that a load from tensor memory still writes; a tcgen05.wait::ld is missing");
    report(FindingKind::InFlightAccess, warp, inst.site,
           "uses an accumulator while the matrix operation that writes it is in flight; wait for it first");
  };
  check(inst.a);
  check(inst.b);
  check(inst.c);
  for (uint32_t index = 0; index < inst.count; ++index)
    check(program.operands[inst.extra + index]);
}

/// PTX ISA, wgmma.fence: it orders accesses to a register before any wgmma that uses it, as accumulator or as A, except
/// between products of one shape that accumulate in the same registers.
void Cluster::checkTouched(Warp &warp, const Inst &inst) {
  if (warp.matrixFence == 0)
    return;
  const uint32_t shapeIndex = static_cast<uint32_t>(inst.imm);
  const MatrixShape &shape = program.matrices[shapeIndex];
  const uint32_t count = shape.accumulators + (shape.aRegisters == 4 ? 4 : 0);
  for (uint32_t index = 0; index < count; ++index) {
    const RegisterTouch &touch = warp.touched[program.operands[inst.extra + index]];
    if (touch.step <= warp.matrixFence)
      continue;
    const bool accumulates = index < shape.accumulators, byProduct = touch.shape != RegisterTouch::ordinary;
    if (accumulates && byProduct && program.matrices[touch.shape].hasShapeOf(shape))
      continue;
    Finding found =
        finding(FindingKind::Misuse, warp, inst.site,
                byProduct     ? "multiplies with registers of a product of another shape without a wgmma.fence between"
                : accumulates ? "accumulates in registers that were touched since the last wgmma.fence"
                              : "multiplies registers that were touched since the last wgmma.fence");
    found.other = placeOf(warp.global, touch.site);
    log.add(std::move(found));
    return;
  }
}

void Cluster::noteTouched(Warp &warp, const Inst &inst) {
  const uint32_t results = inst.dst == noSlot ? 0 : program.resultCounts[inst.dst];
  if (inst.op == Opcode::WgmmaWait) {
    for (uint32_t index = 0; index < inst.count; ++index)
      warp.touched[inst.dst + index] = warp.touched[program.operands[inst.extra + index]];
    return;
  }
  const bool product = inst.op == Opcode::Wgmma;
  const RegisterTouch touch{warp.steps, inst.site, product ? static_cast<uint32_t>(inst.imm) : RegisterTouch::ordinary};
  for (uint32_t index = 0; index < results; ++index)
    warp.touched[inst.dst + index] = touch;
  if (!product)
    forOperands(program, inst, [&](uint32_t slot) {
      if (program.matrixRegisters[slot])
        warp.touched[slot] = touch;
    });
}

/// How undefined lanes of operands show in the results.
enum class Spread { Moves, Lanewise, AllLanes, Waits, Uses };

static Spread spreadOf(Opcode op) {
  switch (op) {
  case Opcode::Select:
  case Opcode::Copy:
  case Opcode::Bitcast:
  case Opcode::ExtractDynamic:
  case Opcode::InsertDynamic:
  case Opcode::Shuffle:
  case Opcode::DsBpermute:
  case Opcode::DsSwizzle:
  case Opcode::ReadLane:
  case Opcode::ReadFirstLane:
  case Opcode::LaneSwap:
  case Opcode::DataParallel:
    return Spread::Moves;
  case Opcode::Vote:
  case Opcode::Redux:
  case Opcode::Match:
  case Opcode::Ballot:
    return Spread::AllLanes;
  case Opcode::WgmmaWait:
    return Spread::Waits;
  case Opcode::ToGeneric:
  case Opcode::FromGeneric:
  case Opcode::MapAddress:
  case Opcode::MaskedBitCount:
    return Spread::Lanewise;
  default:
    return op < Opcode::Branch ? Spread::Lanewise : Spread::Uses;
  }
}

LaneMask Cluster::undefinedLanes(const Warp &warp, const Inst &inst) const {
  LaneMask undefined = 0;
  forOperands(program, inst, [&](uint32_t slot) { undefined |= warp.undefined[slot]; });
  return undefined;
}

void Cluster::setUndefined(Warp &warp, const Inst &inst, LaneMask mask, LaneMask undefined) {
  const uint32_t results = inst.dst == noSlot || inst.op == Opcode::TensorLoad ? 0 : program.resultCounts[inst.dst];
  for (uint32_t index = 0; index < results; ++index) {
    LaneMask &lanes = warp.undefined[inst.dst + index];
    lanes = (lanes & ~mask) | (undefined & mask);
  }
}

/// Executes an instruction that may read what nobody has written, and says of its results what that makes of them.
Cluster::Step Cluster::executeUndefined(Warp &warp, const Inst &inst, LaneMask mask) {
  const LaneMask undefined = undefinedLanes(warp, inst);
  const Spread spread = spreadOf(inst.op);
  if (undefined && spread == Spread::Moves)
    moveUndefined(warp, inst, mask);
  else if (undefined && spread == Spread::Uses)
    checkUndefined(warp, inst, mask);
  const Step step = execute(warp, inst, mask);
  if (undefined && inst.op == Opcode::Store)
    storeUndefined(warp, inst, mask);
  if (step != Step::Next || (undefined && spread == Spread::Moves))
    return step;
  if (spread == Spread::Waits)
    for (uint32_t index = 0; index < inst.count; ++index)
      warp.undefined[inst.dst + index] = warp.undefined[program.operands[inst.extra + index]];
  else if (spread == Spread::Lanewise)
    setUndefined(warp, inst, mask, undefined);
  else
    setUndefined(warp, inst, mask, spread == Spread::AllLanes && (undefined & mask) ? mask : 0);
  return step;
}

/// An instruction that only moves values moves what is known of them in the same way: it runs on operands that are all
/// ones where nobody has written them and else zero, before it runs on the values.
void Cluster::moveUndefined(Warp &warp, const Inst &inst, LaneMask mask) {
  const bool inserts = inst.op == Opcode::InsertDynamic, isSelect = inst.op == Opcode::Select;
  const bool fromList = inserts || inst.op == Opcode::ExtractDynamic || inst.op == Opcode::Bitcast;
  std::vector<uint32_t> moved;
  if (fromList)
    moved.assign(&program.operands[inst.extra], &program.operands[inst.extra] + inst.count);
  if (inserts || isSelect)
    moved.push_back(inst.c);
  if (isSelect || inst.op == Opcode::LaneSwap || inst.op == Opcode::DataParallel)
    moved.push_back(inst.b);
  if (!fromList && !isSelect)
    moved.push_back(inst.a);
  LaneMask whole = 0;
  forOperands(program, inst, [&](uint32_t slot) {
    if (std::find(moved.begin(), moved.end(), slot) == moved.end())
      whole |= warp.undefined[slot] & mask;
  });
  std::vector<uint64_t> held;
  for (uint32_t slot : moved)
    held.insert(held.end(), lanes(warp, slot), lanes(warp, slot) + program.lanes);
  const uint64_t ones = inst.op == Opcode::Bitcast ? lowBits(inst.bits) : ~0ull;
  for (uint32_t slot : moved)
    for (unsigned lane = 0; lane < program.lanes; ++lane)
      lanes(warp, slot)[lane] = warp.undefined[slot] >> lane & 1 ? ones : 0;
  execute(warp, inst, mask);
  for (size_t index = moved.size(); index-- > 0;)
    std::copy_n(&held[index * program.lanes], program.lanes, lanes(warp, moved[index]));
  // The second result of a shuffle says whether there was such a lane.
  const uint32_t results = inst.op == Opcode::Shuffle ? 1 : program.resultCounts[inst.dst];
  setUndefined(warp, inst, mask, 0);
  for (uint32_t index = 0; index < results; ++index)
    forLanes(mask, [&](unsigned lane) {
      const bool is = laneValue(warp, inst.dst + index, lane) != 0 || whole >> lane & 1;
      warp.undefined[inst.dst + index] |= static_cast<LaneMask>(is) << lane;
    });
}

/// The lanes whose address lies in shared memory.
LaneMask Cluster::sharedLanes(Warp &warp, const Inst &inst, LaneMask mask) {
  const Space space = static_cast<Space>(inst.flag);
  LaneMask shared = space == Space::Shared || space == Space::Cluster ? mask : 0;
  if (space == Space::Generic)
    forLanes(mask, [&](unsigned lane) {
      const uint64_t address = laneValue(warp, inst.a, lane);
      shared |= static_cast<LaneMask>(address >= sharedWindow && address < parameterWindow) << lane;
    });
  return shared;
}

/// Shared memory that was written with nothing is as good as not written: who reads it makes the fault.
void Cluster::storeUndefined(Warp &warp, const Inst &inst, LaneMask mask) {
  const unsigned size = (inst.bits + 7u) / 8u;
  const LaneMask shared = sharedLanes(warp, inst, mask);
  for (uint32_t part = 0; part < inst.count; ++part)
    forLanes(shared & warp.undefined[program.operands[inst.extra + part]], [&](unsigned lane) {
      Target target = resolve(warp, inst.site, static_cast<Space>(inst.flag),
                              laneValue(warp, inst.a, lane) + part * size, size, "writes");
      if (target.cta)
        target.cta->shared->markUnwritten(static_cast<uint32_t>(target.offset), size);
    });
}

void Cluster::complainAboutUndefined(Warp &warp, const Inst &inst, LaneMask mask, const char *use) {
  if (mask)
    report(FindingKind::UninitializedRead, warp, inst.site,
           std::string(use) + " in lane " + std::to_string(std::countr_zero(mask)) + " that nobody has written");
}

/// What nobody has written is of no use to anything that has an effect.
void Cluster::checkUndefined(Warp &warp, const Inst &inst, LaneMask mask) {
  LaneMask listed = 0;
  for (uint32_t index = 0; index < inst.count && inst.op != Opcode::Switch; ++index)
    listed |= warp.undefined[program.operands[inst.extra + index]];
  listed &= mask;
  const LaneMask first = inst.a == noSlot ? 0 : warp.undefined[inst.a] & mask;
  switch (inst.op) {
  case Opcode::CondBranch:
  case Opcode::Switch:
    return complainAboutUndefined(warp, inst, first, "branches on a value");
  case Opcode::Load:
    return complainAboutUndefined(warp, inst, first, "reads at an address");
  case Opcode::Store:
    complainAboutUndefined(warp, inst, first, "writes at an address");
    return complainAboutUndefined(warp, inst, listed & ~sharedLanes(warp, inst, mask), "stores a value");
  case Opcode::Wgmma: {
    // A product that does not add makes its accumulators.
    const MatrixShape &shape = program.matrices[static_cast<size_t>(inst.imm)];
    const uint32_t *operands = &program.operands[inst.extra];
    const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
    const bool adds = laneValue(warp, operands[inst.count - 1], lane) & 1;
    LaneMask used = 0;
    for (uint32_t index = adds ? 0 : shape.accumulators; index < inst.count; ++index)
      used |= warp.undefined[operands[index]] & mask;
    return complainAboutUndefined(warp, inst, used, "multiplies with or adds to a register");
  }
  default:
    return complainAboutUndefined(warp, inst, undefinedLanes(warp, inst) & mask, "uses a value");
  }
}

} // namespace tlx::emu
