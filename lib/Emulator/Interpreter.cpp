// Control flow under a mask, and who executes which instruction.
#include "Arithmetic.h"
#include "Cluster.h"

namespace tlx::emu {

Cluster::Step Cluster::execute(Warp &warp, const Inst &inst, LaneMask mask) {
  const Registers registers{warp.registers.get(), program.laneShift};
  if (inst.op < Opcode::Select) {
    executeInteger(inst, registers, mask);
    return Step::Next;
  }
  if (inst.op < Opcode::FAdd) {
    executeMove(inst, program, registers, mask);
    return Step::Next;
  }
  if (inst.op < Opcode::Branch) {
    executeFloat(inst, registers, mask);
    return Step::Next;
  }
  switch (inst.op) {
  case Opcode::Branch:
  case Opcode::CondBranch:
  case Opcode::Switch:
    return branch(warp, inst, mask);
  case Opcode::Return:
    return leave(warp, mask);
  case Opcode::Unreachable:
    report(FindingKind::Misuse, warp, inst.site, "reaches code that was declared unreachable");
    return leave(warp, mask);
  case Opcode::Trap:
    report(FindingKind::AssertionFailed, warp, inst.site,
           inst.imm ? "fails an assertion: " + program.strings[static_cast<size_t>(inst.imm - 1)]
                    : "stops with a trap");
    return leave(warp, mask);
  case Opcode::Nop:
    return Step::Next;
  case Opcode::ReadSpecial:
    readSpecial(warp, inst, mask);
    return Step::Next;
  case Opcode::Load:
    load(warp, inst, mask);
    return Step::Next;
  case Opcode::Store:
    store(warp, inst, mask);
    return Step::Next;
  default:
    return executeHardware(warp, inst, mask);
  }
}

/// Whether others may see that it was executed; memory accesses count what they change themselves, and barriers of
/// warps only tell when something happens.
static bool changesState(Opcode op) {
  if (op == Opcode::MbarrierWait || op == Opcode::MbarrierTest || op == Opcode::FenceProxy ||
      op == Opcode::FenceMbarrierInit)
    return false;
  return op == Opcode::StMatrix || (op >= Opcode::MbarrierInit && op <= Opcode::Print);
}

Cluster::Step Cluster::executeHardware(Warp &warp, const Inst &inst, LaneMask mask) {
  if (inst.op >= Opcode::DsBpermute && inst.op <= Opcode::Mfma)
    return executeWave(warp, inst, mask);
  if (changesState(inst.op))
    ++global.changes;
  switch (inst.op) {
  case Opcode::AtomicRMW:
    atomic(warp, inst, mask);
    break;
  case Opcode::CompareExchange:
    compareExchange(warp, inst, mask);
    break;
  case Opcode::MemoryFence:
    memoryFence(warp, inst);
    break;
  case Opcode::ToGeneric:
  case Opcode::FromGeneric:
  case Opcode::MapAddress:
    convertAddress(warp, inst, mask);
    break;
  case Opcode::StMatrix:
    storeMatrix(warp, inst, mask);
    break;
  case Opcode::LdMatrix:
    loadMatrix(warp, inst, mask);
    break;
  case Opcode::MmaSync:
    mmaSync(warp, inst, mask);
    break;
  case Opcode::Shuffle:
  case Opcode::Vote:
  case Opcode::Redux:
  case Opcode::Elect:
  case Opcode::Match:
  case Opcode::WarpSync:
    warpOperation(warp, inst, mask);
    break;
  case Opcode::SetMaxRegisters:
    return setMaxRegisters(warp, inst, mask);
  case Opcode::NamedBarrier:
    return namedBarrier(warp, inst, mask);
  case Opcode::ClusterArrive:
  case Opcode::ClusterWait:
    return clusterBarrier(warp, inst, mask);
  case Opcode::MbarrierInit:
    initMbarrier(warp, inst, mask);
    break;
  case Opcode::MbarrierInval:
    invalMbarrier(warp, inst, mask);
    break;
  case Opcode::MbarrierArrive:
    arriveMbarrier(warp, inst, mask);
    break;
  case Opcode::MbarrierExpect:
    expectMbarrier(warp, inst, mask);
    break;
  case Opcode::MbarrierWait:
  case Opcode::MbarrierTest:
    return waitMbarrier(warp, inst, mask);
  case Opcode::FenceProxy:
  case Opcode::FenceMbarrierInit:
    fence(warp, inst);
    break;
  case Opcode::TensorLoad:
    tensorLoad(warp, inst, mask);
    break;
  case Opcode::TensorStore:
    tensorStore(warp, inst, mask);
    break;
  case Opcode::TensorPrefetch:
    tensorMapOf(warp, inst, static_cast<unsigned>(std::countr_zero(mask)));
    break;
  case Opcode::BulkCopy:
    bulkCopy(warp, inst, mask);
    break;
  case Opcode::RemoteStore:
    remoteStore(warp, inst, mask);
    break;
  case Opcode::MakeTensorMap:
    makeTensorMap(warp, inst, mask);
    break;
  case Opcode::Print:
    print(warp, inst, mask);
    break;
  case Opcode::CpAsync:
    cpAsync(warp, inst, mask);
    break;
  case Opcode::CpAsyncCommit:
    commitCopies(warp.asyncCopies, mask);
    break;
  case Opcode::CpAsyncArrive:
    cpAsyncArrive(warp, inst, mask);
    break;
  case Opcode::BulkCommit:
    commitCopies(warp.bulkCopies, mask);
    break;
  case Opcode::CpAsyncWait:
    return waitCopies(warp, inst, mask, Wait::Kind::CpAsync);
  case Opcode::BulkWait:
    return waitCopies(warp, inst, mask, inst.flag ? Wait::Kind::BulkRead : Wait::Kind::Bulk);
  case Opcode::Wgmma:
    wgmma(warp, inst, mask);
    break;
  case Opcode::WgmmaFence:
    warp.matrixFence = warp.steps;
    break;
  case Opcode::WgmmaCommit:
    warp.matrixGroups.push_back(warp.matrixIssued);
    break;
  case Opcode::WgmmaWait:
    return waitMatrix(warp, inst, mask);
  case Opcode::TmemAlloc:
  case Opcode::TmemRelinquish:
  case Opcode::TmemDealloc:
  case Opcode::TmemLoad:
  case Opcode::TmemWaitLoad:
  case Opcode::TmemStore:
  case Opcode::TmemWaitStore:
  case Opcode::Tcgen05Fence:
    tensorMemory(warp, inst, mask);
    break;
  case Opcode::Tcgen05Copy:
    copyToTensor(warp, inst, mask);
    break;
  case Opcode::Tcgen05ScaledMma:
  case Opcode::Tcgen05Mma:
    multiplyTensor(warp, inst, mask);
    break;
  case Opcode::Tcgen05Commit:
    commitTensor(warp, inst, mask);
    break;
  case Opcode::LaunchRequest:
    requestLaunch(warp, inst, mask);
    break;
  case Opcode::LaunchAnswer:
    readLaunchAnswer(warp, inst, mask);
    break;
  default:
    assert(false && "every opcode has an executor");
  }
  return Step::Next;
}

Cluster::Step Cluster::branch(Warp &warp, const Inst &inst, LaneMask mask) {
  auto together = [&](uint32_t edge) {
    takeEdge(warp, edge, mask);
    enter(warp, program.edges[edge].target);
    return Step::Jumped;
  };
  if (inst.op == Opcode::Branch)
    return together(static_cast<uint32_t>(inst.imm));
  // Which lanes take which edge.
  std::vector<std::pair<uint32_t, LaneMask>> ways;
  const uint64_t *value = lanes(warp, inst.a);
  if (inst.op == Opcode::CondBranch) {
    LaneMask yes = 0;
    forLanes(mask, [&](unsigned lane) { yes |= (value[lane] & 1) << lane; });
    if (yes == mask || yes == 0)
      return together(yes ? inst.b : inst.c);
    ways = {{inst.b, yes}, {inst.c, mask & ~yes}};
  } else {
    LaneMask rest = mask;
    for (uint32_t index = 1; index + 1 < inst.count && rest; index += 2) {
      const uint64_t *match = lanes(warp, program.operands[inst.extra + index]);
      LaneMask taken = 0;
      forLanes(rest, [&](unsigned lane) { taken |= static_cast<LaneMask>(value[lane] == match[lane]) << lane; });
      if (taken)
        ways.push_back({program.operands[inst.extra + index + 1], taken});
      rest &= ~taken;
    }
    if (rest)
      ways.push_back({program.operands[inst.extra], rest});
  }
  if (ways.size() == 1)
    return together(ways[0].first);
  for (auto [edge, lanesTaking] : ways)
    takeEdge(warp, edge, lanesTaking);
  // The block of this branch is the last one that starts at or before it.
  uint32_t pc = warp.frames.back().pc;
  auto after = std::upper_bound(program.blocks.begin(), program.blocks.end(), pc,
                                [](uint32_t position, const BasicBlock &block) { return position < block.first; });
  return diverge(warp, ways, std::prev(after)->postDominator);
}

void Cluster::takeEdge(Warp &warp, uint32_t edge, LaneMask mask) {
  const Edge &taken = program.edges[edge];
  for (uint32_t index = 0; index < taken.moves; ++index) {
    const Move &move = program.moves[taken.firstMove + index];
    const uint64_t *from = lanes(warp, move.from);
    uint64_t *to = lanes(warp, move.to);
    forLanes(mask, [&](unsigned lane) { to[lane] = from[lane]; });
    warp.inFlight[move.to] = warp.inFlight[move.from];
  }
  if (!taken.watched)
    return;
  for (uint32_t index = 0; index < taken.moves; ++index) {
    const Move &move = program.moves[taken.firstMove + index];
    if (!warp.undefined.empty())
      warp.undefined[move.to] = (warp.undefined[move.to] & ~mask) | (warp.undefined[move.from] & mask);
    if (!warp.touched.empty())
      warp.touched[move.to] = warp.touched[move.from];
  }
}

/// Splits the current frame: one frame for each way, above one that waits at the meeting block for all of them.
Cluster::Step Cluster::diverge(Warp &warp, const std::vector<std::pair<uint32_t, LaneMask>> &ways, uint32_t meet) {
  Frame current = warp.frames.back();
  warp.frames.pop_back();
  if (meet == exitBlock)
    meet = current.meet;
  else if (meet != current.meet)
    warp.frames.push_back({program.blocks[meet].first, current.mask, current.meet});
  for (auto [edge, lanesTaking] : ways)
    if (program.edges[edge].target != meet)
      warp.frames.push_back({program.blocks[program.edges[edge].target].first, lanesTaking, meet});
  return Step::Jumped;
}

/// Goes to a block; lanes that meet others there are merged with them.
void Cluster::enter(Warp &warp, uint32_t block) {
  if (block == warp.frames.back().meet)
    warp.frames.pop_back();
  else
    warp.frames.back().pc = program.blocks[block].first;
}

Cluster::Step Cluster::leave(Warp &warp, LaneMask mask) {
  for (Frame &frame : warp.frames)
    frame.mask &= ~mask;
  std::erase_if(warp.frames, [](const Frame &frame) { return frame.mask == 0; });
  if (!warp.frames.empty())
    return Step::Jumped;
  exitWarp(warp);
  return Step::Exited;
}

} // namespace tlx::emu
