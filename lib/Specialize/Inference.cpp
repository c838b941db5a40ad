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
/// What a use says. `Certain`: nothing but an integer can stand there. `Strong`: beside an integer that only running
/// tells. `Weak`: an integer constant beside it, which a float could have too. `Doubt`: it stands beside something
/// unknown. `Other`: beside a float.
enum Evidence : unsigned { None = 0, Certain = 1, Strong = 2, Weak = 4, Doubt = 8, Other = 16 };

/// One parameter of one function, with the names in it that hold integers whatever happens.
class IntegerUses {
public:
  IntegerUses(const ast::Module &module, const ast::FunctionDef &function, StringRef param, llvm::StringSet<> integers,
              unsigned depth, unsigned &budget)
      : module(module), function(function), param(param), integers(std::move(integers)), depth(depth), budget(budget) {
    collectAssignments();
    findIntegers();
    findCarriers();
  }

  /// All that the uses say.
  unsigned evidence() const {
    unsigned found = None;
    forEachExpr(function.body, [&](const ast::Expr *expr) { found |= inExpr(expr); });
    forEachStmt(function.body, [&](const ast::Stmt *statement) {
      if (const auto *augmented = dyn_cast<ast::AugmentedAssign>(statement))
        found |= inBinary(augmented->target, augmented->value, augmented->op);
    });
    return found;
  }

  bool isUsed() const {
    bool found = false;
    forEachExpr(function.body, [&](const ast::Expr *expr) {
      const auto *name = dyn_cast<ast::Name>(expr);
      found |= name && name->name == param;
    });
    return found;
  }

  /// Is what the function returns an integer only if the parameter is one?
  bool returnsParam() const {
    bool found = false;
    forEachStmt(function.body, [&](const ast::Stmt *statement) {
      if (const auto *result = dyn_cast<ast::Return>(statement))
        found |= result->value && linkOf(result->value).isFromParam;
    });
    return found;
  }

private:
  static bool isOnlyForIntegers(BinaryOp op) {
    return op == BinaryOp::FloorDivide || op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight ||
           op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
  }
  static bool givesInteger(StringRef name) {
    return name == "program_id" || name == "num_programs" || name == "cdiv" || name == "arange" ||
           name == "thread_id" || name == "cluster_cta_rank" || name == "async_task_replica_id" || name == "len";
  }
  /// Functions whose lists are places, extents and strides.
  static bool takesPlaces(StringRef name) {
    return name.contains("descriptor") || name == "make_block_ptr" || name == "advance" || name == "load" ||
           name == "store";
  }
  static bool isExtremum(const ast::Call *call) { return calleeName(call) == "min" || calleeName(call) == "max"; }

  void collectAssignments();
  void noteAssignment(const ast::Expr *target, const ast::Expr *value);
  void findIntegers();
  void findCarriers();

  /// What is known of an expression: an integer whatever the parameter is; an integer if the parameter is one; made of
  /// the parameter by arithmetic.
  struct Link {
    bool isInteger = false, isIntegerWithParam = false, isFromParam = false;
    /// Both of two operands.
    Link operator&(Link other) const {
      return {isInteger && other.isInteger, isIntegerWithParam && other.isIntegerWithParam,
              isFromParam || other.isFromParam};
    }
    bool isLinked() const { return isFromParam && isIntegerWithParam; }
  };
  Link linkOf(const ast::Expr *expr) const {
    if (auto known = links.find(expr); known != links.end())
      return known->second;
    Link link = computeLink(expr);
    links[expr] = link;
    return link;
  }
  Link computeLink(const ast::Expr *expr) const;
  Link linkOfCall(const ast::Call *call) const;
  bool isInteger(const ast::Expr *expr) const { return linkOf(expr).isInteger; }
  bool isParam(const ast::Expr *expr) const {
    const auto *name = dyn_cast<ast::Name>(expr);
    return name && name->name == param;
  }
  bool isRunTime(const ast::Expr *expr) const;
  unsigned besideInteger(const ast::Expr *other) const { return isRunTime(other) ? Strong : Weak; }

