// Places tasks on warps and finds overlaps.
#include "TaskPlan.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

namespace {
struct Slot {
  size_t request;
  int64_t replica;
  int64_t warps;
  int64_t first;
};
} // namespace

/// Regions in source order; -1 where the place is still open.
static SmallVector<Slot> slotsOf(ArrayRef<TaskRequest> tasks) {
  SmallVector<Slot> slots;
  for (auto [index, task] : llvm::enumerate(tasks))
    for (int64_t replica = 0; replica < task.replicas; ++replica) {
      bool isDefault = index == 0 && replica == 0;
      int64_t first = task.firstWarp ? *task.firstWarp + replica * task.warps : isDefault ? 0 : -1;
      slots.push_back({index, replica, task.warps, first});
    }
  return slots;
}

static void pack(MutableArrayRef<Slot> slots, int64_t next) {
  SmallVector<Slot *> open;
  for (Slot &slot : slots)
    if (slot.first < 0)
      open.push_back(&slot);
  llvm::sort(open, [](const Slot *a, const Slot *b) { return a->warps != b->warps ? a->warps > b->warps : a < b; });
  for (Slot *slot : open) {
    slot->first = next;
    next += slot->warps;
  }
}

static LogicalResult checkPlaces(ArrayRef<Slot> slots, ArrayRef<TaskRequest> tasks, diag::Sink &sink) {
  for (const Slot &slot : slots) {
    int64_t end = slot.first + slot.warps;
    if (end > 32) {
      sink.error(diag::Kind::WarpCount, tasks[slot.request].range)
          << "`" << tasks[slot.request].name << "` ends at warp " << end << "; a block has at most 32 warps";
      return failure();
    }
    for (const Slot &other : slots) {
      if (&other >= &slot || other.first >= end || slot.first >= other.first + other.warps)
        continue;
      sink.error(diag::Kind::TaskOverlap, tasks[slot.request].range).note(tasks[other.request].range, "the other task")
          << "`" << tasks[slot.request].name << "` takes warps " << slot.first << " to " << end - 1 << "; `"
          << tasks[other.request].name << "` has " << other.first << " to " << other.first + other.warps - 1;
      return failure();
    }
  }
  return success();
}

FailureOr<TaskPlan> tlx::specialize::planTasks(ArrayRef<TaskRequest> tasks, int64_t defaultWarps, diag::Sink &sink) {
  SmallVector<Slot> slots = slotsOf(tasks);
  // Open places begin behind every fixed one, the default's included.
  int64_t next = defaultWarps;
  for (const Slot &slot : slots)
    if (slot.first >= 0)
      next = std::max(next, slot.first + slot.warps);
  pack(slots, next);
  if (slots.front().first != 0) {
    sink.error(diag::Kind::TaskOverlap, tasks[0].range)
        << "the default task begins at warp " << slots.front().first << "; its warps are those from 0 on";
    return failure();
  }
  if (failed(checkPlaces(slots, tasks, sink)))
    return failure();
  TaskPlan plan;
  for (const Slot &slot : slots) {
    const TaskRequest &task = tasks[slot.request];
    plan.warps.push_back(static_cast<int32_t>(slot.warps));
    plan.registers.push_back(static_cast<int32_t>(task.registers));
    plan.firstWarps.push_back(static_cast<int32_t>(slot.first));
    plan.replicas.push_back(static_cast<int32_t>(slot.replica));
    plan.names.push_back(task.name);
    plan.requests.push_back(slot.request);
  }
  return plan;
}

static bool holdsTile(const Datum &value) {
  if (const SequenceValue *sequence = value.asParts())
    return llvm::any_of(sequence->elements, holdsTile);
  return value.isTile();
}

void tlx::specialize::hideTiles(Frame &frame) {
  Names visible;
  for (auto &[name, binding] : frame.names) {
    if (holdsTile(binding.value))
      frame.lost[name] = {binding.range, "assigned outside the task; move it into the task", true};
    else
      visible[name] = binding;
  }
  frame.names = std::move(visible);
}
