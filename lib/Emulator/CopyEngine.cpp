// What copies do when their time comes.
#include "Cluster.h"
#include "Hardware.h"
#include "Numbers.h"

#include <algorithm>
#include <cstring>

namespace tlx::emu {

Cluster::Actor Cluster::actorOf(const Copy &copy) const {
  // cp.async works in the generic proxy, tensor copies in the asynchronous one (PTX ISA, proxies).
  bool async = copy.kind != Copy::Kind::Async;
  Event event{copy.time, copy.site, static_cast<uint16_t>(copy.agent), copy.warp, clusterIndex, async, false};
  // The last rounds of a pipeline copy nothing and fill with zeros; nobody needs to wait for these.
  bool reads = copy.kind != Copy::Kind::Async || std::any_of(copy.pieces.begin(), copy.pieces.end(),
                                                             [](const Copy::Piece &piece) { return piece.valid > 0; });
  return {event, &copy.issued, copy.cta, reads};
}

void Cluster::fireDue() {
  for (size_t index = 0; index < flying.size();)
    if (flying[index]->ready <= now)
      fire(index);
    else
      ++index;
}

/// Lets the copy at `index` get on by one step; it leaves the list when it is done, else goes to its end.
void Cluster::fire(size_t index) {
  ++global.changes;
  CopyRef copy = flying[index];
  flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(index));
  switch (copy->kind) {
  case Copy::Kind::TensorLoad:
    finishTensorLoad(*copy);
    break;
  case Copy::Kind::TensorStore:
    if (!copy->sourceRead) {
      readImage(*copy);
      copy->sourceRead = true;
      schedule(copy);
      return;
    }
    finishTensorStore(*copy);
    break;
  case Copy::Kind::Bulk:
    if (!copy->sourceRead) {
      readBulk(*copy);
      copy->sourceRead = true;
      schedule(copy);
      return;
    }
    finishBulk(*copy);
    break;
  case Copy::Kind::Async:
  case Copy::Kind::LdsLoad:
    finishAsync(*copy);
    break;
  case Copy::Kind::MatrixCommit:
    finishCommit(*copy);
    break;
  case Copy::Kind::LaunchAnswer:
    finishLaunchAnswer(*copy);
    break;
  case Copy::Kind::AsyncArrive:
    for (const CopyRef &before : copy->after)
      if (!before->done) {
        schedule(copy);
        return;
      }
    if (auto found = ctas[copy->cta].mbarriers.find(copy->barrier); found != ctas[copy->cta].mbarriers.end()) {
      for (const CopyRef &before : copy->after)
        found->second.gathered.learn(before->agent, before->time);
      if (found->second.pending > 0)
        --found->second.pending;
      found->second.noteArrival(copy->site, copy->cta, copy->warp);
      found->second.advance();
    }
    break;
  }
  copy->sourceRead = copy->done = true;
  copy->after.clear();
  // Loads of a wave share a clock; on the timeline those that overlap lie beside each other.
  const unsigned agent = static_cast<unsigned>(copy->agent - firstCopyAgent);
  const unsigned track = copy->kind == Copy::Kind::LdsLoad ? agent * 16 + copy->time % 16 : agent;
  if (timeline)
    timeline->span(clusterIndex * static_cast<unsigned>(ctas.size()) + copy->cta, 1000 + track,
                   program.sites[copy->site].operation + " (line " + std::to_string(program.sites[copy->site].line) +
                       ")",
                   "copy", copy->started, now);
}

static void fillOutside(uint8_t *into, uint32_t bytes, const TensorMap &map) {
  std::memset(into, 0, bytes);
  if (!map.fillNaN())
    return;
  const unsigned size = byteSize(map.type());
  for (uint32_t offset = 0; offset + size <= bytes; offset += size) {
    // The quiet NaN with all bits below the sign set.
    std::memset(into + offset, 0xff, size);
    into[offset + size - 1] = 0x7f;
  }
}