  unsigned inBinary(const ast::Expr *left, const ast::Expr *right, BinaryOp op) const;
  unsigned inCall(const ast::Call *call) const;
  unsigned inArgument(const ast::Call *call, const ast::Expr *expr, const ast::FunctionDef *inner,
                      const ast::Param *target) const;
  unsigned inCompare(const ast::Compare *compare) const;
  unsigned inExpr(const ast::Expr *expr) const;
  const ast::FunctionDef *calledFunction(const ast::Call *call) const {
    return llvm::isa<ast::Name>(call->callee) ? findFunction(module, calleeName(call)) : nullptr;
  }
  IntegerUses within(const ast::FunctionDef &inner, const ast::Call *call, StringRef innerParam) const;

  const ast::Module &module;
  const ast::FunctionDef &function;
  StringRef param;
  llvm::StringSet<> integers, constants;
  /// Names that are made of the parameter, and those that are integers if it is one.
  llvm::StringSet<> carriers, conditional;
  llvm::SmallVector<std::pair<StringRef, const ast::Expr *>> assignments;
  mutable llvm::DenseMap<const ast::Expr *, Link> links;
  unsigned depth;
  /// How many more functions may be looked into, of all that call each other.
  unsigned &budget;
};
} // namespace

IntegerUses::Link IntegerUses::computeLink(const ast::Expr *expr) const {
  constexpr Link anyInteger{true, true, false};
  switch (expr->kind) {
  case ast::Kind::IntLiteral:
  case ast::Kind::BoolLiteral:
  case ast::Kind::Compare:
    return anyInteger;
  case ast::Kind::Name: {
    StringRef name = cast<ast::Name>(expr)->name;
    bool isKnown = integers.contains(name);
    return {isKnown, isKnown || conditional.contains(name), carriers.contains(name)};
  }
  case ast::Kind::Unary:
    return linkOf(cast<ast::Unary>(expr)->operand);
  case ast::Kind::Subscript: {
    Link base = linkOf(cast<ast::Subscript>(expr)->base);
    return {base.isInteger, base.isIntegerWithParam, false};
  }
  case ast::Kind::Conditional: {
    const auto *choice = cast<ast::Conditional>(expr);
    return linkOf(choice->thenValue) & linkOf(choice->elseValue);
  }
  case ast::Kind::Binary: {
    const auto *binary = cast<ast::Binary>(expr);
    if (binary->op == BinaryOp::Divide)
      return {};
    return linkOf(binary->left) & linkOf(binary->right);
  }
  case ast::Kind::Call:
    return linkOfCall(cast<ast::Call>(expr));
  default:
    return {};
  }
}

IntegerUses::Link IntegerUses::linkOfCall(const ast::Call *call) const {
  Link all{true, true, false};
  if (givesInteger(calleeName(call)))
    return all;
  if (isExtremum(call)) {
    for (const ast::Expr *argument : call->arguments)
      all = all & linkOf(argument);
    return all;
  }
  const ast::FunctionDef *inner = calledFunction(call);
  if (!inner || depth == 0 || budget == 0)
    return {};
  Link result;
  for (auto [position, argument] : llvm::enumerate(call->arguments))
    if (position < inner->params.size() && linkOf(argument).isFromParam)
      result.isFromParam |= within(*inner, call, inner->params[position].name).returnsParam();
  return result;
}

void IntegerUses::noteAssignment(const ast::Expr *target, const ast::Expr *value) {
  if (const auto *name = dyn_cast<ast::Name>(target)) {
    assignments.push_back({name->name, value});
    return;
  }
  auto targets = childrenOf(target);
  bool isPairwise = llvm::isa<ast::Tuple>(target) && value && llvm::isa<ast::Tuple>(value) &&
                    childrenOf(value).size() == targets.size();
  for (auto [index, part] : llvm::enumerate(targets))
    if (llvm::isa<ast::Name>(part))
      noteAssignment(part, isPairwise ? childrenOf(value)[index] : nullptr);
}

