// What follows a statement that may have escaped runs under the condition that it did not.
#include "Escapes.h"
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

FlowResult Specializer::executeReturn(const ast::Return *statement) {
  Emitter::At at(emit, statement->range);
  if (frame().isInTask && (statement->value || frame().goesOnBehindTasks)) {
    LogicalResult refused =
        unsupported(statement->range, statement->value ? "`return` of a value inside a task"
                                                       : "`return` inside a task that statements follow");
    return refused;
  }
  Datum value{NoneValue()};
  if (statement->value) {
    auto returned = evaluate(statement->value);
    if (failed(returned))
      return failure();
    value = *returned;
  }
  bind(escapes::returned, Datum(true), statement->range);
  bind(escapes::value, value, statement->range);
  return Flow::Escaped;
}

FlowResult Specializer::executeLeave(const ast::Stmt *statement) {
  bool isBreak = statement->kind == ast::Kind::Break;
  if (frame().loopDepth == 0) {
    sink.error(diag::Kind::UnsupportedConstruct, statement->range)
        << (isBreak ? "`break`" : "`continue`") << " stands in no loop" << (frame().isInTask ? " of this task" : "");
    return failure();
  }
  bind(isBreak ? escapes::broken : escapes::continued, Datum(true), statement->range);
  return Flow::Escaped;
}

Flow Specializer::flowOfEscapes() {
  Flow flow = Flow::Next;
  for (StringRef flag : escapes::all) {
    auto found = frame().names.find(flag);
    if (found == frame().names.end())
      continue;
    auto truth = found->second.value.truth();
    if (truth && *truth)
      return Flow::Escaped;
    if (!truth)
      flow = Flow::Maybe;
  }
  return flow;
}

void Specializer::dropEscapes() {
  for (StringRef flag : escapes::all)
    frame().names.erase(flag);
  frame().names.erase(escapes::value);
}

/// Whether one of the flags is raised, as a run-time value.
Result Specializer::anyEscape() {
  Datum any(false);
  for (StringRef flag : escapes::all) {
    auto found = frame().names.find(flag);
    if (found == frame().names.end())
      continue;
    auto joined =
        any.isConstant() ? Result(found->second.value) : emit.binary(ast::BinaryOp::BitOr, any, found->second.value);
    if (failed(joined))
      return failure();
    any = *joined;
  }
  return any;
}

/// Runs `rest`, whose source ends at `end`, where none of the flags is raised.
FlowResult Specializer::executeGuarded(uint32_t end, llvm::function_ref<FlowResult()> rest) {
  auto escaped = anyEscape();
  auto goesOn = failed(escaped) ? escaped : emit.unary(ast::UnaryOp::Not, *escaped);
  if (failed(goesOn))
    return failure();
  if (goesOn->isTile())
    return executeGuardedTile(*goesOn, rest);
  auto skeleton = emit.create<scf::IfOp>(TypeRange(), goesOn->irValue(), /*addThenBlock=*/true, /*addElseBlock=*/true);
  Arm arms[2], merged;
  arms[0].names = arms[1].names = frame().names;
  auto runRest = runArm(skeleton.getThenRegion(), arms[0], [&](Arm &arm) -> LogicalResult {
    dropEscapes();
    auto flow = rest();
    if (succeeded(flow))
      arm.flow = *flow;
    return LogicalResult(flow);
  });
  if (failed(runRest)) {
    emit.builder.setInsertionPointAfter(skeleton);
    return failure();
  }
  // Where the rest is skipped, the only flag that there is must be the one that is raised.
  arms[1].flow = Flow::Escaped;
  SmallVector<StringRef> raised;
  for (StringRef flag : escapes::all)
    if (arms[1].names.count(flag))
      raised.push_back(flag);
  if (raised.size() == 1)
    arms[1].names[raised.front()].value = Datum(true);
  if (failed(mergeArms(skeleton, arms, merged, end)))
    return failure();
  return merged.flow;
}
