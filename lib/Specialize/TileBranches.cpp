// `if` in functions that see single elements (what combines two elements of a reduction, `tl.map_elementwise`) while
// the compiler computes with whole tiles: both sides run, and each element takes what its own side leaves.
#include "Escapes.h"
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The value of each element; failure, without a diagnostic, where the sides have no common type.
Result Specializer::chooseTile(const Datum &condition, const Datum &thenValue, const Datum &elseValue) {
  if (thenValue == elseValue)
    return thenValue;
  // Flags are raised on one side.
  if (thenValue == Datum(true) && elseValue == Datum(false))
    return condition;
  if (thenValue == Datum(false) && elseValue == Datum(true))
    return emit.unary(ast::UnaryOp::Not, condition);
  const SequenceValue *a = thenValue.asParts(), *b = elseValue.asParts();
  if (a && b && a->isLike(*b)) {
    std::vector<Datum> elements;
    for (auto [first, second] : llvm::zip(a->elements, b->elements)) {
      auto chosen = chooseTile(condition, first, second);
      if (failed(chosen))
        return failure();
      elements.push_back(*chosen);
    }
    return a->with(std::move(elements));
  }
  auto isNumeric = [](const Datum &value) { return value.isNumber() || value.isTile() || value.isScalar(); };
  if (!isNumeric(thenValue) || !isNumeric(elseValue))
    return failure();
  GivenArguments given;
  for (const Datum *value : {&condition, &thenValue, &elseValue})
    given.push_back({*value, emit.range, {}, {}});
  return callBuiltin(*findBuiltin("tl.where"), given, emit.range);
}

/// What one side has computed since `before` is computed for all elements: so it may not touch memory, and its divisors
/// are 1 where the side is not taken (a division by zero would have no meaning, even unused).
LogicalResult Specializer::guardTileArm(Operation *before, const Datum &condition) {
  Block *block = emit.builder.getInsertionBlock();
  SmallVector<Operation *> divisions;
  for (auto op = before ? std::next(before->getIterator()) : block->begin(); op != block->end(); ++op) {
    if (!isMemoryEffectFree(&*op))
      return LogicalResult(unsupported(emit.range, "`if` on single elements around what touches memory"));
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(*op))
      divisions.push_back(&*op);
  }
  for (Operation *op : divisions) {
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPoint(op);
    Type type = op->getOperand(1).getType();
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || tile.getShape() != shapeOf(condition.irValue()))
      continue;
    Attribute unit = emit.builder.getIntegerAttr(tile.getElementType(), 1);
    mlir::Value one = emit.create<arith::ConstantOp>(tile, DenseElementsAttr::get(tile, ArrayRef<Attribute>(unit)));
    op->setOperand(1, emit.create<arith::SelectOp>(condition.irValue(), op->getOperand(1), one));
  }
  return success();
}

static Operation *lastOperation(OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  return block->empty() ? nullptr : &block->back();
}

/// Names after both sides have run.
FlowResult Specializer::mergeTileArms(const Datum &condition, const Arm (&arms)[2]) {
  Names merged;
  unsigned errors = sink.errorCount();
  bool isGone[] = {arms[0].flow == Flow::Escaped, arms[1].flow == Flow::Escaped};
  auto leave = [&](StringRef name, const Binding *first, const Binding *second) {
    const Binding &known = first ? *first : *second;
    auto valueOf = [&](const Binding *binding) { return binding ? binding->value : Datum(false); };
    bool isBoth = (first && second) || escapes::isFlag(name);
    Result value = isBoth ? chooseTile(condition, valueOf(first), valueOf(second)) : Result(failure());
    // What only one side goes on with is read only by the elements that took it.
    const Binding *kept = name == escapes::value ? (isBoth ? nullptr : &known)
                          : isGone[0]            ? second
                          : isGone[1]            ? first
                                                 : nullptr;
    if (failed(value) && kept)
      value = kept->value;
    if (succeeded(value))
      merged[name] = {*value, known.range};
    else if (name == escapes::value)
      emit.error(diag::Kind::OperandType)
          << "one branch gives " << first->value.describe() << ", the other " << second->value.describe();
    else
      frame().lost[name] = {known.range, "the branches of an `if` on single elements do not both give it one type",
                            false};
  };
  for (const auto &[name, binding] : arms[0].names) {
    auto other = arms[1].names.find(name);
    leave(name, &binding, other == arms[1].names.end() ? nullptr : &other->second);
  }
  for (const auto &[name, binding] : arms[1].names)
    if (!arms[0].names.count(name))
      leave(name, nullptr, &binding);
  frame().names = std::move(merged);
  if (sink.errorCount() != errors)
    return failure();
  return arms[0].flow == arms[1].flow ? arms[0].flow : Flow::Maybe;
}

