// Loops that end before their condition says so, by `break` or `return`, and `while`: scf.while that carries a flag for
// each way out beside the variables.
#include "AssignedNames.h"
#include "CarriedVariables.h"
#include "Escapes.h"
#include "LoopBounds.h"
#include "Scan.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The value with its IR values taken out into `leaves`.
static Datum withoutLeaves(const Datum &value, SmallVectorImpl<IRValue> &leaves) {
  if (const SequenceValue *parts = value.asParts()) {
    std::vector<Datum> elements;
    for (const Datum &element : parts->elements)
      elements.push_back(withoutLeaves(element, leaves));
    return parts->with(std::move(elements));
  }
  if (!value.isIR())
    return value;
  leaves.push_back(*value.getIf<IRValue>());
  return Datum::ir(mlir::Value(), value.dtype());
}

/// Carries `yields` beside what the loop carries already, `inits` before the first iteration.
static scf::WhileOp carryMore(OpBuilder &builder, scf::WhileOp loop, ValueRange inits, ValueRange yields) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  SmallVector<mlir::Value> allInits(loop.getInits());
  llvm::append_range(allInits, inits);
  auto wider = scf::WhileOp::create(builder, loop.getLoc(), ValueRange(allInits).getTypes(), allInits);
  wider.getBefore().takeBody(loop.getBefore());
  wider.getAfter().takeBody(loop.getAfter());
  for (mlir::Value init : inits) {
    mlir::Value carried = wider.getBeforeBody()->addArgument(init.getType(), loop.getLoc());
    wider.getConditionOp().getArgsMutable().append(carried);
    wider.getAfterBody()->addArgument(init.getType(), loop.getLoc());
  }
  wider.getYieldOp().getResultsMutable().append(yields);
  loop.erase();
  return wider;
}

namespace {
/// The flags of a loop in the order in which it carries them.
SmallVector<StringRef> flagsOf(LoopExits exits) {
  SmallVector<StringRef> flags;
  if (exits.breaks)
    flags.push_back(escapes::broken);
  if (exits.returns)
    flags.push_back(escapes::returned);
  return flags;
}
} // namespace

/// A condition whose evaluation may touch memory is not evaluated after `break`.
FailureOr<mlir::Value> Specializer::whileCondition(const ast::Expr *condition, mlir::Value goesOn) {
  bool hasCall = false;
  forEachExpr(condition, [&](const ast::Expr *expr) { hasCall |= isa<ast::Call>(expr); });
  Emitter::At at(emit, condition->range);
  if (goesOn && hasCall) {
    auto chosen = emitChoice(
        goesOn,
        [&]() -> Result {
          auto value = evaluate(condition);
          auto truth = failed(value) ? FailureOr<IRValue>(failure()) : emit.asCondition(*value);
          return failed(truth) ? Result(failure()) : Result(Datum(*truth));
        },
        [] { return Result(Datum(false)); });
    return failed(chosen) ? FailureOr<mlir::Value>(failure()) : emit.asScalarCondition(*chosen);
  }
  auto value = evaluate(condition);
  if (failed(value))
    return failure();
  if (value->truth().value_or(false))
    return mlir::Value();
  auto scalar = emit.asScalarCondition(*value);
  if (failed(scalar) || !goesOn)
    return scalar;
  return mlir::Value(emit.create<arith::AndIOp>(goesOn, *scalar));
}