void IntegerUses::collectAssignments() {
  forEachStmt(function.body, [&](const ast::Stmt *statement) {
    if (const auto *assign = dyn_cast<ast::Assign>(statement)) {
      for (const ast::Expr *target : assign->targets)
        noteAssignment(target, assign->value);
    } else if (const auto *annotated = dyn_cast<ast::AnnotatedAssign>(statement)) {
      noteAssignment(annotated->target, annotated->value);
      if (const auto *name = dyn_cast<ast::Name>(annotated->target); isConstexprAnnotation(annotated->annotation))
        constants.insert(name ? name->name : StringRef());
    } else if (const auto *augmented = dyn_cast<ast::AugmentedAssign>(statement)) {
      noteAssignment(augmented->target, augmented->op == BinaryOp::Divide ? nullptr : augmented->value);
    } else if (const auto *loop = dyn_cast<ast::For>(statement)) {
      const auto *call = dyn_cast<ast::Call>(loop->iterable);
      const auto *index = dyn_cast<ast::Name>(loop->target);
      // What a range counts is an integer whatever its bounds are made of.
      if (call && index && calleeName(call).ends_with("range"))
        integers.insert(index->name);
      else
        noteAssignment(loop->target, nullptr);
    }
  });
  for (const ast::Param &one : function.params)
    if (isConstexprAnnotation(one.annotation))
      constants.insert(one.name);
}

/// Starts from the belief that all assigned names are integers and drops those that are not.
void IntegerUses::findIntegers() {
  for (auto [name, value] : assignments)
    integers.insert(name);
  for (bool changed = true; changed;) {
    changed = false;
    links.clear();
    for (auto [name, value] : assignments)
      if (integers.contains(name) && (!value || !isInteger(value)))
        changed |= integers.erase(name);
  }
}

/// The same under the belief that the parameter is an integer; and the names that its value reaches.
void IntegerUses::findCarriers() {
  carriers.insert(param);
  conditional.insert(param);
  for (auto [name, value] : assignments)
    conditional.insert(name);
  for (bool changed = true; changed;) {
    changed = false;
    links.clear();
    for (auto [name, value] : assignments) {
      if (conditional.contains(name) && (!value || !linkOf(value).isIntegerWithParam))
        changed |= conditional.erase(name);
      if (value && linkOf(value).isFromParam)
        changed |= carriers.insert(name).second;
    }
  }
  links.clear();
}

/// Does the expression depend on anything but literals and constexpr names?
bool IntegerUses::isRunTime(const ast::Expr *expr) const {
  if (const auto *name = dyn_cast<ast::Name>(expr))
    return !constants.contains(name->name);
  if (const auto *call = dyn_cast<ast::Call>(expr))
    return givesInteger(calleeName(call));
  return llvm::any_of(childrenOf(expr), [&](const ast::Expr *child) { return isRunTime(child); });
}

unsigned IntegerUses::inBinary(const ast::Expr *left, const ast::Expr *right, BinaryOp op) const {
  if (isOnlyForIntegers(op))
    return linkOf(left).isFromParam || linkOf(right).isFromParam ? Certain : None;
  bool isDirect = isParam(left) || isParam(right);
  bool isLeft = isParam(left) || (!isDirect && linkOf(left).isLinked());
  if (!isLeft && !isParam(right) && !linkOf(right).isLinked())
    return None;
  const ast::Expr *other = isLeft ? right : left;
  if (llvm::isa<ast::FloatLiteral>(other))
    return isDirect ? Other : None;
  if (op == BinaryOp::Modulo)
    return isDirect || isInteger(other) ? Strong : None;
  // A pointer can be added to; only products tell.
  if (op == BinaryOp::Add || op == BinaryOp::Subtract)
    return None;
  if (op == BinaryOp::Multiply && !isParam(other) && isInteger(other))
    return isDirect || isRunTime(other) ? besideInteger(other) : unsigned(None);
  return isDirect ? Doubt : None;
}

