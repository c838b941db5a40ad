// `for` and `while`: run-time loops become scf, compile-time ones are unrolled.
#include "AssignedNames.h"
#include "CarriedVariables.h"
#include "Escapes.h"
#include "LoopBounds.h"
#include "Specializer.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The items that a compile-time iterable goes over.
std::optional<SmallVector<Datum>> Specializer::staticItems(const Datum &iterable) {
  if (const SequenceValue *sequence = iterable.asSequence())
    return SmallVector<Datum>(sequence->elements.begin(), sequence->elements.end());
  if (const SequenceValue *dictionary = iterable.asDict())
    return SmallVector<Datum>(dictionary->keys.begin(), dictionary->keys.end());
  const auto *range = iterable.getIf<RangeValue>();
  if (!range)
    return std::nullopt;
  auto start = range->start->asInt(), end = range->end->asInt(), step = range->step->asInt();
  if (!start || !end || !step || *step == 0)
    return std::nullopt;
  double trips = (static_cast<double>(*end) - static_cast<double>(*start)) / static_cast<double>(*step);
  if (trips > (1 << 16)) {
    isFatal |= range->isStatic;
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

/// What is left of the escapes afterwards leads out of the loop.
FlowResult Specializer::executeLoopBody(ast::Body body) {
  ++frame().loopDepth;
  auto flow = execute(body);
  --frame().loopDepth;
  frame().names.erase(escapes::continued);
  return flow;
}

/// Runs the `else` of a loop that has ended, unless `break` ended it.
FlowResult Specializer::finishLoop(ast::Body elseBody) {
  auto broken = frame().names.find(escapes::broken);
  bool mayBreak = broken != frame().names.end();
  if (mayBreak) {
    Binding flag = broken->second;
    frame().names.erase(escapes::broken);
    if (!elseBody.empty())
      frame().names[escapes::skipsElse] = flag;
  }
  Flow flow = flowOfEscapes();
  if (elseBody.empty() || flow == Flow::Escaped) {
    frame().names.erase(escapes::skipsElse);
    return flowOfEscapes();
  }
  auto after = flow == Flow::Next ? execute(elseBody)
                                  : executeGuarded(elseBody.back()->range.end, [&] { return execute(elseBody); });
  if (failed(after) || !mayBreak)
    return after;
  frame().names.erase(escapes::skipsElse);
  return flowOfEscapes();
}

FlowResult Specializer::unrollFrom(const ast::For *statement, ArrayRef<Datum> items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (failed(assign(statement->target, items[i])) || failed(executeLoopBody(statement->body)))
      return failure();
    Flow flow = flowOfEscapes();
    if (flow == Flow::Escaped)
      return flow;
    if (flow == Flow::Maybe && i + 1 < items.size())
      return executeGuarded(statement->range.end, [&] { return unrollFrom(statement, items.drop_front(i + 1)); });
  }
  return flowOfEscapes();
}

FlowResult Specializer::unroll(const ast::For *statement, ArrayRef<Datum> items) {
  unrolled += static_cast<unsigned>(items.size());
  if (unrolled > limits.unrolled) {
    isFatal = true;
    emit.error(diag::Kind::UnrollLimit) << "the loops of the kernel would be unrolled " << unrolled
                                        << " times; the limit is " << limits.unrolled;
    return failure();
  }
  if (failed(unrollFrom(statement, items)))
    return failure();
  return finishLoop(statement->elseBody);
}

/// A loop that asks to be unrolled as often as it runs is no loop.
static bool wantsFullUnroll(const RangeValue &range, size_t tripCount) {
  for (const auto &[name, value] : range.attributes)
    if (name == "loop_unroll_factor")
      return value.asInt() == static_cast<int64_t>(tripCount);
  return false;
}

FlowResult Specializer::executeFor(const ast::For *statement) {
  auto iterable = evaluate(statement->iterable);
  if (failed(iterable))
    return failure();
  const auto *range = iterable->getIf<RangeValue>();
  unsigned errors = sink.errorCount();
  Emitter::At at(emit, statement->iterable->range);
  bool isStatic = !range || range->isStatic || frame().isConstexpr;
  auto items = isStatic || !range->attributes.empty() ? staticItems(*iterable) : std::nullopt;
  if (items && (isStatic || wantsFullUnroll(*range, items->size())))
    return unroll(statement, *items);
  if (sink.errorCount() != errors)
    return failure();
  if (!isStatic) {
    LoopExits exits = exitsOf(statement->body, [&](StringRef name) { return lookupConstant(name); });
    if (exits.any())
      return emitExitingFor(statement, *range, exits);
    return failed(emitFor(statement, *range)) ? FlowResult(failure()) : execute(statement->elseBody);
  }
  sink.error(range ? diag::Kind::NeedsConstexpr : diag::Kind::ArgumentType, statement->iterable->range)
      << "a loop goes over a range, a tuple or a list; this is " << iterable->describe();
  return failure();
}

static bool isLoopBound(const Datum &value) {
  return value.asInt() || (value.isScalar() && !value.dtype().isPointer && value.dtype().isInteger());
}

FailureOr<LoopBounds> LoopBounds::of(Emitter &emit, const RangeValue &range) {
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

mlir::Value LoopBounds::variableAt(Emitter &emit, mlir::Value counter) const {
  if (!start)
    return counter;
  mlir::Value fallen = emit.create<arith::MulIOp>(counter, stride);
  return emit.create<arith::AddIOp>(start, fallen);
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
  auto bounds = LoopBounds::of(emit, range);
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
  mlir::Value variable = bounds->variableAt(emit, loop.getInductionVar());
  if (failed(assign(statement->target, Datum::ir(variable, bounds->type))) || failed(executeLoopBody(statement->body)))
    return failure();
  auto yields = carried.yields();
  if (failed(yields))
    return failure();
  emit.create<scf::YieldOp>(*yields);
  carried.leave(loop.getResults());
  return success();
}
