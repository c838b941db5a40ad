//===- TileBounds.cpp - what a mask says of the axes of a tile --------------------------------------------===//

#include "TileBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/TileOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tlx;

//===-- masks ----------------------------------------------------------------------------------------------===//

static void shape(SmallVectorImpl<Polynomial> &along, Operation *op) {
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    along.insert(along.begin() + expand.getAxis(), Polynomial());
    return;
  }
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    SmallVector<Polynomial> before(along.begin(), along.end());
    for (auto [axis, from] : llvm::enumerate(permute.getOrder()))
      along[axis] = before[from];
    return;
  }
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  for (int64_t axis = 0; axis < from.getRank(); ++axis)
    if (from.getDimSize(axis) == 1)
      along[axis] = Polynomial();
}

/// `shaping` gives the comparison the shape of the tile, last operation first.
static std::optional<TileBound> boundOf(arith::CmpIOp compare, ArrayRef<Operation *> shaping, TileForms &forms) {
  auto left = forms.of(compare.getLhs()), right = forms.of(compare.getRhs());
  if (!left || !right || left->pointer || right->pointer || !left->wraps.empty() || !right->wraps.empty())
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::sge) {
    std::swap(left, right);
    predicate = predicate == Predicate::sgt ? Predicate::slt : Predicate::sle;
  }
  if (predicate != Predicate::slt && predicate != Predicate::sle)
    return std::nullopt;
  // left - right < 0.
  Polynomial offset = left->base - right->base - Polynomial(predicate == Predicate::sle);
  SmallVector<Polynomial> along;
  for (auto [one, other] : llvm::zip_equal(left->along, right->along))
    along.push_back(one - other);
  for (Operation *op : llvm::reverse(shaping))
    shape(along, op);
  std::optional<TileBound> bound;
  for (auto [axis, factor] : llvm::enumerate(along)) {
    if (factor.isZero())
      continue;
    if (bound || (factor != Polynomial(1) && factor != Polynomial(-1)))
      return std::nullopt;
    bool isLower = factor == Polynomial(-1);
    // -i + offset < 0 is i - offset - 1 >= 0.
    bound = TileBound{static_cast<int64_t>(axis), isLower, isLower ? Polynomial(-1) - offset : offset};
  }
  return bound;
}

static bool collect(Value mask, ArrayRef<Operation *> shaping, TileForms &forms, SmallVectorImpl<TileBound> &bounds) {
  if (!mask || matchPattern(mask, m_One()))
    return true;
  Operation *op = mask.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::AndIOp>(op)) {
    bool isAll = collect(op->getOperand(0), shaping, forms, bounds);
    return collect(op->getOperand(1), shaping, forms, bounds) && isAll;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto bound = boundOf(compare, shaping, forms);
    if (bound)
      bounds.push_back(*bound);
    return bound.has_value();
  }
  if (!isa<BroadcastOp, ExpandDimsOp, PermuteOp>(op))
    return false;
  SmallVector<Operation *> more(shaping);
  more.push_back(op);
  return collect(op->getOperand(0), more, forms, bounds);
}

bool tlx::collectBounds(Value mask, TileForms &forms, SmallVectorImpl<TileBound> &bounds) {
  return collect(mask, {}, forms, bounds);
}

//===-- what a tile becomes ----------------------------------------------------------------------------------===//

namespace {

class Uses {
public:
  Uses(TileForms &forms, const TileBound &bound) : forms(forms), bound(bound) {}

  /// Whether all that the value, whose elements beyond the bound lie along `axis`, is used for is harmless.
  bool areHarmless(Value value, int64_t axis) {
    if (!seen.insert({value, axis}).second)
      return true;
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isHarmless(use, axis); });
  }

private:
  bool isHarmless(OpOperand &use, int64_t axis);
  bool isHarmlessInProduct(AsyncDotOp dot, unsigned operand, int64_t axis);
  /// In another iteration the bound would be another one.
  bool isHarmlessInLoop(scf::ForOp loop, unsigned index, int64_t axis) {
    bool isFixed = llvm::all_of(bound.offset.all(), [&](const auto &term) {
      return llvm::all_of(term.first,
                          [&](unsigned number) { return loop.isDefinedOutsideOfLoop(forms.scalars()[number]); });
    });
    return isFixed && areHarmless(loop.getResult(index), axis) && areHarmless(loop.getRegionIterArg(index), axis);
  }

  TileForms &forms;
  const TileBound &bound;
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
};

} // namespace

bool Uses::isHarmlessInProduct(AsyncDotOp dot, unsigned operand, int64_t axis) {
  // Rows of the first operand are rows of the result, columns of the second its columns.
  bool isOwn = dot->getOperand(operand) == dot.getAcc() ||
               (axis == 0 ? dot->getOperand(operand) == dot.getA() && dot.getA() != dot.getB()
                          : dot->getOperand(operand) == dot.getB() && dot.getA() != dot.getB());
  return isOwn && areHarmless(dot.getResult(), axis);
}

bool Uses::isHarmless(OpOperand &use, int64_t axis) {
  Operation *op = use.getOwner();
  Value value = use.get();
  if (auto store = dyn_cast<StoreOp>(op)) {
    SmallVector<TileBound> bounds;
    collectBounds(store.getMask(), forms, bounds);
    return value == store.getValue() && llvm::is_contained(bounds, TileBound{axis, false, bound.offset});
  }
  if (auto store = dyn_cast<LocalStoreOp>(op))
    return value == store.getValue() ? areHarmless(store.getBuffer(), axis) : true;
  if (auto dot = dyn_cast<AsyncDotOp>(op))
    return isHarmlessInProduct(dot, use.getOperandNumber(), axis);
  if (isa<AsyncDotWaitOp>(op))
    return areHarmless(op->getResult(0), axis);
  if (auto turned = dyn_cast<LocalTransOp>(op))
    return cast<BufferType>(value.getType()).getShape().size() == 2 && areHarmless(turned.getResult(), 1 - axis);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    OpResult result = loop.getTiedLoopResult(&use);
    return result && isHarmlessInLoop(loop, result.getResultNumber(), axis);
  }
  if (auto loop = isa<scf::YieldOp>(op) ? dyn_cast<scf::ForOp>(op->getParentOp()) : scf::ForOp())
    return isHarmlessInLoop(loop, use.getOperandNumber(), axis);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && op->hasTrait<OpTrait::Elementwise>() && llvm::all_of(op->getResults(), [&](Value result) {
           auto made = dyn_cast<RankedTensorType>(result.getType());
           return made && made.getShape() == type.getShape() && areHarmless(result, axis);
         });
}

bool tlx::isDeadBeyond(Value value, const TileBound &bound, TileForms &forms) {
  return Uses(forms, bound).areHarmless(value, bound.axis);
}
