// `if`: constant conditions choose, run-time ones become scf.if whose results are the names that both sides give.
#include "Specializer.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

Datum tlx::specialize::substitute(const Datum &shape, ValueRange values, unsigned &next) {
  if (const SequenceValue *sequence = shape.asSequence()) {
    std::vector<Datum> elements;
    for (const Datum &element : sequence->elements)
      elements.push_back(substitute(element, values, next));
    return Datum::sequence(std::move(elements), sequence->isList);
  }
  const auto *ir = shape.getIf<IRValue>();
  return ir && !ir->value ? Datum::ir(values[next++], ir->dtype) : shape;
}

namespace {
/// Brings what two branches leave in a name to one value, where that can be.
class ArmMerger {
public:
  ArmMerger(Emitter &emit, Block *thenBlock, Block *elseBlock) : emit(emit), blocks{thenBlock, elseBlock} {}

  /// A value with null IR values where results of the branch go, or none.
  std::optional<Datum> merge(const Datum &thenValue, const Datum &elseValue) {
    if (thenValue == elseValue)
      return thenValue;
    const SequenceValue *a = thenValue.asSequence(), *b = elseValue.asSequence();
    if (a && b && a->elements.size() == b->elements.size() && a->isList == b->isList)
      return mergeSequences(*a, *b);
    bool isNumeric = (thenValue.isNumber() || thenValue.isIR()) && (elseValue.isNumber() || elseValue.isIR());
    return isNumeric ? mergeLeaves(thenValue, elseValue) : std::nullopt;
  }

  SmallVector<mlir::Value> yields[2];

private:
  std::optional<Datum> mergeSequences(const SequenceValue &a, const SequenceValue &b) {
    std::vector<Datum> elements;
    for (auto [first, second] : llvm::zip(a.elements, b.elements)) {
      auto merged = merge(first, second);
      if (!merged)
        return std::nullopt;
      elements.push_back(*merged);
    }
    return Datum::sequence(std::move(elements), a.isList);
  }
  std::optional<Datum> mergeLeaves(const Datum &first, const Datum &second) {
    DType type;
    if (first.isIR() && second.isIR()) {
      if (first.irValue().getType() != second.irValue().getType() || first.dtype() != second.dtype())
        return std::nullopt;
      type = first.dtype();
    } else if (first.isNumber() && second.isNumber()) {
      type = promote(*first.literalType(), *second.literalType(), false);
    } else {
      const Datum &number = first.isNumber() ? first : second;
      const Datum &ir = first.isNumber() ? second : first;
      if (!ir.isScalar() || ir.dtype().isPointer ||
          promoteLiteral(*number.literalType(), ir.dtype(), false) != ir.dtype())
        return std::nullopt;
      type = ir.dtype();
    }
    const Datum *leaves[] = {&first, &second};
    for (unsigned arm : {0, 1}) {
      const Datum &value = *leaves[arm];
      OpBuilder::InsertionGuard guard(emit.builder);
      emit.builder.setInsertionPointToEnd(blocks[arm]);
      auto converted = value.isIR() ? FailureOr<IRValue>(*value.getIf<IRValue>()) : emit.literal(value, type);
      if (failed(converted))
        return std::nullopt;
      yields[arm].push_back(converted->value);
    }
    return Datum::ir(mlir::Value(), type);
  }

  Emitter &emit;
  Block *blocks[2];
};
} // namespace

