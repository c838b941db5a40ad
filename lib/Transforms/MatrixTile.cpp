//===- MatrixTile.cpp - the rectangle of a matrix that a load through pointers reads --------------------===//

#include "MatrixTile.h"
#include "TileBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

/// PTX ISA, tensor maps: at most five axes; address and strides are multiples of 16 bytes.
static constexpr size_t mostAxes = 5;
static constexpr int64_t copyBytes = 16;
/// CUDA Driver API, cuTensorMapEncodeTiled: what one message has along an axis. The last axis is cut into panels.
static constexpr int64_t mostInBox = 256;

namespace {

class TileRecovery {
public:
  TileRecovery(LoadOp load, TileForms &forms, const AxisInfoAnalysis &facts)
      : load(load), forms(forms), facts(facts), type(cast<RankedTensorType>(load.getType())) {}

  std::optional<MatrixTile> run() {
    if (!readAddress() || !readBounds() || !placeBounded() || !placeRest() || !isAligned() || !fitsCoordinates() ||
        !isInside())
      return std::nullopt;
    // What has no axis in the tile comes first.
    llvm::append_range(outer, tile.axes);
    tile.axes = outer;
    return tile;
  }

private:
  bool readAddress();
  bool readBounds();
  bool placeBounded();
  bool placeRest();
  bool addTo(MatrixAxis &axis, const Polynomial::Product &product, int64_t factor);
  bool placeOuter(const Polynomial::Product &product, int64_t factor, bool takesNumbers);
  bool isAligned() const;
  bool fitsCoordinates();
  bool isInside() const;
  bool isNonNegative(Value value, int depth = 0) const;
  std::optional<MatrixExtent> extentOf(const Polynomial::Product &product, int64_t factor) const;
  Polynomial polynomialOf(const MatrixExtent &extent) const;
  bool isParameter(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &load->getParentOfType<func::FuncOp>().getBody().front() &&
           value.getType().isInteger(32);
  }

  LoadOp load;
  TileForms &forms;
  const AxisInfoAnalysis &facts;
  RankedTensorType type;
  SmallVector<TileBound> bounds;
  MatrixTile tile;
  SmallVector<MatrixAxis, 3> outer;
  /// What of the address no coordinate stands for yet.
  Polynomial rest;
};

} // namespace

std::optional<MatrixExtent> TileRecovery::extentOf(const Polynomial::Product &product, int64_t factor) const {
  if (factor <= 0 || product.size() > 1)
    return std::nullopt;
  if (product.empty())
    return MatrixExtent{factor, {}};
  Value scalar = forms.scalars()[product.front()];
  if (!isParameter(scalar))
    return std::nullopt;
  return MatrixExtent{factor, cast<BlockArgument>(scalar)};
}

Polynomial TileRecovery::polynomialOf(const MatrixExtent &extent) const {
  Polynomial factor(extent.number);
  return extent.parameter ? forms.ofScalar(extent.parameter) * factor : factor;
}

bool TileRecovery::readAddress() {
  auto form = forms.of(load.getPointer());
  auto pointer = form ? dyn_cast_or_null<BlockArgument>(form->pointer) : BlockArgument();
  if (!pointer || pointer.getOwner() != &load->getParentOfType<func::FuncOp>().getBody().front())
    return false;
  tile.pointer = pointer;
  rest = form->base;
  for (auto [axis, along] : llvm::enumerate(form->along)) {
    MatrixAxis made;
    made.extent = type.getDimSize(axis);
    if (along.all().size() != 1)
      return false;
    const auto &[product, factor] = *along.all().begin();
    auto stride = extentOf(product, factor);
    if (!stride)
      return false;
    made.stride = *stride;
    tile.axes.push_back(made);
  }
  return tile.axes.size() >= 2 && tile.axes.back().stride.number == 1 && !tile.axes.back().stride.parameter;
}

/// Everything of a conjunction that is not a bound of one axis is something else than a rectangle. An index that wraps
/// is bounded, too, where nobody sees what it wraps to.
bool TileRecovery::readBounds() {
  if (!collectBounds(load.getMask(), forms, bounds))
    return false;
  TileForm address = *forms.of(load.getPointer());
  for (const Wrap &wrap : address.wraps) {
    TileBound bound{wrap.axis, false, wrap.offset - wrap.size};
    if (!isDeadBeyond(load.getResult(), bound, forms))
      return false;
    bounds.push_back(bound);
  }
  return true;
}

