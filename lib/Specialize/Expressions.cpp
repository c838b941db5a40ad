// Expressions: literals, names, boolean operators, attributes.
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

Result Specializer::unsupported(SourceRange range, StringRef what) {
  sink.error(diag::Kind::UnsupportedConstruct, range) << what << " cannot be used in a kernel";
  return failure();
}

LogicalResult Specializer::Nested::check(SourceRange range) {
  constexpr unsigned deepest = 1500;
  if (specializer.depth <= deepest)
    return success();
  specializer.isFatal = true;
  specializer.sink.error(diag::Kind::NestingTooDeep, range)
      << "expressions, blocks and calls nest more than " << deepest << " deep";
  return failure();
}

/// What kernels do not have, and what to write instead.
static std::string refusalOf(ast::Kind kind) {
  switch (kind) {
  case ast::Kind::Walrus:
    return "`:=` cannot be used in a kernel; assign on a line of its own";
  case ast::Kind::Lambda:
    return "`lambda` cannot be used in a kernel; define a function of the module";
  case ast::Kind::Set:
    return "a set cannot be used in a kernel; write a tuple";
  case ast::Kind::EllipsisLiteral:
    return "`...` cannot be used in a kernel";
  case ast::Kind::Slice:
    return "a slice stands in brackets only";
  default:
    return (ast::kindName(kind) + " cannot be used in a kernel").str();
  }
}

Result Specializer::evaluate(const ast::Expr *expr) {
  Nested nested(*this);
  if (failed(nested.check(expr->range)))
    return failure();
  Emitter::At at(emit, expr->range);
  return evaluateKind(expr);
}

Result Specializer::evaluateKind(const ast::Expr *expr) {
  switch (expr->kind) {
  case ast::Kind::IntLiteral: {
    const auto *literal = cast<ast::IntLiteral>(expr);
    if (!literal->overflow && literal->value <= static_cast<uint64_t>(INT64_MAX))
      return Datum(static_cast<int64_t>(literal->value));
    sink.error(diag::Kind::LiteralRange, expr->range) << "`" << literal->spelling << "` does not fit 64 bits";
    return failure();
  }
  case ast::Kind::FloatLiteral:
    return Datum(cast<ast::FloatLiteral>(expr)->value);
  case ast::Kind::StringLiteral:
    return Datum(cast<ast::StringLiteral>(expr)->value.str());
  case ast::Kind::BoolLiteral:
    return Datum(cast<ast::BoolLiteral>(expr)->value);
  case ast::Kind::NoneLiteral:
    return Datum(NoneValue());
  case ast::Kind::Name:
    return evaluateName(cast<ast::Name>(expr));
  case ast::Kind::Tuple:
    return evaluateSequence(cast<ast::Tuple>(expr)->elements, false);
  case ast::Kind::List:
    return evaluateSequence(cast<ast::List>(expr)->elements, true);
  case ast::Kind::Attribute:
    return evaluateAttribute(cast<ast::Attribute>(expr));
  case ast::Kind::Subscript:
    return evaluateSubscript(cast<ast::Subscript>(expr));
  case ast::Kind::Call:
    return evaluateCall(cast<ast::Call>(expr));
  case ast::Kind::Unary: {
    auto operand = evaluate(cast<ast::Unary>(expr)->operand);
    return failed(operand) ? Result(failure()) : emit.unary(cast<ast::Unary>(expr)->op, *operand);
  }
  case ast::Kind::Binary: {
    const auto *binary = cast<ast::Binary>(expr);
    auto left = evaluate(binary->left);
    auto right = failed(left) ? Result(failure()) : evaluate(binary->right);
    return failed(right) ? Result(failure()) : emit.binary(binary->op, *left, *right);
  }
  case ast::Kind::BoolOp:
    return evaluateBoolOp(cast<ast::BoolOp>(expr));
  case ast::Kind::Compare:
    return evaluateCompare(cast<ast::Compare>(expr));
  case ast::Kind::Conditional:
    return evaluateConditional(cast<ast::Conditional>(expr));
  case ast::Kind::Comprehension:
    return evaluateComprehension(cast<ast::Comprehension>(expr));
  case ast::Kind::FString:
    return evaluateFString(cast<ast::FString>(expr));
  case ast::Kind::Dict:
    return evaluateDict(cast<ast::Dict>(expr));
  case ast::Kind::OpaqueExpr:
    return unsupported(expr->range, cast<ast::OpaqueExpr>(expr)->construct);
  default:
    sink.error(diag::Kind::UnsupportedConstruct, expr->range) << refusalOf(expr->kind);
    return failure();
  }
}

Result Specializer::evaluateSequence(ast::ExprList elements, bool isList) {
  std::vector<Datum> values;
  for (const ast::Expr *element : elements) {
    const auto *starred = dyn_cast<ast::Starred>(element);
    auto value = evaluate(starred ? starred->value : element);
    if (failed(value))
      return failure();
    if (starred && !value->asSequence())
      return unsupported(element->range, "`*` before something that is not a tuple or list");
    if (starred)
      values.insert(values.end(), value->asSequence()->elements.begin(), value->asSequence()->elements.end());
    else
      values.push_back(*value);
  }
  return Datum::sequence(std::move(values), isList);
}

