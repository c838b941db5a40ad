// `for` and `while`: run-time loops become scf, compile-time ones are unrolled.
#include "CarriedVariables.h"
#include "Specializer.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The items that a compile-time iterable goes over.
std::optional<SmallVector<Datum>> Specializer::staticItems(const Datum &iterable) {
  if (const SequenceValue *sequence = iterable.asSequence())
    return SmallVector<Datum>(sequence->elements.begin(), sequence->elements.end());
  const auto *range = iterable.getIf<RangeValue>();
  if (!range)
    return std::nullopt;
  auto start = range->start->asInt(), end = range->end->asInt(), step = range->step->asInt();
  if (!start || !end || !step || *step == 0)
    return std::nullopt;
  double trips = (static_cast<double>(*end) - static_cast<double>(*start)) / static_cast<double>(*step);
  if (trips > (1 << 16)) {
    if (range->isStatic)
      emit.error(diag::Kind::UnrollLimit)
          << "the loop would be unrolled " << llvm::format("%.0f", trips) << " times; the limit is 65536";
    return std::nullopt;
  }
  SmallVector<Datum> items;
  for (int64_t i = *start; *step > 0 ? i < *end : i > *end; i += *step)
    items.push_back(Datum(i));
  return items;
}

LogicalResult Specializer::executeLoopBody(ast::Body body) {
  ++frame().closedRegions;
  auto flow = execute(body, nullptr);
  --frame().closedRegions;
  return LogicalResult(flow);
}

LogicalResult Specializer::unroll(const ast::For *statement, ArrayRef<Datum> items) {
  constexpr unsigned mostUnrolled = 1 << 17;
  unrolled += static_cast<unsigned>(items.size());
  if (unrolled > mostUnrolled) {
    emit.error(diag::Kind::UnrollLimit) << "the loops of the kernel would be unrolled " << unrolled
                                        << " times; the limit is " << mostUnrolled;
    return failure();
  }
  for (const Datum &item : items)
    if (failed(assign(statement->target, item)) || failed(executeLoopBody(statement->body)))
      return failure();
  return success();
}

/// A loop that asks to be unrolled as often as it runs is no loop.
static bool wantsFullUnroll(const RangeValue &range, size_t tripCount) {
  for (const auto &[name, value] : range.attributes)
    if (name == "loop_unroll_factor")
      return value.asInt() == static_cast<int64_t>(tripCount);
  return false;
}

LogicalResult Specializer::executeFor(const ast::For *statement) {
  if (!statement->elseBody.empty())
    return LogicalResult(unsupported(statement->range, "`else` of a loop"));
  auto iterable = evaluate(statement->iterable);
  if (failed(iterable))
    return failure();
  const auto *range = iterable->getIf<RangeValue>();
  unsigned errors = sink.errorCount();
  Emitter::At at(emit, statement->iterable->range);
  auto items = !range || range->isStatic || !range->attributes.empty() ? staticItems(*iterable) : std::nullopt;
  if (items && (!range || range->isStatic || wantsFullUnroll(*range, items->size())))
    return unroll(statement, *items);
  if (sink.errorCount() != errors)
    return failure();
  if (range && !range->isStatic)
    return emitFor(statement, *range);
  sink.error(range ? diag::Kind::NeedsConstexpr : diag::Kind::ArgumentType, statement->iterable->range)
      << "a loop goes over a range, a tuple or a list; this is " << iterable->describe();
  return failure();
}

namespace {
struct LoopBounds {
  DType type;
  mlir::Value lower, upper, step;
  /// For a loop that counts down: what the variable is at iteration 0, and by how much it falls.
  mlir::Value start, stride;
};
} // namespace

static bool isLoopBound(const Datum &value) {
  return value.asInt() || (value.isScalar() && !value.dtype().isPointer && value.dtype().isInteger());
}

