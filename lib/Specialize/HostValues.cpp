// A small evaluator of host code without effects.
#include "HostValues.h"
#include "Fold.h"
#include "ModuleScope.h"
#include "Scan.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::dyn_cast;
using llvm::StringRef;
using Items = std::vector<Datum>;

bool HostReading::stop(SourceRange range, const llvm::Twine &what) {
  if (reason.empty()) {
    stopped = range;
    reason = what.str();
  }
  return false;
}

bool HostReading::spend(SourceRange range) {
  if (fuel == 0)
    return stop(range, "a list that takes too long to make");
  --fuel;
  return true;
}

std::optional<Datum> HostValues::lookup(StringRef name) {
  auto found = scope.find(name.str());
  if (found != scope.end())
    return found->second;
  constexpr unsigned mostNested = 16;
  if (reading.nested >= mostNested || unsettledBy(module, name))
    return std::nullopt;
  if (auto constant = moduleConstant(module, name))
    return constant;
  const ast::Expr *assigned = assignedExpression(module, name);
  ++reading.nested;
  auto value = assigned ? HostValues(module, reading).evaluate(assigned) : std::nullopt;
  --reading.nested;
  return value;
}

bool HostValues::bind(const ast::Expr *target, const Datum &value) {
  if (const auto *name = dyn_cast<ast::Name>(target)) {
    scope[name->name.str()] = value;
    return true;
  }
  const auto *tuple = dyn_cast<ast::Tuple>(target);
  const SequenceValue *sequence = value.asSequence();
  if (!tuple || !sequence || tuple->elements.size() != sequence->elements.size())
    return false;
  for (auto [part, element] : llvm::zip(tuple->elements, sequence->elements))
    if (!bind(part, element))
      return false;
  return true;
}

bool HostValues::change(const ast::AugmentedAssign *statement) {
  auto left = evaluate(statement->target), right = evaluate(statement->value);
  if (!left || !right)
    return false;
  Folded changed = foldBinary(statement->op, *left, *right);
  return changed.error == FoldError::None && bind(statement->target, changed.value);
}

bool HostValues::bindArguments(const ast::FunctionDef &function, const ast::Call &call, HostValues &caller) {
  for (auto [index, param] : llvm::enumerate(function.params)) {
    const ast::Expr *given = index < call.arguments.size() ? call.arguments[index] : nullptr;
    for (const ast::KeywordArgument &keyword : call.keywords)
      if (keyword.name == param.name)
        given = keyword.value;
    auto value = given ? caller.evaluate(given) : param.defaultValue ? evaluate(param.defaultValue) : std::nullopt;
    // What is never used need not be known.
    if (value)
      scope[param.name.str()] = *value;
  }
  return call.arguments.size() <= function.params.size() || reading.stop(call.range, "this call");
}

//===-- what loops go over ----------------------------------------------------------------------------------===//

static std::optional<Items> rangeItems(const Items &arguments) {
  if (arguments.empty() || arguments.size() > 3 || !llvm::all_of(arguments, [](const Datum &d) { return d.asInt(); }))
    return std::nullopt;
  bool hasStart = arguments.size() > 1;
  int64_t start = hasStart ? *arguments[0].asInt() : 0, end = *arguments[hasStart].asInt();
  int64_t step = arguments.size() > 2 ? *arguments[2].asInt() : 1;
  constexpr int64_t most = 4096, far = int64_t(1) << 40;
  if (step == 0 || std::abs(start) > far || std::abs(end) > far || std::abs(step) > far || (end - start) / step > most)
    return std::nullopt;
  Items items;
  for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
    items.push_back(Datum(i));
  return items;
}

/// `itertools.product`: the last one runs fastest.
static std::optional<Items> productItems(llvm::ArrayRef<Items> factors) {
  Items items{Datum::sequence({}, false)};
  for (const Items &factor : factors) {
    if (factor.size() * items.size() > 4096)
      return std::nullopt;
    Items longer;
    for (const Datum &item : items)
      for (const Datum &element : factor) {
        Items parts = item.asSequence()->elements;
        parts.push_back(element);
        longer.push_back(Datum::sequence(std::move(parts), false));
      }
    items = std::move(longer);
  }
  return items;
}

static Items zippedItems(llvm::ArrayRef<Items> columns) {
  Items rows;
  for (size_t row = 0; !columns.empty() && llvm::all_of(columns, [&](const Items &c) { return row < c.size(); });
       ++row) {
    Items parts;
    for (const Items &column : columns)
      parts.push_back(column[row]);
    rows.push_back(Datum::sequence(std::move(parts), false));
  }
  return rows;
}

std::optional<Items> HostValues::itemsOf(const ast::Expr *expr) {
  auto value = evaluate(expr);
  if (value && value->asSequence())
    return value->asSequence()->elements;
  if (value && value->asDict())
    return value->asDict()->keys;
  return std::nullopt;
}

bool HostValues::forEach(const ast::ComprehensionClause &clause, llvm::function_ref<bool()> body) {
  auto items = itemsOf(clause.iterable);
  if (!items)
    return reading.stop(clause.iterable->range, "what this goes over, which is no constant");
  for (const Datum &item : *items) {
    if (!reading.spend(clause.iterable->range) || !bind(clause.target, item))
      return reading.stop(clause.target->range, "this target");
    bool isKept = true;
    for (const ast::Expr *condition : clause.conditions) {
      auto value = evaluate(condition);
      if (!value || !value->truth())
        return reading.stop(condition->range, "a condition that is no constant");
      isKept &= *value->truth();
    }
    if (isKept && !body())
      return false;
  }
  return true;
}

