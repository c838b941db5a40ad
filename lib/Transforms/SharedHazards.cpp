//===- SharedHazards.cpp - what the threads of a task may not yet see of shared memory ------------------===//

#include "SharedHazards.h"
#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

constexpr int warpGroup = 4;

/// Only accesses through the threads of the task itself, and asynchronous ones that they start.
Remedy SharedHazards::needed(Operation *op) const {
  auto access = dyn_cast<TouchesBuffer>(op);
  if (!access)
    return {};
  Remedy remedy;
  auto add = [&](ArrayRef<Value> buffers, bool writes) {
    for (Value buffer : buffers) {
      auto known = storages.find(storageOf(buffer));
      if (known == storages.end())
        continue;
      Remedy one = before(known->second, op, buffer, writes);
      remedy.fence |= one.fence;
      remedy.meeting |= one.meeting;
    }
  };
  add(access.buffersRead(), false);
  add(access.buffersWritten(), true);
  return remedy;
}

Remedy SharedHazards::before(const Facts &facts, Operation *op, Value buffer, bool writes) const {
  bool isAsync = cast<TouchesBuffer>(op).isAsyncProxy();
  bool unseen = isAsync && (facts.unfenced || facts.fenced);
  bool written = facts.written || facts.writtenBefore, read = facts.read || facts.readBefore;
  // A slot may be filled again while another one is read.
  if (writes && facts.read && !facts.readBefore && areApart(facts.readPlace, ringPlaceOf(buffer)))
    read = false;
  return {isAsync && facts.unfenced, unseen || written || (writes && read)};
}

void SharedHazards::addRead(Facts &facts, const std::optional<RingPlace> &place) {
  if (!facts.read || facts.readPlace != place)
    facts.readPlace = facts.read ? std::nullopt : place;
  facts.read = true;
}

void SharedHazards::forgetPlaces() {
  for (auto &[storage, facts] : storages)
    facts.readPlace = std::nullopt;
}

bool SharedHazards::hasUnfenced(const llvm::DenseSet<Operation *> &among) const {
  return llvm::any_of(storages,
                      [&](const auto &entry) { return entry.second.unfenced && among.contains(entry.first); });
}

void SharedHazards::apply(Remedy remedy) {
  if (remedy.fence)
    fence();
  if (remedy.meeting)
    meet();
  if (remedy.meeting && skewed)
    meet();
}

void SharedHazards::meet() {
  for (auto &[storage, facts] : storages) {
    facts.readBefore = skewed && facts.read;
    facts.writtenBefore = skewed && facts.written;
    facts.read = facts.written = facts.fenced = false;
    facts.readPlace = std::nullopt;
  }
}

void SharedHazards::fence() {
  for (auto &[storage, facts] : storages) {
    facts.fenced |= facts.unfenced;
    facts.unfenced = false;
  }
}

/// The place of a queue that stands for all that is older, too.
static constexpr uint8_t oldestPlace = 0x80;

/// The places of a queue that are behind the last `pendings`.
static uint8_t placesBehind(int pendings) {
  return pendings >= 8 ? 0 : 0xffu << pendings;
}

void SharedHazards::closeGroup() {
  enqueue(&Facts::copies, {});
  for (auto &[storage, facts] : storages)
    if (std::exchange(facts.copying, false))
      facts.copies |= 1;
}

/// Each thread has waited for its own; the others have to hear of it. A wait for all is one for copies of no group,
/// too.
void SharedHazards::settleCopies(int pendings) {
  uint8_t done = placesBehind(pendings);
  // Beyond what the queue tells apart, the oldest place holds some that are done and some that may not be.
  uint8_t landed = done ? done : oldestPlace;
  for (auto &[storage, facts] : storages) {
    bool hasLanded = (facts.copies & landed) || (pendings == 0 && std::exchange(facts.copying, false));
    if (hasLanded)
      facts.written = facts.unfenced = true;
    facts.copies &= ~done;
  }
}

/// What was issued before the last `pendings` is done.
void SharedHazards::settle(uint8_t Facts::*queue, int pendings, bool thenRead) {
  uint8_t done = placesBehind(pendings);
  for (auto &[storage, facts] : storages) {
    if (thenRead && (facts.*queue & done))
      addRead(facts, std::nullopt);
    facts.*queue &= ~done;
  }
}

void SharedHazards::enqueue(uint8_t Facts::*queue, ArrayRef<Value> buffers) {
  for (auto &[storage, facts] : storages) {
    uint8_t oldest = facts.*queue & oldestPlace;
    facts.*queue = (facts.*queue << 1) | oldest;
  }
  for (Value buffer : buffers)
    storages[storageOf(buffer)].*queue |= 1;
}

void SharedHazards::apply(Operation *op) {
  if (meetsHere(op) || op->hasAttr("tlx.meets"))
    meet();
  if (auto fenceOp = dyn_cast<FenceOp>(op); fenceOp && fenceOp.getScope() == "async_shared")
    fence();
  if (auto wait = dyn_cast<AsyncDotWaitOp>(op))
    // A warp group waits for all of its product; what other groups' products read is not known to be read.
    settle(&Facts::products, wait.getPendings(), /*thenRead=*/warps > warpGroup);
  if (auto wait = dyn_cast<TMAStoreWaitOp>(op))
    // One thread waits; the others have to hear of it.
    settle(&Facts::stores, wait.getPendings(), /*thenRead=*/true);
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    settleCopies(static_cast<int>(wait.getPendings()));
  if (isa<AsyncCommitOp>(op))
    closeGroup();
  if (auto dot = dyn_cast<AsyncDotOp>(op))
    enqueue(&Facts::products, dot.buffersRead());
  if (auto store = dyn_cast<TMAStoreOp>(op))
    enqueue(&Facts::stores, store.buffersRead());
  if (auto copy = dyn_cast<AsyncLoadOp>(op))
    storages[storageOf(copy.getBuffer())].copying = true;
  if (auto store = dyn_cast<BulkStoreOp>(op))
    enqueue(&Facts::stores, store.buffersRead());
  auto access = dyn_cast<TouchesBuffer>(op);
  if (!access || access.isAsynchronous())
    return;
  for (Value buffer : access.buffersRead())
    addRead(storages[storageOf(buffer)], ringPlaceOf(buffer));
  for (Value buffer : access.buffersWritten()) {
    Facts &facts = storages[storageOf(buffer)];
    facts.written = facts.unfenced = true;
  }
}

bool SharedHazards::join(const SharedHazards &other) {
  bool changed = false;
  for (const auto &[storage, theirs] : other.storages) {
    Facts &ours = storages[storage];
    Facts before = ours;
    if (theirs.read)
      addRead(ours, theirs.readPlace);
    ours.written |= theirs.written;
    ours.readBefore |= theirs.readBefore;
    ours.writtenBefore |= theirs.writtenBefore;
    ours.unfenced |= theirs.unfenced;
    ours.fenced |= theirs.fenced;
    ours.copying |= theirs.copying;
    ours.copies |= theirs.copies;
    ours.products |= theirs.products;
    ours.stores |= theirs.stores;
    changed |= !(ours == before);
  }
  return changed;
}
