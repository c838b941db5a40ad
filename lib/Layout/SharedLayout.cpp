//===- SharedLayout.cpp - byte offsets, swizzle, bank conflicts -----------------------------------------===//

#include "tlx/Layout/SharedLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx::layout;

SharedTile SharedTile::whole(llvm::ArrayRef<int64_t> shape, int elemBytes, int swizzleBytes) {
  assert(!shape.empty() && "a tile has an axis");
  SharedTile tile;
  tile.shape.assign(shape.begin(), shape.end());
  tile.elemBytes = elemBytes;
  tile.swizzleBytes = swizzleBytes;
  // The hardware swizzles by address, so each panel begins where the pattern repeats.
  tile.panelRows = swizzleBytes == 0 ? tile.rows() : llvm::alignTo(tile.rows(), 8);
  tile.pitchBytes = tile.columns() * elemBytes;
  return tile;
}

int SharedTile::defaultSwizzle(llvm::ArrayRef<int64_t> shape, int elemBytes) {
  if (shape.size() < 2 || shape[shape.size() - 2] < 8)
    return 0;
  int64_t innermost = shape.back() * elemBytes;
  for (int swizzle : {128, 64, 32})
    if (innermost % swizzle == 0)
      return swizzle;
  return 0;
}

/// Which chunk of its row a 16-byte chunk is stored at: bits 4.. of the address XOR bits 7.. (PTX ISA, "Swizzling
/// modes").
static int64_t swizzledChunk(int64_t chunk, int64_t row, int swizzleBytes) {
  switch (swizzleBytes) {
  case 128:
    return chunk ^ (row % 8);
  case 64:
    return chunk ^ (row / 2 % 4);
  case 32:
    return chunk ^ (row / 4 % 2);
  }
  llvm_unreachable("a swizzle is 32, 64 or 128 bytes wide");
}

int64_t SharedTile::stackStride() const {
  if (swizzleBytes == 0)
    return rows() * pitchBytes;
  return llvm::divideCeil(columns() * elemBytes, swizzleBytes) * panelRows * swizzleBytes;
}

int64_t SharedTile::sizeInBytes() const {
  int64_t tiles = 1;
  for (int64_t size : llvm::ArrayRef(shape).drop_back(std::min(rank(), 2)))
    tiles *= size;
  if (!places.empty() || !padding.empty()) {
    // The last byte has all bits of the elements' places; of a part of a tile only those of the part.
    int64_t last = 0;
    for (int64_t place : places)
      last |= place;
    return padded(last * elemBytes) + elemBytes;
  }
  return tiles * stackStride();
}

int64_t SharedTile::padded(int64_t byte) const {
  int64_t result = byte;
  for (auto [interval, amount] : padding)
    result += byte / (interval * elemBytes) * (amount * elemBytes);
  return result;
}

/// The places of a written layout, bit by bit from the last axis on.
static int64_t writtenPlace(const SharedTile &tile, llvm::ArrayRef<int64_t> coords) {
  int64_t place = 0;
  size_t bit = 0;
  for (int axis = tile.rank() - 1; axis >= 0; --axis)
    for (int64_t step = 1; step < tile.shape[axis]; step *= 2, ++bit)
      if (coords[axis] & step)
        place ^= tile.places[bit];
  return place;
}

int64_t SharedTile::linearOffset(llvm::ArrayRef<int64_t> coords) const {
  assert(coords.size() == shape.size() && "one coordinate per axis");
  if (!places.empty())
    return writtenPlace(*this, coords) * elemBytes;
  int64_t tile = 0;
  for (int axis = 0; axis < rank() - 2; ++axis)
    tile = tile * shape[axis] + coords[axis];
  int64_t row = rank() < 2 ? 0 : coords[rank() - 2];
  int64_t columnBytes = coords.back() * elemBytes;
  int64_t start = tile * stackStride();
  if (swizzleBytes == 0)
    return start + row * pitchBytes + columnBytes;
  int64_t panel = columnBytes / swizzleBytes;
  int64_t chunk = swizzledChunk(columnBytes % swizzleBytes / 16, row, swizzleBytes);
  return start + (panel * panelRows + row) * swizzleBytes + chunk * 16 + columnBytes % 16;
}

