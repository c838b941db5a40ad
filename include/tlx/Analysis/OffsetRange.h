//===- OffsetRange.h - between which numbers the integers of a tile lie ---------------------------------===//

#ifndef TLX_ANALYSIS_OFFSETRANGE_H
#define TLX_ANALYSIS_OFFSETRANGE_H

#include "mlir/IR/Value.h"
#include <cstdint>
#include <optional>

namespace tlx {

/// Both ends belong to it.
struct OffsetRange {
  int64_t least, greatest;
  bool operator==(const OffsetRange &other) const = default;
};

/// Where all elements lie in every run; nothing when that may be beyond 32 bits, or is not known.
std::optional<OffsetRange> offsetRange(mlir::Value value);

} // namespace tlx

#endif // TLX_ANALYSIS_OFFSETRANGE_H
