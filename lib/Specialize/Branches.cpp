// `if`: constant conditions choose, run-time ones become scf.if whose results are the names that both sides give.
#include "ArmMerger.h"
#include "Escapes.h"
#include "Scan.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

Datum tlx::specialize::substitute(const Datum &shape, ValueRange values, unsigned &next) {
  if (const SequenceValue *parts = shape.asParts()) {
    std::vector<Datum> elements;
    for (const Datum &element : parts->elements)
      elements.push_back(substitute(element, values, next));
    return parts->with(std::move(elements));
  }
  const auto *ir = shape.getIf<IRValue>();
  return ir && !ir->value ? Datum::ir(values[next++], ir->dtype) : shape;
}

/// Where the name stands last in the function, so that a branch hands on only what is still read.
uint32_t Specializer::lastUse(StringRef name) {
  auto &uses = frame().lastUses;
  if (uses.empty())
    forEachExpr(frame().function->body, [&](const ast::Expr *expr) {
      if (const auto *use = dyn_cast<ast::Name>(expr))
        uses[use->name] = std::max(uses.lookup(use->name), use->range.begin + 1);
    });
  return uses.lookup(name);
}

namespace {
/// The names of two arms as one set of names.
class NameMerger {
public:
  NameMerger(ArmMerger &merger, const Arm (&arms)[2], bool isInLoop)
      : merger(merger), arms(arms),
        // After a `return` on all paths nobody reads anything.
        isOver(arms[0].flow == Flow::Escaped && arms[1].flow == Flow::Escaped && !isInLoop) {}

  void run(llvm::function_ref<bool(StringRef)> isReadLater) {
    for (const auto &[name, binding] : arms[0].names) {
      auto other = arms[1].names.find(name);
      if (other == arms[1].names.end())
        single(name, binding, 0, isReadLater);
      else
        both(name, binding, other->second);
    }
    for (const auto &[name, binding] : arms[1].names)
      if (!arms[0].names.count(name))
        single(name, binding, 1, isReadLater);
  }

  Names merged;
  SmallVector<std::pair<StringRef, LostName>> lost;

private:
  void lose(StringRef name, SourceRange range, const char *reason) { lost.push_back({name, {range, reason, false}}); }
  bool isEscape(StringRef name) const { return escapes::isFlag(name) || name == escapes::value; }

  /// Whether the arm ends in `return`, so that what it leaves in variables does not matter.
  bool hasReturned(unsigned arm) const {
    auto found = arms[arm].names.find(escapes::returned);
    return found != arms[arm].names.end() && found->second.value == Datum(true);
  }

  void both(StringRef name, const Binding &first, const Binding &second) {
    if (isOver && !isEscape(name))
      return;
    auto value = merger.merge(first.value, second.value);
    for (unsigned arm : {0, 1})
      if (!value && hasReturned(1 - arm) && !isEscape(name))
        value = merger.adopt((arm ? second : first).value, arm);
    if (value)
      merged[name] = {*value, first.range};
    else
      lose(name, first.range, "the branches of a run-time `if` give it different types");
  }

  void single(StringRef name, const Binding &binding, unsigned arm, llvm::function_ref<bool(StringRef)> isReadLater) {
    std::optional<Datum> value;
    if (escapes::isFlag(name))
      value = arm == 0 ? merger.merge(binding.value, Datum(false)) : merger.merge(Datum(false), binding.value);
    else if (name == escapes::value || (!isOver && arms[1 - arm].flow == Flow::Escaped && isReadLater(name)))
      value = merger.adopt(binding.value, arm);
    if (value)
      merged[name] = {*value, binding.range};
    else
      lose(name, binding.range, "assigned in only one branch of a run-time `if`");
  }

  ArmMerger &merger;
  const Arm (&arms)[2];
  bool isOver;
};
} // namespace

/// `end` is where the source of the arms ends.
LogicalResult Specializer::mergeArms(scf::IfOp skeleton, const Arm (&arms)[2], Arm &merged, uint32_t end) {
  ArmMerger merger(emit, skeleton);
  NameMerger names(merger, arms, frame().loopDepth != 0);
  names.run([&](StringRef name) { return lastUse(name) > end; });
  auto result = merger.merge(arms[0].result, arms[1].result);
  for (const auto &[name, why] : names.lost)
    if (name == escapes::value)
      result = std::nullopt;
  if (!result) {
    auto given = [&](const Arm &arm) {
      auto found = arm.names.find(escapes::value);
      return found == arm.names.end() ? arm.result : found->second.value;
    };
    emit.error(diag::Kind::OperandType) << "one branch gives " << given(arms[0]).describe() << ", the other "
                                        << given(arms[1]).describe();
    emit.builder.setInsertionPointAfter(skeleton);
    return failure();
  }
  scf::IfOp branch = merger.finish();
  unsigned next = 0;
  frame().names.clear();
  for (auto &[name, binding] : names.merged)
    bind(name, substitute(binding.value, branch.getResults(), next), binding.range);
  for (auto &[name, why] : names.lost)
    frame().lost[name] = why;
  merged.result = substitute(*result, branch.getResults(), next);
  merged.flow = arms[0].flow == arms[1].flow ? arms[0].flow : Flow::Maybe;
  return success();
}

