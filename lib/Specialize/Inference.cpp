// Looks at the uses of a parameter for what only an integer can do.
#include "Inference.h"
#include "AssignedNames.h"
#include "ConstEval.h"
#include "ModuleScope.h"
#include "Scan.h"

using namespace tlx;
using namespace tlx::specialize;
using ast::BinaryOp;
using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;

namespace {
/// What a use says. `Weak`: an integer constant beside it, which a float could have too. `Doubt`: it stands beside
/// something unknown. `Other`: no integer is used so.
enum Evidence : unsigned { None = 0, Strong = 1, Weak = 2, Doubt = 4, Other = 8 };

/// One function, with the names in it that hold integers whatever happens.
class IntegerUses {
public:
  IntegerUses(const ast::Module &module, const ast::FunctionDef &function, llvm::StringSet<> integers, unsigned depth)
      : module(module), function(function), integers(std::move(integers)), depth(depth) {
    findIntegers();
  }

  /// All that the uses of a parameter say.
  unsigned of(StringRef param) const {
    unsigned found = None;
    forEachExpr(function.body, [&](const ast::Expr *expr) { found |= inExpr(expr, param); });
    return found;
  }

  bool isUsed(StringRef param) const {
    bool found = false;
    forEachExpr(function.body, [&](const ast::Expr *expr) {
      const auto *name = dyn_cast<ast::Name>(expr);
      found |= name && name->name == param;
    });
    return found;
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
      else if (const auto *annotated = dyn_cast<ast::AnnotatedAssign>(statement)) {
        note(annotated->target, annotated->value);
        if (const auto *name = dyn_cast<ast::Name>(annotated->target); isConstexprAnnotation(annotated->annotation))
          constants.insert(name ? name->name : StringRef());
      } else if (const auto *augmented = dyn_cast<ast::AugmentedAssign>(statement))
        note(augmented->target, augmented->op == BinaryOp::Divide ? nullptr : augmented->value);
      else if (const auto *loop = dyn_cast<ast::For>(statement)) {
        const auto *call = dyn_cast<ast::Call>(loop->iterable);
        bool isRange = call && calleeName(call).ends_with("range") && !call->arguments.empty();
        note(loop->target, isRange ? call->arguments[0] : nullptr);
      }
    });
    for (const ast::Param &param : function.params)
      if (isConstexprAnnotation(param.annotation))
        constants.insert(param.name);
    for (auto [name, value] : assignments)
      integers.insert(name);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [name, value] : assignments)
        if (integers.contains(name) && (!value || !isInteger(value)))
          changed = integers.erase(name);
    }
  }

  /// Does the expression depend on anything but literals and constexpr names?
  bool isRunTime(const ast::Expr *expr) const {
    if (const auto *name = dyn_cast<ast::Name>(expr))
      return !constants.contains(name->name);
    if (const auto *call = dyn_cast<ast::Call>(expr))
      return givesInteger(calleeName(call));
    return llvm::any_of(childrenOf(expr), [&](const ast::Expr *child) { return isRunTime(child); });
  }

  unsigned besideInteger(const ast::Expr *other) const { return isRunTime(other) ? Strong : Weak; }

  unsigned inBinary(const ast::Expr *left, const ast::Expr *right, BinaryOp op, StringRef param) const {
    auto isParam = [&](const ast::Expr *expr) {
      const auto *name = dyn_cast<ast::Name>(expr);
      return name && name->name == param;
    };
    if (!isParam(left) && !isParam(right))
      return None;
    if (isOnlyForIntegers(op))
      return Strong;
    const ast::Expr *other = isParam(left) ? right : left;
    if (llvm::isa<ast::FloatLiteral>(other))
      return Other;
    // A pointer can be added to; only products tell.
    if (op == BinaryOp::Add || op == BinaryOp::Subtract)
      return None;
    return op == BinaryOp::Multiply && !isParam(other) && isInteger(other) ? besideInteger(other) : unsigned(Doubt);
  }

  unsigned inCall(const ast::Call *call, StringRef param) const {
    StringRef callee = calleeName(call);
    const ast::FunctionDef *inner = llvm::isa<ast::Name>(call->callee) ? findFunction(module, callee) : nullptr;
    bool takesIntegers = callee == "cdiv" || callee.ends_with("range");
    unsigned evidence = None;
    auto argument = [&](const ast::Expr *expr, const ast::Param *target) {
      const auto *name = dyn_cast<ast::Name>(expr);
      if (!name || name->name != param)
        return;
      evidence |= takesIntegers ? Strong : None;
      if (inner && target)
        evidence |= inFunction(*inner, call, target->name);
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

  unsigned inFunction(const ast::FunctionDef &inner, const ast::Call *call, StringRef param) const {
    if (depth == 0)
      return None;
    llvm::StringSet<> known;
    for (auto [position, expr] : llvm::enumerate(call->arguments))
      if (position < inner.params.size() && isInteger(expr))
        known.insert(inner.params[position].name);
    for (const ast::KeywordArgument &keyword : call->keywords)
      if (isInteger(keyword.value))
        known.insert(keyword.name);
    return IntegerUses(module, inner, std::move(known), depth - 1).of(param);
  }

  unsigned inExpr(const ast::Expr *expr, StringRef param) const {
    if (const auto *binary = dyn_cast<ast::Binary>(expr))
      return inBinary(binary->left, binary->right, binary->op, param);
    if (const auto *call = dyn_cast<ast::Call>(expr))
      return inCall(call, param);
    const auto *compare = dyn_cast<ast::Compare>(expr);
    if (!compare)
      return None;
    bool hasParam = false;
    unsigned beside = None;
    for (const ast::Expr *operand : compare->operands) {
      const auto *name = dyn_cast<ast::Name>(operand);
      bool isParam = name && name->name == param;
      hasParam |= isParam;
      if (!isParam && isInteger(operand))
        beside |= besideInteger(operand);
    }
    return hasParam ? beside : unsigned(None);
  }

  const ast::Module &module;
  const ast::FunctionDef &function;
  llvm::StringSet<> integers, constants;
  unsigned depth;
};
} // namespace

bool tlx::specialize::isInferredInteger(const ast::Module &module, const ast::FunctionDef &function, StringRef param,
                                        const llvm::StringSet<> &integers) {
  IntegerUses uses(module, function, integers, /*depth=*/4);
  // Without a use nothing disagrees.
  if (!uses.isUsed(param))
    return true;
  unsigned evidence = uses.of(param);
  if (evidence & Other)
    return false;
  return (evidence & Strong) || ((evidence & Weak) && !(evidence & Doubt));
}