//===-- expressions -----------------------------------------------------------------------------------------===//

bool HostValues::collect(const ast::Comprehension *expr, llvm::ArrayRef<ast::ComprehensionClause> rest, Items &items) {
  if (!rest.empty())
    return forEach(rest.front(), [&] { return collect(expr, rest.drop_front(), items); });
  auto element = evaluate(expr->element);
  if (element)
    items.push_back(*element);
  return element.has_value();
}

std::optional<Datum> HostValues::dictionary(const ast::Dict *expr) {
  SequenceValue made;
  made.isDict = true;
  auto put = [&](const Datum &key, const Datum &value) {
    auto found = llvm::find(made.keys, key);
    if (found != made.keys.end()) {
      made.elements[found - made.keys.begin()] = value;
      return;
    }
    made.keys.push_back(key);
    made.elements.push_back(value);
  };
  for (const ast::DictItem &item : expr->items) {
    auto value = evaluate(item.value), key = item.key ? evaluate(item.key) : std::nullopt;
    const SequenceValue *spread = !item.key && value ? value->asDict() : nullptr;
    if (!value || (item.key ? !key : !spread))
      return std::nullopt;
    if (item.key)
      put(*key, *value);
    else
      for (auto [other, element] : llvm::zip(spread->keys, spread->elements))
        put(other, element);
  }
  return Datum::object(std::move(made));
}

std::optional<Datum> HostValues::call(const ast::Call *expr) {
  StringRef name = calleeName(expr);
  if (name == "dict" && expr->arguments.empty()) {
    SequenceValue made;
    made.isDict = true;
    for (const ast::KeywordArgument &keyword : expr->keywords) {
      auto value = evaluate(keyword.value);
      if (!value)
        return std::nullopt;
      made.keys.push_back(Datum(keyword.name.str()));
      made.elements.push_back(*value);
    }
    return Datum::object(std::move(made));
  }
  auto asList = [](std::optional<Items> items) {
    return items ? std::optional(Datum::sequence(std::move(*items), true)) : std::nullopt;
  };
  if (name == "range" && expr->keywords.empty()) {
    Items arguments;
    for (const ast::Expr *argument : expr->arguments)
      arguments.push_back(evaluate(argument).value_or(Datum()));
    return asList(rangeItems(arguments));
  }
  constexpr StringRef overLists[] = {"product", "zip", "enumerate", "reversed", "list", "tuple"};
  if (!llvm::is_contained(overLists, name) || expr->arguments.empty())
    return std::nullopt;
  std::vector<Items> lists;
  for (const ast::Expr *argument : expr->arguments) {
    auto items = itemsOf(argument);
    if (!items)
      return std::nullopt;
    lists.push_back(std::move(*items));
  }
  for (const ast::KeywordArgument &keyword : expr->keywords) {
    auto times = evaluate(keyword.value);
    bool isRepeat = name == "product" && keyword.name == "repeat" && times && times->asInt().value_or(0) > 0;
    if (!isRepeat || *times->asInt() > 8)
      return std::nullopt;
    std::vector<Items> once = lists;
    for (int64_t i = 1; i < *times->asInt(); ++i)
      lists.insert(lists.end(), once.begin(), once.end());
  }
  if (name == "product")
    return asList(productItems(lists));
  if (name == "zip")
    return asList(zippedItems(lists));
  if (lists.size() != 1)
    return std::nullopt;
  if (name == "reversed")
    std::reverse(lists[0].begin(), lists[0].end());
  if (name == "enumerate") {
    Items numbers;
    for (size_t i = 0; i < lists[0].size(); ++i)
      numbers.push_back(Datum(static_cast<int64_t>(i)));
    return asList(zippedItems({numbers, lists[0]}));
  }
  return Datum::sequence(std::move(lists[0]), name != "tuple");
}

std::optional<Datum> HostValues::evaluate(const ast::Expr *expr) {
  if (!reading.spend(expr->range))
    return std::nullopt;
  if (const auto *comprehension = dyn_cast<ast::Comprehension>(expr);
      comprehension && comprehension->form != ast::ComprehensionForm::Dict) {
    // Its variables are its own.
    HostValues inner = *this;
    Items items;
    bool isRead = inner.collect(comprehension, comprehension->clauses, items);
    return isRead ? std::optional(Datum::sequence(std::move(items), true)) : std::nullopt;
  }
  if (const auto *dict = dyn_cast<ast::Dict>(expr))
    return dictionary(dict);
  if (const auto *list = dyn_cast<ast::List>(expr)) {
    Items items;
    for (const ast::Expr *element : list->elements) {
      auto value = evaluate(element);
      if (!value)
        return std::nullopt;
      items.push_back(*value);
    }
    return Datum::sequence(std::move(items), true);
  }
  if (const auto *binary = dyn_cast<ast::Binary>(expr)) {
    auto left = evaluate(binary->left), right = left ? evaluate(binary->right) : std::nullopt;
    Folded folded = right ? foldBinary(binary->op, *left, *right) : Folded{Datum(), FoldError::OperandType};
    return folded.error == FoldError::None ? std::optional(folded.value) : std::nullopt;
  }
  if (const auto *made = dyn_cast<ast::Call>(expr))
    if (auto value = call(made))
      return value;
  return evaluateConstant(expr, [&](StringRef name) { return lookup(name); });
}
