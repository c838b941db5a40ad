// Loops that never end: a warp that comes to an instruction again with the same registers, while nothing has changed
// that it could look at, will come there for ever.
#include "Cluster.h"

#include <algorithm>

namespace tlx::emu {

/// Between the turns of a warp: a state is kept when nothing has changed for a while, and a later one, at distances
/// that double, as long as that one is not met again (Brent's way to find a cycle).
void Cluster::watchCircle(Warp &warp) {
  constexpr uint64_t quietSteps = 20000;
  Circle &circle = warp.circle;
  if (circle.changes != global.changes) {
    circle.changes = global.changes;
    circle.since = warp.steps;
    circle.place = noSlot;
    circle.patience = quietSteps;
    circle.closed = false;
    return;
  }
  const uint64_t from = circle.place == noSlot ? circle.since : circle.taken;
  if (circle.closed || warp.steps - from < circle.patience)
    return;
  circle.patience = circle.place == noSlot ? quietSteps : 2 * circle.patience;
  circle.place = warp.frames.back().pc;
  circle.taken = warp.steps;
  circle.frames = warp.frames;
  circle.registers.assign(warp.registers.get(), warp.registers.get() + (program.slots << program.laneShift));
  circle.look = 0;
}

/// Before the instruction at the place of the kept state.
void Cluster::meetCircle(Warp &warp) {
  Circle &circle = warp.circle;
  if (circle.changes != global.changes || warp.steps == circle.taken || circle.closed)
    return;
  circle.closed = warp.frames == circle.frames &&
                  std::equal(circle.registers.begin(), circle.registers.end(), warp.registers.get());
}

bool Cluster::goesInCircles() const {
  if (!flying.empty())
    return false;
  return std::all_of(warps.begin(), warps.end(), [&](const Warp &warp) {
    if (warp.exited || (warp.circle.closed && warp.circle.changes == global.changes))
      return true;
    // A barrier of warps may still be completed by those that come there on their way round.
    const Wait::Kind kind = warp.wait.kind;
    return kind != Wait::Kind::None && kind != Wait::Kind::Named && kind != Wait::Kind::ClusterBarrier &&
           !isReady(warp);
  });
}

/// One finding for each loop and each line that warps wait at.
void Cluster::reportCircles() {
  for (const Warp &warp : warps) {
    if (warp.exited || !warp.circle.closed)
      continue;
    const Circle &circle = warp.circle;
    if (circle.look)
      report(FindingKind::Deadlock, warp, circle.look,
             "looks for ever at what nobody changes any more, in a loop that nothing else ends");
    else
      report(FindingKind::Endless, warp, program.code[circle.place].site,
             "goes round a loop for ever: nothing in it changes");
  }
  reportDeadlock();
}

} // namespace tlx::emu