IntegerUses IntegerUses::within(const ast::FunctionDef &inner, const ast::Call *call, StringRef innerParam) const {
  llvm::StringSet<> known;
  for (auto [position, expr] : llvm::enumerate(call->arguments))
    if (position < inner.params.size() && isInteger(expr))
      known.insert(inner.params[position].name);
  for (const ast::KeywordArgument &keyword : call->keywords)
    if (isInteger(keyword.value))
      known.insert(keyword.name);
  budget -= budget > 0;
  return IntegerUses(module, inner, innerParam, std::move(known), depth - 1, budget);
}

/// One argument of a call: of a function of the module what its own uses say.
unsigned IntegerUses::inArgument(const ast::Call *call, const ast::Expr *expr, const ast::FunctionDef *inner,
                                 const ast::Param *target) const {
  StringRef callee = calleeName(call);
  Link link = linkOf(expr);
  if (inner) {
    if (!target || depth == 0 || budget == 0 || !link.isFromParam)
      return None;
    unsigned found = within(*inner, call, target->name).evidence();
    return isParam(expr) ? found : found & Certain;
  }
  if (callee == "cdiv" || callee.ends_with("range"))
    return link.isFromParam ? Certain : None;
  bool isList = llvm::isa<ast::Tuple, ast::List>(expr) && takesPlaces(callee);
  return isList && llvm::any_of(childrenOf(expr), [&](const ast::Expr *part) { return linkOf(part).isFromParam; })
             ? Certain
             : None;
}

unsigned IntegerUses::inCall(const ast::Call *call) const {
  const ast::FunctionDef *inner = calledFunction(call);
  unsigned found = None;
  for (auto [position, expr] : llvm::enumerate(call->arguments))
    found |=
        inArgument(call, expr, inner, inner && position < inner->params.size() ? &inner->params[position] : nullptr);
  for (const ast::KeywordArgument &keyword : call->keywords) {
    const ast::Param *target = nullptr;
    for (const ast::Param &candidate : inner ? inner->params : llvm::ArrayRef<ast::Param>())
      if (candidate.name == keyword.name)
        target = &candidate;
    found |= inArgument(call, keyword.value, inner, target);
  }
  return found;
}

unsigned IntegerUses::inCompare(const ast::Compare *compare) const {
  bool isDirect = llvm::any_of(compare->operands, [&](const ast::Expr *operand) { return isParam(operand); });
  bool hasLinked = isDirect;
  unsigned beside = None;
  for (const ast::Expr *operand : compare->operands) {
    hasLinked |= linkOf(operand).isLinked();
    if (!isParam(operand) && isInteger(operand))
      beside |= besideInteger(operand);
  }
  // Beside a constant, what is made of it tells less than it does itself.
  return isDirect ? beside : hasLinked ? beside & Strong : unsigned(None);
}

unsigned IntegerUses::inExpr(const ast::Expr *expr) const {
  if (const auto *binary = dyn_cast<ast::Binary>(expr))
    return inBinary(binary->left, binary->right, binary->op);
  if (const auto *call = dyn_cast<ast::Call>(expr))
    return inCall(call);
  const auto *compare = dyn_cast<ast::Compare>(expr);
  return compare ? inCompare(compare) : unsigned(None);
}

bool tlx::specialize::isInferredInteger(const ast::Module &module, const ast::FunctionDef &function, StringRef param,
                                        const llvm::StringSet<> &integers) {
  unsigned budget = 1000;
  IntegerUses uses(module, function, param, integers, /*depth=*/4, budget);
  // Without a use nothing disagrees.
  if (!uses.isUsed())
    return true;
  unsigned evidence = uses.evidence();
  if (evidence & Certain)
    return true;
  if (evidence & Other)
    return false;
  return (evidence & Strong) || ((evidence & Weak) && !(evidence & Doubt));
}
