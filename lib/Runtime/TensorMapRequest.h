// From a tensor and a recipe to the arguments of the driver's tensor map encoder.
#ifndef TLX_LIB_RUNTIME_TENSORMAPREQUEST_H
#define TLX_LIB_RUNTIME_TENSORMAPREQUEST_H

#include "tlx/Manifest/Manifest.h"
#include "tlx/Runtime/Driver.h"

namespace tlx::rt {

/// A tensor in device memory; axes slowest first, strides in elements.
struct TensorView {
  uint64_t address = 0;
  int64_t rank = 0;
  std::array<int64_t, 5> sizes{};
  std::array<int64_t, 5> strides{};
  /// Without elements, and perhaps without an address.
  bool isEmpty = false;
};

/// What changes from launch to launch; axes innermost first, strides in bytes. Equal requests give equal maps.
struct TensorMapRequest {
  uint64_t address = 0;
  std::array<uint64_t, 5> sizes{};
  std::array<uint64_t, 4> strides{};
  /// The address is that of zeros, which whoever encodes the map has to provide.
  bool isEmpty = false;

  bool operator==(const TensorMapRequest &) const = default;
};

/// The extent of an axis that the source leaves unbounded: beyond every coordinate, which is a signed 32-bit number.
inline constexpr int64_t unboundedExtent = int64_t(1) << 31;

/// Checks the part of the rules that the recipe alone decides.
Status checkRecipe(const Param &param);

/// Checks the tensor against the rules of tensor maps and of the recipe.
Result<TensorMapRequest> makeRequest(const Param &param, const TensorView &view);

Result<cuda::TensorMapBits> encode(const Driver &driver, const Param &param, const TensorMapRequest &request);

} // namespace tlx::rt

#endif
