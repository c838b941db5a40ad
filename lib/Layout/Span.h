//===- Span.h - linear systems over F2 ------------------------------------------------------------------===//
//
// Gaussian elimination over bit vectors that remembers which inputs make each vector.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LIB_LAYOUT_SPAN_H
#define TLX_LIB_LAYOUT_SPAN_H

#include "llvm/ADT/bit.h"
#include <array>
#include <cstdint>
#include <optional>

namespace tlx::layout {

/// The vectors that XOR of the inserted ones reaches.
class Span {
public:
  /// False, and nothing changes, when `value` is reached already. `inputs` is the set that stands for it.
  bool insert(uint64_t value, uint64_t inputs) {
    reduce(value, inputs);
    if (value == 0)
      return false;
    rows[leadingBit(value)] = {value, inputs};
    ++size;
    return true;
  }

  /// The inputs that XOR to `value`; unique, since inserted vectors are independent.
  std::optional<uint64_t> solve(uint64_t value) const {
    uint64_t inputs = 0;
    reduce(value, inputs);
    if (value != 0)
      return std::nullopt;
    return inputs;
  }

  int rank() const { return size; }

private:
  struct Row {
    uint64_t value = 0;
    uint64_t inputs = 0;
  };

  static int leadingBit(uint64_t value) { return 63 - llvm::countl_zero(value); }

  void reduce(uint64_t &value, uint64_t &inputs) const {
    while (value != 0) {
      const Row &row = rows[leadingBit(value)];
      if (row.value == 0)
        return;
      value ^= row.value;
      inputs ^= row.inputs;
    }
  }

  /// Indexed by leading bit.
  std::array<Row, 64> rows;
  int size = 0;
};

} // namespace tlx::layout

#endif // TLX_LIB_LAYOUT_SPAN_H
