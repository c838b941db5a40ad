//===- AccumulateInTensorMemory.cpp - products with accumulators in registers, on Blackwell ------------------===//
//
// There the tensor cores add up in tensor memory only. A product whose accumulator is in registers goes there and back,
// and is done when it has been issued, so that waits for it are nothing. An accumulator that a loop only hands from
// product to product stays in tensor memory for as long as the loop runs.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_ACCUMULATEINTENSORMEMORY
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

namespace {

class TaskProducts {
public:
  TaskProducts(func::FuncOp kernel, const TaskScope &scope) : kernel(kernel), scope(scope), b(kernel.getContext()) {}

  LogicalResult run() {
    SmallVector<AsyncDotOp> dots;
    SmallVector<AsyncDotWaitOp> waits;
    walkScope(*scope.body, [&](Operation *op) {
      if (auto dot = dyn_cast<AsyncDotOp>(op))
        dots.push_back(dot);
      if (auto wait = dyn_cast<AsyncDotWaitOp>(op))
        waits.push_back(wait);
    });
    for (AsyncDotWaitOp wait : waits) {
      wait.getResult().replaceAllUsesWith(wait.getSource());
      wait.erase();
    }
    for (AsyncDotOp dot : dots) {
      auto type = cast<RankedTensorType>(dot.getType());
      if (type.getDimSize(0) != 64 && type.getDimSize(0) != 128)
        return dot.emitError() << "the product has " << type.getDimSize(0)
                               << " rows; with accumulators in registers 64 and 128 are supported [dot-shape]";
      if (!promote(dot))
        thereAndBack(dot);
    }
    return success();
  }

private:
  RankedTensorType typeOf(AsyncDotOp dot) { return cast<RankedTensorType>(dot.getType()); }

  /// A tile of its own, or, when `shared`, the columns that every product of the task uses in turn.
  Value allocate(Location loc, StringRef name, RankedTensorType type, Value *shared) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    auto buffer = tmem::BufferType::get(b.getContext(), type.getShape(), type.getElementType(), 0);
    Value reuse;
    if (shared && *shared) {
      auto storage = shared->getDefiningOp<tmem::AllocOp>();
      if (storage.getType().columns() >= buffer.columns()) {
        b.setInsertionPointAfter(storage);
        reuse = storage;
      }
    }
    Value result = tmem::AllocOp::create(b, loc, buffer, b.getStringAttr(name), IntegerAttr(), reuse);
    if (shared && !reuse)
      *shared = result;
    return result;
  }

  /// All threads read which phase the task's barrier is in, one starts the product, all wait.
  void multiply(AsyncDotOp dot, Value d, Value useAcc) {
    Location loc = dot.getLoc();
    if (!barrier) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&kernel.getBody().front());
      MLIRContext *context = b.getContext();
      auto all = AllocBarriersOp::create(b, loc, BarrierType::get(context, 1, false), b.getStringAttr("products"),
                                         b.getI32IntegerAttr(1), IntegerAttr());
      Value zero = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
      barrier = BarrierViewOp::create(b, loc, BarrierType::get(context, 0, false), all, zero);
    }
    Value a = dot.getA();
    if (auto tile = dyn_cast<RankedTensorType>(a.getType())) {
      Value left = allocate(loc, "left operand", tile, &leftOperands);
      tmem::StoreOp::create(b, loc, left, a);
      a = left;
    }
    Value phase = tmem::ParityOp::create(b, loc, b.getI32Type(), barrier);
    TaskBarrierOp::create(b, loc);
    auto product = tmem::DotOp::create(b, loc, a, dot.getB(), d, useAcc, Value(), barrier, /*two_ctas=*/false);
    product->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
    BarrierWaitOp::create(b, loc, barrier, phase, Value());
  }

  Value useAccOf(AsyncDotOp dot) {
    if (dot.getAcc())
      return dot.getUseAcc();
    return arith::ConstantOp::create(b, dot.getLoc(), b.getBoolAttr(false));
  }

  void thereAndBack(AsyncDotOp dot) {
    b.setInsertionPoint(dot);
    Value d = allocate(dot.getLoc(), "sums", typeOf(dot), &sums);
    if (dot.getAcc())
      tmem::StoreOp::create(b, dot.getLoc(), d, dot.getAcc());
    multiply(dot, d, useAccOf(dot));
    Value result = tmem::LoadOp::create(b, dot.getLoc(), typeOf(dot), d);
    dot.getResult().replaceAllUsesWith(result);
    dot.erase();
  }

  /// The slot of a loop that only carries the accumulator from one product to the next.
  static std::optional<unsigned> carriedSlot(AsyncDotOp dot) {
    auto argument = dyn_cast_if_present<BlockArgument>(dot.getAcc());
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || dot->getBlock() != loop.getBody() || argument.getArgNumber() == 0 || !argument.hasOneUse() ||
        !dot.getResult().hasOneUse())
      return std::nullopt;
    unsigned slot = argument.getArgNumber() - 1;
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    bool handsOn = *dot.getResult().user_begin() == yield && yield.getOperand(slot) == dot.getResult();
    return handsOn ? std::optional(slot) : std::nullopt;
  }

  bool promote(AsyncDotOp dot) {
    std::optional<unsigned> slot = carriedSlot(dot);
    if (!slot)
      return false;
    auto loop = cast<scf::ForOp>(dot->getParentOp());
    b.setInsertionPoint(loop);
    Value d = allocate(dot.getLoc(), "sums of a loop", typeOf(dot), nullptr);
    Value initial = loop.getInitArgs()[*slot];
    tmem::StoreOp::create(b, dot.getLoc(), d, initial);
    b.setInsertionPoint(dot);
    multiply(dot, d, useAccOf(dot));
    b.setInsertionPointAfter(loop);
    Value result = tmem::LoadOp::create(b, dot.getLoc(), typeOf(dot), d);
    loop.getResult(*slot).replaceAllUsesWith(result);
    // The loop hands on what it was given; canonicalisation takes the slot away.
    cast<scf::YieldOp>(loop.getBody()->getTerminator())->setOperand(*slot, initial);
    loop.getRegionIterArg(*slot).replaceAllUsesWith(initial);
    dot.erase();
    return true;
  }

  func::FuncOp kernel;
  const TaskScope &scope;
  OpBuilder b;
  Value sums, leftOperands, barrier;
};

struct AccumulateInTensorMemory : tlx::impl::AccumulateInTensorMemoryBase<AccumulateInTensorMemory> {
  void runOnOperation() override {
    for (const TaskScope &scope : taskScopes(getOperation()))
      if (TaskProducts(getOperation(), scope).run().failed())
        return signalPassFailure();
  }
};

} // namespace
