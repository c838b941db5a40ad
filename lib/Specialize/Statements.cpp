// Statements in order: assignments, returns, and the way to branches, loops and tasks.
#include "AssignedNames.h"
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

void Specializer::bind(StringRef name, Datum value, SourceRange range) {
  frame().names[name] = {std::move(value), range};
  frame().lost.erase(name);
}

LogicalResult Specializer::unpack(ast::ExprList targets, const Datum &value, SourceRange range) {
  const SequenceValue *sequence = value.asSequence();
  if (!sequence || sequence->elements.size() != targets.size()) {
    auto builder = sink.error(diag::Kind::UnpackCount, range);
    builder << targets.size() << " targets take " << value.describe();
    return failure();
  }
  for (auto [target, element] : llvm::zip(targets, sequence->elements))
    if (failed(assign(target, element)))
      return failure();
  return success();
}

LogicalResult Specializer::assign(const ast::Expr *target, const Datum &value) {
  if (const auto *name = dyn_cast<ast::Name>(target)) {
    bind(name->name, value, name->range);
    return success();
  }
  if (const auto *tuple = dyn_cast<ast::Tuple>(target))
    return unpack(tuple->elements, value, target->range);
  if (const auto *list = dyn_cast<ast::List>(target))
    return unpack(list->elements, value, target->range);
  return LogicalResult(unsupported(target->range, "an assignment to something other than a name"));
}

LogicalResult Specializer::executeAnnotatedAssign(const ast::AnnotatedAssign *statement) {
  if (!statement->value)
    return success();
  auto value = evaluate(statement->value);
  if (failed(value))
    return failure();
  if (isConstexprAnnotation(statement->annotation) && !value->isConstant()) {
    sink.error(diag::Kind::NeedsConstexpr, statement->value->range)
        << "a `tl.constexpr` is known while compiling; this is " << value->describe();
    return failure();
  }
  return assign(statement->target, *value);
}

LogicalResult Specializer::executeAugmentedAssign(const ast::AugmentedAssign *statement) {
  auto left = evaluate(statement->target);
  auto right = failed(left) ? Result(failure()) : evaluate(statement->value);
  if (failed(right))
    return failure();
  Emitter::At at(emit, statement->range);
  auto value = emit.binary(statement->op, *left, *right);
  return failed(value) ? failure() : assign(statement->target, *value);
}

LogicalResult Specializer::executeAssert(const ast::Assert *statement) {
  auto condition = evaluate(statement->condition);
  if (failed(condition))
    return failure();
  auto truth = condition->truth();
  if (!truth)
    return LogicalResult(unsupported(statement->range, "an `assert` on a run-time value"));
  if (*truth)
    return success();
  sink.error(diag::Kind::StaticAssertFailed, statement->condition->range) << "the asserted condition is false";
  return failure();
}

LogicalResult Specializer::executeSimple(const ast::Stmt *statement) {
  Emitter::At at(emit, statement->range);
  switch (statement->kind) {
  case ast::Kind::Assign: {
    const auto *assignment = cast<ast::Assign>(statement);
    auto value = evaluateNamed(assignment);
    if (failed(value))
      return failure();
    for (const ast::Expr *target : assignment->targets)
      if (failed(assign(target, *value)))
        return failure();
    return success();
  }
  case ast::Kind::AnnotatedAssign:
    return executeAnnotatedAssign(cast<ast::AnnotatedAssign>(statement));
  case ast::Kind::AugmentedAssign:
    return executeAugmentedAssign(cast<ast::AugmentedAssign>(statement));
  case ast::Kind::ExprStmt:
    return LogicalResult(evaluate(cast<ast::ExprStmt>(statement)->value));
  case ast::Kind::For:
    return executeFor(cast<ast::For>(statement));
  case ast::Kind::While:
    return executeWhile(cast<ast::While>(statement));
  case ast::Kind::With:
    return executeWith(cast<ast::With>(statement));
  case ast::Kind::Assert:
    return executeAssert(cast<ast::Assert>(statement));
  case ast::Kind::Pass:
    return success();
  case ast::Kind::Break:
  case ast::Kind::Continue:
    return LogicalResult(unsupported(statement->range, statement->kind == ast::Kind::Break ? "`break`" : "`continue`"));
  default:
    return LogicalResult(unsupported(statement->range, ast::kindName(statement->kind)));
  }
}

/// Allocations on the right are named after the variable on the left.
Result Specializer::evaluateNamed(const ast::Assign *statement) {
  std::string outer = std::move(assignedName);
  const auto *name = dyn_cast<ast::Name>(statement->targets.front());
  assignedName = name ? name->name.str() : "";
  auto value = evaluate(statement->value);
  assignedName = std::move(outer);
  return value;
}

std::string Specializer::allocationName(StringRef fallback) {
  std::string base = assignedName.empty() ? fallback.str() : assignedName;
  unsigned count = allocationCounts[base]++;
  return count ? base + "_" + std::to_string(count) : base;
}

FlowResult Specializer::executeReturn(const ast::Return *statement) {
  Emitter::At at(emit, statement->range);
  if (frame().closedRegions) {
    LogicalResult refused = unsupported(statement->range, "`return` inside a run-time loop or a task");
    return refused;
  }
  Datum value{NoneValue()};
  if (statement->value) {
    auto returned = evaluate(statement->value);
    if (failed(returned))
      return failure();
    value = *returned;
  }
  frame().returned = value;
  return Flow::Returned;
}

FlowResult Specializer::execute(ast::Body body, const Rest *rest) {
  Nested nested(*this);
  if (failed(nested.check(body.empty() ? SourceRange() : body.front()->range)))
    return failure();
  for (size_t i = 0; i < body.size(); ++i) {
    const ast::Stmt *statement = body[i];
    if (const auto *result = dyn_cast<ast::Return>(statement))
      return executeReturn(result);
    if (const auto *branch = dyn_cast<ast::If>(statement)) {
      Rest following{body.drop_front(i + 1), rest};
      bool mayReturn = containsReturn(branch->thenBody) || containsReturn(branch->elseBody);
      // With a `return` inside, the branch also executes all that follows it.
      auto flow = executeIf(branch, mayReturn ? &following : nullptr);
      if (failed(flow) || mayReturn)
        return flow;
      continue;
    }
    if (failed(executeSimple(statement)))
      return failure();
  }
  return rest ? execute(rest->statements, rest->next) : FlowResult(Flow::Next);
}
