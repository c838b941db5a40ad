// From a written layout and a tile's shape to the bits of threads and registers.
#include "LayoutSpec.h"
#include "tlx/Layout/MfmaLayouts.h"
#include "tlx/Layout/SharedLayout.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace tlx;
using namespace tlx::specialize;
using layout::InDim;

static RegisterBits bitsOf(const layout::LinearLayout &held) {
  RegisterBits bits;
  for (InDim dim : {InDim::Lane, InDim::Warp})
    for (int bit = 0; bit < held.inBits(dim); ++bit)
      bits.threads.push_back(held.flatBasis(dim, bit));
  for (int bit = 0; bit < held.inBits(InDim::Register); ++bit)
    bits.values.push_back(held.flatBasis(InDim::Register, bit));
  return bits;
}

static std::string checkMatrix(llvm::ArrayRef<int64_t> shape, int64_t rows, int64_t columns) {
  if (shape.size() != 2)
    return "the layout of a matrix instruction is for tiles of two axes; this one has " + std::to_string(shape.size());
  if (shape[0] >= rows && shape[1] >= columns)
    return {};
  return "the layout covers " + std::to_string(rows) + " x " + std::to_string(columns) +
         " elements at once; the tile has " + std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
}

static BitsOrReason bitsFor(const MatrixResult &form, llvm::ArrayRef<int64_t> shape) {
  BitsOrReason result;
  result.reason = checkMatrix(shape, form.tile * form.rows, form.tile * form.columns);
  if (!result.reason.empty())
    return result;
  layout::MfmaShape instruction = {int(form.tile), 0, 4};
  layout::WaveGrid waves = {int(form.rows), int(form.columns), 1};
  // The algebra's own form is the transposed one: a lane holds consecutive columns.
  if (form.isTransposed) {
    result.bits = bitsOf(layout::mfmaAccumulator(shape[0], shape[1], instruction, waves));
    return result;
  }
  std::swap(waves.rows, waves.columns);
  result.bits = bitsOf(layout::mfmaAccumulator(shape[1], shape[0], instruction, waves).permute({1, 0}));
  return result;
}

static BitsOrReason bitsFor(const MatrixOperand &form, llvm::ArrayRef<int64_t> shape) {
  int64_t tile = form.parent.tile, depth = form.run * (64 / tile);
  BitsOrReason result;
  bool isLeft = form.operand == 0;
  result.reason = isLeft ? checkMatrix(shape, tile * form.parent.rows, depth)
                         : checkMatrix(shape, depth, tile * form.parent.columns);
  if (!result.reason.empty())
    return result;
  layout::MfmaShape instruction = {int(tile), int(depth), int(form.run)};
  layout::WaveGrid waves = {int(form.parent.rows), int(form.parent.columns), 1};
  result.bits = bitsOf(isLeft ? layout::mfmaOperandA(shape[0], shape[1], instruction, waves)
                              : layout::mfmaOperandB(shape[0], shape[1], instruction, waves));
  return result;
}

/// How many different elements the bits reach: two to the rank over F2.
static int64_t reached(const RegisterBits &bits) {
  std::vector<uint64_t> basis;
  for (const std::vector<int64_t> *part : {&bits.threads, &bits.values})
    for (uint64_t vector : *part) {
      for (uint64_t known : basis)
        vector = std::min(vector, vector ^ known);
      if (vector)
        basis.push_back(vector);
    }
  return int64_t(1) << basis.size();
}

static BitsOrReason bitsFor(const RegisterBits &form, llvm::ArrayRef<int64_t> shape) {
  BitsOrReason result{form, {}};
  int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  int64_t farthest = 0;
  for (const std::vector<int64_t> *part : {&form.threads, &form.values})
    for (int64_t bit : *part)
      farthest = std::max(farthest, bit);
  if (!llvm::all_of(shape, llvm::isPowerOf2_64))
    result.reason = "a pinned tile has extents that are powers of two";
  else if (farthest >= elements)
    result.reason = "the layout reaches element " + std::to_string(farthest) + "; the tile has " +
                    std::to_string(elements) + " elements";
  else if (reached(form) != elements)
    result.reason = "the layout holds " + std::to_string(reached(form)) + " different elements; the tile has " +
                    std::to_string(elements);
  return result;
}

static BitsOrReason bitsFor(const SharedSwizzle &, llvm::ArrayRef<int64_t>) {
  return {{}, "this is a layout of shared memory; a tile in registers takes one from `tlx.layout`"};
}
static BitsOrReason bitsFor(const SharedBases &, llvm::ArrayRef<int64_t> shape) {
  return bitsFor(SharedSwizzle(), shape);
}

bool tlx::specialize::isForShared(const LayoutSpec &spec) {
  return std::holds_alternative<SharedSwizzle>(spec.form) || std::holds_alternative<SharedBases>(spec.form);
}

