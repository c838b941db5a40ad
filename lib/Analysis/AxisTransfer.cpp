//===- AxisTransfer.cpp - contiguity, constancy and divisibility of results -----------------------------===//

#include "mlir/IR/Matchers.h"
#include "tlx/Analysis/AxisInfo.h"
#include "tlx/Dialect/PinnedLayouts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlx;
using Facts = ArrayRef<AxisInfo>;

static int64_t saturatingProduct(int64_t a, int64_t b) {
  return std::min<int64_t>(a * b, powerOfTwoDivisor(0));
}

/// Sum of two tiles; the second counts in units of `scale` bytes when the first holds addresses.
static AxisInfo sumOf(const AxisInfo &a, const AxisInfo &b, int64_t scale) {
  AxisInfo sum;
  for (int axis = 0; axis < int(a.axes.size()); ++axis) {
    const AxisInfo::Axis &x = a.axes[axis], &y = b.axes[axis];
    int64_t contiguity = std::max(std::min(x.contiguity, y.constancy), std::min(x.constancy, y.contiguity));
    sum.axes.push_back(
        {contiguity, std::min(x.constancy, y.constancy),
         std::min(a.divisibilityAt(axis, contiguity), saturatingProduct(b.divisibilityAt(axis, contiguity), scale))});
  }
  if (a.constant && b.constant)
    sum.constant = *a.constant + *b.constant * scale;
  return sum;
}

static AxisInfo differenceOf(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result;
  for (int axis = 0; axis < int(a.axes.size()); ++axis) {
    const AxisInfo::Axis &x = a.axes[axis], &y = b.axes[axis];
    int64_t contiguity = std::max<int64_t>(1, std::min(x.contiguity, y.constancy));
    result.axes.push_back({contiguity, std::min(x.constancy, y.constancy),
                           std::min(a.divisibilityAt(axis, contiguity), b.divisibilityAt(axis, contiguity))});
  }
  if (a.constant && b.constant)
    result.constant = *a.constant - *b.constant;
  return result;
}

/// Values of which only equality within groups and a common divisor are known.
static AxisInfo elementwise(const AxisInfo &a, const AxisInfo &b, int64_t divisor) {
  AxisInfo result;
  for (auto [x, y] : llvm::zip_equal(a.axes, b.axes))
    result.axes.push_back({1, std::min(x.constancy, y.constancy), divisor});
  return result;
}

static AxisInfo productOf(const AxisInfo &a, const AxisInfo &b) {
  if (a.constant == 1)
    return b;
  if (b.constant == 1)
    return a;
  AxisInfo result = elementwise(a, b, saturatingProduct(a.commonDivisor(), b.commonDivisor()));
  if (a.constant && b.constant)
    result.constant = *a.constant * *b.constant;
  return result;
}

/// Division by a constant turns contiguous runs into equal ones; below zero the run before a multiple goes with it.
static AxisInfo quotientOf(const AxisInfo &a, const AxisInfo &b) {
  if (b.constant == 1)
    return a;
  AxisInfo result = elementwise(a, b, 1);
  if (!b.constant || *b.constant <= 0)
    return result;
  int64_t step = powerOfTwoDivisor(*b.constant);
  for (int axis = 0; a.nonNegative && axis < int(a.axes.size()); ++axis) {
    const AxisInfo::Axis &x = a.axes[axis];
    int64_t run = std::min({x.contiguity, x.divisibility, step});
    result.axes[axis].constancy = std::max(result.axes[axis].constancy, run);
  }
  if (step == *b.constant)
    for (AxisInfo::Axis &axis : result.axes)
      axis.divisibility = std::max<int64_t>(1, a.commonDivisor() / step);
  if (a.constant)
    result.constant = *a.constant / *b.constant;
  return result;
}

/// A run that starts at a multiple of its length stays a run modulo a multiple of its length.
static AxisInfo remainderOf(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result = elementwise(a, b, std::min(a.commonDivisor(), b.commonDivisor()));
  for (int axis = 0; a.nonNegative && axis < int(a.axes.size()); ++axis) {
    const AxisInfo::Axis &x = a.axes[axis], &y = b.axes[axis];
    int64_t divisor = b.divisibilityAt(axis, 1);
    int64_t run = std::min({x.contiguity, x.divisibility, divisor, y.constancy});
    result.axes[axis].contiguity = run;
    result.axes[axis].divisibility = std::min(a.divisibilityAt(axis, run), divisor);
  }
  if (a.constant && b.constant && *b.constant != 0)
    result.constant = *a.constant % *b.constant;
  return result;
}

