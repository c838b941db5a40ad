// A tensor in host memory, with any strides, inside a buffer whose other bytes are watched.
#ifndef TLX_LAUNCH_HOSTTENSOR_H
#define TLX_LAUNCH_HOSTTENSOR_H

#include "tlx/Manifest/ElementType.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tlx::rt {

/// Strides of a dense tensor, slowest axis first.
std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape);
int64_t product(const std::vector<int64_t> &shape);
/// One more than the largest element offset that shape and strides reach; 0 when there are no elements.
int64_t reach(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides);
/// `[2, 3]`.
std::string toText(const std::vector<int64_t> &shape);

struct HostTensor {
  std::string name;
  ElementType dtype = ElementType::FP32;
  std::vector<int64_t> shape;
  /// In elements, not negative.
  std::vector<int64_t> strides;
  /// Of the first element, in elements from the start of the storage.
  int64_t offset = 0;
  /// Every byte outside of the view holds `padding`.
  std::vector<std::byte> storage;

  static constexpr std::byte padding{0xFF};

  /// Makes the storage just large enough and fills it with `padding`.
  void allocate();

  int64_t elementCount() const { return product(shape); }
  /// A row is the elements along the last axis; a tensor without axes has one row of one element.
  int64_t rowLength() const { return shape.empty() ? 1 : shape.back(); }
  int64_t rowCount() const { return rowLength() == 0 ? 0 : elementCount() / rowLength(); }
  /// Offset in elements of the first element of a row, in the storage.
  int64_t rowOffset(int64_t row) const;

  void readRow(int64_t row, double *values) const;
  void writeRow(int64_t row, const double *values);
  /// Indices of the element at `column` of `row`.
  std::vector<int64_t> indices(int64_t row, int64_t column) const;

  /// Offset of the first storage byte outside of the view that no longer holds `padding`, or -1.
  int64_t firstTouchedPadding() const;
};

} // namespace tlx::rt

#endif
