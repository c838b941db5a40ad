//===- VerifyLayouts.cpp - the gate after layouts -------------------------------------------------------===//
//
// What AssignLayouts promises to lowering, checked operation by operation. A finding is a fault of the compiler.
//
//===----------------------------------------------------------------------------------------------------===//

#include "CarriedValues.h"
#include "LayoutRules.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Dialect/WarpProducts.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace tlx {
#define GEN_PASS_DEF_VERIFYLAYOUTS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;
using layout::InDim;
using layout::LinearLayout;

static bool sameEncoding(Value a, Value b) {
  return tileType(a).getEncoding() == tileType(b).getEncoding();
}

/// Every tile has as many lanes and warps as its task.
static LogicalResult checkThreads(Operation *op, int warps) {
  int laneBits = llvm::Log2_32(targetOf(op).warpSize);
  auto fits = [&](Type type) {
    if (!isa<RankedTensorType>(type))
      return true;
    if (!hasLayout(type))
      return false;
    LinearLayout layout = toLinear(cast<RankedTensorType>(type));
    return layout.inBits(InDim::Lane) == laneBits && layout.inBits(InDim::Warp) == int(llvm::Log2_32(warps)) &&
           layout.isSurjective();
  };
  if (llvm::all_of(op->getResultTypes(), fits) && llvm::all_of(op->getOperandTypes(), fits))
    return success();
  return op->emitError() << "a tile without a layout for " << warps << " warps";
}

static bool halvesFit(Value whole, Value half) {
  auto halves = toLinear(tileType(whole)).split();
  return halves && halves->half == toLinear(tileType(half));
}

/// Whether each thread that holds an element of a result holds what it is made of.
static bool derivesFrom(OpOperand &operand, OpResult result) {
  Operation *op = operand.getOwner();
  if (isa<SplitOp>(op))
    return halvesFit(operand.get(), result);
  if (isa<JoinOp>(op))
    return halvesFit(result, operand.get());
  LinearLayout source = toLinear(tileType(operand.get()));
  if (isa<ReduceOp, DropAxisOp, ExtractSliceOp>(op))
    return derivedResultLayout(operand, source) == toLinear(tileType(result));
  auto derived = derivedOperandLayout(operand, result, toLinear(tileType(result)));
  return !derived || *derived == source;
}

static LogicalResult checkDerived(Operation *op) {
  Value first;
  auto agree = [&](Value value) {
    if (!tileType(value))
      return true;
    if (!first)
      first = value;
    return sameEncoding(first, value);
  };
  if (sharesOneLayout(op) && !(llvm::all_of(op->getOperands(), agree) && llvm::all_of(op->getResults(), agree)))
    return op->emitError("elementwise on tiles of different layouts");
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    for (Value name : slotFedBy(operand).values)
      if (name.getType() != operand.get().getType())
        return op->emitError("a value changes its layout on the way round");
    for (OpResult result : op->getResults())
      if (tileType(result) && op->getNumRegions() == 0 && !derivesFrom(operand, result))
        return op->emitError("the operand's layout does not give the result's");
  }
  return success();
}

static LogicalResult checkProduct(AsyncDotOp dot, int warps) {
  bool accumulates = toLinear(tileType(dot.getResult())) == accumulatorLayout(dot, warps);
  bool continues = !dot.getAcc() || sameEncoding(dot.getAcc(), dot.getResult());
  bool multiplies = !tileType(dot.getA()) || toLinear(tileType(dot.getA())) == operandALayout(dot, warps);
  if (accumulates && continues && multiplies)
    return success();
  return dot.emitError("a product on fragments that the tensor cores do not have");
}

static LogicalResult checkProduct(MfmaDotOp dot, int warps) {
  for (unsigned operand : {0, 1, 2})
    if (toLinear(tileType(dot->getOperand(operand))) != mfmaLayout(dot, operand, warps))
      return dot.emitError("a product on tiles that are not held as its instructions want them");
  return success();
}

static LogicalResult checkProduct(MmaDotOp dot, int warps) {
  for (unsigned operand : {0, 1, 2})
    if (RankedTensorType tile = tileType(dot->getOperand(operand));
        tile && toLinear(tile) != mmaLayout(dot, operand, warps))
      return dot.emitError("a product on tiles that are not held as its instruction wants them");
  return success();
}

namespace {

struct VerifyLayouts : tlx::impl::VerifyLayoutsBase<VerifyLayouts> {
  void runOnOperation() override {
    bool failed = false;
    for (const TaskScope &scope : taskScopes(getOperation()))
      walkScope(*scope.body, [&](Operation *op) {
        bool ok = checkThreads(op, scope.warps).succeeded();
        if (auto dot = dyn_cast<AsyncDotOp>(op); ok && dot)
          ok = checkProduct(dot, scope.warps).succeeded();
        if (auto dot = dyn_cast<MfmaDotOp>(op); ok && dot)
          ok = checkProduct(dot, scope.warps).succeeded();
        if (auto dot = dyn_cast<MmaDotOp>(op); ok && dot)
          ok = checkProduct(dot, scope.warps).succeeded();
        failed |= !ok || checkDerived(op).failed();
      });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