/// i + offset < 0 with offset = coordinate - size: the size is a parameter's multiple or, without parameters, a number.
bool TileRecovery::placeBounded() {
  for (const TileBound &bound : bounds) {
    if (bound.isLower)
      continue;
    MatrixAxis &axis = tile.axes[bound.axis];
    std::optional<MatrixExtent> size;
    for (const auto &[product, factor] : bound.offset.all()) {
      auto candidate = extentOf(product, -factor);
      if (candidate && (!size || (candidate->parameter && !size->parameter)))
        size = candidate;
      else if (candidate && candidate->parameter)
        return false;
    }
    if (!size)
      return false;
    Polynomial coordinate = bound.offset + polynomialOf(*size);
    if (axis.size && !(axis.coordinate == coordinate && polynomialOf(*axis.size) == polynomialOf(*size)))
      return false;
    if (!axis.size)
      rest = rest - coordinate * polynomialOf(axis.stride);
    axis.size = size;
    axis.coordinate = coordinate;
  }
  return true;
}

bool TileRecovery::addTo(MatrixAxis &axis, const Polynomial::Product &product, int64_t factor) {
  Polynomial stride = polynomialOf(axis.stride);
  const auto &[strideProduct, strideFactor] = *stride.all().begin();
  auto part = divideTerm(product, factor, strideProduct, strideFactor);
  if (part)
    axis.coordinate = axis.coordinate + *part;
  return part.has_value();
}

/// What the bounded axes do not stand for belongs to axes without bounds, large strides first, or to axes of which the
/// tile is one element wide. The last axis, along which everything fits, comes last.
bool TileRecovery::placeRest() {
  SmallVector<MatrixAxis *> unbounded;
  for (MatrixAxis &axis : llvm::drop_end(tile.axes))
    if (!axis.size)
      unbounded.push_back(&axis);
  llvm::stable_sort(unbounded, [](MatrixAxis *one, MatrixAxis *other) {
    auto rank = [](MatrixAxis *axis) { return std::pair(bool(axis->stride.parameter), axis->stride.number); };
    return rank(one) > rank(other);
  });
  MatrixAxis &last = tile.axes.back();
  for (const auto &[product, factor] : rest.all()) {
    bool isPlaced = llvm::any_of(unbounded, [&, &product = product, &factor = factor](MatrixAxis *axis) {
      return addTo(*axis, product, factor);
    });
    // A step that the kernel takes in 64 bits is an axis of its own even where its size is a number.
    bool isStep = rest.isWide() && factor >= last.extent && factor * type.getElementTypeBitWidth() / 8 % copyBytes == 0;
    if (!isPlaced && !placeOuter(product, factor, isStep) && (last.size || !addTo(last, product, factor)))
      return false;
  }
  return tile.axes.size() + outer.size() <= mostAxes;
}

/// One term as the coordinate of an axis of its own: a scalar times a stride that the launcher knows.
bool TileRecovery::placeOuter(const Polynomial::Product &product, int64_t factor, bool takesNumbers) {
  Polynomial::Product stride, coordinate;
  for (unsigned index : product)
    (stride.empty() && isParameter(forms.scalars()[index]) ? stride : coordinate).push_back(index);
  // Without a parameter it is a step along the tile's own axes.
  auto extent = extentOf(stride, factor);
  if (!extent || (stride.empty() && !takesNumbers) || coordinate.empty())
    return false;
  MatrixAxis axis;
  axis.stride = *extent;
  axis.coordinate = Polynomial::term(coordinate, 1);
  outer.push_back(axis);
  return true;
}

bool TileRecovery::isAligned() const {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (bytes == 0 || facts.get(tile.pointer).commonDivisor() % copyBytes != 0 ||
      tile.axes.back().extent * bytes % copyBytes != 0)
    return false;
  if (llvm::any_of(llvm::drop_end(tile.axes), [](const MatrixAxis &axis) { return axis.extent > mostInBox; }))
    return false;
  auto isMultiple = [&](const MatrixAxis &axis) {
    int64_t divisor = axis.stride.parameter ? facts.get(axis.stride.parameter).commonDivisor() : 1;
    return axis.stride.number * bytes % copyBytes == 0 ||
           powerOfTwoDivisor(axis.stride.number) * divisor * bytes % copyBytes == 0;
  };
  return llvm::all_of(ArrayRef(tile.axes).drop_back(), isMultiple) && llvm::all_of(outer, isMultiple);
}

