// Cluster launch control: a running cluster takes over one that has not started (PTX ISA, clusterlaunchcontrol). The
// format of an answer is the hardware's secret; here it is the CTA's place and a mark.
#include "Cluster.h"

#include <cstring>

namespace tlx::emu {

constexpr uint32_t answerBytes = 16, takenMark = 0x7a4e;

void Cluster::requestLaunch(Warp &warp, const Inst &inst, LaneMask mask) {
  const bool multicast = inst.flag;
  forLanes(mask, [&](unsigned lane) {
    if (launchRefused)
      report(FindingKind::Misuse, warp, inst.site, "asks for another cluster after one was refused");
    const uint64_t address = laneValue(warp, inst.a, lane), barrier = laneValue(warp, inst.b, lane);
    if (!checkAligned(warp, inst.site, address, answerBytes, "wants the answer at") ||
        !resolve(warp, inst.site, Space::Shared, address, answerBytes, "wants an answer in").data)
      return;
    std::array<uint32_t, 4> answer{};
    // The hardware may refuse although clusters are left, when something else is to run first.
    std::optional<unsigned> taken = random.below(8) ? queue.launch() : std::nullopt;
    if (taken) {
      std::array<uint32_t, 3> first = firstCtaOf(*taken);
      answer = {first[0], first[1], first[2], takenMark};
    }
    launchRefused = !taken;
    for (unsigned rank = 0; rank < ctas.size(); ++rank) {
      if (!multicast && rank != warp.cta)
        continue;
      BarrierTarget target = findMbarrier(warp, inst.site, sharedOffset(barrier), rank, "signals");
      if (!target.barrier)
        continue;
      CopyRef copy = createCopy(warp, inst, Copy::Kind::LaunchAnswer);
      copy->cta = copy->barrierCta = static_cast<uint16_t>(rank);
      copy->shared = sharedOffset(address);
      copy->barrier = sharedOffset(barrier);
      copy->image.resize(answerBytes);
      std::memcpy(copy->image.data(), answer.data(), answerBytes);
      schedule(copy);
    }
  });
}

void Cluster::finishLaunchAnswer(Copy &copy) {
  Cta &cta = ctas[copy.cta];
  access({cta.shared->at(copy.shared), &cta, nullptr, copy.shared}, answerBytes, true, actorOf(copy));
  std::memcpy(cta.shared->at(copy.shared), copy.image.data(), answerBytes);
  completeBytes(copy, answerBytes);
}

void Cluster::readLaunchAnswer(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    Target target = resolve(warp, inst.site, Space::Shared, laneValue(warp, inst.a, lane), answerBytes, "reads");
    if (!target.data)
      return;
    Actor reader = actorOf(warp, inst);
    reader.event.lane = static_cast<uint8_t>(lane);
    access(target, answerBytes, false, reader);
    std::array<uint32_t, 4> answer;
    std::memcpy(answer.data(), target.data, answerBytes);
    const bool taken = answer[3] == takenMark;
    lanes(warp, inst.dst)[lane] = taken;
    for (unsigned axis = 0; axis < 3; ++axis)
      lanes(warp, inst.dst + 1 + axis)[lane] = taken ? answer[axis] : 0;
  });
}

} // namespace tlx::emu
