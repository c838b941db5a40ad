//===- RingPlaces.cpp - which slot of a ring a trip of a loop uses --------------------------------------===//

#include "RingPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// What is added to the other operand, and that operand.
static std::pair<Value, int64_t> withoutConstants(Value value) {
  int64_t sum = 0;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::AddIOp, arith::SubIOp>(op))
      break;
    std::optional<int64_t> right = constantOf(op->getOperand(1)), left = constantOf(op->getOperand(0));
    if (right) {
      sum += isa<arith::AddIOp>(op) ? *right : -*right;
      value = op->getOperand(0);
    } else if (left && isa<arith::AddIOp>(op)) {
      sum += *left;
      value = op->getOperand(1);
    } else {
      break;
    }
  }
  return {value, sum};
}

static scf::ForOp loopOfInduction(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && loop.getInductionVar() == value ? loop : scf::ForOp();
}

/// A carried number that starts at a constant and becomes (itself + 1) modulo `length` with every trip.
static std::optional<RingPlace> carriedPlace(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || loop.getInductionVar() == value)
    return std::nullopt;
  std::optional<int64_t> start = constantOf(loop.getTiedLoopInit(argument)->get()),
                         lower = constantOf(loop.getLowerBound()), step = constantOf(loop.getStep());
  auto next = loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp<arith::RemSIOp>();
  std::optional<int64_t> length = next ? constantOf(next.getRhs()) : std::nullopt;
  if (!start || !lower || step != 1 || !length || *start < 0 || *start >= *length)
    return std::nullopt;
  auto [from, added] = withoutConstants(next.getLhs());
  if (from != value || added != 1)
    return std::nullopt;
  return RingPlace{nullptr, loop.getInductionVar(), *start - *lower, *length};
}

static std::optional<RingPlace> placeOfIndex(Value index) {
  if (std::optional<RingPlace> carried = carriedPlace(index))
    return carried;
  auto remainder = index.getDefiningOp<arith::RemSIOp>();
  std::optional<int64_t> length = remainder ? constantOf(remainder.getRhs()) : std::nullopt;
  if (!length || *length < 1)
    return std::nullopt;
  auto [from, added] = withoutConstants(remainder.getLhs());
  if (!loopOfInduction(from))
    return std::nullopt;
  return RingPlace{nullptr, from, added, *length};
}

std::optional<RingPlace> tlx::ringPlaceOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<LocalViewOp>(op)) {
      std::optional<RingPlace> place = placeOfIndex(view.getIndex());
      if (place)
        place->allocation = allocationOf(view.getBuffer());
      return place && place->allocation ? place : std::nullopt;
    }
    if (!isa<LocalSliceOp, LocalTransOp, LocalReshapeOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  return std::nullopt;
}

bool tlx::areApart(const std::optional<RingPlace> &a, const std::optional<RingPlace> &b) {
  return a && b && a->allocation == b->allocation && a->induction == b->induction && a->length == b->length &&
         (a->offset - b->offset) % a->length != 0;
}
