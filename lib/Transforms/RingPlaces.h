//===- RingPlaces.h - which slot of a ring a trip of a loop uses ----------------------------------------===//

#ifndef TLX_TRANSFORMS_RINGPLACES_H
#define TLX_TRANSFORMS_RINGPLACES_H

#include "tlx/Dialect/TLXDialect.h"
#include <optional>

namespace tlx {

/// The slot (induction + offset) modulo `length` of an allocation.
struct RingPlace {
  mlir::Operation *allocation;
  mlir::Value induction;
  int64_t offset, length;
  bool operator==(const RingPlace &) const = default;
};

/// The place of a buffer, where its slot follows the trips of a loop.
std::optional<RingPlace> ringPlaceOf(mlir::Value buffer);

/// Whether both are known, and different slots in every trip.
bool areApart(const std::optional<RingPlace> &a, const std::optional<RingPlace> &b);

} // namespace tlx

#endif // TLX_TRANSFORMS_RINGPLACES_H