/// Exchanges the branch without results for one that yields what the merger collected.
static scf::IfOp withResults(Emitter &emit, scf::IfOp skeleton, ArmMerger &merger) {
  OpBuilder &builder = emit.builder;
  builder.setInsertionPoint(skeleton);
  auto branch = scf::IfOp::create(builder, skeleton.getLoc(), ValueRange(merger.yields[0]).getTypes(),
                                  skeleton.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(skeleton.getThenRegion());
  branch.getElseRegion().takeBody(skeleton.getElseRegion());
  for (auto [arm, region] : llvm::enumerate(branch->getRegions())) {
    builder.setInsertionPointToEnd(&region.front());
    scf::YieldOp::create(builder, skeleton.getLoc(), merger.yields[arm]);
  }
  skeleton.erase();
  builder.setInsertionPointAfter(branch);
  // An else that does nothing would only be noise in the printed IR.
  if (branch.getNumResults() == 0 && branch.getElseRegion().front().getOperations().size() == 1)
    branch.getElseRegion().front().erase();
  return branch;
}

Result Specializer::mergeArms(scf::IfOp skeleton, const Names &thenNames, const Names &elseNames,
                              const Datum &thenResult, const Datum &elseResult) {
  ArmMerger merger(emit, &skeleton.getThenRegion().front(), &skeleton.getElseRegion().front());
  Names merged;
  SmallVector<std::pair<StringRef, LostName>> lost;
  auto lose = [&](StringRef name, SourceRange range, const char *reason) {
    lost.push_back({name, {range, reason, false}});
  };
  for (const auto &[name, binding] : thenNames) {
    auto other = elseNames.find(name);
    if (other == elseNames.end()) {
      lose(name, binding.range, "assigned in only one branch of a run-time `if`");
      continue;
    }
    size_t mark[2] = {merger.yields[0].size(), merger.yields[1].size()};
    if (auto value = merger.merge(binding.value, other->second.value)) {
      merged[name] = {*value, binding.range};
      continue;
    }
    for (int arm : {0, 1})
      merger.yields[arm].truncate(mark[arm]);
    lose(name, binding.range, "the branches of a run-time `if` give it different types");
  }
  for (const auto &[name, binding] : elseNames)
    if (!thenNames.count(name))
      lose(name, binding.range, "assigned in only one branch of a run-time `if`");
  auto result = merger.merge(thenResult, elseResult);
  if (!result) {
    emit.error(diag::Kind::OperandType) << "one branch gives " << thenResult.describe() << ", the other "
                                        << elseResult.describe();
    return failure();
  }
  scf::IfOp branch = withResults(emit, skeleton, merger);
  unsigned next = 0;
  frame().names.clear();
  for (auto &[name, binding] : merged)
    bind(name, substitute(binding.value, branch.getResults(), next), binding.range);
  for (auto &[name, why] : lost)
    frame().lost[name] = why;
  return substitute(*result, branch.getResults(), next);
}

Result Specializer::emitBranches(mlir::Value condition, ArmBuilder thenArm, ArmBuilder elseArm) {
  auto skeleton = emit.create<scf::IfOp>(TypeRange(), condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  Names before = frame().names;
  auto run = [&](Region &region, ArmBuilder arm, Names &after) -> Result {
    emit.builder.setInsertionPointToEnd(&region.front());
    frame().names = before;
    auto result = arm();
    after = frame().names;
    return result;
  };
  Names thenNames, elseNames;
  auto thenResult = run(skeleton.getThenRegion(), thenArm, thenNames);
  auto elseResult = failed(thenResult) ? Result(failure()) : run(skeleton.getElseRegion(), elseArm, elseNames);
  if (failed(elseResult))
    return failure();
  return mergeArms(skeleton, thenNames, elseNames, *thenResult, *elseResult);
}

FlowResult Specializer::executeDynamicIf(const ast::If *statement, mlir::Value condition, const Rest *rest) {
  auto arm = [&](ast::Body body) -> Result {
    auto flow = execute(body, rest);
    if (failed(flow))
      return failure();
    return *flow == Flow::Returned ? frame().returned : Datum(NoneValue());
  };
  auto result = emitBranches(
      condition, [&] { return arm(statement->thenBody); }, [&] { return arm(statement->elseBody); });
  if (failed(result))
    return failure();
  if (!rest)
    return Flow::Next;
  frame().returned = *result;
  return Flow::Returned;
}

FlowResult Specializer::executeIf(const ast::If *statement, const Rest *rest) {
  bool isEqual = true;
  if (comparedGroup(statement->condition, isEqual)) {
    if (failed(executeWarpGroups(statement)))
      return failure();
    return rest ? execute(rest->statements, rest->next) : FlowResult(Flow::Next);
  }
  auto condition = evaluate(statement->condition);
  if (failed(condition))
    return failure();
  if (auto truth = condition->truth())
    return execute(*truth ? statement->thenBody : statement->elseBody, rest);
  Emitter::At at(emit, statement->condition->range);
  auto chosen = emit.asScalarCondition(*condition);
  return failed(chosen) ? FlowResult(failure()) : executeDynamicIf(statement, *chosen, rest);
}
