// Happens-before checks on every byte, in the manner of FastTrack: the last write, and the reads since.
#include "Races.h"

namespace tlx::emu {

Shadow::Line &Shadow::line(uint64_t index) {
  if (index / linesPerPage >= pages.size())
    pages.resize(index / linesPerPage + 1);
  std::unique_ptr<Line[]> &page = pages[index / linesPerPage];
  if (!page)
    page = std::make_unique<Line[]>(linesPerPage);
  return page[index % linesPerPage];
}

enum class Order { Ordered, FenceMissing, Unordered };

bool knowsOf(const Clock &ordered, const std::vector<LaneTime> *lanes, const Event &event) {
  if (ordered[event.agent] >= event.time)
    return true;
  if (!lanes)
    return false;
  for (const LaneTime &entry : *lanes)
    if (entry.agent == event.agent && entry.time >= event.time && event.lane < allLanes && entry.mask >> event.lane & 1)
      return true;
  return false;
}

/// Two lanes of one warp, without a meeting of the warp between them.
static bool isBetweenLanes(const Event &past, const Access &access) {
  const Event &event = access.event;
  return past.agent == event.agent && past.lane != noLane && event.lane != noLane && past.step != event.step &&
         (past.lane != event.lane || past.lane == allLanes) && past.time > access.met;
}

/// Whether `past` happened before `access`. `write`: the past event wrote.
static Order orderOf(const Event &past, bool write, const Access &access) {
  if (past.cluster != access.event.cluster)
    return past.atomic && access.event.atomic && !past.narrow && !access.event.narrow ? Order::Ordered
                                                                                      : Order::Unordered;
  if (!knowsOf(*access.ordered, access.lanes, past) || isBetweenLanes(past, access))
    return past.atomic && access.event.atomic ? Order::Ordered : Order::Unordered;
  // Reads need no proxy fence before an asynchronous overwrite: the read has its value when the thread goes on.
  if (write && !past.async && access.event.async && (*access.visible)[past.agent] < past.time)
    return Order::FenceMissing;
  return Order::Ordered;
}

void Shadow::touch(Cell &cell, const Access &access, std::optional<Conflict> &conflict) {
  auto check = [&](const Event &past, bool write) {
    Order order = orderOf(past, write, access);
    if (order != Order::Ordered && !conflict)
      conflict = Conflict{past, write, order == Order::FenceMissing};
    return order;
  };
  if (cell.written)
    check(cell.write, true);
  if (access.write) {
    for (const Event &read : cell.reads)
      check(read, false);
    cell.reads.clear();
    cell.write = access.event;
    cell.written = true;
    return;
  }
  // A read that came before this one and in the same way is covered by it.
  for (Event &read : cell.reads)
    if (read.agent == access.event.agent && read.cluster == access.event.cluster && read.async == access.event.async) {
      bool severalLanes = read.lane != access.event.lane && read.time > access.met && read.lane != noLane;
      read = access.event;
      if (severalLanes)
        read.lane = allLanes;
      return;
    }
  // Of the clusters before, one read stands for all.
  unsigned foreign = 0;
  std::erase_if(cell.reads, [&](const Event &read) {
    if (read.cluster != access.event.cluster)
      return foreign++ > 0;
    return read.async == access.event.async && read.atomic == access.event.atomic &&
           (*access.ordered)[read.agent] >= read.time;
  });
  cell.reads.push_back(access.event);
}

std::optional<Conflict> Shadow::access(uint64_t offset, uint64_t bytes, const Access &access) {
  std::optional<Conflict> conflict;
  const uint64_t end = offset + bytes;
  for (uint64_t index = offset / lineBytes; index * lineBytes < end; ++index) {
    Line &current = line(index);
    uint64_t first = std::max(offset, index * lineBytes) - index * lineBytes;
    uint64_t last = std::min(end, (index + 1) * lineBytes) - index * lineBytes;
    bool all = first == 0 && last == lineBytes;
    if (all && !current.bytes) {
      touch(current.whole, access, conflict);
      continue;
    }
    if (!current.bytes) {
      current.bytes = std::make_unique<Cell[]>(lineBytes);
      for (unsigned byte = 0; byte < lineBytes; ++byte)
        current.bytes[byte] = current.whole;
    }
    for (uint64_t byte = first; byte < last; ++byte)
      touch(current.bytes[byte], access, conflict);
    // A write of all bytes makes them alike again.
    if (all && access.write) {
      current.whole = std::move(current.bytes[0]);
      current.bytes.reset();
    }
  }
  return conflict;
}

} // namespace tlx::emu