std::optional<LinearLayout> tlx::layout::asLinear(const SharedTile &tile) {
  llvm::SmallVector<int, 4> axisBits;
  for (int64_t size : tile.shape) {
    if (!llvm::isPowerOf2_64(size))
      return std::nullopt;
    axisBits.push_back(llvm::Log2_64(size));
  }
  int64_t rowBytes = tile.columns() * tile.elemBytes;
  bool isWhole = tile.swizzleBytes == 0 ? tile.rows() == 1 || tile.pitchBytes == rowBytes
                                        : tile.panelRows == tile.rows() && rowBytes % tile.swizzleBytes == 0;
  if (!isWhole || !tile.padding.empty() || !llvm::isPowerOf2_64(tile.elemBytes) || tile.elemBytes > 16)
    return std::nullopt;

  // Coordinates to offset is linear; its inverse is what is wanted.
  LinearLayout elements(axisBits);
  int offsetBits = elements.totalOutBits();
  LinearLayout toOffset(llvm::ArrayRef<int>{offsetBits});
  for (int bit = 0; bit < offsetBits; ++bit) {
    Coords coords = elements.unflatten(uint64_t(1) << bit);
    llvm::SmallVector<int64_t, 4> wide(coords.begin(), coords.end());
    toOffset.addBasis(InDim::Offset, {int32_t(tile.byteOffset(wide) / tile.elemBytes)});
  }
  LinearLayout inverse = toOffset.invert();
  LinearLayout result(axisBits);
  for (int bit = 0; bit < offsetBits; ++bit)
    result.addBasis(InDim::Offset, elements.unflatten(inverse.basis(InDim::Offset, bit)[int(InDim::Offset)]));
  return result;
}

/// Wavefronts of one access beyond one per group of lanes. A wavefront moves 128 bytes, so lanes that move 8 or 16
/// bytes go in groups of 16 or 8; within a group, different 4-byte words of one bank (of 32) wait for each other.
static int extraWavefronts(llvm::ArrayRef<int64_t> laneOffsets, int vectorBytes) {
  constexpr int banks = 32;
  int groupLanes = vectorBytes <= 4 ? 32 : 128 / vectorBytes;
  int extra = 0;
  for (int first = 0; first < int(laneOffsets.size()); first += groupLanes) {
    std::array<llvm::SmallSet<int64_t, 8>, banks> words;
    for (int64_t offset : laneOffsets.slice(first, std::min<int>(groupLanes, laneOffsets.size() - first))) {
      if (offset < 0)
        continue;
      for (int64_t word = offset / 4; word * 4 < offset + vectorBytes; ++word)
        words[word % banks].insert(word);
    }
    int worst = 1;
    for (const auto &wordsOfBank : words)
      worst = std::max<int>(worst, wordsOfBank.size());
    extra += worst - 1;
  }
  return extra;
}

int tlx::layout::bankConflicts(const LinearLayout &registers, const SharedTile &tile, int vectorBytes) {
  assert(vectorBytes > 0 && vectorBytes <= 16 && vectorBytes % tile.elemBytes == 0 &&
         "whole elements, one instruction");
  int worst = 0;
  int step = vectorBytes / tile.elemBytes;
  for (int reg = 0; reg < registers.inSize(InDim::Register); reg += step) {
    llvm::SmallVector<int64_t> offsets;
    for (int lane = 0; lane < registers.inSize(InDim::Lane); ++lane) {
      Coords coords = registers.at(reg, lane, /*warp=*/0);
      llvm::SmallVector<int64_t, 4> wide(coords.begin(), coords.end());
      bool inside = llvm::all_of(llvm::zip_equal(wide, tile.shape),
                                 [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); });
      // Lanes in the padding do not take part.
      offsets.push_back(inside ? tile.byteOffset(wide) : -1);
    }
    worst = std::max(worst, extraWavefronts(offsets, vectorBytes));
  }
  return worst;
}