FlowResult Specializer::executeTileIf(const ast::If *statement, const Datum &condition, ast::Body tail,
                                      bool &isTailDone) {
  auto taken = emit.asCondition(condition);
  auto skipped = failed(taken) ? Result(failure()) : emit.unary(ast::UnaryOp::Not, Datum(*taken));
  if (failed(skipped))
    return failure();
  Datum conditions[] = {Datum(*taken), *skipped};
  ast::Body bodies[] = {statement->thenBody, statement->elseBody};
  Arm arms[2];
  Names before = frame().names;
  auto run = [&](unsigned index, llvm::function_ref<FlowResult()> execution) {
    Operation *last = lastOperation(emit.builder);
    auto flow = execution();
    if (failed(flow) || failed(guardTileArm(last, conditions[index])))
      return false;
    arms[index].flow = *flow;
    arms[index].names = frame().names;
    return true;
  };
  for (unsigned index : {0, 1}) {
    frame().names = before;
    if (!run(index, [&] { return execute(bodies[index]); })) {
      frame().names = std::move(before);
      return failure();
    }
  }
  bool isGone[] = {arms[0].flow == Flow::Escaped, arms[1].flow == Flow::Escaped};
  if (isGone[0] != isGone[1] && !tail.empty()) {
    isTailDone = true;
    unsigned index = isGone[0] ? 1 : 0;
    frame().names = arms[index].names;
    bool isMaybe = arms[index].flow == Flow::Maybe;
    auto executeRest = [&] { return executeTail(tail); };
    if (!run(index, [&] { return isMaybe ? executeGuarded(tail.back()->range.end, executeRest) : executeRest(); }))
      return failure();
  }
  return mergeTileArms(conditions[0], arms);
}

/// Goes on with the elements that have not returned.
FlowResult Specializer::executeGuardedTile(const Datum &goesOn, llvm::function_ref<FlowResult()> rest) {
  Arm arms[2];
  arms[1].names = frame().names;
  arms[1].flow = Flow::Escaped;
  for (StringRef flag : escapes::all)
    if (auto found = arms[1].names.find(flag); found != arms[1].names.end())
      found->second.value = Datum(true);
  dropEscapes();
  Operation *last = lastOperation(emit.builder);
  auto flow = rest();
  if (failed(flow) || failed(guardTileArm(last, goesOn)))
    return failure();
  arms[0].flow = *flow;
  arms[0].names = frame().names;
  return mergeTileArms(goesOn, arms);
}

Result Specializer::evaluateTileChoice(const ast::Conditional *expr, const Datum &condition) {
  auto taken = emit.asCondition(condition);
  auto skipped = failed(taken) ? Result(failure()) : emit.unary(ast::UnaryOp::Not, Datum(*taken));
  if (failed(skipped))
    return failure();
  auto run = [&](const ast::Expr *side, const Datum &active) -> Result {
    Operation *last = lastOperation(emit.builder);
    auto value = evaluate(side);
    return failed(value) || failed(guardTileArm(last, active)) ? Result(failure()) : value;
  };
  auto first = run(expr->thenValue, Datum(*taken));
  auto second = failed(first) ? first : run(expr->elseValue, *skipped);
  if (failed(second))
    return failure();
  unsigned errors = sink.errorCount();
  auto chosen = chooseTile(Datum(*taken), *first, *second);
  if (failed(chosen) && sink.errorCount() == errors)
    emit.error(diag::Kind::OperandType) << "one side gives " << first->describe() << ", the other "
                                        << second->describe();
  return chosen;
}
