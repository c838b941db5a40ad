//===- Views.cpp - layouts of reduced, reshaped, permuted, split and joined tiles -----------------------===//

#include "tlx/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx::layout;

namespace {

/// A layout with every basis rewritten by `change`.
template <typename Change>
LinearLayout mapBases(const LinearLayout &layout, llvm::ArrayRef<int> axisBits, Change change) {
  LinearLayout result(axisBits);
  for (InDim dim : allInDims)
    for (int bit = 0; bit < layout.inBits(dim); ++bit)
      result.addBasis(dim, change(layout.basis(dim, bit)));
  return result;
}

} // namespace

LinearLayout LinearLayout::slice(int axis) const {
  assert(axis >= 0 && axis < rank() && "axis out of range");
  llvm::SmallVector<int, 4> newBits(axisBits);
  newBits.erase(newBits.begin() + axis);
  return mapBases(*this, newBits, [&](Coords coords) {
    coords.erase(coords.begin() + axis);
    return coords;
  });
}

LinearLayout LinearLayout::expandDims(int axis) const {
  assert(axis >= 0 && axis <= rank() && "axis out of range");
  llvm::SmallVector<int, 4> newBits(axisBits);
  newBits.insert(newBits.begin() + axis, 0);
  return withFlatBases(newBits);
}

LinearLayout LinearLayout::projectTo1(int axis) const {
  return slice(axis).expandDims(axis);
}

LinearLayout LinearLayout::permute(llvm::ArrayRef<int> order) const {
  assert(int(order.size()) == rank() && "one source axis per axis");
  auto permuted = [&](const auto &from) {
    auto to = from;
    for (auto [axis, source] : llvm::enumerate(order))
      to[axis] = from[source];
    return to;
  };
  return mapBases(*this, permuted(axisBits), permuted);
}

LinearLayout LinearLayout::reshape(llvm::ArrayRef<int64_t> shape) const {
  llvm::SmallVector<int, 4> newBits;
  for (int64_t size : shape) {
    assert(llvm::isPowerOf2_64(size) && "row-major numbers of padded tiles do not carry over");
    newBits.push_back(llvm::Log2_64(size));
  }
  return withFlatBases(newBits);
}

LinearLayout LinearLayout::withFlatBases(llvm::ArrayRef<int> newAxisBits) const {
  LinearLayout result(newAxisBits);
  assert(result.totalOutBits() == totalOutBits() && "the number of elements changed");
  result.bases = bases;
  return result;
}

std::optional<LinearLayout::Halves> LinearLayout::split() const {
  assert(rank() > 0 && axisBits.back() == 1 && "the last axis has size 2");
  // The last axis is the lowest bit of row-major numbers.
  int registerBit = -1;
  for (InDim dim : allInDims) {
    for (auto [bit, basis] : llvm::enumerate(bases[int(dim)])) {
      if (!(basis & 1))
        continue;
      if (dim != InDim::Register || registerBit >= 0 || basis != 1)
        return std::nullopt;
      registerBit = bit;
    }
  }
  if (registerBit < 0)
    return std::nullopt;
  LinearLayout half = slice(rank() - 1);
  auto &registers = half.bases[int(InDim::Register)];
  registers.erase(registers.begin() + registerBit);
  return Halves{half, registerBit};
}

LinearLayout LinearLayout::join(int registerBit) const {
  assert(registerBit >= 0 && registerBit <= inBits(InDim::Register) && "a position among the register bits");
  llvm::SmallVector<int, 4> newBits(axisBits);
  newBits.push_back(1);
  LinearLayout result(newBits);
  for (InDim dim : allInDims)
    for (uint64_t basis : bases[int(dim)])
      result.bases[int(dim)].push_back(basis << 1);
  auto &registers = result.bases[int(InDim::Register)];
  registers.insert(registers.begin() + registerBit, uint64_t(1));
  return result;
}