static AxisInfo shiftOf(const AxisInfo &a, const AxisInfo &b) {
  if (!b.constant || *b.constant < 0 || *b.constant > 30)
    return elementwise(a, b, a.commonDivisor());
  AxisInfo factor = b;
  factor.constant = int64_t(1) << *b.constant;
  for (AxisInfo::Axis &axis : factor.axes)
    axis.divisibility = *factor.constant;
  return productOf(a, factor);
}

/// `a < n`, where runs of `a` and `n` are multiples of a group: the whole group agrees.
static AxisInfo comparison(arith::CmpIOp op, const AxisInfo &a, const AxisInfo &b) {
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  AxisInfo result = elementwise(a, b, 1);
  auto raise = [&](const AxisInfo &run, const AxisInfo &bound) {
    for (int axis = 0; axis < int(run.axes.size()); ++axis) {
      const AxisInfo::Axis &x = run.axes[axis], &y = bound.axes[axis];
      int64_t group = std::min({x.contiguity, x.divisibility, bound.divisibilityAt(axis, 1), y.constancy});
      result.axes[axis].constancy = std::max(result.axes[axis].constancy, group);
    }
  };
  if (llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate))
    raise(a, b);
  if (llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate))
    raise(b, a);
  return result;
}

static AxisInfo rangeInfo(RangeOp op) {
  int64_t count = int64_t(op.getEnd()) - int64_t(op.getStart());
  int64_t contiguity = powerOfTwoDivisor(count);
  int64_t divisibility = powerOfTwoDivisor(op.getStart());
  if (contiguity != count)
    divisibility = std::min(divisibility, contiguity);
  AxisInfo info;
  info.axes.push_back({contiguity, 1, divisibility});
  info.nonNegative = int32_t(op.getStart()) >= 0;
  return info;
}

static AxisInfo constantInfo(arith::ConstantOp op) {
  Type type = op.getType();
  APInt value;
  if (matchPattern(op.getResult(), m_ConstantInt(&value)))
    return AxisInfo::uniform(type, powerOfTwoDivisor(value.getSExtValue()), value.getSExtValue());
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()); dense && dense.isSplat())
    return AxisInfo::uniform(type, 1);
  return AxisInfo::unknown(type);
}

static AxisInfo expandedInfo(ExpandDimsOp op, AxisInfo info) {
  info.axes.insert(info.axes.begin() + op.getAxis(), {1, 1, info.commonDivisor()});
  return info;
}

static AxisInfo broadcastInfo(BroadcastOp op, AxisInfo info) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  for (auto [axis, facts] : llvm::enumerate(info.axes))
    if (from.getDimSize(axis) != to.getDimSize(axis))
      facts.constancy = powerOfTwoDivisor(to.getDimSize(axis));
  return info;
}

static AxisInfo permutedInfo(PermuteOp op, const AxisInfo &info) {
  AxisInfo result;
  result.nonNegative = info.nonNegative;
  for (int32_t source : op.getOrder())
    result.axes.push_back(info.axes[source]);
  return result;
}

static AxisInfo selectInfo(arith::SelectOp op, Facts operands) {
  AxisInfo result = operands[1].join(operands[2]);
  if (!isa<RankedTensorType>(op.getCondition().getType()))
    return result;
  for (auto [axis, facts] : llvm::enumerate(result.axes)) {
    int64_t group = operands[0].axes[axis].constancy;
    int64_t contiguity = std::min(facts.contiguity, group);
    facts.divisibility =
        std::min(operands[1].divisibilityAt(axis, contiguity), operands[2].divisibilityAt(axis, contiguity));
    facts.contiguity = contiguity;
    facts.constancy = std::min(facts.constancy, group);
  }
  return result;
}

static AxisInfo addressInfo(AddPtrOp op, Facts operands) {
  Type pointer = getElementTypeOrSelf(op.getType());
  int64_t bytes = std::max<int64_t>(1, cast<PointerType>(pointer).getPointee().getIntOrFloatBitWidth() / 8);
  return sumOf(operands[0], operands[1], powerOfTwoDivisor(bytes));
}

