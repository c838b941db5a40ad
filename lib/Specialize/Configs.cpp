// Reads lists of triton.Config as the host would make them: literal, joined, from comprehensions, loops, variables and
// functions of the module, as long as every value is a constant.
#include "Configs.h"
#include "HostValues.h"
#include "ModuleScope.h"
#include "Scan.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {
/// How a statement of the host ends.
enum class Step { Next, Unreadable, Returned, Continued, Broken };

class ConfigReader {
public:
  ConfigReader(const ast::Module &module, uint32_t until, HostReading &reading, unsigned depth)
      : module(module), until(until), reading(reading), depth(depth), values(module, reading) {}

  bool list(const ast::Expr *expr, std::vector<KernelConfig> &into);
  /// Runs the function for its list.
  bool returned(const ast::Call *call, std::vector<KernelConfig> &into);
  /// Runs what the top level does to a variable, up to the kernel.
  bool variable(StringRef name, std::vector<KernelConfig> &into);

private:
  bool unreadable(SourceRange range, const llvm::Twine &what) { return reading.stop(range, what); }
  bool clauses(const ast::Comprehension *expr, llvm::ArrayRef<ast::ComprehensionClause> rest,
               std::vector<KernelConfig> &into);
  bool config(const ast::Expr *expr, KernelConfig &made);
  bool dictionary(const ast::Expr *expr, KernelConfig &config);
  static void option(StringRef name, const Datum &value, SourceRange range, KernelConfig &config);

  Step run(ast::Body body);
  Step runStatement(const ast::Stmt *statement);
  Step assign(const ast::Assign *statement);
  Step call(const ast::ExprStmt *statement);
  Step loop(const ast::For *statement);

  const ast::Module &module;
  uint32_t until;
  HostReading &reading;
  unsigned depth;
  HostValues values;
  std::map<std::string, std::vector<KernelConfig>> lists;
  std::vector<KernelConfig> result;
};
} // namespace

//===-- configurations --------------------------------------------------------------------------------------===//

void ConfigReader::option(StringRef name, const Datum &value, SourceRange range, KernelConfig &config) {
  config.places[name.str()] = range;
  if (name == "num_warps" && value.asInt())
    config.numWarps = value.asInt();
  if (name == "num_stages" && value.asInt())
    config.numStages = value.asInt();
  if ((name == "maxnreg" || name == "num_ctas") && value.asInt())
    config.others[name.str()] = *value.asInt();
  const SequenceValue *extents = name == "ctas_per_cga" ? value.asSequence() : nullptr;
  if (!extents || extents->elements.size() > 3)
    return;
  config.cluster = {1, 1, 1};
  for (auto [axis, extent] : llvm::enumerate(extents->elements))
    (*config.cluster)[axis] = static_cast<int>(extent.asInt().value_or(0));
}

bool ConfigReader::dictionary(const ast::Expr *expr, KernelConfig &config) {
  auto value = values.evaluate(expr);
  const SequenceValue *dict = value ? value->asDict() : nullptr;
  if (!dict)
    return unreadable(expr->range, "values that are no dictionary of constants");
  for (auto [key, element] : llvm::zip(dict->keys, dict->elements)) {
    // Options of the launch may stand among the values.
    if (key == Datum(std::string("ctas_per_cga")))
      option("ctas_per_cga", element, expr->range, config);
    else
      config.values[key.text()] = element;
  }
  return true;
}

bool ConfigReader::config(const ast::Expr *expr, KernelConfig &made) {
  const auto *call = dyn_cast<ast::Call>(expr);
  if (!call || calleeName(call) != "Config")
    return unreadable(expr->range, ast::kindName(expr->kind) + " where a `triton.Config` is expected");
  made.range = call->range;
  if (!call->arguments.empty() && !dictionary(call->arguments[0], made))
    return false;
  for (const ast::KeywordArgument &keyword : call->keywords) {
    if (keyword.name == "kwargs") {
      if (!dictionary(keyword.value, made))
        return false;
      continue;
    }
    // Hooks and what else the host does with a configuration have no constant value and no meaning here.
    constexpr StringRef options[] = {"num_warps", "num_stages", "ctas_per_cga", "maxnreg", "num_ctas"};
    if (!llvm::is_contained(options, keyword.name))
      continue;
    auto value = values.evaluate(keyword.value);
    if (!value)
      return unreadable(keyword.value->range, "a `" + keyword.name + "` that is no constant");
    option(keyword.name, *value, keyword.value->range, made);
  }
  return true;
}

//===-- lists -----------------------------------------------------------------------------------------------===//

bool ConfigReader::clauses(const ast::Comprehension *expr, llvm::ArrayRef<ast::ComprehensionClause> rest,
                           std::vector<KernelConfig> &into) {
  if (rest.empty())
    return config(expr->element, into.emplace_back());
  return values.forEach(rest.front(), [&] { return clauses(expr, rest.drop_front(), into); });
}

