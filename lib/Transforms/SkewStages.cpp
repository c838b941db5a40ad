//===- SkewStages.cpp - two halves of a block that take turns -------------------------------------------------===//
//
// Where every scheduler has two warps, a loop of stages (`tlx.warp_pipeline_stage`) lets one compute while the other
// moves data: all meet between stages, and the later half of the warps goes in one meeting behind. A meeting in such a
// loop therefore says of the other half only what was before the meeting before it; SharedHazards counts with that.
//
//===----------------------------------------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Layout/RegisterAccess.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_SKEWSTAGES
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

/// Warps that the schedulers of one multiprocessor run side by side.
constexpr int schedulers = 4;

static bool beginsStage(Operation &op) {
  auto stage = dyn_cast<StageOp>(op);
  return stage && !stage.getLabel().empty();
}

/// Whether the operation meets on its own account, which halves that are apart cannot.
static bool meetsInside(Operation *op) {
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return layout::movement(toLinear(cast<RankedTensorType>(convert.getSource().getType())),
                            toLinear(cast<RankedTensorType>(convert.getResult().getType()))) >
           layout::Movement::Registers;
  return isa<ReduceOp, PairOp, GatherOp, HistogramOp, AtomicOp, AtomicCasOp, AssertOp, TaskBarrierOp>(op);
}

namespace {

struct SkewStages : tlx::impl::SkewStagesBase<SkewStages> {
  void runOnOperation() override {
    if (!targetOf(getOperation()).has(Feature::Mfma) || kernelWarps(getOperation()) < 2 * schedulers)
      return;
    getOperation().walk([&](scf::ForOp loop) {
      SmallVector<Operation *> stages;
      for (Operation &op : *loop.getBody())
        if (beginsStage(op))
          stages.push_back(&op);
      bool meets =
          loop.walk([](Operation *op) { return meetsInside(op) ? WalkResult::interrupt() : WalkResult::advance(); })
              .wasInterrupted();
      if (stages.size() < 2 || meets)
        return;
      Builder builder(&getContext());
      loop->setAttr("tlx.skewed", builder.getUnitAttr());
      for (Operation *stage : stages)
        stage->setAttr("tlx.meets", builder.getUnitAttr());
    });
  }
};

} // namespace