/// Both regions of a loop whose results are variables, counters and flags.
FailureOr<scf::WhileOp> Specializer::fillWhile(scf::WhileOp loop, CarriedVariables &carried, const LoopPlan &plan) {
  OpBuilder::InsertionGuard guard(emit.builder);
  SmallVector<Type> types(loop.getResultTypes());
  SmallVector<Location> places(types.size(), emit.location());
  size_t variables = carried.initial().size(), counters = plan.counters.size();
  SmallVector<StringRef> flags = flagsOf(plan.exits);
  Block *before = emit.builder.createBlock(&loop.getBefore(), {}, types, places);
  ValueRange values = before->getArguments();
  carried.enter(values.take_front(variables));
  mlir::Value goesOn;
  if (!flags.empty()) {
    mlir::Value left = values[variables + counters];
    for (mlir::Value flag : values.drop_front(variables + counters + 1))
      left = emit.create<arith::OrIOp>(left, flag);
    goesOn = emit.unary(ast::UnaryOp::Not, Datum::ir(left, {ScalarKind::Bool}))->irValue();
  }
  auto condition = plan.condition(values.slice(variables, counters), goesOn);
  if (failed(condition))
    return failure();
  if (!*condition && !goesOn) {
    emit.error(diag::Kind::UnsupportedConstruct) << "a loop that never ends cannot be used in a kernel";
    return failure();
  }
  emit.create<scf::ConditionOp>(*condition ? *condition : goesOn, before->getArguments());
  Block *after = emit.builder.createBlock(&loop.getAfter(), {}, types, places);
  values = after->getArguments();
  carried.enter(values.take_front(variables));
  if (failed(plan.begin(values.slice(variables, counters))) || failed(executeLoopBody(plan.body)))
    return failure();
  auto yields = carried.yields();
  if (failed(yields))
    return failure();
  llvm::append_range(*yields, plan.step(values.slice(variables, counters)));
  for (StringRef flag : flags) {
    auto found = frame().names.find(flag);
    auto raised = emit.asScalarCondition(found == frame().names.end() ? Datum(false) : found->second.value);
    if (failed(raised))
      return failure();
    yields->push_back(*raised);
  }
  emit.create<scf::YieldOp>(*yields);
  return loop;
}

/// What the loop carries for a value that a `return` inside it gives; zero before there is one.
static FailureOr<SmallVector<mlir::Value>> emptyReturn(Emitter &emit, ArrayRef<IRValue> leaves, SourceRange place) {
  SmallVector<mlir::Value> values;
  for (const IRValue &leaf : leaves) {
    Datum value(leaf);
    if ((!value.isScalar() && !value.isTile()) || leaf.dtype.isPointer) {
      emit.sink.error(diag::Kind::UnsupportedConstruct, place)
          << "`return` in a run-time loop gives numbers and tiles; this is " << value.describe();
      return failure();
    }
    auto zero = emit.literal(leaf.dtype.isFloat() ? Datum(0.0) : Datum(int64_t(0)), leaf.dtype, shapeOf(leaf.value));
    if (failed(zero))
      return failure();
    values.push_back(zero->value);
  }
  return values;
}

FlowResult Specializer::emitWhile(const LoopPlan &plan) {
  CarriedVariables carried(*this);
  if (failed(carried.collect(plan.body)))
    return failure();
  SmallVector<mlir::Value> inits(carried.initial());
  llvm::append_range(inits, plan.counters);
  SmallVector<StringRef> flags = flagsOf(plan.exits);
  size_t firstFlag = inits.size();
  for (size_t i = 0; i < flags.size(); ++i)
    inits.push_back(emit.literal(Datum(false), {ScalarKind::Bool})->value);
  auto loop = emit.create<scf::WhileOp>(ValueRange(inits).getTypes(), inits);
  auto filled = fillWhile(loop, carried, plan);
  emit.builder.setInsertionPointAfter(loop);
  if (failed(filled)) {
    carried.leave(carried.initial());
    return failure();
  }
  Names inside = frame().names;
  dropEscapes();
  SmallVector<IRValue> leaves;
  Binding returned = inside.lookup(escapes::value);
  Datum shape = withoutLeaves(returned.value, leaves);
  size_t firstLeaf = loop.getNumResults();
  if (!leaves.empty()) {
    emit.builder.setInsertionPoint(loop);
    auto empty = emptyReturn(emit, leaves, returned.range);
    if (failed(empty)) {
      emit.builder.setInsertionPointAfter(loop);
      return failure();
    }
    SmallVector<mlir::Value> yields = llvm::map_to_vector(leaves, [](const IRValue &leaf) { return leaf.value; });
    loop = carryMore(emit.builder, loop, *empty, yields);
    emit.builder.setInsertionPointAfter(loop);
  }
  ValueRange results = loop.getResults();
  carried.leave(results.take_front(carried.initial().size()));
  for (auto [index, flag] : llvm::enumerate(flags))
    if (auto found = inside.find(flag); found != inside.end())
      bind(flag, Datum::ir(results[firstFlag + index], {ScalarKind::Bool}), found->second.range);
  if (inside.count(escapes::returned)) {
    unsigned next = 0;
    bind(escapes::value, substitute(shape, results.drop_front(firstLeaf), next), returned.range);
  }
  return flowOfEscapes();
}

