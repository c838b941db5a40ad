// A small evaluator without an IR to emit into.
#include "ConstEval.h"
#include "Builtins.h"
#include "Fold.h"
#include <cmath>

using namespace tlx;
using namespace tlx::specialize;
using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;
using MaybeValue = std::optional<Datum>;

static MaybeValue accept(const Folded &folded) {
  return folded.error == FoldError::None ? MaybeValue(folded.value) : std::nullopt;
}

static MaybeValue evaluateElements(ast::ExprList elements, bool isList, NameLookup lookup) {
  std::vector<Datum> values;
  for (const ast::Expr *element : elements) {
    MaybeValue value = evaluateConstant(element, lookup);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return Datum::sequence(std::move(values), isList);
}

static MaybeValue evaluateBoolOp(const ast::BoolOp *expr, NameLookup lookup) {
  MaybeValue value;
  bool anyUnknown = false;
  for (const ast::Expr *operand : expr->operands) {
    value = evaluateConstant(operand, lookup);
    auto truth = value ? value->truth() : std::nullopt;
    // A deciding operand decides even beside run-time ones.
    if (truth && *truth != expr->isAnd)
      return value;
    anyUnknown |= !truth;
  }
  return anyUnknown ? std::nullopt : value;
}

static MaybeValue evaluateCompare(const ast::Compare *expr, NameLookup lookup) {
  MaybeValue left = evaluateConstant(expr->operands.front(), lookup);
  for (auto [op, operand] : llvm::zip(expr->ops, expr->operands.drop_front())) {
    MaybeValue right = evaluateConstant(operand, lookup);
    if (!left || !right)
      return std::nullopt;
    MaybeValue result = accept(foldCompare(op, *left, *right));
    if (!result || !*result->truth())
      return result;
    left = right;
  }
  return Datum(true);
}

static MaybeValue evaluateSubscript(const ast::Subscript *expr, NameLookup lookup) {
  MaybeValue base = evaluateConstant(expr->base, lookup), index = evaluateConstant(expr->index, lookup);
  if (!base || !index || !base->asSequence() || !index->asInt())
    return std::nullopt;
  const auto &elements = base->asSequence()->elements;
  int64_t position = *index->asInt() + (*index->asInt() < 0 ? static_cast<int64_t>(elements.size()) : 0);
  if (position < 0 || position >= static_cast<int64_t>(elements.size()))
    return std::nullopt;
  return elements[position];
}

/// `tl.float16` through the name `tl`.
static MaybeValue evaluateAttribute(const ast::Attribute *expr, NameLookup lookup) {
  MaybeValue base = evaluateConstant(expr->base, lookup);
  const NamespaceValue *space = base ? base->getIf<NamespaceValue>() : nullptr;
  if (!space)
    return std::nullopt;
  std::string name = space->prefix + "." + expr->name.str();
  if (MaybeValue constant = findConstant(name))
    return constant;
  if (const Builtin *builtin = findBuiltin(name))
    return Datum(builtin);
  return isNamespace(name) ? MaybeValue(Datum(NamespaceValue{name})) : std::nullopt;
}

static MaybeValue extremum(const std::vector<Datum> &values, ast::CompareOp better) {
  MaybeValue best;
  for (const Datum &value : values) {
    if (!value.isNumber())
      return std::nullopt;
    if (!best || *foldCompare(better, value, *best).value.truth())
      best = value;
  }
  return best;
}

static MaybeValue applyBuiltin(StringRef name, const std::vector<Datum> &arguments) {
  if (name == "min" || name == "max")
    return extremum(arguments, name == "min" ? ast::CompareOp::Less : ast::CompareOp::Greater);
  if (name == "tl.cdiv" && arguments.size() == 2 && arguments[0].asInt() && arguments[1].asInt().value_or(0) != 0)
    return Datum(-floorDivide(-*arguments[0].asInt(), *arguments[1].asInt()));
  if (arguments.size() != 1)
    return std::nullopt;
  const Datum &argument = arguments[0];
  if (name == "tl.constexpr")
    return argument;
  if (name == "len" && argument.asSequence())
    return Datum(static_cast<int64_t>(argument.asSequence()->elements.size()));
  if (name == "int" && argument.asInt())
    return Datum(*argument.asInt());
  if (name == "int" && argument.asDouble() && std::abs(*argument.asDouble()) < 9.2e18)
    return Datum(static_cast<int64_t>(*argument.asDouble()));
  if (name == "float" && argument.asDouble())
    return Datum(*argument.asDouble());
  if (name == "tlx.size_of" && argument.is<DType>())
    return Datum(static_cast<int64_t>(argument.getIf<DType>()->bytes()));
  return std::nullopt;
}

static MaybeValue evaluateCall(const ast::Call *expr, NameLookup lookup) {
  MaybeValue callee = evaluateConstant(expr->callee, lookup);
  const Builtin *const *builtin = callee ? callee->getIf<const Builtin *>() : nullptr;
  if (!builtin || !expr->keywords.empty())
    return std::nullopt;
  MaybeValue arguments = evaluateElements(expr->arguments, true, lookup);
  return arguments ? applyBuiltin((*builtin)->name, arguments->asSequence()->elements) : std::nullopt;
}

static MaybeValue evaluateName(const ast::Name *expr, NameLookup lookup) {
  if (MaybeValue value = lookup(expr->name))
    return value;
  return std::nullopt;
}

static MaybeValue evaluateBinary(const ast::Binary *expr, NameLookup lookup) {
  MaybeValue left = evaluateConstant(expr->left, lookup), right = evaluateConstant(expr->right, lookup);
  return left && right ? accept(foldBinary(expr->op, *left, *right)) : std::nullopt;
}

static MaybeValue evaluateConditional(const ast::Conditional *expr, NameLookup lookup) {
  MaybeValue condition = evaluateConstant(expr->condition, lookup);
  auto truth = condition ? condition->truth() : std::nullopt;
  if (!truth)
    return std::nullopt;
  return evaluateConstant(*truth ? expr->thenValue : expr->elseValue, lookup);
}

MaybeValue tlx::specialize::evaluateConstant(const ast::Expr *expr, NameLookup lookup) {
  switch (expr->kind) {
  case ast::Kind::IntLiteral:
    if (cast<ast::IntLiteral>(expr)->overflow || cast<ast::IntLiteral>(expr)->value > INT64_MAX)
      return std::nullopt;
    return Datum(static_cast<int64_t>(cast<ast::IntLiteral>(expr)->value));
  case ast::Kind::FloatLiteral:
    return Datum(cast<ast::FloatLiteral>(expr)->value);
  case ast::Kind::StringLiteral:
    return Datum(cast<ast::StringLiteral>(expr)->value.str());
  case ast::Kind::BoolLiteral:
    return Datum(cast<ast::BoolLiteral>(expr)->value);
  case ast::Kind::NoneLiteral:
    return Datum(NoneValue());
  case ast::Kind::Name:
    return evaluateName(cast<ast::Name>(expr), lookup);
  case ast::Kind::Tuple:
    return evaluateElements(cast<ast::Tuple>(expr)->elements, false, lookup);
  case ast::Kind::List:
    return evaluateElements(cast<ast::List>(expr)->elements, true, lookup);
  case ast::Kind::Binary:
    return evaluateBinary(cast<ast::Binary>(expr), lookup);
  case ast::Kind::Unary: {
    MaybeValue operand = evaluateConstant(cast<ast::Unary>(expr)->operand, lookup);
    return operand ? accept(foldUnary(cast<ast::Unary>(expr)->op, *operand)) : std::nullopt;
  }
  case ast::Kind::BoolOp:
    return evaluateBoolOp(cast<ast::BoolOp>(expr), lookup);
  case ast::Kind::Compare:
    return evaluateCompare(cast<ast::Compare>(expr), lookup);
  case ast::Kind::Conditional:
    return evaluateConditional(cast<ast::Conditional>(expr), lookup);
  case ast::Kind::Subscript:
    return evaluateSubscript(cast<ast::Subscript>(expr), lookup);
  case ast::Kind::Attribute:
    return evaluateAttribute(cast<ast::Attribute>(expr), lookup);
  case ast::Kind::Call:
    return evaluateCall(cast<ast::Call>(expr), lookup);
  default:
    return std::nullopt;
  }
}