/// Offsets in elements of the coordinates with one bit set, row-major.
static std::vector<int64_t> offsetsOf(const SharedSwizzle &form, const layout::LinearLayout &elements) {
  std::vector<int64_t> offsets;
  int64_t mask = (int64_t(1) << form.bits) - 1;
  for (int bit = 0; bit < elements.totalOutBits(); ++bit) {
    int64_t offset = int64_t(1) << bit;
    offsets.push_back(offset ^ ((offset >> (form.base + form.shift) & mask) << form.base));
  }
  return offsets;
}

static std::vector<int64_t> offsetsOf(const SharedBases &form, const layout::LinearLayout &elements) {
  layout::LinearLayout places(elements.outBits());
  for (const std::vector<int64_t> &coordinates : form.offsets)
    places.addBasis(InDim::Offset, layout::Coords(coordinates.begin(), coordinates.end()));
  std::vector<int64_t> offsets;
  if (!places.isSurjective() || !places.isInjective())
    return offsets;
  layout::LinearLayout inverse = places.invert();
  for (int bit = 0; bit < elements.totalOutBits(); ++bit)
    offsets.push_back(inverse.basis(InDim::Offset, bit)[int(InDim::Offset)]);
  return offsets;
}

static bool fitsShape(const LayoutSpec &spec, llvm::ArrayRef<int64_t> shape) {
  const auto *form = std::get_if<SharedBases>(&spec.form);
  return !form || llvm::all_of(form->offsets, [&](const std::vector<int64_t> &coordinates) {
    return coordinates.size() == shape.size() && llvm::all_of(llvm::zip(coordinates, shape), [](auto pair) {
             return std::get<0>(pair) >= 0 && std::get<0>(pair) < std::get<1>(pair);
           });
  });
}

PlacesOrReason tlx::specialize::sharedPlaces(const LayoutSpec &spec, llvm::ArrayRef<int64_t> shape) {
  PlacesOrReason result;
  const auto *bases = std::get_if<SharedBases>(&spec.form);
  if (!llvm::all_of(shape, llvm::isPowerOf2_64)) {
    result.reason = "a written layout is one of extents that are powers of two";
    return result;
  }
  if (bases && !bases->shape.empty() && llvm::ArrayRef(bases->shape) != shape) {
    result.reason = "the layout is one of another shape";
    return result;
  }
  if (!fitsShape(spec, shape)) {
    result.reason = "the layout reaches elements that the buffer does not have";
    return result;
  }
  llvm::SmallVector<int> axisBits;
  for (int64_t extent : shape)
    axisBits.push_back(llvm::Log2_64(extent));
  layout::LinearLayout elements(axisBits);
  result.places = bases ? offsetsOf(*bases, elements) : offsetsOf(std::get<SharedSwizzle>(spec.form), elements);
  RegisterBits reachedBits{result.places, {}};
  if (int(result.places.size()) != elements.totalOutBits() || reached(reachedBits) != int64_t(1)
                                                                                          << elements.totalOutBits())
    result.reason = "the layout does not give each element a place of its own";
  for (auto [interval, amount] : bases ? bases->padding : std::vector<std::pair<int64_t, int64_t>>())
    result.padding.insert(result.padding.end(), {interval, amount});
  return result;
}

std::optional<unsigned> tlx::specialize::sharedSwizzle(const LayoutSpec &spec, llvm::ArrayRef<int64_t> shape,
                                                       int elementBytes) {
  const auto *bases = std::get_if<SharedBases>(&spec.form);
  if (!llvm::all_of(shape, llvm::isPowerOf2_64) || !fitsShape(spec, shape) || (bases && !bases->padding.empty()))
    return std::nullopt;
  llvm::SmallVector<int> axisBits;
  for (int64_t extent : shape)
    axisBits.push_back(llvm::Log2_64(extent));
  layout::LinearLayout elements(axisBits);
  const auto *swizzle = std::get_if<SharedSwizzle>(&spec.form);
  std::vector<int64_t> wanted =
      swizzle ? offsetsOf(*swizzle, elements) : offsetsOf(std::get<SharedBases>(spec.form), elements);
  auto liesSo = [&](int width) {
    layout::SharedTile tile = layout::SharedTile::whole(shape, elementBytes, width);
    bool isWhole = width == 0 || (tile.rank() >= 2 && tile.rows() >= 8 && tile.columns() * elementBytes % width == 0);
    for (size_t bit = 0; isWhole && bit < wanted.size(); ++bit) {
      layout::Coords coords = elements.unflatten(uint64_t(1) << bit);
      llvm::SmallVector<int64_t> wide(coords.begin(), coords.end());
      isWhole = tile.byteOffset(wide) == wanted[bit] * elementBytes;
    }
    return isWhole && int(wanted.size()) == elements.totalOutBits();
  };
  for (int width : {0, 32, 64, 128})
    if (liesSo(width))
      return width;
  return std::nullopt;
}

BitsOrReason tlx::specialize::registerBits(const LayoutSpec &spec, llvm::ArrayRef<int64_t> shape) {
  return std::visit([&](const auto &form) { return bitsFor(form, shape); }, spec.form);
}
