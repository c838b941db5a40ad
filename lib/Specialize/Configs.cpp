// Reads lists of triton.Config: literal, joined, from a comprehension, a module variable, or a function that returns
// one.
#include "Configs.h"
#include "ConstEval.h"
#include "ModuleScope.h"
#include "Scan.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;

namespace {
class ConfigReader {
public:
  explicit ConfigReader(const ast::Module &module) : module(module) {}

  bool list(const ast::Expr *expr, unsigned depth) {
    if (depth == 0)
      return false;
    if (const auto *items = dyn_cast<ast::List>(expr))
      return llvm::all_of(items->elements, [&](const ast::Expr *element) { return config(element); });
    if (const auto *comprehension = dyn_cast<ast::Comprehension>(expr))
      return clauses(comprehension, comprehension->clauses);
    if (const auto *sum = dyn_cast<ast::Binary>(expr); sum && sum->op == ast::BinaryOp::Add)
      return list(sum->left, depth - 1) && list(sum->right, depth - 1);
    if (const auto *name = dyn_cast<ast::Name>(expr))
      return moduleVariable(name->name, depth);
    if (const auto *call = dyn_cast<ast::Call>(expr))
      return returnedBy(call, depth);
    return false;
  }

  std::vector<KernelConfig> configs;

private:
  std::optional<Datum> evaluate(const ast::Expr *expr) const {
    return evaluateConstant(expr, [&](StringRef name) -> std::optional<Datum> {
      auto found = scope.find(name.str());
      if (found != scope.end())
        return found->second;
      return unsettledBy(module, name) ? std::nullopt : moduleConstant(module, name);
    });
  }

  bool moduleVariable(StringRef name, unsigned depth) {
    if (unsettledBy(module, name))
      return false;
    for (const ast::Stmt *statement : llvm::reverse(topLevel(module)))
      if (const auto *assign = dyn_cast<ast::Assign>(statement))
        for (const ast::Expr *target : assign->targets)
          if (const auto *bound = dyn_cast<ast::Name>(target); bound && bound->name == name)
            return list(assign->value, depth - 1);
    return false;
  }

  /// Only functions that do nothing but return a list.
  bool returnedBy(const ast::Call *call, unsigned depth) {
    const ast::FunctionDef *function = findFunction(module, calleeName(call));
    if (!function || !call->arguments.empty() || !call->keywords.empty())
      return false;
    for (const ast::Stmt *statement : function->body) {
      if (const auto *result = dyn_cast<ast::Return>(statement))
        return result->value && list(result->value, depth - 1);
      if (!llvm::isa<ast::ExprStmt>(statement))
        return false;
    }
    return false;
  }

  bool clauses(const ast::Comprehension *expr, llvm::ArrayRef<ast::ComprehensionClause> rest) {
    if (rest.empty())
      return config(expr->element);
    const ast::ComprehensionClause &clause = rest.front();
    auto items = evaluate(clause.iterable);
    if (!items || !items->asSequence())
      return false;
    for (const Datum &item : items->asSequence()->elements) {
      if (!bind(clause.target, item))
        return false;
      bool isKept = true;
      for (const ast::Expr *condition : clause.conditions) {
        auto value = evaluate(condition);
        if (!value || !value->truth())
          return false;
        isKept &= *value->truth();
      }
      if (isKept && !clauses(expr, rest.drop_front()))
        return false;
    }
    return true;
  }

  bool bind(const ast::Expr *target, const Datum &value) {
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

  bool dictionary(const ast::Expr *expr, KernelConfig &config) {
    const auto *dict = dyn_cast<ast::Dict>(expr);
    if (!dict)
      return false;
    for (const ast::DictItem &item : dict->items) {
      const auto *key = llvm::dyn_cast_if_present<ast::StringLiteral>(item.key);
      auto value = key ? evaluate(item.value) : std::nullopt;
      if (!value)
        return false;
      // Options of the launch may stand among the values.
      if (key->value == "ctas_per_cga")
        option(key->value, *value, config);
      else
        config.values[key->value.str()] = *value;
    }
    return true;
  }

  static void option(StringRef name, const Datum &value, KernelConfig &config) {
    if (name == "num_warps" && value.asInt())
      config.numWarps = value.asInt();
    if (name == "num_stages" && value.asInt())
      config.numStages = value.asInt();
    const SequenceValue *extents = name == "ctas_per_cga" ? value.asSequence() : nullptr;
    if (!extents || extents->elements.size() > 3)
      return;
    config.cluster = {1, 1, 1};
    for (auto [axis, extent] : llvm::enumerate(extents->elements))
      (*config.cluster)[axis] = static_cast<int>(extent.asInt().value_or(0));
  }

  bool config(const ast::Expr *expr) {
    const auto *call = dyn_cast<ast::Call>(expr);
    if (!call || calleeName(call) != "Config")
      return false;
    KernelConfig result;
    if (!call->arguments.empty() && !dictionary(call->arguments[0], result))
      return false;
    for (const ast::KeywordArgument &keyword : call->keywords) {
      if (keyword.name == "kwargs" && !dictionary(keyword.value, result))
        return false;
      // Hooks and what else the host does with a configuration have no constant value and no meaning here.
      if (auto value = evaluate(keyword.value))
        option(keyword.name, *value, result);
      else if (keyword.name == "num_warps" || keyword.name == "num_stages" || keyword.name == "ctas_per_cga")
        return false;
    }
    configs.push_back(std::move(result));
    return true;
  }

  const ast::Module &module;
  std::map<std::string, Datum> scope;
};
} // namespace

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
    ConfigReader reader(module);
    result.isReadable = list && reader.list(list, /*depth=*/8);
    if (result.isReadable)
      result.configs = std::move(reader.configs);
  }
  return result;
}