/// Goes on with an arm at the end of its region.
LogicalResult Specializer::runArm(Region &region, Arm &arm, ArmBuilder build) {
  emit.builder.setInsertionPointToEnd(&region.front());
  frame().names = arm.names;
  LogicalResult built = build(arm);
  arm.names = frame().names;
  return built;
}

Result Specializer::emitChoice(mlir::Value condition, llvm::function_ref<Result()> thenValue,
                               llvm::function_ref<Result()> elseValue) {
  auto skeleton = emit.create<scf::IfOp>(TypeRange(), condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  Arm arms[2], merged;
  arms[0].names = arms[1].names = frame().names;
  auto run = [&](unsigned index, Region &region, llvm::function_ref<Result()> evaluateArm) {
    return runArm(region, arms[index], [&](Arm &arm) -> LogicalResult {
      auto value = evaluateArm();
      if (succeeded(value))
        arm.result = *value;
      return LogicalResult(value);
    });
  };
  if (failed(run(0, skeleton.getThenRegion(), thenValue)) || failed(run(1, skeleton.getElseRegion(), elseValue))) {
    emit.builder.setInsertionPointAfter(skeleton);
    return failure();
  }
  return failed(mergeArms(skeleton, arms, merged, emit.range.end)) ? Result(failure()) : Result(merged.result);
}

FlowResult Specializer::executeDynamicIf(const ast::If *statement, mlir::Value condition, ast::Body tail,
                                         bool &isTailDone) {
  auto skeleton = emit.create<scf::IfOp>(TypeRange(), condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  Names before = frame().names;
  Arm arms[2], merged;
  arms[0].names = arms[1].names = before;
  auto run = [&](unsigned index, ast::Body body, bool isTail = false) {
    auto executeAll = [&] { return isTail ? executeTail(body) : execute(body); };
    return runArm(skeleton->getRegion(index), arms[index], [&](Arm &arm) -> LogicalResult {
      auto flow = arm.flow == Flow::Maybe ? executeGuarded(body.back()->range.end, executeAll) : executeAll();
      if (succeeded(flow))
        arm.flow = *flow;
      return LogicalResult(flow);
    });
  };
  bool isBuilt = succeeded(run(0, statement->thenBody));
  isBuilt &= succeeded(run(1, statement->elseBody));
  uint32_t end = statement->range.end;
  // What follows is executed in the only arm that comes so far.
  bool isGone[] = {arms[0].flow == Flow::Escaped, arms[1].flow == Flow::Escaped};
  if (isBuilt && isGone[0] != isGone[1] && !tail.empty()) {
    isTailDone = true;
    end = tail.back()->range.end;
    isBuilt = succeeded(run(isGone[0] ? 1 : 0, tail, /*isTail=*/true));
  }
  if (isBuilt)
    return failed(mergeArms(skeleton, arms, merged, end)) ? FlowResult(failure()) : FlowResult(merged.flow);
  emit.builder.setInsertionPointAfter(skeleton);
  frame().names = std::move(before);
  return failure();
}

FlowResult Specializer::executeIf(const ast::If *statement, ast::Body tail, bool &isTailDone) {
  bool isEqual = true;
  if (comparedGroup(statement->condition, isEqual))
    return failed(executeWarpGroups(statement)) ? FlowResult(failure()) : FlowResult(Flow::Next);
  auto condition = evaluate(statement->condition);
  if (failed(condition))
    return failure();
  if (auto truth = condition->truth())
    return execute(*truth ? statement->thenBody : statement->elseBody);
  Emitter::At at(emit, statement->condition->range);
  if (condition->isTile() && frame().isElementwise)
    return executeTileIf(statement, *condition, tail, isTailDone);
  auto chosen = emit.asScalarCondition(*condition);
  return failed(chosen) ? FlowResult(failure()) : executeDynamicIf(statement, *chosen, tail, isTailDone);
}