/// Coordinates have 32 bits. Where the kernel computes with 64, only what it has in 32 somewhere fits for sure.
bool TileRecovery::fitsCoordinates() {
  bool isWide = llvm::any_of(bounds, [](const TileBound &bound) { return bound.offset.isWide(); }) ||
                forms.of(load.getPointer())->base.isWide();
  auto fits = [&](const MatrixAxis &axis) -> bool {
    const auto &terms = axis.coordinate.all();
    bool areNarrow = llvm::all_of(terms, [&](const auto &term) {
      return llvm::isInt<32>(term.second) &&
             llvm::all_of(term.first, [&](unsigned number) { return forms.scalars()[number].getType().isInteger(32); });
    });
    bool isOne = terms.empty() || (terms.size() == 1 && terms.begin()->first.size() <= 1 &&
                                   (terms.begin()->first.empty() || terms.begin()->second == 1));
    return areNarrow && (!isWide || isOne || forms.isNarrow(axis.coordinate));
  };
  return llvm::all_of(tile.axes, fits) && llvm::all_of(outer, fits);
}

/// A divisor is taken to be positive: a program for which it is not has no tile in any matrix.
bool TileRecovery::isNonNegative(Value value, int depth) const {
  constexpr int deepest = 8;
  if (facts.get(value).nonNegative)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == deepest)
    return false;
  auto operand = [&](unsigned i) { return isNonNegative(op->getOperand(i), depth + 1); };
  if (isa<arith::DivSIOp, arith::RemSIOp>(op))
    return operand(0);
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp>(op))
    return operand(0) && operand(1);
  if (isa<arith::MaxSIOp>(op))
    return operand(0) || operand(1);
  return false;
}

/// The copy engine gives zeros in front of the first element, where the kernel's own load reads something.
bool TileRecovery::isInside() const {
  SmallVector<Value> extents;
  auto addExtent = [&](const MatrixAxis &axis) {
    if (axis.stride.parameter)
      extents.push_back(axis.stride.parameter);
    if (axis.size && axis.size->parameter)
      extents.push_back(axis.size->parameter);
  };
  llvm::for_each(tile.axes, addExtent);
  llvm::for_each(outer, addExtent);
  auto isInside = [&](const Polynomial &coordinate) {
    return llvm::all_of(coordinate.all(), [&](const auto &term) {
      return term.second >= 0 && llvm::all_of(term.first, [&](unsigned index) {
               Value scalar = forms.scalars()[index];
               return llvm::is_contained(extents, scalar) || isNonNegative(scalar);
             });
    });
  };
  for (auto [number, axis] : llvm::enumerate(tile.axes)) {
    bool isChecked = llvm::any_of(bounds, [&, number = number](const TileBound &bound) {
      return bound.isLower && bound.axis == int64_t(number) && bound.offset == axis.coordinate;
    });
    if (!isChecked && !isInside(axis.coordinate))
      return false;
  }
  // A bound from below that is not that of the matrix would be lost.
  bool areAllTheMatrix = llvm::all_of(bounds, [&](const TileBound &bound) {
    return !bound.isLower || bound.offset == tile.axes[bound.axis].coordinate;
  });
  return areAllTheMatrix && llvm::all_of(outer, [&](const MatrixAxis &axis) { return isInside(axis.coordinate); });
}

static bool isZero(Value value) {
  while (auto turned = value ? value.getDefiningOp<PermuteOp>() : PermuteOp())
    value = turned.getSource();
  return !value || matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

std::optional<MatrixTile> tlx::matrixTile(LoadOp load, TileForms &forms, const AxisInfoAnalysis &facts) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || load.getIsVolatile() || load.getCache() == ".cv" || !isZero(load.getOther()))
    return std::nullopt;
  return TileRecovery(load, forms, facts).run();
}