bool ConfigReader::list(const ast::Expr *expr, std::vector<KernelConfig> &into) {
  if (!reading.spend(expr->range))
    return false;
  if (const auto *items = dyn_cast<ast::List>(expr))
    return llvm::all_of(items->elements, [&](const ast::Expr *element) {
      const auto *starred = dyn_cast<ast::Starred>(element);
      return starred ? list(starred->value, into) : config(element, into.emplace_back());
    });
  if (const auto *comprehension = dyn_cast<ast::Comprehension>(expr))
    return clauses(comprehension, comprehension->clauses, into);
  if (const auto *sum = dyn_cast<ast::Binary>(expr); sum && sum->op == ast::BinaryOp::Add)
    return list(sum->left, into) && list(sum->right, into);
  if (const auto *name = dyn_cast<ast::Name>(expr)) {
    if (auto local = lists.find(name->name.str()); local != lists.end()) {
      into.insert(into.end(), local->second.begin(), local->second.end());
      return true;
    }
    return variable(name->name, into) || unreadable(expr->range, "`" + name->name + "`, which is no list here");
  }
  if (const auto *call = dyn_cast<ast::Call>(expr)) {
    bool isCopy = calleeName(call) == "list" && call->arguments.size() == 1 && call->keywords.empty();
    return isCopy ? list(call->arguments.front(), into) : returned(call, into);
  }
  return unreadable(expr->range, ast::kindName(expr->kind) + " where a list is expected");
}

bool ConfigReader::returned(const ast::Call *call, std::vector<KernelConfig> &into) {
  const ast::FunctionDef *function = isa<ast::Name>(call->callee) ? findFunction(module, calleeName(call)) : nullptr;
  if (!function || depth == 0)
    return unreadable(call->range, "a call of `" + calleeName(call) + "`");
  ConfigReader inner(module, until, reading, depth - 1);
  if (!inner.values.bindArguments(*function, *call, values))
    return false;
  Step end = inner.run(function->body);
  if (end == Step::Next)
    return unreadable(function->nameRange, "a function that returns nothing");
  into.insert(into.end(), inner.result.begin(), inner.result.end());
  return end == Step::Returned;
}

/// Whether a statement, or one inside of it, gives or changes what a name holds.
static bool touches(const ast::Stmt *statement, StringRef name) {
  auto isName = [&](const ast::Expr *expr) {
    const auto *bound = dyn_cast<ast::Name>(expr);
    return bound && bound->name == name;
  };
  bool found = false;
  forEachStmt(ast::Body(&statement, 1), [&](const ast::Stmt *inside) {
    if (const auto *assign = dyn_cast<ast::Assign>(inside))
      found |= llvm::any_of(assign->targets, isName);
    if (const auto *augmented = dyn_cast<ast::AugmentedAssign>(inside))
      found |= isName(augmented->target);
    if (const auto *opaque = dyn_cast<ast::OpaqueStmt>(inside))
      found |= llvm::any_of(opaque->body, [&](const ast::Stmt *part) { return touches(part, name); });
    const auto *expression = dyn_cast<ast::ExprStmt>(inside);
    const auto *call = expression ? dyn_cast<ast::Call>(expression->value) : nullptr;
    const auto *method = call ? dyn_cast<ast::Attribute>(call->callee) : nullptr;
    found |= method && isName(method->base);
  });
  return found;
}

bool ConfigReader::variable(StringRef name, std::vector<KernelConfig> &into) {
  if (depth == 0)
    return false;
  ConfigReader inner(module, until, reading, depth - 1);
  for (const ast::Stmt *statement : module.body)
    if (statement->range.begin < until && touches(statement, name) && inner.runStatement(statement) != Step::Next)
      return false;
  auto found = inner.lists.find(name.str());
  if (found == inner.lists.end())
    return false;
  into.insert(into.end(), found->second.begin(), found->second.end());
  return true;
}

//===-- statements ------------------------------------------------------------------------------------------===//

Step ConfigReader::run(ast::Body body) {
  for (const ast::Stmt *statement : body)
    if (Step step = runStatement(statement); step != Step::Next)
      return step;
  return Step::Next;
}

Step ConfigReader::assign(const ast::Assign *statement) {
  for (const ast::Expr *target : statement->targets) {
    auto constant = values.evaluate(statement->value);
    const auto *name = dyn_cast<ast::Name>(target);
    bool isEmptyList = constant && constant->asSequence() && constant->asSequence()->elements.empty();
    if (constant && !values.bind(target, *constant))
      return unreadable(target->range, "this target"), Step::Unreadable;
    if (constant && !isEmptyList)
      continue;
    std::vector<KernelConfig> made;
    if (!name || !list(statement->value, made))
      return unreadable(statement->value->range, "a value that is no constant"), Step::Unreadable;
    lists[name->name.str()] = std::move(made);
  }
  return Step::Next;
}

