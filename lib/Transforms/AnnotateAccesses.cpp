//===- AnnotateAccesses.cpp - width, fastest axis and range of accesses to global memory ----------------===//
//
// Runs before layouts exist: the coalesced layout follows from what is written here.
//
//===----------------------------------------------------------------------------------------------------===//

#include "AccessRange.h"
#include "tlx/Analysis/AxisInfo.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_ANNOTATEACCESSES
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

namespace {

/// The pointers and the mask of an access to a tile; null for other operations.
struct TileAccess {
  Value pointers;
  Value mask;
};

TileAccess tileAccess(Operation *op) {
  TileAccess access;
  if (auto load = dyn_cast<LoadOp>(op))
    access = {load.getPointer(), load.getMask()};
  else if (auto store = dyn_cast<StoreOp>(op))
    access = {store.getPointer(), store.getMask()};
  else if (auto copy = dyn_cast<AsyncLoadOp>(op))
    access = {copy.getPointer(), copy.getMask()};
  else if (auto atomic = dyn_cast<AtomicOp>(op))
    access = {atomic.getPointer(), atomic.getMask()};
  else if (auto cas = dyn_cast<AtomicCasOp>(op))
    access = {cas.getPointer(), Value()};
  if (access.pointers && !isa<RankedTensorType>(access.pointers.getType()))
    access = {};
  return access;
}

struct AnnotateAccesses : tlx::impl::AnnotateAccessesBase<AnnotateAccesses> {
  void runOnOperation() override {
    AxisInfoAnalysis facts(getOperation());
    Builder builder(&getContext());
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      TileAccess access = tileAccess(op);
      if (!access.pointers)
        return;
      auto tile = cast<RankedTensorType>(access.pointers.getType());
      unsigned bits = cast<PointerType>(tile.getElementType()).getPointee().getIntOrFloatBitWidth();
      std::optional<AxisInfo> mask;
      if (access.mask)
        mask = facts.get(access.mask);
      AccessWidth width = accessWidth(facts.get(access.pointers), mask ? &*mask : nullptr, bits, tile.getShape());
      // Rows of a buffer lie along its last axis; copies do not turn them.
      if (isa<AsyncLoadOp>(op) && width.axis != tile.getRank() - 1)
        width = {int(tile.getRank()) - 1, 1};
      op->setAttr("tlx.vector", builder.getI32IntegerAttr(width.elements));
      op->setAttr("tlx.axis", builder.getI32IntegerAttr(width.axis));
      accesses.push_back(op);
    });
    // The machines whose lanes copy side by side are those that check ranges (AMD's buffer instructions).
    if (targetOf(getOperation()).has(Feature::LaneCopy))
      llvm::for_each(accesses, findAccessRange);
  }
};

} // namespace
