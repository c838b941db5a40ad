//===- TileForm.cpp - tiles of integers and addresses that are linear in their indices ------------------===//

#include "TileForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

/// Longer sums are not addresses of tiles in a matrix.
static constexpr size_t mostTerms = 16;

static std::optional<int64_t> constantOf(Value value) {
  llvm::APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

//===-- scalars --------------------------------------------------------------------------------------------===//

Polynomial TileForms::itself(Value scalar) {
  known.insert(scalar);
  return Polynomial::scalar(std::distance(known.begin(), llvm::find(known, scalar)));
}

Polynomial TileForms::ofScalar(Value scalar) {
  if (auto found = numbers.find(scalar); found != numbers.end())
    return found->second;
  Polynomial result;
  unsigned bits = scalar.getType().getIntOrFloatBitWidth();
  if (bits != 32 && bits != 64)
    result = itself(scalar);
  else if (auto number = constantOf(scalar))
    result = Polynomial(*number);
  else if (auto argument = dyn_cast<BlockArgument>(scalar))
    result = carriedScalar(argument);
  else {
    Operation *op = scalar.getDefiningOp();
    auto operand = [&](unsigned i) { return ofScalar(op->getOperand(i)); };
    if (isa<arith::AddIOp>(op))
      result = operand(0) + operand(1);
    else if (isa<arith::SubIOp>(op))
      result = operand(0) - operand(1);
    else if (isa<arith::MulIOp>(op))
      result = operand(0) * operand(1);
    else if (isa<arith::ExtSIOp>(op) && op->getOperand(0).getType().isInteger(32))
      narrow.push_back(result = operand(0));
    else if (auto bits = isa<arith::ShLIOp>(op) ? constantOf(op->getOperand(1)) : std::nullopt;
             bits && *bits >= 0 && *bits < 31)
      result = operand(0) * Polynomial(int64_t(1) << *bits);
    else
      result = itself(scalar);
    if (result.all().size() > mostTerms)
      result = itself(scalar);
    result.widen(bits == 64 && !isa<arith::ExtSIOp>(op));
  }
  numbers[scalar] = result;
  return result;
}

/// What `each` adds up to from the loop's first iteration to the present one.
std::optional<Polynomial> TileForms::overIterations(scf::ForOp loop, const Polynomial &each) {
  for (const auto &[product, factor] : each.all())
    for (unsigned index : product)
      if (!loop.isDefinedOutsideOfLoop(known[index]))
        return std::nullopt;
  auto step = constantOf(loop.getStep());
  auto eachOfStep = step && *step > 0 ? each.dividedBy(*step) : std::nullopt;
  if (!eachOfStep)
    return std::nullopt;
  return *eachOfStep * (itself(loop.getInductionVar()) - ofScalar(loop.getLowerBound()));
}

Polynomial TileForms::carriedScalar(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return itself(argument);
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  Polynomial own = itself(argument);
  // What is computed on the way is in terms of the argument: that is forgotten again.
  llvm::DenseMap<Value, Polynomial> before = numbers;
  numbers[argument] = own;
  Polynomial each = ofScalar(loop.getBody()->getTerminator()->getOperand(index)) - own;
  numbers = std::move(before);
  auto sum = overIterations(loop, each);
  return sum ? ofScalar(loop.getInitArgs()[index]) + *sum : own;
}

//===-- tiles ----------------------------------------------------------------------------------------------===//

std::optional<TileForm> TileForms::of(Value tile) {
  if (auto found = forms.find(tile); found != forms.end())
    return found->second;
  std::optional<TileForm> form = compute(tile);
  if (form && form->base.all().size() > mostTerms)
    form.reset();
  forms[tile] = form;
  return form;
}

static TileForm sum(const TileForm &one, const TileForm &other, int64_t sign = 1) {
  TileForm result = one;
  Polynomial factor(sign);
  result.base = one.base + other.base * factor;
  llvm::append_range(result.wraps, other.wraps);
  for (auto [mine, its] : llvm::zip_equal(result.along, other.along))
    mine = mine + its * factor;
  return result;
}

std::optional<TileForm> TileForms::product(const TileForm &one, const TileForm &other) {
  auto isUniform = [](const TileForm &form) {
    return llvm::all_of(form.along, [](const Polynomial &axis) { return axis.isZero(); });
  };
  if (!isUniform(other))
    return isUniform(one) ? product(other, one) : std::nullopt;
  if (!other.wraps.empty())
    return std::nullopt;
  TileForm result = one;
  result.base = one.base * other.base;
  for (Polynomial &axis : result.along)
    axis = axis * other.base;
  return result;
}

/// `(index + offset) % size` is `index + offset` as long as that is below the size.
std::optional<TileForm> TileForms::remainder(TileForm index, Value divisor) {
  auto size = of(divisor);
  if (!size || size->pointer || index.along.size() != 1 || index.along[0] != Polynomial(1) || !size->along[0].isZero())
    return std::nullopt;
  index.wraps.push_back({0, index.base, size->base});
  return index;
}

/// A tile that a loop carries and adds the same to, everywhere and in every iteration.
std::optional<TileForm> TileForms::carried(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return std::nullopt;
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  Value next = loop.getBody()->getTerminator()->getOperand(index);
  if (next == argument)
    return of(loop.getInitArgs()[index]);
  Operation *step = next.getDefiningOp();
  if (!step || !isa<AddPtrOp, arith::AddIOp>(step))
    return std::nullopt;
  Value other = step->getOperand(step->getOperand(0) == argument ? 1 : 0);
  if (step->getOperand(0) != argument && (isa<AddPtrOp>(step) || step->getOperand(1) != argument))
    return std::nullopt;
  auto initial = of(loop.getInitArgs()[index]), each = of(other);
  if (!initial || !each || !each->wraps.empty() ||
      llvm::any_of(each->along, [](const Polynomial &axis) { return !axis.isZero(); }))
    return std::nullopt;
  auto added = overIterations(loop, each->base);
  if (!added)
    return std::nullopt;
  initial->base = initial->base + *added;
  return initial;
}

std::optional<TileForm> TileForms::compute(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type) {
    // A scalar address.
    if (auto add = tile.getDefiningOp<AddPtrOp>()) {
      auto from = of(add.getPointer());
      if (from)
        from->base = from->base + ofScalar(add.getOffset());
      return from;
    }
    return isa<PointerType>(tile.getType()) ? std::optional(TileForm{Polynomial(), {}, tile, {}}) : std::nullopt;
  }
  Type element = type.getElementType();
  if (!isa<PointerType>(element) && !element.isInteger(32) && !element.isInteger(64))
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(tile))
    return carried(argument);
  Operation *op = tile.getDefiningOp();
  int64_t rank = type.getRank();
  if (auto splat = dyn_cast<SplatOp>(op)) {
    TileForm form;
    if (isa<PointerType>(splat.getValue().getType())) {
      auto scalar = of(splat.getValue());
      if (!scalar)
        return std::nullopt;
      form = *scalar;
    } else if (splat.getValue().getType().isInteger()) {
      form.base = ofScalar(splat.getValue());
    } else {
      return std::nullopt;
    }
    form.along.assign(rank, Polynomial());
    return form;
  }
  DenseIntElementsAttr number;
  if (matchPattern(tile, m_Constant(&number)) && number.isSplat())
    return TileForm{Polynomial(number.getSplatValue<APInt>().getSExtValue()),
                    SmallVector<Polynomial, 2>(rank, Polynomial()),
                    {},
                    {}};
  if (auto range = dyn_cast<RangeOp>(op))
    return TileForm{Polynomial(range.getStart()), {Polynomial(1)}, {}, {}};
  auto first = op->getNumOperands() ? of(op->getOperand(0)) : std::nullopt;
  if (!first)
    return std::nullopt;
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    first->along.insert(first->along.begin() + expand.getAxis(), Polynomial());
    for (Wrap &wrap : first->wraps)
      wrap.axis += wrap.axis >= unsigned(expand.getAxis());
    return first;
  }
  if (isa<BroadcastOp>(op)) {
    auto from = cast<RankedTensorType>(op->getOperand(0).getType());
    for (int64_t axis = 0; axis < rank; ++axis)
      if (from.getDimSize(axis) == 1)
        first->along[axis] = Polynomial();
    return first;
  }
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    TileForm turned = *first;
    for (auto [axis, from] : llvm::enumerate(permute.getOrder()))
      turned.along[axis] = first->along[from];
    for (Wrap &wrap : turned.wraps)
      wrap.axis = std::distance(permute.getOrder().begin(), llvm::find(permute.getOrder(), int32_t(wrap.axis)));
    return turned;
  }
  if (isa<arith::ExtSIOp>(op)) {
    if (!getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(32))
      return std::nullopt;
    narrow.push_back(first->base);
    return first;
  }
  if (isa<arith::RemSIOp>(op))
    return remainder(*first, op->getOperand(1));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, AddPtrOp>(op))
    return std::nullopt;
  if (!isa<RankedTensorType>(op->getOperand(1).getType()))
    return std::nullopt;
  auto second = of(op->getOperand(1));
  if (!second)
    return std::nullopt;
  auto result = isa<arith::MulIOp>(op) ? product(*first, *second)
                                       : std::optional(sum(*first, *second, isa<arith::SubIOp>(op) ? -1 : 1));
  if (result)
    result->base.widen(type.getElementType().isInteger(64));
  return result;
}
