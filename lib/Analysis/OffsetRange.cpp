//===- OffsetRange.cpp - interval arithmetic over tiles of integers -------------------------------------===//

#include "tlx/Analysis/OffsetRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Dialect/TLXDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlx;
using Interval = std::optional<OffsetRange>;

/// Expressions nest so deep at most; what is deeper is not known.
static constexpr int deepest = 24;

static Interval within(int64_t least, int64_t greatest) {
  if (least < INT32_MIN || greatest > INT32_MAX)
    return std::nullopt;
  return OffsetRange{least, greatest};
}

static Interval product(OffsetRange a, OffsetRange b) {
  auto corners = {a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest};
  return within(std::min(corners), std::max(corners));
}

static Interval binaryRange(Operation *op, OffsetRange a, OffsetRange b) {
  bool isPositive = b.least > 0;
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([&](arith::AddIOp) { return within(a.least + b.least, a.greatest + b.greatest); })
      .Case([&](arith::SubIOp) { return within(a.least - b.greatest, a.greatest - b.least); })
      .Case([&](arith::MulIOp) { return product(a, b); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) -> Interval {
        return a.least >= 0 && isPositive ? within(a.least / b.greatest, a.greatest / b.least) : std::nullopt;
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) -> Interval {
        return a.least >= 0 && isPositive ? within(0, std::min(a.greatest, b.greatest - 1)) : std::nullopt;
      })
      .Case([&](arith::MinSIOp) { return within(std::min(a.least, b.least), std::min(a.greatest, b.greatest)); })
      .Case([&](arith::MaxSIOp) { return within(std::max(a.least, b.least), std::max(a.greatest, b.greatest)); })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {
/// Every value is looked at once, however often it is used.
class Intervals {
public:
  Interval of(Value value, int depth) {
    if (depth == 0)
      return std::nullopt;
    auto known = ranges.find(value);
    if (known != ranges.end())
      return known->second;
    Interval range = compute(value, depth - 1);
    ranges[value] = range;
    return range;
  }

private:
  Interval compute(Value value, int depth);
  Interval ofCounter(BlockArgument argument, int depth);
  Interval boundedBySecond(Operation *op, int depth);

  llvm::DenseMap<Value, Interval> ranges;
};
} // namespace

/// A loop counts up from its lower bound and stays below the upper one.
Interval Intervals::ofCounter(BlockArgument argument, int depth) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar())
    return std::nullopt;
  Interval first = of(loop.getLowerBound(), depth), end = of(loop.getUpperBound(), depth);
  return first && end && end->greatest > first->least ? within(first->least, end->greatest - 1) : std::nullopt;
}

/// `x & mask` and `x % n` are bounded whatever x is.
Interval Intervals::boundedBySecond(Operation *op, int depth) {
  if (!isa<arith::AndIOp, arith::RemSIOp>(op))
    return std::nullopt;
  Interval second = of(op->getOperand(1), depth);
  if (!second || second->least <= 0)
    return std::nullopt;
  if (isa<arith::AndIOp>(op))
    return within(0, second->greatest);
  return within(1 - second->greatest, second->greatest - 1);
}

Interval Intervals::compute(Value value, int depth) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofCounter(argument, depth);
  Operation *op = value.getDefiningOp();
  if (APInt constant; matchPattern(value, m_ConstantInt(&constant)))
    return within(constant.getSExtValue(), constant.getSExtValue());
  if (auto range = dyn_cast<RangeOp>(op))
    return within(static_cast<int32_t>(range.getStart()), static_cast<int32_t>(range.getEnd()) - 1);
  if (isa<SplatOp, ExpandDimsOp, BroadcastOp, PermuteOp, ReshapeOp, ConvertLayoutOp, arith::ExtSIOp>(op))
    return of(op->getOperand(0), depth);
  if (isa<arith::ExtUIOp>(op)) {
    Interval inner = of(op->getOperand(0), depth);
    return inner && inner->least >= 0 ? inner : std::nullopt;
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Interval a = of(op->getOperand(0), depth), b = of(op->getOperand(1), depth);
  Interval known = a && b ? binaryRange(op, *a, *b) : std::nullopt;
  return known ? known : boundedBySecond(op, depth);
}

std::optional<OffsetRange> tlx::offsetRange(Value value) {
  return Intervals().of(value, deepest);
}