static FailureOr<LoopBounds> boundsOf(Emitter &emit, const RangeValue &range) {
  LoopBounds bounds{{ScalarKind::I32}, {}, {}, {}, {}, {}};
  const Datum *values[] = {range.start.get(), range.end.get(), range.step.get()};
  for (const Datum *value : values) {
    if (!isLoopBound(*value)) {
      emit.error(diag::Kind::ArgumentType) << "bounds of a loop are integers; this is " << value->describe();
      return failure();
    }
    DType type = value->isIR() ? value->dtype() : *value->literalType();
    if (type.bits() == 64)
      bounds.type = {ScalarKind::I64};
  }
  auto step = range.step->asInt();
  if (step && *step == 0) {
    emit.error(diag::Kind::DivisionByZero) << "the step of the loop is zero";
    return failure();
  }
  Datum start = *range.start, end = *range.end, stride = *range.step;
  if (step && *step < 0) {
    // Counted from 0 upwards: as many iterations, the variable computed in each.
    auto distance = emit.binary(ast::BinaryOp::Subtract, start, end);
    auto rounded = failed(distance) ? distance : emit.binary(ast::BinaryOp::Add, *distance, Datum(-*step - 1));
    auto trips = failed(rounded) ? rounded : emit.binary(ast::BinaryOp::FloorDivide, *rounded, Datum(-*step));
    auto first = emit.convert(start, bounds.type), fall = emit.convert(stride, bounds.type);
    if (failed(trips) || failed(first) || failed(fall))
      return failure();
    bounds.start = first->value;
    bounds.stride = fall->value;
    start = Datum(int64_t(0));
    end = *trips;
    stride = Datum(int64_t(1));
  }
  auto lower = emit.convert(start, bounds.type), upper = emit.convert(end, bounds.type);
  auto stepValue = emit.convert(stride, bounds.type);
  if (failed(lower) || failed(upper) || failed(stepValue))
    return failure();
  bounds.lower = lower->value;
  bounds.upper = upper->value;
  bounds.step = stepValue->value;
  return bounds;
}

Attribute tlx::specialize::loopAttribute(Builder &builder, const Datum &value) {
  if (const auto *boolean = value.getIf<bool>())
    return builder.getBoolAttr(*boolean);
  if (auto integer = value.asInt())
    return builder.getI32IntegerAttr(static_cast<int32_t>(*integer));
  return builder.getStringAttr(value.text());
}

LogicalResult Specializer::emitFor(const ast::For *statement, const RangeValue &range) {
  Emitter::At at(emit, statement->iterable->range);
  auto bounds = boundsOf(emit, range);
  CarriedVariables carried(*this);
  if (failed(bounds) || failed(carried.collect(statement->body)))
    return failure();
  auto loop = emit.create<scf::ForOp>(bounds->lower, bounds->upper, bounds->step, carried.initial());
  for (const auto &[name, value] : range.attributes)
    loop->setAttr("tlx." + name, loopAttribute(emit.builder, value));
  OpBuilder::InsertionGuard guard(emit.builder);
  Block *body = loop.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  emit.builder.setInsertionPointToEnd(body);
  carried.enter(loop.getRegionIterArgs());
  mlir::Value variable = loop.getInductionVar();
  if (bounds->start) {
    mlir::Value fallen = emit.create<arith::MulIOp>(variable, bounds->stride);
    variable = emit.create<arith::AddIOp>(bounds->start, fallen);
  }
  if (failed(assign(statement->target, Datum::ir(variable, bounds->type))) || failed(executeLoopBody(statement->body)))
    return failure();
  auto yields = carried.yields();
  if (failed(yields))
    return failure();
  emit.create<scf::YieldOp>(*yields);
  carried.leave(loop.getResults());
  return success();
}

LogicalResult Specializer::executeWhile(const ast::While *statement) {
  if (!statement->elseBody.empty())
    return LogicalResult(unsupported(statement->range, "`else` of a loop"));
  CarriedVariables carried(*this);
  if (failed(carried.collect(statement->body)))
    return failure();
  SmallVector<Type> types = carried.types();
  auto loop = emit.create<scf::WhileOp>(types, carried.initial());
  OpBuilder::InsertionGuard guard(emit.builder);
  SmallVector<Location> places(types.size(), emit.location());
  Block *before = emit.builder.createBlock(&loop.getBefore(), {}, types, places);
  carried.enter(before->getArguments());
  auto condition = evaluate(statement->condition);
  Emitter::At at(emit, statement->condition->range);
  if (succeeded(condition) && condition->truth() && *condition->truth())
    return LogicalResult(unsupported(statement->condition->range, "a loop that never ends"));
  auto chosen = failed(condition) ? FailureOr<mlir::Value>(failure()) : emit.asScalarCondition(*condition);
  if (failed(chosen))
    return failure();
  emit.create<scf::ConditionOp>(*chosen, before->getArguments());
  Block *after = emit.builder.createBlock(&loop.getAfter(), {}, types, places);
  carried.enter(after->getArguments());
  if (failed(executeLoopBody(statement->body)))
    return failure();
  auto yields = carried.yields();
  if (failed(yields))
    return failure();
  emit.create<scf::YieldOp>(*yields);
  carried.leave(loop.getResults());
  return success();
}
