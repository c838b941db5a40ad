//===- FoldZeroAccumulators.cpp - zero accumulators without zeros ---------------------------------------===//
//
// `acc = 0; loop: acc = a·b + acc` with products in flight across iterations. See the pass description.
//
//===----------------------------------------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_FOLDZEROACCUMULATORS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

static bool isZeroTile(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         (matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()));
}

/// The yielded value may still be in flight.
static bool isInFlight(Value value) {
  if (auto wait = value.getDefiningOp<AsyncDotWaitOp>())
    return wait.getPendings() > 0;
  return value.getDefiningOp<AsyncDotOp>() != nullptr;
}

/// The one product that reads the carried accumulator, in the loop's own body so that every iteration runs it.
static AsyncDotOp onlyProduct(scf::ForOp loop, BlockArgument carried) {
  if (!carried.hasOneUse())
    return {};
  auto dot = dyn_cast<AsyncDotOp>(*carried.user_begin());
  return dot && dot->getBlock() == loop.getBody() && dot.getAcc() == carried ? dot : AsyncDotOp();
}

/// `iv > lowerBound` or `iv != lowerBound`: false in the first iteration and true in all others.
static bool isFalseFirst(scf::ForOp loop, Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getLhs() != loop.getInductionVar())
    return false;
  auto predicate = compare.getPredicate();
  if (predicate != arith::CmpIPredicate::sgt && predicate != arith::CmpIPredicate::ne)
    return false;
  APInt bound, other;
  if (compare.getRhs() == loop.getLowerBound())
    return true;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&bound)) &&
         matchPattern(compare.getRhs(), m_ConstantInt(&other)) && bound == other;
}

/// What reads the loop's result: one wait for all products, after which the elements may be read.
static AsyncDotWaitOp onlyWait(Value result) {
  if (!result.hasOneUse())
    return {};
  auto wait = dyn_cast<AsyncDotWaitOp>(*result.user_begin());
  return wait && wait.getPendings() == 0 ? wait : AsyncDotWaitOp();
}

/// A loop that did not run gives zeros.
static void giveZerosWithoutIterations(scf::ForOp loop, AsyncDotWaitOp wait, Value zero) {
  OpBuilder b(wait->getContext());
  b.setInsertionPointAfter(wait);
  Value ran =
      arith::CmpIOp::create(b, wait.getLoc(), arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound());
  auto select = arith::SelectOp::create(b, wait.getLoc(), ran, wait.getResult(), zero);
  wait.getResult().replaceAllUsesExcept(select.getResult(), select);
}

/// Adds a flag to the loop that is false in the first iteration.
static scf::ForOp addFlag(scf::ForOp loop, unsigned product) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value no = arith::ConstantOp::create(rewriter, loop.getLoc(), rewriter.getBoolAttr(false));
  Value yes = arith::ConstantOp::create(rewriter, loop.getLoc(), rewriter.getBoolAttr(true));
  auto yieldTrue = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{yes}; };
  auto replaced = loop.replaceWithAdditionalYields(rewriter, {no}, /*replaceInitOperandUsesInLoop=*/false, yieldTrue);
  auto result = cast<scf::ForOp>(**replaced);
  AsyncDotOp dot = onlyProduct(result, result.getRegionIterArg(product));
  dot.getUseAccMutable().assign(result.getRegionIterArgs().back());
  return result;
}

static bool fold(scf::ForOp &loop, unsigned index) {
  Value zero = loop.getInitArgs()[index];
  AsyncDotOp dot = onlyProduct(loop, loop.getRegionIterArg(index));
  AsyncDotWaitOp wait = onlyWait(loop.getResult(index));
  Value yielded = loop.getBody()->getTerminator()->getOperand(index);
  if (!isZeroTile(zero) || !dot || !wait || !isInFlight(yielded))
    return false;
  if (dot.getUseAcc() && !isFalseFirst(loop, dot.getUseAcc()))
    return false;
  giveZerosWithoutIterations(loop, wait, zero);
  OpBuilder b(loop);
  Value undefined = UndefinedOp::create(b, loop.getLoc(), zero.getType());
  loop.getInitArgsMutable()[index].set(undefined);
  if (!dot.getUseAcc())
    loop = addFlag(loop, index);
  return true;
}

namespace {

struct FoldZeroAccumulators : tlx::impl::FoldZeroAccumulatorsBase<FoldZeroAccumulators> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned i = 0, e = loop.getInitArgs().size(); i < e; ++i)
        fold(loop, i);
  }
};

} // namespace
