// `if warp_group_id == 0: … else: …` at the top of a kernel: tasks of the shorthand.
#include "ConstEval.h"
#include "Scan.h"
#include "Specializer.h"
#include "TaskPlan.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static constexpr int64_t warpsOfGroup = 4;

/// The group number that a condition compares the warp group with, if it is such a condition.
std::optional<int64_t> Specializer::comparedGroup(const ast::Expr *condition, bool &isEqual) {
  const auto *compare = dyn_cast<ast::Compare>(condition);
  if (!compare || compare->ops.size() != 1)
    return std::nullopt;
  isEqual = compare->ops[0] == ast::CompareOp::Equal;
  if (!isEqual && compare->ops[0] != ast::CompareOp::NotEqual)
    return std::nullopt;
  auto isGroup = [&](const ast::Expr *expr) {
    if (const auto *call = dyn_cast<ast::Call>(expr))
      return calleeName(call) == "get_warp_group_id";
    const auto *name = dyn_cast<ast::Name>(expr);
    auto found = name ? frame().names.find(name->name) : frame().names.end();
    return found != frame().names.end() && found->second.value.is<WarpGroupId>();
  };
  bool onLeft = isGroup(compare->operands[0]);
  if (!onLeft && !isGroup(compare->operands[1]))
    return std::nullopt;
  auto lookup = [&](StringRef name) { return lookupConstant(name); };
  auto number = evaluateConstant(compare->operands[onLeft ? 1 : 0], lookup);
  return number ? number->asInt() : std::nullopt;
}

namespace {
/// Who runs what, as a chain of conditions says it.
struct GroupChain {
  /// In order of the group, from 0.
  std::map<int64_t, std::pair<ast::Body, SourceRange>> groups;
  std::optional<std::pair<ast::Body, SourceRange>> others;
};
} // namespace

LogicalResult Specializer::executeWarpGroups(const ast::If *statement) {
  Block *entry = &function.getBody().front();
  if (frames.size() != 1 || taskRegion || frame().loopDepth || emit.builder.getInsertionBlock() != entry) {
    sink.error(diag::Kind::WarpGroupUse, statement->condition->range)
        << "the warp group is compared below the top of the kernel";
    return failure();
  }
  GroupChain chain;
  for (const ast::If *link = statement; link;) {
    bool isEqual = true;
    auto group = comparedGroup(link->condition, isEqual);
    if (!group)
      return LogicalResult(unsupported(link->condition->range, "another condition among those on the warp group"));
    SourceRange range = link->condition->range;
    chain.groups[*group] = {isEqual ? link->thenBody : link->elseBody, range};
    ast::Body rest = isEqual ? link->elseBody : link->thenBody;
    link = rest.size() == 1 ? dyn_cast<ast::If>(rest.front()) : nullptr;
    if (link && !comparedGroup(link->condition, isEqual))
      link = nullptr;
    if (!link && !rest.empty())
      chain.others = {rest, range};
  }
  SmallVector<TaskRequest> tasks;
  for (const auto &[group, body] : chain.groups) {
    if (group != static_cast<int64_t>(tasks.size())) {
      sink.error(diag::Kind::WarpGroupUse, body.second)
          << "warp group " << group << " is named, and group " << tasks.size() << " is not";
      return failure();
    }
    std::string name = tasks.empty() ? "default" : "task" + std::to_string(tasks.size());
    tasks.push_back({body.first, body.second, tasks.empty(), warpsOfGroup, 0, 1, std::nullopt, name});
  }
  auto used = static_cast<int64_t>(tasks.size()) * warpsOfGroup;
  if (totalWarps < used || (chain.others && totalWarps == used)) {
    sink.error(diag::Kind::WarpCount, statement->condition->range)
        << "the kernel has " << totalWarps << " warps; the groups named take " << used
        << (chain.others ? " and leave none for the others" : "");
    return failure();
  }
  if (chain.others)
    tasks.push_back({chain.others->first, chain.others->second, false, totalWarps - used, 0, 1, std::nullopt,
                     "task" + std::to_string(tasks.size())});
  Emitter::At at(emit, statement->condition->range);
  return LogicalResult(emitTasks(tasks));
}
