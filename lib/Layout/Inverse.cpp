//===- Inverse.cpp - products, composition and inverses -------------------------------------------------===//

#include "Span.h"
#include "tlx/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace tlx::layout;

namespace {

/// Numbers all input bits of a layout, dimension after dimension.
class InputBits {
public:
  explicit InputBits(const LinearLayout &layout) {
    for (InDim dim : allInDims) {
      first[int(dim)] = total;
      bits[int(dim)] = layout.inBits(dim);
      total += layout.inBits(dim);
    }
    assert(total <= 64 && "a set of inputs has 64 bits");
  }

  uint64_t single(InDim dim, int bit) const { return uint64_t(1) << (first[int(dim)] + bit); }
  bool has(InDim dim, int bit) const { return bit < bits[int(dim)]; }
  llvm::ArrayRef<int> perDim() const { return bits; }

  /// A set of input bits as one index per dimension.
  Coords indices(uint64_t inputs) const {
    Coords result;
    for (int dim = 0; dim < numInDims; ++dim)
      result.push_back(bits[dim] == 0 ? 0 : int32_t(inputs >> first[dim] & ((uint64_t(1) << bits[dim]) - 1)));
    return result;
  }

private:
  std::array<int, numInDims> first;
  std::array<int, numInDims> bits;
  int total = 0;
};

Span spanOf(const LinearLayout &layout, const InputBits &inputs) {
  Span span;
  for (InDim dim : allInDims)
    for (int bit = 0; bit < layout.inBits(dim); ++bit)
      span.insert(layout.flatBasis(dim, bit), inputs.single(dim, bit));
  return span;
}

} // namespace

namespace tlx::layout {

LinearLayout operator*(const LinearLayout &lhs, const LinearLayout &rhs) {
  assert(lhs.rank() == rhs.rank() && "a product keeps the rank");
  llvm::SmallVector<int, 4> axisBits;
  for (auto [low, high] : llvm::zip_equal(lhs.outBits(), rhs.outBits()))
    axisBits.push_back(low + high);
  LinearLayout result(axisBits);
  for (InDim dim : allInDims) {
    for (int bit = 0; bit < lhs.inBits(dim); ++bit)
      result.addBasis(dim, lhs.basis(dim, bit));
    for (int bit = 0; bit < rhs.inBits(dim); ++bit) {
      Coords coords = rhs.basis(dim, bit);
      for (auto [coord, low] : llvm::zip_equal(coords, lhs.outBits()))
        coord <<= low;
      result.addBasis(dim, coords);
    }
  }
  return result;
}

} // namespace tlx::layout

LinearLayout LinearLayout::compose(const LinearLayout &next) const {
  assert(next.inBits(InDim::Offset) == totalOutBits() && "next takes the elements of this as its offset");
  assert(llvm::all_of(allInDims, [&](InDim dim) { return dim == InDim::Offset || next.inBits(dim) == 0; }) &&
         "next takes an offset only");
  LinearLayout result(next.axisBits);
  for (InDim dim : allInDims)
    for (uint64_t basis : bases[int(dim)])
      result.bases[int(dim)].push_back(next.applyFlat(InDim::Offset, basis));
  return result;
}

LinearLayout LinearLayout::invert() const {
  assert(isInjective() && "only bijective layouts have an inverse");
  return pseudoInvert();
}

LinearLayout LinearLayout::pseudoInvert() const {
  InputBits inputs(*this);
  Span span = spanOf(*this, inputs);
  assert(span.rank() == totalOutBits() && "every element needs a place");
  LinearLayout result(inputs.perDim());
  for (int bit = 0; bit < totalOutBits(); ++bit)
    result.addBasis(InDim::Offset, inputs.indices(*span.solve(uint64_t(1) << bit)));
  return result;
}

LinearLayout LinearLayout::invertAndCompose(const LinearLayout &source) const {
  assert(axisBits == source.axisBits && "layouts of different tiles");
  InputBits inputs(source);
  Span span = spanOf(source, inputs);
  assert(span.rank() == totalOutBits() && "every element needs a place in the source");
  LinearLayout result(inputs.perDim());
  for (InDim dim : allInDims) {
    for (int bit = 0; bit < inBits(dim); ++bit) {
      uint64_t target = bases[int(dim)][bit];
      uint64_t place = 0;
      // Start from the same place and correct what it holds: the span gives the correction in the nearest dimensions,
      // because each of its vectors is told from earlier dimensions only.
      if (inputs.has(dim, bit)) {
        place = inputs.single(dim, bit);
        target ^= source.bases[int(dim)][bit];
      }
      result.addBasis(dim, inputs.indices(place ^ *span.solve(target)));
    }
  }
  return result;
}
