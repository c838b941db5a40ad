// Addressing of tensors in host memory.
#include "tlx/Launch/HostTensor.h"

#include <cstring>

using namespace tlx;
using namespace tlx::rt;

std::vector<int64_t> rt::denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

int64_t rt::product(const std::vector<int64_t> &shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

int64_t rt::reach(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  int64_t last = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0)
      return 0;
    last += (shape[axis] - 1) * strides[axis];
  }
  return last + 1;
}

std::string rt::toText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

void HostTensor::allocate() {
  storage.assign(size_t((offset + reach(shape, strides)) * byteSize(dtype)), padding);
}

int64_t HostTensor::rowOffset(int64_t row) const {
  int64_t result = offset;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (axis + 1 == shape.size())
      continue;
    result += row % shape[axis] * strides[axis];
    row /= shape[axis];
  }
  return result;
}

void HostTensor::readRow(int64_t row, double *values) const {
  int64_t bytes = byteSize(dtype), step = (strides.empty() ? 1 : strides.back()) * bytes;
  const std::byte *at = storage.data() + rowOffset(row) * bytes;
  for (int64_t i = 0, length = rowLength(); i < length; ++i, at += step)
    values[i] = decodeElement(dtype, at);
}

void HostTensor::writeRow(int64_t row, const double *values) {
  int64_t bytes = byteSize(dtype), step = (strides.empty() ? 1 : strides.back()) * bytes;
  std::byte *at = storage.data() + rowOffset(row) * bytes;
  for (int64_t i = 0, length = rowLength(); i < length; ++i, at += step)
    encodeElement(dtype, values[i], at);
}

std::vector<int64_t> HostTensor::indices(int64_t row, int64_t column) const {
  std::vector<int64_t> result(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    int64_t &rest = axis + 1 == shape.size() ? column : row;
    result[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return result;
}

int64_t HostTensor::firstTouchedPadding() const {
  int64_t bytes = byteSize(dtype);
  if (int64_t(storage.size()) == elementCount() * bytes)
    return -1;
  std::vector<bool> inside(storage.size() / bytes);
  for (int64_t row = 0; row < rowCount(); ++row)
    for (int64_t column = 0, at = rowOffset(row); column < rowLength(); ++column)
      inside[at + column * (strides.empty() ? 1 : strides.back())] = true;
  for (size_t element = 0; element < inside.size(); ++element)
    for (int64_t byte = 0; !inside[element] && byte < bytes; ++byte)
      if (storage[element * bytes + byte] != padding)
        return int64_t(element) * bytes + byte;
  return -1;
}
