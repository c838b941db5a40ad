#include "tlx/Analysis/Strictness.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Dialect/TLXDialect.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tlx;

using Values = SmallVector<Value>;

/// What a value that a loop carries is computed from: its initial value and what an iteration leaves.
static Values sourcesOf(BlockArgument argument) {
  Operation *owner = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(owner)) {
    if (index == 0)
      return {loop.getLowerBound()};
    return {loop.getInitArgs()[index - 1], loop.getBody()->getTerminator()->getOperand(index - 1)};
  }
  auto loop = dyn_cast<scf::WhileOp>(owner);
  if (!loop)
    return {};
  if (argument.getOwner() == loop.getAfterBody())
    return {loop.getConditionOp().getArgs()[index]};
  return {loop.getInits()[index], loop.getYieldOp().getOperand(index)};
}

static Values sourcesOf(OpResult result) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Values sources{branch.getCondition()};
    for (Region &region : branch->getRegions())
      sources.push_back(region.front().getTerminator()->getOperand(index));
    return sources;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[index], loop.getBody()->getTerminator()->getOperand(index)};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getArgs()[index]};
  return Values(op->getOperands());
}

/// Whether a loop hands the value from one iteration to the next; the values of `scf.while` count once.
static bool isCounter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  return loop ? argument.getOwner() == loop.getBeforeBody() : isa<scf::ForOp>(argument.getOwner()->getParentOp());
}

static llvm::SetVector<Value> countersBehind(Value root) {
  llvm::SetVector<Value> counters;
  llvm::DenseSet<Value> seen;
  Values open{root};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (isCounter(value))
      counters.insert(value);
    if (auto argument = dyn_cast<BlockArgument>(value))
      llvm::append_range(open, sourcesOf(argument));
    else
      llvm::append_range(open, sourcesOf(cast<OpResult>(value)));
  }
  return counters;
}

static bool isConstant(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return true;
  Operation *op = value.getDefiningOp();
  // A constant that is spread over a tile.
  return op && op->getNumOperands() == 1 && isa<TLXDialect>(op->getDialect()) && isConstant(op->getOperand(0));
}

/// An operation that computes with integers or changes the shape of a tile.
static bool isComputation(Operation *op) {
  return isa<arith::ArithDialect>(op->getDialect()) ||
         (isa<TLXDialect>(op->getDialect()) && op->getNumOperands() == 1 && isMemoryEffectFree(op));
}

namespace {
class StrictCheck {
public:
  std::vector<StrictFinding> run(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (auto wait = dyn_cast<BarrierWaitOp>(op))
        checkPhase(wait);
      else if (auto address = dyn_cast<AddPtrOp>(op))
        checkOffset(address.getOffset());
      else if (isa<arith::RemSIOp, arith::DivSIOp>(op))
        checkDivision(op);
    });
    return std::move(findings);
  }

private:
  void checkPhase(BarrierWaitOp wait) {
    auto view = wait.getBarrier().getDefiningOp<BarrierViewOp>();
    if (!view)
      return;
    auto slot = countersBehind(view.getIndex()), phase = countersBehind(wait.getPhase());
    bool isShared = llvm::any_of(slot, [&](Value counter) { return phase.contains(counter); });
    if (!slot.empty() && !phase.empty() && !isShared)
      findings.push_back({StrictRule::DivergentPhase, wait.getLoc(),
                          "the slot and the phase of this wait are counted by different variables of the loop"});
  }

  /// Products of two run-time numbers in 32 bits, behind an offset.
  void checkOffset(Value offset) {
    Values open{offset};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !isComputation(op) || !visited.insert(op).second)
        continue;
      bool isProduct = isa<arith::MulIOp>(op) && getElementTypeOrSelf(op->getResult(0).getType()).isInteger(32);
      if (isProduct && llvm::none_of(op->getOperands(), isConstant))
        findings.push_back({StrictRule::Int32Overflow, op->getLoc(),
                            "an offset is computed as a product of 32-bit numbers and can pass 2^31; write "
                            "`.to(tl.int64)` on one of them"});
      llvm::append_range(open, op->getOperands());
    }
  }

  bool mayBeNegative(Value value, llvm::DenseSet<Value> &seen) {
    if (!seen.insert(value).second)
      return false;
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.isNegative();
    auto anyOf = [&](ValueRange sources) {
      return llvm::any_of(sources, [&](Value source) { return mayBeNegative(source, seen); });
    };
    if (auto argument = dyn_cast<BlockArgument>(value))
      return anyOf(sourcesOf(argument));
    Operation *op = value.getDefiningOp();
    if (isa<LoadOp>(op))
      return true;
    // `n - 1` of a size stays a size.
    if (auto difference = dyn_cast<arith::SubIOp>(op))
      return !matchPattern(difference.getRhs(), m_One()) || mayBeNegative(difference.getLhs(), seen);
    bool isTraced = isComputation(op) || isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
    return isTraced && anyOf(sourcesOf(cast<OpResult>(value)));
  }

  void checkDivision(Operation *op) {
    llvm::DenseSet<Value> seen;
    if (!mayBeNegative(op->getOperand(0), seen))
      return;
    bool isModulo = isa<arith::RemSIOp>(op);
    findings.push_back({StrictRule::NegativeModulo, op->getLoc(),
                        std::string(isModulo ? "`%`" : "`//`") +
                            " of a number that may be negative rounds towards zero at run time, unlike Python's"});
  }

  std::vector<StrictFinding> findings;
  llvm::DenseSet<Operation *> visited;
};
} // namespace

std::vector<StrictFinding> tlx::checkStrictly(ModuleOp module) {
  return StrictCheck().run(module);
}
