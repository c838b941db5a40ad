// Looks at the uses of a parameter for what only an integer can do.
#include "Inference.h"
#include "ConstEval.h"
#include "Scan.h"

using namespace tlx;
using namespace tlx::specialize;
using ast::BinaryOp;
using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;

namespace {
enum class Evidence { None, Integer, Other };

/// One function, with the names in it that hold integers whatever happens.
class IntegerUses {
public:
  IntegerUses(const ast::Module &module, const ast::FunctionDef &function, llvm::StringSet<> integers, unsigned depth)
      : module(module), function(function), integers(std::move(integers)), depth(depth) {
    findIntegers();
  }

  Evidence of(StringRef param) {
    bool isInteger = false, isOther = false, isUsed = false;
    forEachExpr(function.body, [&](const ast::Expr *expr) {
      const auto *name = dyn_cast<ast::Name>(expr);
      isUsed |= name && name->name == param;
      Evidence found = inExpr(expr, param);
      isInteger |= found == Evidence::Integer;
      isOther |= found == Evidence::Other;
    });
    // Without a use nothing disagrees.
    isInteger |= !isUsed;
    return isOther ? Evidence::Other : isInteger ? Evidence::Integer : Evidence::None;
  }

private:
  static bool isOnlyForIntegers(BinaryOp op) {
    return op == BinaryOp::FloorDivide || op == BinaryOp::Modulo || op == BinaryOp::ShiftLeft ||
           op == BinaryOp::ShiftRight || op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
  }
  static bool givesInteger(StringRef name) {
    return name == "program_id" || name == "num_programs" || name == "cdiv" || name == "arange" ||
           name == "thread_id" || name == "cluster_cta_rank" || name == "async_task_replica_id" || name == "len";
  }

  bool isInteger(const ast::Expr *expr) const {
    switch (expr->kind) {
    case ast::Kind::IntLiteral:
    case ast::Kind::BoolLiteral:
    case ast::Kind::Compare:
      return true;
    case ast::Kind::Name:
      return integers.contains(cast<ast::Name>(expr)->name);
    case ast::Kind::Unary:
      return isInteger(cast<ast::Unary>(expr)->operand);
    case ast::Kind::Subscript:
      return isInteger(cast<ast::Subscript>(expr)->base);
    case ast::Kind::Conditional:
      return isInteger(cast<ast::Conditional>(expr)->thenValue) && isInteger(cast<ast::Conditional>(expr)->elseValue);
    case ast::Kind::Binary: {
      const auto *binary = cast<ast::Binary>(expr);
      return binary->op != BinaryOp::Divide && isInteger(binary->left) && isInteger(binary->right);
    }
    case ast::Kind::Call: {
      const auto *call = cast<ast::Call>(expr);
      bool isExtremum = calleeName(call) == "min" || calleeName(call) == "max";
      return givesInteger(calleeName(call)) ||
             (isExtremum && llvm::all_of(call->arguments, [&](const ast::Expr *e) { return isInteger(e); }));
    }
    default:
      return false;
    }
  }