Result Specializer::evaluateDict(const ast::Dict *expr) {
  SequenceValue dictionary;
  dictionary.isDict = true;
  auto put = [&](const Datum &key, const Datum &value) {
    auto found = llvm::find(dictionary.keys, key);
    if (found != dictionary.keys.end()) {
      dictionary.elements[found - dictionary.keys.begin()] = value;
      return;
    }
    dictionary.keys.push_back(key);
    dictionary.elements.push_back(value);
  };
  for (const ast::DictItem &item : expr->items) {
    auto key = item.key ? evaluate(item.key) : Result(Datum());
    auto value = failed(key) ? key : evaluate(item.value);
    if (failed(value))
      return failure();
    const SequenceValue *spread = item.key ? nullptr : value->asDict();
    if (!item.key && !spread)
      return unsupported(item.value->range, "`**` before something that is not a dictionary");
    if (!key->isConstant())
      return unsupported(item.key->range, "a run-time key of a dictionary");
    if (spread)
      for (auto [one, other] : llvm::zip(spread->keys, spread->elements))
        put(one, other);
    else
      put(*key, *value);
  }
  return Datum::object(std::move(dictionary));
}

Result Specializer::evaluateBoolOp(const ast::BoolOp *expr) {
  Datum sofar;
  bool any = false;
  for (const ast::Expr *operand : expr->operands) {
    auto value = evaluate(operand);
    if (failed(value))
      return failure();
    if (auto truth = value->isConstant() ? value->truth() : std::nullopt) {
      // A constant that decides makes the rest dead; one that does not drops out.
      if (*truth != expr->isAnd)
        return *value;
      if (!any)
        sofar = *value;
      continue;
    }
    auto condition = emit.asCondition(*value);
    if (failed(condition))
      return failure();
    auto joined =
        any ? emit.binary(expr->isAnd ? ast::BinaryOp::BitAnd : ast::BinaryOp::BitOr, sofar, Datum(*condition))
            : Result(Datum(*condition));
    if (failed(joined))
      return failure();
    sofar = *joined;
    any = true;
  }
  return sofar;
}

Result Specializer::evaluateCompare(const ast::Compare *expr) {
  auto left = evaluate(expr->operands.front());
  Datum all(true);
  for (auto [op, operand] : llvm::zip(expr->ops, expr->operands.drop_front())) {
    auto right = failed(left) ? Result(failure()) : evaluate(operand);
    auto one = failed(right) ? Result(failure()) : emit.compare(op, *left, *right);
    if (failed(one))
      return failure();
    if (one->isConstant() && !*one->truth())
      return *one;
    auto joined = all.isConstant() ? one : emit.binary(ast::BinaryOp::BitAnd, all, *one);
    if (failed(joined))
      return failure();
    all = *joined;
    left = right;
  }
  return all;
}

Result Specializer::evaluateConditional(const ast::Conditional *expr) {
  auto condition = evaluate(expr->condition);
  if (failed(condition))
    return failure();
  if (auto truth = condition->truth())
    return evaluate(*truth ? expr->thenValue : expr->elseValue);
  Emitter::At at(emit, expr->condition->range);
  if (condition->isTile() && frame().isElementwise)
    return evaluateTileChoice(expr, *condition);
  auto chosen = emit.asScalarCondition(*condition);
  if (failed(chosen))
    return failure();
  return emitChoice(*chosen, [&] { return evaluate(expr->thenValue); }, [&] { return evaluate(expr->elseValue); });
}

Result Specializer::evaluateComprehension(const ast::Comprehension *expr) {
  bool isSimple = (expr->form == ast::ComprehensionForm::List || expr->form == ast::ComprehensionForm::Generator) &&
                  expr->clauses.size() == 1 && !expr->clauses[0].isAsync;
  if (!isSimple)
    return unsupported(expr->range, "a comprehension other than a list over one range");
  const ast::ComprehensionClause &clause = expr->clauses[0];
  auto iterable = evaluate(clause.iterable);
  if (failed(iterable))
    return failure();
  auto items = staticItems(*iterable);
  if (!items) {
    sink.error(diag::Kind::NeedsConstexpr, clause.iterable->range)
        << "a comprehension goes over a compile-time range or sequence; this is " << iterable->describe();
    return failure();
  }
  Names outer = frame().names;
  std::vector<Datum> values;
  for (const Datum &item : *items) {
    if (failed(assign(clause.target, item)))
      return failure();
    bool isKept = true;
    for (const ast::Expr *condition : clause.conditions) {
      auto value = evaluate(condition);
      if (failed(value))
        return failure();
      if (!value->truth())
        return unsupported(condition->range, "a run-time condition of a comprehension");
      isKept &= *value->truth();
    }
    auto value = isKept ? evaluate(expr->element) : Result(Datum());
    if (failed(value))
      return failure();
    if (isKept)
      values.push_back(*value);
  }
  frame().names = std::move(outer);
  return Datum::sequence(std::move(values), true);
}