FlowResult Specializer::emitExitingFor(const ast::For *statement, const RangeValue &range, LoopExits exits) {
  Emitter::At at(emit, statement->iterable->range);
  auto bounds = LoopBounds::of(emit, range);
  if (failed(bounds))
    return failure();
  auto isBelow = [&](ValueRange counters, mlir::Value goesOn) -> FailureOr<mlir::Value> {
    mlir::Value below = emit.create<arith::CmpIOp>(arith::CmpIPredicate::slt, counters[0], bounds->upper);
    return mlir::Value(emit.create<arith::AndIOp>(goesOn, below));
  };
  auto begin = [&](ValueRange counters) {
    return assign(statement->target, Datum::ir(bounds->variableAt(emit, counters[0]), bounds->type));
  };
  auto step = [&](ValueRange counters) {
    return SmallVector<mlir::Value>{emit.create<arith::AddIOp>(counters[0], bounds->step)};
  };
  if (failed(emitWhile({statement->body, exits, {bounds->lower}, isBelow, begin, step})))
    return failure();
  return finishLoop(statement->elseBody);
}

/// In a constexpr function, where each condition is known when it is met.
FlowResult Specializer::executeStaticWhile(const ast::While *statement) {
  // Counted with all others: a loop in a loop may end too late, too.
  while (++unrolled <= limits.unrolled) {
    auto condition = evaluate(statement->condition);
    if (failed(condition))
      return failure();
    if (!condition->truth()) {
      sink.error(diag::Kind::NeedsConstexpr, statement->condition->range)
          << "the condition is needed while compiling; this is " << condition->describe();
      return failure();
    }
    if (!*condition->truth())
      return finishLoop(statement->elseBody);
    if (failed(executeLoopBody(statement->body)))
      return failure();
    if (flowOfEscapes() == Flow::Escaped)
      return finishLoop({});
  }
  isFatal = true;
  sink.error(diag::Kind::UnrollLimit, statement->condition->range)
      << "the loops that run while compiling have more than " << limits.unrolled << " iterations";
  return failure();
}

FlowResult Specializer::executeWhile(const ast::While *statement) {
  if (frame().isConstexpr)
    return executeStaticWhile(statement);
  LoopExits exits = exitsOf(statement->body, [&](StringRef name) { return lookupConstant(name); });
  bool isEndless = false;
  auto condition = [&](ValueRange, mlir::Value goesOn) {
    auto value = whileCondition(statement->condition, goesOn);
    isEndless = succeeded(value) && !*value;
    return value;
  };
  auto begin = [](ValueRange) { return success(); };
  auto step = [](ValueRange) { return SmallVector<mlir::Value>(); };
  Emitter::At at(emit, statement->condition->range);
  if (failed(emitWhile({statement->body, exits, {}, condition, begin, step})))
    return failure();
  // What only a `return` ends has nothing after it.
  auto returned = frame().names.find(escapes::returned);
  if (isEndless && !exits.breaks && returned != frame().names.end())
    returned->second.value = Datum(true);
  return finishLoop(isEndless ? ast::Body() : statement->elseBody);
}
