//===- AssignLayouts.cpp - each tile gets a layout ------------------------------------------------------===//
//
// Checks what layouts need, brings cheap tiles into the tasks that use them, then chooses and rewrites.
//
//===----------------------------------------------------------------------------------------------------===//

#include "LayoutRewrite.h"
#include "LayoutRules.h"
#include "PinnedLayouts.h"
#include "RingLifetimes.h"
#include "TileExtents.h"
#include "mlir/IR/IRMapping.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Layout/RegisterAccess.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace tlx {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

namespace {

/// Tiles that a task uses and the code around it defines: recomputed in the task when that is cheap.
class TileSinking {
public:
  explicit TileSinking(Region &task) : task(task) {}

  LogicalResult run() {
    SmallVector<OpOperand *> captured;
    walkScope(task, [&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (tileType(operand.get()) && !task.isAncestor(operand.get().getParentRegion()))
          captured.push_back(&operand);
    });
    for (OpOperand *operand : captured) {
      Value inside = recompute(operand->get());
      if (!inside)
        return operand->getOwner()->emitError(
            "a tile computed outside the task is used in it; compute it in the task [tile-captured]");
      operand->set(inside);
    }
    return success();
  }

private:
  Value recompute(Value value) {
    if (!tileType(value) || task.isAncestor(value.getParentRegion()))
      return value;
    if (Value known = inside.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return {};
    for (Value operand : op->getOperands())
      if (Value copy = recompute(operand); !copy)
        return {};
      else
        inside.map(operand, copy);
    OpBuilder builder(task.getContext());
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(&task.front());
    last = builder.clone(*op, inside);
    inside.map(value, last->getResult(0));
    return last->getResult(0);
  }

  Region &task;
  IRMapping inside;
  Operation *last = nullptr;
};

bool holdsTiles(Region &scope) {
  bool found = false;
  walkScope(scope,
            [&](Operation *op) { found |= llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>); });
  return found;
}

LogicalResult checkProduct(AsyncDotOp dot, const TaskScope &scope) {
  auto type = cast<RankedTensorType>(dot.getResult().getType());
  if (scope.warps % 4 != 0)
    return dot.emitError() << "a matrix product takes whole groups of 4 warps; `" << scope.name << "` has "
                           << scope.warps << " [dot-warps]";
  if (type.getRank() != 2 || type.getDimSize(0) % 64 != 0)
    return dot.emitError() << "a matrix product has a multiple of 64 rows; this one has " << type.getDimSize(0)
                           << " [dot-shape]";
  int64_t k = isa<BufferType>(dot.getA().getType()) ? cast<BufferType>(dot.getA().getType()).getShape()[1]
                                                    : tileType(dot.getA()).getDimSize(1);
  int64_t step = 256 / dot.getB().getType().elementBits();
  if (k % step != 0)
    return dot.emitError() << "a matrix product takes K in steps of " << step << " for this element type; this one has "
                           << k << " [dot-shape]";
  if (type.getDimSize(1) % 8 != 0)
    return dot.emitError() << "a matrix product has a multiple of 8 columns; this one has " << type.getDimSize(1)
                           << " [dot-shape]";
  return success();
}

LogicalResult checkTensorMemory(Operation *access, const TaskScope &scope) {
  if (scope.warps % 4 == 0)
    return success();
  return access->emitError() << "a tile of tensor memory is reached by whole groups of 4 warps; `" << scope.name
                             << "` has " << scope.warps << " [tensor-memory-warps]";
}

LogicalResult checkReshape(ReshapeOp reshape) {
  ArrayRef<int64_t> from = tileType(reshape.getSource()).getShape(), to = tileType(reshape.getResult()).getShape();
  auto isPowerOfTwo = [](int64_t extent) { return llvm::isPowerOf2_64(extent); };
  if (onlyUnitAxesDiffer(from, to) || (llvm::all_of(from, isPowerOfTwo) && llvm::all_of(to, isPowerOfTwo)))
    return success();
  return reshape.emitError("a tile whose extents are not powers of two keeps its axes [unsupported-reshape]");
}

/// Threads find an element by XOR of what its coordinates' bits contribute; that takes panels and tiles that begin at
/// powers of two.
LogicalResult checkBuffer(Operation *access, BufferType type) {
  if (llvm::all_of(type.getShape(), llvm::isPowerOf2_64))
    return success();
  layout::SharedTile tile = sharedTile(type);
  SmallVector<int64_t> zero(tile.rank(), 0);
  int64_t seen = 0;
  for (int axis = 0; axis < tile.rank(); ++axis)
    for (int64_t step = 1; step < tile.shape[axis]; step *= 2) {
      SmallVector<int64_t> coords = zero;
      coords[axis] = step;
      int64_t offset = tile.byteOffset(coords);
      // A swizzle lets rows reach the chunk within a row as well.
      int64_t highest = int64_t(1) << llvm::Log2_64(offset);
      bool isOneStep = offset == highest || (tile.swizzleBytes && offset < 2 * 8 * tile.swizzleBytes);
      if (!isOneStep || (seen & highest))
        return access->emitError()
               << "rows of this buffer are no power of two, and its " << tile.columns()
               << " columns are several panels; only tensor maps and matrix products reach those [tile-extent]";
      seen |= highest;
    }
  return success();
}

LogicalResult checkScope(const TaskScope &scope) {
  if (holdsTiles(*scope.body) && !llvm::isPowerOf2_32(scope.warps))
    return scope.body->getParentOp()->emitError() << "`" << scope.name << "` works on tiles with " << scope.warps
                                                  << " warps; tiles need a power of two [unsupported-task-size]";
  bool failed = false;
  walkScope(*scope.body, [&](Operation *op) {
    if (auto dot = dyn_cast<AsyncDotOp>(op))
      failed |= checkProduct(dot, scope).failed();
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      failed |= checkReshape(reshape).failed();
    if (auto pin = dyn_cast<RequireLayoutOp>(op))
      failed |= checkPin(pin, scope).failed();
    if (isa<LocalLoadOp, LocalStoreOp, AsyncLoadOp, RemoteStoreOp, LocalGatherOp, LocalScatterOp>(op))
      for (Type type : op->getOperandTypes())
        if (auto buffer = dyn_cast<BufferType>(type))
          failed |= checkBuffer(op, buffer).failed();
    if (isa<tmem::LoadOp, tmem::StoreOp>(op))
      failed |= checkTensorMemory(op, scope).failed();
  });
  return failure(failed);
}

/// A layout may hold fewer consecutive elements than the addresses allow.
void narrowAccesses(func::FuncOp kernel) {
  Builder builder(kernel.getContext());
  kernel.walk([&](Operation *op) {
    auto vector = op->getAttrOfType<IntegerAttr>("tlx.vector");
    auto axis = op->getAttrOfType<IntegerAttr>("tlx.axis");
    if (!vector || !axis)
      return;
    RankedTensorType pointers = tileType(op->getOperand(0));
    unsigned bits = cast<PointerType>(pointers.getElementType()).getPointee().getIntOrFloatBitWidth();
    int width = layout::vectorWidth(toLinear(pointers), axis.getInt(), bits, vector.getInt());
    op->setAttr("tlx.vector", builder.getI32IntegerAttr(width));
    op->removeAttr("tlx.axis");
  });
}

/// Extents that are no powers of two work where registers alone decide what lies outside of the tile: a thread that
/// holds some of it would load, store and sum what is not there.
LogicalResult checkPadding(func::FuncOp kernel) {
  auto isPartly = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || llvm::all_of(tile.getShape(), llvm::isPowerOf2_64))
      return false;
    layout::LinearLayout held = toLinear(tile);
    for (int reg = 0; reg < held.inSize(layout::InDim::Register); ++reg)
      if (layout::registerUse(held, reg, tile.getShape()) == layout::RegisterUse::Some)
        return true;
    return false;
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    auto partly = llvm::find_if(op->getResultTypes(), isPartly);
    if (partly == op->getResultTypes().end())
      return WalkResult::advance();
    refuseExtents(op, cast<RankedTensorType>(*partly).getShape());
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

struct AssignLayouts : tlx::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    SmallVector<TaskScope> scopes = taskScopes(kernel);
    for (const TaskScope &scope : scopes)
      if (scope.task >= 0 && TileSinking(*scope.body).run().failed())
        return signalPassFailure();
    for (const TaskScope &scope : scopes)
      if (checkScope(scope).failed())
        return signalPassFailure();
    LayoutChoice choice(kernel, spareShared(kernel, capacity));
    LayoutRewrite(choice).run(kernel);
    if (settlePins(kernel).failed())
      return signalPassFailure();
    hoistConversions(kernel);
    if (checkPadding(kernel).failed())
      return signalPassFailure();
    narrowAccesses(kernel);
  }
};

} // namespace
