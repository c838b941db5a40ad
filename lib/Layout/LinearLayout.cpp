//===- LinearLayout.cpp - construction, evaluation, printing --------------------------------------------===//
//
// Bases are kept as row-major numbers of the padded tile: coordinates occupy disjoint bit ranges, so one XOR moves
// along all axes at once.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Layout/LinearLayout.h"
#include "Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlx::layout;

llvm::StringRef tlx::layout::inDimName(InDim dim) {
  switch (dim) {
  case InDim::Register:
    return "register";
  case InDim::Lane:
    return "lane";
  case InDim::Warp:
    return "warp";
  case InDim::Block:
    return "block";
  case InDim::Offset:
    return "offset";
  }
  llvm_unreachable("not an input dimension");
}

LinearLayout::LinearLayout(llvm::ArrayRef<int> axisBits) : axisBits(axisBits) {
  assert(llvm::all_of(axisBits, [](int bits) { return bits >= 0 && bits < 32; }) && "a coordinate has 31 bits");
  assert(totalOutBits() < 64 && "row-major numbers have 64 bits");
}

LinearLayout LinearLayout::identity(InDim dim, int bits, int axis, int rank) {
  assert(axis >= 0 && axis < rank && "axis out of range");
  llvm::SmallVector<int, 4> axisBits(rank, 0);
  axisBits[axis] = bits;
  LinearLayout result(axisBits);
  for (int bit = 0; bit < bits; ++bit)
    result.bases[int(dim)].push_back(uint64_t(1) << bit);
  return result;
}

LinearLayout LinearLayout::zeros(InDim dim, int bits, int rank) {
  LinearLayout result(llvm::SmallVector<int, 4>(rank, 0));
  result.bases[int(dim)].assign(bits, 0);
  return result;
}

void LinearLayout::addBasis(InDim dim, llvm::ArrayRef<int32_t> coords) {
  assert(inBits(dim) < 31 && "an index has 31 bits");
  bases[int(dim)].push_back(flatten(coords));
}

int LinearLayout::totalOutBits() const {
  int total = 0;
  for (int bits : axisBits)
    total += bits;
  return total;
}

int LinearLayout::shiftOf(int axis) const {
  int shift = 0;
  for (int later = axis + 1; later < rank(); ++later)
    shift += axisBits[later];
  return shift;
}

uint64_t LinearLayout::flatten(llvm::ArrayRef<int32_t> coords) const {
  assert(int(coords.size()) == rank() && "one coordinate per axis");
  uint64_t flat = 0;
  for (auto [coord, bits] : llvm::zip_equal(coords, axisBits)) {
    assert(coord >= 0 && (int64_t(coord) >> bits) == 0 && "coordinate outside the tile");
    flat = flat << bits | uint64_t(coord);
  }
  return flat;
}

Coords LinearLayout::unflatten(uint64_t flat) const {
  Coords coords(rank(), 0);
  for (int axis = rank() - 1; axis >= 0; --axis) {
    coords[axis] = int32_t(flat & ((uint64_t(1) << axisBits[axis]) - 1));
    flat >>= axisBits[axis];
  }
  return coords;
}

uint64_t LinearLayout::applyFlat(InDim dim, uint64_t index) const {
  assert((index >> inBits(dim)) == 0 && "index outside the dimension");
  uint64_t flat = 0;
  for (uint64_t basis : bases[int(dim)]) {
    if (index & 1)
      flat ^= basis;
    index >>= 1;
  }
  return flat;
}

Coords LinearLayout::apply(llvm::ArrayRef<std::pair<InDim, int32_t>> inputs) const {
  uint64_t flat = 0;
  for (auto [dim, index] : inputs)
    flat ^= applyFlat(dim, uint32_t(index));
  return unflatten(flat);
}

Coords LinearLayout::at(int32_t reg, int32_t lane, int32_t warp, int32_t block) const {
  return apply({{InDim::Register, reg}, {InDim::Lane, lane}, {InDim::Warp, warp}, {InDim::Block, block}});
}

bool LinearLayout::isSurjective() const {
  Span span;
  for (InDim dim : allInDims)
    for (uint64_t basis : bases[int(dim)])
      span.insert(basis, 0);
  return span.rank() == totalOutBits();
}

bool LinearLayout::isInjective() const {
  return llvm::all_of(allInDims, [&](InDim dim) { return freeMask(dim) == 0; });
}

uint64_t LinearLayout::freeMask(InDim dim) const {
  Span span;
  uint64_t mask = 0;
  for (InDim scanned : allInDims) {
    for (auto [bit, basis] : llvm::enumerate(bases[int(scanned)]))
      if (!span.insert(basis, 0) && scanned == dim)
        mask |= uint64_t(1) << bit;
    if (scanned == dim)
      break;
  }
  return mask;
}

LinearLayout LinearLayout::withoutFreeRegisters() const {
  LinearLayout result = *this;
  auto &registers = result.bases[int(InDim::Register)];
  registers.clear();
  uint64_t free = freeMask(InDim::Register);
  for (auto [bit, basis] : llvm::enumerate(bases[int(InDim::Register)]))
    if (!(free >> bit & 1))
      registers.push_back(basis);
  return result;
}

llvm::hash_code tlx::layout::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.axisBits.begin(), layout.axisBits.end());
  // The count keeps a basis from moving to the next dimension unnoticed.
  for (const auto &basesOfDim : layout.bases)
    hash = llvm::hash_combine(hash, basesOfDim.size(), llvm::hash_combine_range(basesOfDim.begin(), basesOfDim.end()));
  return hash;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  for (InDim dim : allInDims) {
    if (inBits(dim) == 0)
      continue;
    os << inDimName(dim) << ':';
    for (int bit = 0; bit < inBits(dim); ++bit) {
      os << " (";
      llvm::interleave(basis(dim, bit), os, ",");
      os << ')';
    }
    os << "; ";
  }
  os << "-> [";
  llvm::interleave(axisBits, os, [&](int bits) { os << (int64_t(1) << bits); }, ",");
  os << ']';
}

llvm::raw_ostream &tlx::layout::operator<<(llvm::raw_ostream &os, const LinearLayout &layout) {
  layout.print(os);
  return os;
}
