// Shadow of a memory: who accessed each byte last, so that accesses without an order between them are found.
#ifndef TLX_EMULATOR_RACES_H
#define TLX_EMULATOR_RACES_H

#include "Clocks.h"

#include <memory>
#include <optional>

namespace tlx::emu {

/// Lanes of an event: all of its warp together, or not by a lane.
constexpr uint8_t allLanes = 64, noLane = 65;

/// One access in the past.
struct Event {
  uint32_t time = 0;
  uint32_t site = 0;
  uint16_t agent = 0, warp = 0;
  /// The cluster that it ran in: clocks of different clusters say nothing about each other.
  uint32_t cluster = 0;
  bool async = false, atomic = false;
  uint8_t lane = noLane;
  /// An atomic access that only threads of its own block are sure to see as one.
  bool narrow = false;
  /// Which instruction of its warp; lanes that write one place at once leave one of their values.
  uint32_t step = 0;
};

/// Whether someone with this clock, and with what single lanes told them (if anything), knows of the event.
bool knowsOf(const Clock &ordered, const std::vector<LaneTime> *lanes, const Event &event);

inline const std::vector<LaneTime> noLaneTimes;

/// An access to be checked and remembered. `knowledge` is that of the agent when the access was issued.
struct Access {
  Event event;
  bool write = false;
  const Clock *ordered = nullptr;
  /// What ordinary writes an asynchronous access sees; the same as `ordered` for ordinary accesses.
  const Clock *visible = nullptr;
  /// What single lanes published beyond `ordered`.
  const std::vector<LaneTime> *lanes = &noLaneTimes;
  /// When the lanes of the accessing warp met last: what others of them did later is not ordered before.
  uint32_t met = 0;
};

struct Conflict {
  Event other;
  bool otherWrites;
  /// Ordered, but an ordinary write reaches an asynchronous access without a proxy fence between.
  bool onlyFenceMissing;
};

class Shadow {
public:
  /// Checks [offset, offset + bytes) and records the access; the first conflict found is returned.
  std::optional<Conflict> access(uint64_t offset, uint64_t bytes, const Access &access);
  void clear() { pages.clear(); }

private:
  static constexpr unsigned lineBytes = 16, linesPerPage = 256;
  struct Cell {
    Event write;
    bool written = false;
    std::vector<Event> reads;
  };
  /// One cell for all bytes until an access touches only some of them.
  struct Line {
    Cell whole;
    std::unique_ptr<Cell[]> bytes;
  };
  std::vector<std::unique_ptr<Line[]>> pages;

  Line &line(uint64_t index);
  static void touch(Cell &cell, const Access &access, std::optional<Conflict> &conflict);
};

} // namespace tlx::emu

#endif