/// `tlx.divisibility`, `tlx.contiguity`, `tlx.constancy`: what the source promises.
static void applyHints(Operation *op, AxisInfo &info) {
  auto raise = [&](StringRef name, int64_t AxisInfo::Axis::*field) {
    Attribute hint = op->getAttr(name);
    for (auto [axis, facts] : llvm::enumerate(info.axes)) {
      int64_t value = 1;
      if (auto number = dyn_cast_or_null<IntegerAttr>(hint))
        value = number.getInt();
      else if (auto numbers = dyn_cast_or_null<DenseI32ArrayAttr>(hint); numbers && axis < size_t(numbers.size()))
        value = numbers[axis];
      facts.*field = std::max(facts.*field, powerOfTwoDivisor(value));
    }
  };
  raise("tlx.contiguity", &AxisInfo::Axis::contiguity);
  raise("tlx.constancy", &AxisInfo::Axis::constancy);
  raise("tlx.divisibility", &AxisInfo::Axis::divisibility);
}

static AxisInfo inferPlain(Operation *op, Facts in, Value result) {
  Type type = result.getType();
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp constant) { return constantInfo(constant); })
      .Case([&](RangeOp range) { return rangeInfo(range); })
      .Case([&](SplatOp) { return AxisInfo::uniform(type, in[0].commonDivisor(), in[0].constant); })
      .Case([&](ExpandDimsOp expand) { return expandedInfo(expand, in[0]); })
      .Case([&](BroadcastOp broadcast) { return broadcastInfo(broadcast, in[0]); })
      .Case([&](PermuteOp permute) { return permutedInfo(permute, in[0]); })
      .Case([&](AddPtrOp address) { return addressInfo(address, in); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, ConvertLayoutOp, RequireLayoutOp,
            ReleaseLayoutOp>([&](auto) { return in[0]; })
      .Case([&](arith::AddIOp) { return sumOf(in[0], in[1], 1); })
      .Case([&](arith::SubIOp) { return differenceOf(in[0], in[1]); })
      .Case([&](arith::MulIOp) { return productOf(in[0], in[1]); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([&](auto) { return quotientOf(in[0], in[1]); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return remainderOf(in[0], in[1]); })
      .Case([&](arith::ShLIOp) { return shiftOf(in[0], in[1]); })
      .Case([&](arith::CmpIOp compare) { return comparison(compare, in[0], in[1]); })
      .Case([&](arith::SelectOp select) { return selectInfo(select, in); })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return elementwise(in[0], in[1], std::min(in[0].commonDivisor(), in[1].commonDivisor())); })
      .Case([&](arith::AndIOp) {
        return elementwise(in[0], in[1], std::max(in[0].commonDivisor(), in[1].commonDivisor()));
      })
      .Default([&](Operation *other) {
        // An elementwise function of equal values is equal.
        if (!other->hasTrait<OpTrait::Elementwise>() || in.empty())
          return AxisInfo::unknown(type);
        AxisInfo info = elementwise(in[0], in[0], 1);
        for (const AxisInfo &operand : in)
          info = elementwise(info, operand, 1);
        return info;
      });
}

static bool isNonNegative(Operation *op, Facts in, const AxisInfo &inferred) {
  auto both = [&] { return in[0].nonNegative && in[1].nonNegative; };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ProgramIdOp, NumProgramsOp, ClusterRankOp, ThreadIdOp, arith::ExtUIOp>([](auto) { return true; })
      .Case<SplatOp, arith::RemSIOp>([&](auto) { return in[0].nonNegative; })
      .Case<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::MinSIOp, arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return both(); })
      .Case<arith::MaxSIOp, arith::AndIOp>([&](auto) { return in[0].nonNegative || in[1].nonNegative; })
      .Default([&](Operation *) { return inferred.nonNegative; });
}

AxisInfo tlx::inferAxisInfo(Operation *op, ArrayRef<AxisInfo> operands, Value result) {
  Type type = result.getType();
  if (!isa<RankedTensorType, IntegerType, IndexType, FloatType, PointerType>(type))
    return AxisInfo::unknown(result.getType());
  AxisInfo info = inferPlain(op, operands, result);
  info.nonNegative = isNonNegative(op, operands, info);
  applyHints(op, info);
  return info;
}