void Cluster::finishTensorLoad(Copy &copy) {
  Cta &cta = ctas[copy.cta];
  Warp &issuer = warps[copy.warp];
  const TensorMap &map = *copy.map;
  const Actor actor = actorOf(copy);
  copy.image.assign(map.imageBytes(), 0);
  map.forEachRun(copy.coordinates, [&](const BoxRun &run) {
    uint8_t *into = copy.image.data() + run.image;
    fillOutside(into, run.imageBytes, map);
    if (run.bytes == 0)
      return;
    Target source = resolve(issuer, copy.site, Space::Global, run.global, run.bytes, "the tensor map reads");
    if (!source.data)
      return;
    access(source, run.bytes, false, actor);
    std::memcpy(into + run.before, source.data, run.bytes);
  });
  // The image is contiguous, so only the bytes within it change places.
  access({cta.shared->at(copy.shared), &cta, nullptr, copy.shared}, map.imageBytes(), true, actor);
  for (uint32_t offset = 0; offset < map.imageBytes(); offset += 16) {
    uint32_t address = swizzled(copy.shared + offset, map.swizzle());
    if (cta.shared->contains(address, 16))
      std::memcpy(cta.shared->at(address), copy.image.data() + offset, 16);
  }
  copy.image.clear();
  completeBytes(copy, map.imageBytes());
}

/// The bytes of a copy count on its barrier.
void Cluster::completeBytes(const Copy &copy, uint32_t bytes) {
  Cta &cta = ctas[copy.barrierCta];
  Warp &issuer = warps[copy.warp];
  auto found = cta.mbarriers.find(copy.barrier);
  if (found == cta.mbarriers.end()) {
    report(FindingKind::BarrierMisuse, issuer, copy.site, "signals a barrier that is dead when the copy completes");
    return;
  }
  Mbarrier &barrier = found->second;
  barrier.transactions -= bytes;
  barrier.gathered.learn(copy.agent, copy.time);
  if (barrier.pending == 0 && barrier.transactions < 0) {
    Finding excess = finding(FindingKind::BarrierMisuse, issuer, copy.site,
                             "brings " + std::to_string(-barrier.transactions) +
                                 " bytes more than the barrier expects in this phase");
    nameBarrier(excess, copy.barrier);
    excess.phase = static_cast<int>(barrier.phase);
    if (!barrier.arrivals.empty())
      excess.other = placeOf(barrier.arrivals.back().warp, barrier.arrivals.back().site);
    log.add(std::move(excess));
  }
  barrier.advance();
}

void Cluster::readImage(Copy &copy) {
  Cta &cta = ctas[copy.cta];
  const uint32_t bytes = copy.map->imageBytes();
  access({cta.shared->at(copy.shared), &cta, nullptr, copy.shared}, bytes, false, actorOf(copy));
  copy.image.assign(bytes, 0);
  for (uint32_t offset = 0; offset < bytes; offset += 16) {
    uint32_t address = swizzled(copy.shared + offset, copy.map->swizzle());
    if (cta.shared->contains(address, 16))
      std::memcpy(copy.image.data() + offset, cta.shared->at(address), 16);
  }
}

void Cluster::finishTensorStore(Copy &copy) {
  if (copy.image.empty())
    return;
  Actor actor = actorOf(copy);
  // Reductions are atomic per element (PTX ISA, cp.reduce.async.bulk.tensor), plain stores are not.
  actor.event.atomic = static_cast<ReduceKind>(copy.reduce) != ReduceKind::None;
  copy.map->forEachRun(copy.coordinates, [&](const BoxRun &run) {
    if (run.bytes == 0)
      return;
    Target target = resolve(warps[copy.warp], copy.site, Space::Global, run.global, run.bytes, "the tensor map writes");
    if (!target.data)
      return;
    access(target, run.bytes, true, actor);
    const uint8_t *source = copy.image.data() + run.image + run.before;
    if (actor.event.atomic)
      reduceInto(target.data, source, run.bytes, copy);
    else
      std::memcpy(target.data, source, run.bytes);
  });
  copy.image.clear();
}

