// The walk over a box, and the rules of cuTensorMapEncodeTiled.
#include "TensorMap.h"

#include <algorithm>

namespace tlx::emu {

unsigned byteSize(ElementType type) {
  switch (type) {
  case ElementType::U8:
    return 1;
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::U32:
  case ElementType::I32:
  case ElementType::F32:
    return 4;
  case ElementType::U64:
  case ElementType::I64:
  case ElementType::F64:
    return 8;
  }
  return 0;
}

uint32_t TensorMap::imageBytes() const {
  uint32_t bytes = byteSize(map.type);
  for (unsigned axis = 0; axis < map.rank; ++axis)
    bytes *= extent(axis);
  return bytes;
}

std::string TensorMap::refusal() const {
  auto number = [](uint64_t value) { return std::to_string(value); };
  if (map.rank < 1 || map.rank > 5)
    return "rank " + number(map.rank) + " is not 1 to 5";
  if (address % 16)
    return "the global address is not a multiple of 16 bytes";
  for (unsigned axis = 0; axis < map.rank; ++axis) {
    if (map.sizes[axis] == 0 || map.sizes[axis] > 1ull << 32)
      return "size " + number(map.sizes[axis]) + " of axis " + number(axis) + " is not 1 to 2^32";
    if (axis > 0 && (map.strides[axis] % 16 || map.strides[axis] >= 1ull << 40))
      return "stride " + number(map.strides[axis]) + " of axis " + number(axis) +
             " is not a multiple of 16 bytes below 2^40";
    if (map.box[axis] == 0 || map.box[axis] > 256)
      return "box size " + number(map.box[axis]) + " of axis " + number(axis) + " is not 1 to 256";
    if (map.elementStrides[axis] < 1 || map.elementStrides[axis] > 8)
      return "element stride " + number(map.elementStrides[axis]) + " of axis " + number(axis) + " is not 1 to 8";
  }
  uint64_t inner = static_cast<uint64_t>(map.box[0]) * byteSize(map.type);
  if (inner % 16)
    return "the box's rows of " + number(inner) + " bytes are not a multiple of 16 bytes";
  if (map.swizzle && inner > map.swizzle)
    return "the box's rows of " + number(inner) + " bytes are wider than the swizzle of " + number(map.swizzle);
  if (map.swizzle && inner < map.swizzle)
    return "rows of " + number(inner) + " bytes in a swizzle of " + number(map.swizzle) + " are not emulated";
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
    return "a swizzle of " + number(map.swizzle) + " bytes does not exist";
  return {};
}

void TensorMap::forEachRun(const std::array<int32_t, 5> &coordinates,
                           const std::function<void(const BoxRun &)> &visit) const {
  const uint32_t size = byteSize(map.type), width = extent(0);
  std::array<uint32_t, 5> position{};
  uint32_t rows = 1;
  for (unsigned axis = 1; axis < map.rank; ++axis)
    rows *= extent(axis);
  for (uint32_t row = 0; row < rows; ++row) {
    BoxRun run;
    run.image = row * width * size;
    run.imageBytes = width * size;
    uint64_t base = address;
    bool inside = true;
    for (unsigned axis = 1; axis < map.rank; ++axis) {
      int64_t index = coordinates[axis] + static_cast<int64_t>(position[axis]) * map.elementStrides[axis];
      inside &= index >= 0 && index < static_cast<int64_t>(map.sizes[axis]);
      base += static_cast<uint64_t>(index) * map.strides[axis];
    }
    int64_t low = std::max<int64_t>(0, -static_cast<int64_t>(coordinates[0]));
    int64_t high = std::min<int64_t>(width, static_cast<int64_t>(map.sizes[0]) - coordinates[0]);
    if (inside && low < high) {
      run.before = static_cast<uint32_t>(low) * size;
      run.bytes = static_cast<uint32_t>(high - low) * size;
      run.global = base + static_cast<uint64_t>(coordinates[0] + low) * size;
    }
    visit(run);
    for (unsigned axis = 1; axis < map.rank && ++position[axis] == extent(axis); ++axis)
      position[axis] = 0;
  }
}

} // namespace tlx::emu
