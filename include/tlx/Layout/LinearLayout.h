//===- LinearLayout.h - F2-linear maps from hardware indices to tile coordinates ------------------------===//
//
// Where each element of a tile lives, as a linear map over bits: (register, lane, warp, block) or a memory offset on
// the one side, the coordinates of the tile on the other. Axes are padded to powers of two; RegisterAccess.h says which
// registers of a padded tile matter.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LAYOUT_LINEARLAYOUT_H
#define TLX_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace llvm {
class raw_ostream;
}

namespace tlx::layout {

/// The input dimensions, in the order in which replication is looked for. A layout without bits in a dimension equals
/// one that lacks the dimension.
enum class InDim { Register, Lane, Warp, Block, Offset };
constexpr int numInDims = 5;
constexpr std::array<InDim, numInDims> allInDims = {InDim::Register, InDim::Lane, InDim::Warp, InDim::Block,
                                                    InDim::Offset};
llvm::StringRef inDimName(InDim dim);

/// One number per axis of the tile.
using Coords = llvm::SmallVector<int32_t, 4>;

class LinearLayout {
public:
  /// A layout of rank 0 without inputs.
  LinearLayout() = default;
  /// No inputs yet; axis i has 2^axisBits[i] elements. Inputs are added by addBasis.
  explicit LinearLayout(llvm::ArrayRef<int> axisBits);

  /// 2^bits consecutive indices of `dim` are consecutive elements of `axis`; the other axes have size 1.
  static LinearLayout identity(InDim dim, int bits, int axis, int rank);
  /// 2^bits copies: every index of `dim` means the one element of a tile of size 1.
  static LinearLayout zeros(InDim dim, int bits, int rank);

  /// Appends the next higher bit of `dim`: setting it moves by `coords` (XOR on each axis).
  void addBasis(InDim dim, llvm::ArrayRef<int32_t> coords);

  int rank() const { return axisBits.size(); }
  int outBits(int axis) const { return axisBits[axis]; }
  int64_t outSize(int axis) const { return int64_t(1) << axisBits[axis]; }
  llvm::ArrayRef<int> outBits() const { return axisBits; }
  int totalOutBits() const;
  int inBits(InDim dim) const { return bases[int(dim)].size(); }
  int64_t inSize(InDim dim) const { return int64_t(1) << inBits(dim); }
  Coords basis(InDim dim, int bit) const { return unflatten(bases[int(dim)][bit]); }

  /// The element at an index; dimensions not listed are 0.
  Coords apply(llvm::ArrayRef<std::pair<InDim, int32_t>> inputs) const;
  /// The element in a register of a thread.
  Coords at(int32_t reg, int32_t lane, int32_t warp, int32_t block = 0) const;
  /// The element at an offset of a memory layout.
  Coords atOffset(int32_t offset) const { return apply({{InDim::Offset, offset}}); }

  /// Row-major number of an element in the padded tile, and back.
  uint64_t flatten(llvm::ArrayRef<int32_t> coords) const;
  Coords unflatten(uint64_t flat) const;
  /// The same as apply() and basis(), in row-major numbers.
  uint64_t applyFlat(InDim dim, uint64_t index) const;
  uint64_t flatBasis(InDim dim, int bit) const { return bases[int(dim)][bit]; }

  /// Every element of the padded tile has a place.
  bool isSurjective() const;
  /// No element has two places.
  bool isInjective() const;
  /// The bits of `dim` that reach nothing that lower bits and earlier dimensions do not reach. Places with all these
  /// bits clear hold every element exactly once.
  uint64_t freeMask(InDim dim) const;
  /// The layout without its free register bits, for results that need one copy per thread only.
  LinearLayout withoutFreeRegisters() const;

  /// Tiles of layout `lhs` repeated by `rhs`: rhs's bits come above lhs's, in the inputs and on each axis.
  friend LinearLayout operator*(const LinearLayout &lhs, const LinearLayout &rhs);

  /// this, then `next`, which takes the row-major number of an element of this as its Offset.
  LinearLayout compose(const LinearLayout &next) const;
  /// From the row-major number of an element (as Offset) to its place: the result has one axis per InDim, in that
  /// order. The layout must be bijective.
  LinearLayout invert() const;
  /// As invert(), for layouts with copies: gives the copy whose free bits are clear. The layout must be surjective.
  LinearLayout pseudoInvert() const;
  /// For each place of this layout a place of `source` that holds the same element (one axis per InDim). Where source
  /// has copies, one in the same thread is preferred, then in the same warp, then in the same block. Both layouts have
  /// the same padded shape and source is surjective.
  LinearLayout invertAndCompose(const LinearLayout &source) const;

  /// Drops an axis: where the result of reducing along it lives. What the axis' bits told apart become copies.
  LinearLayout slice(int axis) const;
  /// Inserts an axis of size 1.
  LinearLayout expandDims(int axis) const;
  /// Keeps the axis, with size 1: the layout of what is broadcast along it to this layout.
  LinearLayout projectTo1(int axis) const;
  /// Axis i of the result is axis order[i] of this.
  LinearLayout permute(llvm::ArrayRef<int> order) const;
  /// Same elements, numbered row-major, under new axes; sizes are powers of two.
  LinearLayout reshape(llvm::ArrayRef<int64_t> shape) const;

  /// A last axis of size 2 taken apart.
  struct Halves;
  /// Nothing when the halves are not told apart by one register bit alone.
  std::optional<Halves> split() const;
  /// Adds a last axis of size 2, told apart by a register bit inserted at position `registerBit`.
  LinearLayout join(int registerBit = 0) const;

  bool operator==(const LinearLayout &other) const { return axisBits == other.axisBits && bases == other.bases; }
  friend llvm::hash_code hash_value(const LinearLayout &layout);
  /// One line: `register: (0,1) (8,0); lane: ... -> [64,128]`.
  void print(llvm::raw_ostream &os) const;

private:
  LinearLayout withFlatBases(llvm::ArrayRef<int> newAxisBits) const;
  int shiftOf(int axis) const;

  /// Log2 of the size of each axis.
  llvm::SmallVector<int, 4> axisBits;
  /// Row-major numbers: XOR of numbers is XOR of coordinates.
  std::array<llvm::SmallVector<uint64_t, 8>, numInDims> bases;
};

struct LinearLayout::Halves {
  LinearLayout half;
  /// Registers with this bit clear hold the half of index 0; the bit is absent from `half`.
  int registerBit;
};

llvm::hash_code hash_value(const LinearLayout &layout);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &layout);

} // namespace tlx::layout

#endif // TLX_LAYOUT_LINEARLAYOUT_H