namespace {

template <typename T> T reduceInteger(ReduceKind kind, T old, T value) {
  switch (kind) {
  case ReduceKind::Add:
    return static_cast<T>(old + value);
  case ReduceKind::Min:
    return std::min(old, value);
  case ReduceKind::Max:
    return std::max(old, value);
  case ReduceKind::Inc:
    return old >= value ? 0 : static_cast<T>(old + 1);
  case ReduceKind::Dec:
    return old == 0 || old > value ? value : static_cast<T>(old - 1);
  case ReduceKind::And:
    return old & value;
  case ReduceKind::Or:
    return old | value;
  case ReduceKind::Xor:
    return old ^ value;
  case ReduceKind::None:
    return value;
  }
  return value;
}
template <typename T> void reduceIntegers(ReduceKind kind, uint8_t *target, const uint8_t *source, uint32_t bytes) {
  for (uint32_t offset = 0; offset < bytes; offset += sizeof(T)) {
    T old, value;
    std::memcpy(&old, target + offset, sizeof(T));
    std::memcpy(&value, source + offset, sizeof(T));
    old = reduceInteger(kind, old, value);
    std::memcpy(target + offset, &old, sizeof(T));
  }
}
void reduceFloats(ReduceKind kind, FloatKind type, unsigned size, uint8_t *target, const uint8_t *source,
                  uint32_t bytes) {
  for (uint32_t offset = 0; offset < bytes; offset += size) {
    uint64_t old = 0, value = 0;
    std::memcpy(&old, target + offset, size);
    std::memcpy(&value, source + offset, size);
    double a = toDouble(old, type), b = toDouble(value, type);
    old = fromDouble(kind == ReduceKind::Add   ? a + b
                     : kind == ReduceKind::Min ? std::fmin(a, b)
                                               : std::fmax(a, b),
                     type);
    std::memcpy(target + offset, &old, size);
  }
}

} // namespace

void Cluster::reduceInto(uint8_t *target, const uint8_t *source, uint32_t bytes, const Copy &copy) {
  const ReduceKind kind = static_cast<ReduceKind>(copy.reduce);
  const bool ordered = kind == ReduceKind::Add || kind == ReduceKind::Min || kind == ReduceKind::Max;
  auto floats = [&](FloatKind type) {
    if (!ordered)
      return report(FindingKind::Misuse, warps[copy.warp], copy.site, "reduces floats with an operation on bits");
    reduceFloats(kind, type, byteSize(copy.map->type()), target, source, bytes);
  };
  switch (copy.map->type()) {
  case ElementType::U32:
    return reduceIntegers<uint32_t>(kind, target, source, bytes);
  case ElementType::I32:
    return reduceIntegers<int32_t>(kind, target, source, bytes);
  case ElementType::U64:
    return reduceIntegers<uint64_t>(kind, target, source, bytes);
  case ElementType::I64:
    return reduceIntegers<int64_t>(kind, target, source, bytes);
  case ElementType::F16:
    return floats(FloatKind::F16);
  case ElementType::BF16:
    return floats(FloatKind::BF16);
  case ElementType::F32:
    return floats(FloatKind::F32);
  default:
    report(FindingKind::Misuse, warps[copy.warp], copy.site, "reduces a tensor of a type that has no reductions");
  }
}

void Cluster::finishAsync(Copy &copy) {
  Cta &cta = ctas[copy.cta];
  Actor actor = actorOf(copy);
  for (const Copy::Piece &piece : copy.pieces) {
    uint8_t *into = cta.shared->at(piece.destination);
    access({into, &cta, nullptr, piece.destination}, piece.bytes, true, actor);
    std::memset(into, 0, piece.bytes);
    if (piece.valid == 0)
      continue;
    Target source = resolve(warps[copy.warp], copy.site, Space::Generic, piece.source, piece.valid, "copies");
    if (!source.data)
      continue;
    access(source, piece.valid, false, actor);
    std::memcpy(into, source.data, piece.valid);
  }
}

} // namespace tlx::emu