  /// Starts from the belief that all assigned names are integers and drops those that are not.
  void findIntegers() {
    llvm::SmallVector<std::pair<StringRef, const ast::Expr *>> assignments;
    auto note = [&](const ast::Expr *target, const ast::Expr *value) {
      if (const auto *name = dyn_cast<ast::Name>(target))
        assignments.push_back({name->name, value});
      else
        for (const ast::Expr *part : childrenOf(target))
          if (const auto *name = dyn_cast<ast::Name>(part))
            assignments.push_back({name->name, nullptr});
    };
    forEachStmt(function.body, [&](const ast::Stmt *statement) {
      if (const auto *assign = dyn_cast<ast::Assign>(statement))
        for (const ast::Expr *target : assign->targets)
          note(target, assign->value);
      else if (const auto *annotated = dyn_cast<ast::AnnotatedAssign>(statement))
        note(annotated->target, annotated->value);
      else if (const auto *augmented = dyn_cast<ast::AugmentedAssign>(statement))
        note(augmented->target, augmented->op == BinaryOp::Divide ? nullptr : augmented->value);
      else if (const auto *loop = dyn_cast<ast::For>(statement)) {
        const auto *call = dyn_cast<ast::Call>(loop->iterable);
        bool isRange = call && calleeName(call).ends_with("range") && !call->arguments.empty();
        note(loop->target, isRange ? call->arguments[0] : nullptr);
      }
    });
    for (auto [name, value] : assignments)
      integers.insert(name);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [name, value] : assignments)
        if (integers.contains(name) && (!value || !isInteger(value)))
          changed = integers.erase(name);
    }
  }

  Evidence inBinary(const ast::Expr *left, const ast::Expr *right, BinaryOp op, StringRef param) const {
    auto isParam = [&](const ast::Expr *expr) {
      const auto *name = dyn_cast<ast::Name>(expr);
      return name && name->name == param;
    };
    if (!isParam(left) && !isParam(right))
      return Evidence::None;
    if (isOnlyForIntegers(op))
      return Evidence::Integer;
    const ast::Expr *other = isParam(left) ? right : left;
    // A pointer can be added to; only products tell.
    if (op == BinaryOp::Add || op == BinaryOp::Subtract)
      return llvm::isa<ast::FloatLiteral>(other) ? Evidence::Other : Evidence::None;
    bool fits = op == BinaryOp::Multiply && (isParam(other) || isInteger(other));
    return fits ? Evidence::Integer : Evidence::Other;
  }

  Evidence inCall(const ast::Call *call, StringRef param) const {
    StringRef callee = calleeName(call);
    const ast::FunctionDef *inner = llvm::isa<ast::Name>(call->callee) ? findFunction(module, callee) : nullptr;
    bool takesIntegers = callee == "cdiv" || callee.ends_with("range");
    Evidence evidence = Evidence::None;
    auto argument = [&](const ast::Expr *expr, const ast::Param *target) {
      const auto *name = dyn_cast<ast::Name>(expr);
      if (!name || name->name != param)
        return;
      Evidence found = takesIntegers ? Evidence::Integer : Evidence::None;
      if (inner && target)
        found = inFunction(*inner, call, target->name);
      if (found != Evidence::None && evidence != Evidence::Other)
        evidence = found;
    };
    for (auto [position, expr] : llvm::enumerate(call->arguments))
      argument(expr, inner && position < inner->params.size() ? &inner->params[position] : nullptr);
    for (const ast::KeywordArgument &keyword : call->keywords) {
      const ast::Param *target = nullptr;
      for (const ast::Param &candidate : inner ? inner->params : llvm::ArrayRef<ast::Param>())
        if (candidate.name == keyword.name)
          target = &candidate;
      argument(keyword.value, target);
    }
    return evidence;
  }

  Evidence inFunction(const ast::FunctionDef &inner, const ast::Call *call, StringRef param) const {
    if (depth == 0)
      return Evidence::None;
    llvm::StringSet<> known;
    for (auto [position, expr] : llvm::enumerate(call->arguments))
      if (position < inner.params.size() && isInteger(expr))
        known.insert(inner.params[position].name);
    for (const ast::KeywordArgument &keyword : call->keywords)
      if (isInteger(keyword.value))
        known.insert(keyword.name);
    return IntegerUses(module, inner, std::move(known), depth - 1).of(param);
  }

  Evidence inExpr(const ast::Expr *expr, StringRef param) const {
    if (const auto *binary = dyn_cast<ast::Binary>(expr))
      return inBinary(binary->left, binary->right, binary->op, param);
    if (const auto *call = dyn_cast<ast::Call>(expr))
      return inCall(call, param);
    const auto *compare = dyn_cast<ast::Compare>(expr);
    if (!compare)
      return Evidence::None;
    bool hasParam = false, hasInteger = false;
    for (const ast::Expr *operand : compare->operands) {
      const auto *name = dyn_cast<ast::Name>(operand);
      bool isParam = name && name->name == param;
      hasParam |= isParam;
      hasInteger |= !isParam && isInteger(operand);
    }
    return hasParam && hasInteger ? Evidence::Integer : Evidence::None;
  }

  const ast::Module &module;
  const ast::FunctionDef &function;
  llvm::StringSet<> integers;
  unsigned depth;
};
} // namespace

bool tlx::specialize::isInferredInteger(const ast::Module &module, const ast::FunctionDef &function, StringRef param,
                                        const llvm::StringSet<> &integers) {
  return IntegerUses(module, function, integers, /*depth=*/4).of(param) == Evidence::Integer;
}