/// `list.append(triton.Config(…))` and `list.extend(…)`; printing does not matter.
Step ConfigReader::call(const ast::ExprStmt *statement) {
  const auto *call = dyn_cast<ast::Call>(statement->value);
  if (isa<ast::StringLiteral>(statement->value) || (call && calleeName(call) == "print"))
    return Step::Next;
  const auto *method = call ? dyn_cast<ast::Attribute>(call->callee) : nullptr;
  const auto *name = method ? dyn_cast<ast::Name>(method->base) : nullptr;
  auto found = name ? lists.find(name->name.str()) : lists.end();
  bool isKnown = found != lists.end() && call->arguments.size() == 1 && call->keywords.empty();
  if (isKnown && method->name == "append")
    return config(call->arguments[0], found->second.emplace_back()) ? Step::Next : Step::Unreadable;
  if (isKnown && method->name == "extend") {
    std::vector<KernelConfig> more;
    if (!list(call->arguments[0], more))
      return Step::Unreadable;
    found->second.insert(found->second.end(), more.begin(), more.end());
    return Step::Next;
  }
  unreadable(statement->range, "this call");
  return Step::Unreadable;
}

Step ConfigReader::loop(const ast::For *statement) {
  Step last = Step::Next;
  bool isRead = values.forEach({statement->target, statement->iterable, {}, false}, [&] {
    last = run(statement->body);
    return last == Step::Next || last == Step::Continued;
  });
  if (isRead || last == Step::Broken)
    return !isRead || statement->elseBody.empty() ? Step::Next : run(statement->elseBody);
  return last == Step::Returned ? last : Step::Unreadable;
}

Step ConfigReader::runStatement(const ast::Stmt *statement) {
  if (!reading.spend(statement->range))
    return Step::Unreadable;
  switch (statement->kind) {
  case ast::Kind::Pass:
  case ast::Kind::Import:
  case ast::Kind::ImportFrom:
  case ast::Kind::Assert:
    return Step::Next;
  case ast::Kind::Continue:
    return Step::Continued;
  case ast::Kind::Break:
    return Step::Broken;
  case ast::Kind::Assign:
    return assign(llvm::cast<ast::Assign>(statement));
  case ast::Kind::ExprStmt:
    return call(llvm::cast<ast::ExprStmt>(statement));
  case ast::Kind::For:
    return loop(llvm::cast<ast::For>(statement));
  case ast::Kind::AugmentedAssign: {
    const auto *change = llvm::cast<ast::AugmentedAssign>(statement);
    const auto *name = dyn_cast<ast::Name>(change->target);
    auto found = name ? lists.find(name->name.str()) : lists.end();
    bool isList = found != lists.end() && change->op == ast::BinaryOp::Add;
    std::vector<KernelConfig> more;
    if (isList ? !list(change->value, more) : !values.change(change))
      return unreadable(statement->range, "this change"), Step::Unreadable;
    if (isList)
      found->second.insert(found->second.end(), more.begin(), more.end());
    return Step::Next;
  }
  case ast::Kind::If: {
    const auto *branch = llvm::cast<ast::If>(statement);
    auto condition = values.evaluate(branch->condition);
    if (!condition || !condition->truth())
      return unreadable(branch->condition->range, "a condition that is no constant"), Step::Unreadable;
    return run(*condition->truth() ? branch->thenBody : branch->elseBody);
  }
  case ast::Kind::Return: {
    const ast::Expr *value = llvm::cast<ast::Return>(statement)->value;
    return value && list(value, result) ? Step::Returned : Step::Unreadable;
  }
  default:
    unreadable(statement->range, ast::kindName(statement->kind));
    return Step::Unreadable;
  }
}

ConfigList tlx::specialize::readConfigs(const ast::Module &module, const ast::FunctionDef &function) {
  ConfigList result;
  for (const ast::Expr *decorator : function.decorators) {
    const auto *call = dyn_cast<ast::Call>(decorator);
    if (!call || !calleeName(call).ends_with("autotune"))
      continue;
    result.decorator = call;
    const ast::Expr *list = call->arguments.empty() ? nullptr : call->arguments[0];
    for (const ast::KeywordArgument &keyword : call->keywords)
      if (keyword.name == "configs")
        list = keyword.value;
    HostReading reading;
    ConfigReader reader(module, function.range.begin, reading, /*depth=*/8);
    result.configs.clear();
    result.isReadable = list && reader.list(list, result.configs);
    if (!result.isReadable)
      result.configs.clear();
    result.stop = reading.stopped;
    result.reason = reading.reason;
  }
  return result;
}
