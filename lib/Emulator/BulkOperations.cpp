// Copies of consecutive bytes, stores to other CTAs, tensor maps made by the kernel, and what it prints.
#include "Cluster.h"
#include "Hardware.h"

#include <cstring>

namespace tlx::emu {

/// PTX ISA, cp.async.bulk: addresses and size are multiples of 16.
void Cluster::bulkCopy(Warp &warp, const Inst &inst, LaneMask mask) {
  const Copy::Route route = static_cast<Copy::Route>(inst.flag);
  forLanes(mask, [&](unsigned lane) {
    const uint64_t destination = laneValue(warp, inst.a, lane), source = laneValue(warp, inst.b, lane);
    const uint32_t bytes = static_cast<uint32_t>(laneValue(warp, inst.c, lane));
    if (!checkAligned(warp, inst.site, destination, 16, "copies to") ||
        !checkAligned(warp, inst.site, source, 16, "copies from") ||
        !checkAligned(warp, inst.site, bytes, 16, "copies a number of bytes like"))
      return;
    const Space from = route == Copy::Route::GlobalToShared ? Space::Global : Space::Shared;
    const Space to = route == Copy::Route::SharedToGlobal ? Space::Global : Space::Shared;
    if (bytes == 0 || !resolve(warp, inst.site, from, source, bytes, "copies").data ||
        !resolve(warp, inst.site, to, destination, bytes, "copies").data)
      return;
    CopyRef copy = createCopy(warp, inst, Copy::Kind::Bulk);
    copy->route = route;
    copy->bytes = bytes;
    copy->global = route == Copy::Route::SharedToGlobal ? destination : source;
    copy->shared = sharedOffset(destination);
    copy->from = sharedOffset(source);
    copy->fromCta = warp.cta;
    if (route == Copy::Route::SharedToGlobal) {
      warp.bulkCopies[lane].open.push_back(copy);
      return schedule(copy);
    }
    if (route == Copy::Route::SharedToShared) {
      const uint64_t rank = laneValue(warp, program.operands[inst.extra + 1], lane) & 0xffffffffu;
      if (rank >= ctas.size()) {
        copy->done = true;
        return report(FindingKind::OutOfBounds, warp, inst.site,
                      "copies to CTA " + std::to_string(rank) + " of a cluster of " + std::to_string(ctas.size()));
      }
      copy->cta = copy->barrierCta = static_cast<uint16_t>(rank);
    }
    copy->barrier = sharedOffset(laneValue(warp, program.operands[inst.extra], lane));
    copy->signals = findMbarrier(warp, inst.site, copy->barrier, copy->cta, "signals").barrier != nullptr;
    if (copy->signals)
      schedule(copy);
    else
      copy->done = true;
  });
}

/// st.shared::cluster at once; st.async later, in the asynchronous proxy's own time.
void Cluster::remoteStore(Warp &warp, const Inst &inst, LaneMask mask) {
  const uint32_t bytes = inst.bits / 8u;
  forLanes(mask, [&](unsigned lane) {
    const uint64_t rank = laneValue(warp, inst.b, lane) & 0xffffffffu;
    const uint64_t place = sharedOffset(laneValue(warp, inst.a, lane)) | rank << clusterRankShift;
    if (!checkAligned(warp, inst.site, place, bytes, "writes to"))
      return;
    Target target = resolve(warp, inst.site, Space::Cluster, place, bytes, "writes");
    if (!target.data)
      return;
    const uint64_t value = laneValue(warp, program.operands[inst.extra], lane);
    if (inst.c == noSlot) {
      access(target, bytes, true, actorOf(warp, inst));
      std::memcpy(target.data, &value, bytes);
      return;
    }
    CopyRef copy = createCopy(warp, inst, Copy::Kind::Bulk);
    copy->route = Copy::Route::Registers;
    copy->bytes = bytes;
    copy->cta = copy->barrierCta = static_cast<uint16_t>(rank);
    copy->shared = sharedOffset(place);
    copy->image.resize(bytes);
    std::memcpy(copy->image.data(), &value, bytes);
    copy->barrier = sharedOffset(laneValue(warp, inst.c, lane));
    copy->signals = findMbarrier(warp, inst.site, copy->barrier, copy->cta, "signals").barrier != nullptr;
    if (copy->signals)
      schedule(copy);
    else
      copy->done = true;
  });
}

void Cluster::readBulk(Copy &copy) {
  Actor actor = actorOf(copy);
  Target source;
  if (copy.route == Copy::Route::Registers)
    return;
  if (copy.route == Copy::Route::GlobalToShared) {
    source = resolve(warps[copy.warp], copy.site, Space::Global, copy.global, copy.bytes, "copies");
  } else {
    Cta &cta = ctas[copy.fromCta];
    source = {cta.shared->at(copy.from), &cta, nullptr, copy.from};
    actor.cta = copy.fromCta;
  }
  copy.image.assign(copy.bytes, 0);
  if (!source.data)
    return;
  access(source, copy.bytes, false, actor);
  std::memcpy(copy.image.data(), source.data, copy.bytes);
}

void Cluster::finishBulk(Copy &copy) {
  Target target;
  if (copy.route == Copy::Route::SharedToGlobal) {
    target = resolve(warps[copy.warp], copy.site, Space::Global, copy.global, copy.bytes, "copies");
  } else {
    Cta &cta = ctas[copy.cta];
    target = {cta.shared->at(copy.shared), &cta, nullptr, copy.shared};
  }
  if (target.data) {
    access(target, copy.bytes, true, actorOf(copy));
    std::memcpy(target.data, copy.image.data(), copy.bytes);
  }
  copy.image.clear();
  if (copy.signals)
    completeBytes(copy, copy.bytes);
}

void Cluster::makeTensorMap(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    HostTensorMap map = program.maps[static_cast<size_t>(inst.imm)];
    const uint64_t address = laneValue(warp, inst.a, lane), base = laneValue(warp, inst.b, lane);
    Target place = resolve(warp, inst.site, Space::Global, address, 128, "writes a tensor map of");
    if (!place.data || !checkAligned(warp, inst.site, address, 128, "writes a tensor map to") ||
        !checkAligned(warp, inst.site, base, 16, "makes a tensor map of"))
      return;
    map.strides[0] = byteSize(map.type);
    for (unsigned axis = 0; axis < map.rank; ++axis) {
      map.sizes[axis] = laneValue(warp, program.operands[inst.extra + axis], lane) & 0xffffffffu;
      if (axis > 0)
        map.strides[axis] = laneValue(warp, program.operands[inst.extra + map.rank + axis - 1], lane);
    }
    access(place, 128, true, actorOf(warp, inst));
    if (!global.makeTensorMap(address, base, map))
      report(FindingKind::OutOfBounds, warp, inst.site, "makes a tensor map of memory that is not allocated");
  });
}

