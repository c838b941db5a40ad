// Tensor memory of one CTA: 128 lanes of 512 columns of 32 bits (PTX ISA, tensor memory).
#ifndef TLX_EMULATOR_TENSORMEMORY_H
#define TLX_EMULATOR_TENSORMEMORY_H

#include "Races.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tlx::emu {

constexpr unsigned tensorLanes = 128, tensorColumns = 512;

class TensorMemory {
public:
  TensorMemory() : data(tensorLanes * tensorColumns), written(tensorLanes * tensorColumns) {}

  struct Allocation {
    uint32_t columns;
    uint16_t warp;
    uint32_t site;
  };

  uint32_t &at(unsigned lane, unsigned column) { return data[lane * tensorColumns + column]; }
  bool isWritten(unsigned lane, unsigned column) const { return written[lane * tensorColumns + column]; }
  void markWritten(unsigned lane, unsigned column) { written[lane * tensorColumns + column] = true; }
  /// What was there before an allocation says nothing.
  void forget(unsigned column, unsigned columns) {
    for (unsigned lane = 0; lane < tensorLanes; ++lane)
      for (unsigned index = column; index < column + columns; ++index)
        written[lane * tensorColumns + index] = false;
  }

  /// The allocation that holds all of [column, column + columns).
  bool isAllocated(unsigned column, unsigned columns) const {
    auto after = allocations.upper_bound(column);
    if (after == allocations.begin())
      return false;
    --after;
    return column + columns <= after->first + after->second.columns;
  }
  /// Free columns for a new allocation: one of the possible places, `choice` says which.
  std::optional<uint32_t> findRoom(uint32_t columns, uint64_t choice) const {
    std::vector<uint32_t> places;
    for (uint32_t start = 0; start + columns <= tensorColumns; start += 32) {
      bool isFree = true;
      for (auto [first, allocation] : allocations)
        isFree = isFree && (start + columns <= first || first + allocation.columns <= start);
      if (isFree)
        places.push_back(start);
    }
    return places.empty() ? std::nullopt : std::optional(places[choice % places.size()]);
  }

  std::map<uint32_t, Allocation> allocations;
  bool relinquished = false;
  Shadow shadow;

private:
  std::vector<uint32_t> data;
  std::vector<bool> written;
};

/// An address in tensor memory (PTX ISA, tensor memory addressing).
struct TensorAddress {
  unsigned lane, column;
  explicit TensorAddress(uint64_t bits)
      : lane(static_cast<unsigned>(bits >> 16 & 0xffff)), column(static_cast<unsigned>(bits & 0xffff)) {}
};

} // namespace tlx::emu

#endif
