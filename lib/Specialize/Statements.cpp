// Statements in order: assignments, returns, and the way to branches, loops and tasks.
#include "AssignedNames.h"
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

void Specializer::bind(StringRef name, Datum value, SourceRange range) {
  frame().names[name] = {std::move(value), range};
  frame().lost.erase(name);
  frame().poisoned.erase(name);
}

/// `a, *b, c = sequence`
LogicalResult Specializer::unpackRest(ast::ExprList targets, size_t starred, const SequenceValue &sequence) {
  size_t behind = targets.size() - starred - 1, end = sequence.elements.size() - behind;
  for (size_t i = 0; i < starred; ++i)
    if (failed(assign(targets[i], sequence.elements[i])))
      return failure();
  std::vector<Datum> rest(sequence.elements.begin() + starred, sequence.elements.begin() + end);
  if (failed(assign(cast<ast::Starred>(targets[starred])->value, Datum::sequence(std::move(rest), true))))
    return failure();
  for (size_t i = 0; i < behind; ++i)
    if (failed(assign(targets[starred + 1 + i], sequence.elements[end + i])))
      return failure();
  return success();
}

LogicalResult Specializer::unpack(ast::ExprList targets, const Datum &value, SourceRange range) {
  const SequenceValue *sequence = value.asSequence();
  for (auto [index, target] : llvm::enumerate(targets))
    if (isa<ast::Starred>(target) && sequence && sequence->elements.size() + 1 >= targets.size())
      return unpackRest(targets, index, *sequence);
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
  if (const auto *attribute = dyn_cast<ast::Attribute>(target))
    return assignField(attribute, value);
  bool isElement = isa<ast::Subscript>(target);
  return LogicalResult(unsupported(target->range, isElement
                                                      ? "an assignment to an element (memory is written by `tl.store` "
                                                        "and `tlx.local_store`)"
                                                      : "an assignment to something other than a name"));
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

/// `list.append(value)` gives the variable a longer list, so no other variable may hold the same one.
FailureOr<bool> Specializer::changeList(const ast::Expr *expr) {
  const auto *call = dyn_cast<ast::Call>(expr);
  const auto *method = call ? dyn_cast<ast::Attribute>(call->callee) : nullptr;
  const auto *name = method && method->name == "append" ? dyn_cast<ast::Name>(method->base) : nullptr;
  auto found = name ? frame().names.find(name->name) : frame().names.end();
  const SequenceValue *list = found == frame().names.end() ? nullptr : found->second.value.asSequence();
  if (!list || !list->isList || call->arguments.size() != 1 || !call->keywords.empty())
    return false;
  for (const auto &other : frames)
    for (const auto &[otherName, binding] : other->names)
      if (binding.value.asParts() == list && (other.get() != frames.back().get() || otherName != name->name)) {
        sink.error(diag::Kind::UnsupportedConstruct, expr->range).note(binding.range, "the other variable")
            << "`" << name->name << "` is changed while another variable holds the same list";
        return failure();
      }
  std::vector<Datum> elements = list->elements;
  auto value = evaluate(call->arguments.front());
  if (failed(value))
    return failure();
  elements.push_back(*value);
  bind(name->name, Datum::sequence(std::move(elements), true), expr->range);
  return true;
}

LogicalResult Specializer::executeAssert(const ast::Assert *statement) {
  auto condition = evaluate(statement->condition);
  auto message =
      statement->message && succeeded(condition) ? evaluate(statement->message) : Result(Datum(std::string()));
  if (failed(condition) || failed(message))
    return failure();
  auto truth = condition->truth();
  if (!truth) {
    GivenArguments given{{*condition, statement->condition->range, {}, {}}};
    if (statement->message)
      given.push_back({*message, statement->message->range, {}, {}});
    return LogicalResult(callBuiltin(*findBuiltin("tl.device_assert"), given, statement->range));
  }
  if (*truth)
    return success();
  std::string text = message->text();
  sink.error(diag::Kind::StaticAssertFailed, statement->condition->range)
      << "the asserted condition is false" << (text.empty() ? "" : ": ") << text;
  return failure();
}

LogicalResult Specializer::executeAssign(const ast::Assign *statement) {
  auto value = evaluateNamed(statement);
  if (failed(value))
    return failure();
  for (const ast::Expr *target : statement->targets)
    if (failed(assign(target, *value)))
      return failure();
  return success();
}

static FlowResult flowing(LogicalResult result) {
  return failed(result) ? FlowResult(failure()) : FlowResult(Flow::Next);
}

static std::string refusalOf(ast::Kind kind) {
  switch (kind) {
  case ast::Kind::FunctionDef:
    return "a function inside a function cannot be used in a kernel; define it at the top of the module";
  case ast::Kind::ClassDef:
    return "a class inside a function cannot be used in a kernel; define it at the top of the module";
  case ast::Kind::Import:
  case ast::Kind::ImportFrom:
    return "`import` cannot be used in a kernel; write it at the top of the module";
  default:
    return (ast::kindName(kind) + " cannot be used in a kernel").str();
  }
}

FlowResult Specializer::executeSimple(const ast::Stmt *statement) {
  Emitter::At at(emit, statement->range);
  switch (statement->kind) {
  case ast::Kind::Assign:
    return flowing(executeAssign(cast<ast::Assign>(statement)));
  case ast::Kind::AnnotatedAssign:
    return flowing(executeAnnotatedAssign(cast<ast::AnnotatedAssign>(statement)));
  case ast::Kind::AugmentedAssign:
    return flowing(executeAugmentedAssign(cast<ast::AugmentedAssign>(statement)));
  case ast::Kind::ExprStmt: {
    auto isChanged = changeList(cast<ast::ExprStmt>(statement)->value);
    if (failed(isChanged))
      return failure();
    return *isChanged ? FlowResult(Flow::Next)
                      : flowing(LogicalResult(evaluate(cast<ast::ExprStmt>(statement)->value)));
  }
  case ast::Kind::For:
    return executeFor(cast<ast::For>(statement));
  case ast::Kind::While:
    return executeWhile(cast<ast::While>(statement));
  case ast::Kind::With:
    return flowing(executeWith(cast<ast::With>(statement)));
  case ast::Kind::Assert:
    return flowing(executeAssert(cast<ast::Assert>(statement)));
  case ast::Kind::Return:
    return executeReturn(cast<ast::Return>(statement));
  case ast::Kind::Break:
  case ast::Kind::Continue:
    return executeLeave(statement);
  case ast::Kind::Pass:
    return Flow::Next;
  case ast::Kind::OpaqueStmt:
    return flowing(
        LogicalResult(unsupported(statement->range, ("`" + cast<ast::OpaqueStmt>(statement)->construct + "`").str())));
  default:
    sink.error(diag::Kind::UnsupportedConstruct, statement->range) << refusalOf(statement->kind);
    return failure();
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

/// What a failed statement would have assigned has no value, and that is known already.
void Specializer::poison(const ast::Stmt *statement) {
  for (StringRef name : assignedNames(statement)) {
    frame().names.erase(name);
    frame().poisoned.insert(name);
  }
  dropEscapes();
}

/// What follows a statement, run as a part of it.
FlowResult Specializer::executeTail(ast::Body tail) {
  --frame().openTails;
  auto flow = execute(tail);
  ++frame().openTails;
  return flow;
}

/// A statement and, where it takes what follows it into a branch, the tail.
FlowResult Specializer::executeStatement(const ast::Stmt *statement, ast::Body tail, bool &isTailDone) {
  auto *branch = dyn_cast<ast::If>(statement);
  auto flow = branch ? executeIf(branch, tail, isTailDone) : executeSimple(statement);
  if (failed(flow) || isTailDone || *flow != Flow::Maybe || tail.empty())
    return flow;
  isTailDone = true;
  return executeGuarded(tail.back()->range.end, [&] { return executeTail(tail); });
}

FlowResult Specializer::execute(ast::Body body) {
  // More errors than these help nobody.
  constexpr unsigned mostErrors = 20;
  Nested nested(*this);
  if (failed(nested.check(body.empty() ? SourceRange() : body.front()->range)))
    return failure();
  bool isFailed = false;
  Flow last = Flow::Next;
  for (size_t i = 0; i < body.size(); ++i) {
    bool isTailDone = false, hasTail = i + 1 < body.size();
    frame().openTails += hasTail;
    auto flow = executeStatement(body[i], body.drop_front(i + 1), isTailDone);
    frame().openTails -= hasTail;
    if (succeeded(flow) && (isTailDone || *flow == Flow::Escaped))
      return isFailed ? FlowResult(failure()) : flow;
    if (succeeded(flow)) {
      last = *flow;
      continue;
    }
    isFailed = true;
    if (isTailDone || sink.errorCount() >= mostErrors || isFatal)
      return failure();
    poison(body[i]);
  }
  return isFailed ? FlowResult(failure()) : FlowResult(last);
}