/// C's conversions `%d %u %x %f` with `ll`, each with an operand; the format was made by the compiler.
void Cluster::print(Warp &warp, const Inst &inst, LaneMask mask) {
  const std::string &format = program.strings[static_cast<size_t>(inst.imm)];
  forLanes(mask, [&](unsigned lane) {
    uint32_t next = 0;
    for (size_t at = 0; at < format.size(); ++at) {
      if (format[at] != '%') {
        log.printed += format[at];
        continue;
      }
      size_t end = format.find_first_of("duxf%", at + 1);
      if (end == std::string::npos || format[end] == '%' || next == inst.count) {
        log.printed += '%';
        at = end == at + 1 ? end : at;
        continue;
      }
      const std::string conversion = format.substr(at, end - at + 1);
      const uint64_t bits = laneValue(warp, program.operands[inst.extra + next++], lane);
      char text[64];
      if (format[end] == 'f') {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        std::snprintf(text, sizeof text, conversion.c_str(), value);
      } else if (conversion.find("ll") != std::string::npos) {
        std::snprintf(text, sizeof text, conversion.c_str(), static_cast<unsigned long long>(bits));
      } else {
        std::snprintf(text, sizeof text, conversion.c_str(), static_cast<unsigned>(bits));
      }
      log.printed += text;
      at = end;
    }
  });
}

} // namespace tlx::emu
