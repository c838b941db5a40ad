//===- RegisterAccess.cpp - registers in use, vectors, movement -----------------------------------------===//

#include "tlx/Layout/RegisterAccess.h"
#include "Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx::layout;

namespace {

/// The XORs of bases of lanes, warps and blocks, each once: where register 0 lies in the threads of a tile. Bits that
/// registers reach too still move a register, so freeMask is not the measure.
llvm::SmallVector<uint64_t> threadPositions(const LinearLayout &layout) {
  llvm::SmallVector<uint64_t> positions = {0};
  Span span;
  for (InDim dim : {InDim::Lane, InDim::Warp, InDim::Block}) {
    for (int bit = 0; bit < layout.inBits(dim); ++bit) {
      uint64_t basis = layout.flatBasis(dim, bit);
      if (!span.insert(basis, 0))
        continue;
      for (size_t i = 0, size = positions.size(); i < size; ++i)
        positions.push_back(positions[i] ^ basis);
    }
  }
  return positions;
}

bool isPadded(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape) {
  assert(int(shape.size()) == layout.rank() && "one size per axis");
  return llvm::any_of(llvm::enumerate(shape), [&](auto axis) { return axis.value() < layout.outSize(axis.index()); });
}

RegisterUse useAmong(const LinearLayout &layout, llvm::ArrayRef<uint64_t> positions, int reg,
                     llvm::ArrayRef<int64_t> shape) {
  uint64_t base = layout.applyFlat(InDim::Register, reg);
  size_t inside = llvm::count_if(positions, [&](uint64_t position) {
    Coords coords = layout.unflatten(base ^ position);
    return llvm::all_of(llvm::zip_equal(coords, shape),
                        [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); });
  });
  if (inside == 0)
    return RegisterUse::None;
  return inside == positions.size() ? RegisterUse::All : RegisterUse::Some;
}

} // namespace

RegisterUse tlx::layout::registerUse(const LinearLayout &layout, int reg, llvm::ArrayRef<int64_t> shape) {
  if (!isPadded(layout, shape))
    return RegisterUse::All;
  return useAmong(layout, threadPositions(layout), reg, shape);
}

bool tlx::layout::isRegisterUsed(const LinearLayout &layout, int reg, llvm::ArrayRef<int64_t> shape) {
  return registerUse(layout, reg, shape) != RegisterUse::None;
}

llvm::SmallVector<int> tlx::layout::usedRegisters(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape) {
  auto all = llvm::seq<int>(0, layout.inSize(InDim::Register));
  if (!isPadded(layout, shape))
    return llvm::SmallVector<int>(all.begin(), all.end());
  llvm::SmallVector<uint64_t> positions = threadPositions(layout);
  llvm::SmallVector<int> used;
  for (int reg : all)
    if (useAmong(layout, positions, reg, shape) != RegisterUse::None)
      used.push_back(reg);
  return used;
}

int tlx::layout::vectorWidth(const LinearLayout &layout, int axis, int elemBits, int64_t contiguity) {
  assert(elemBits > 0 && contiguity > 0 && "a vector of nothing");
  int64_t limit = std::min<int64_t>(std::max(128 / elemBits, 1), contiguity & -contiguity);
  int bits = 0;
  while (bits < layout.inBits(InDim::Register) && (int64_t(2) << bits) <= limit) {
    Coords next(layout.rank(), 0);
    next[axis] = 1 << bits;
    if (bits >= layout.outBits(axis) || layout.basis(InDim::Register, bits) != next)
      break;
    ++bits;
  }
  // A vector starts at a multiple of its width only if nothing else moves within it.
  for (InDim dim : allInDims)
    for (int bit = dim == InDim::Register ? bits : 0; bit < layout.inBits(dim); ++bit)
      if (int32_t coord = layout.basis(dim, bit)[axis])
        bits = std::min(bits, llvm::countr_zero(uint32_t(coord)));
  return 1 << bits;
}

Movement tlx::layout::movement(const LinearLayout &source, const LinearLayout &destination) {
  LinearLayout origin = destination.invertAndCompose(source);
  Movement result = Movement::None;
  auto atLeast = [&](Movement level) { result = std::max(result, level); };
  for (InDim dim : allInDims) {
    for (int bit = 0; bit < origin.inBits(dim); ++bit) {
      Coords from = origin.basis(dim, bit);
      // What differs from the same place, dimension by dimension.
      from[int(dim)] ^= 1 << bit;
      if (from[int(InDim::Block)])
        atLeast(Movement::Blocks);
      if (from[int(InDim::Warp)])
        atLeast(Movement::Warps);
      if (from[int(InDim::Lane)])
        atLeast(Movement::Lanes);
      if (from[int(InDim::Register)])
        atLeast(dim == InDim::Register ? Movement::Registers : Movement::Lanes);
    }
  }
  return result;
}
