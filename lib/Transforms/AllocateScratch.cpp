//===- AllocateScratch.cpp - global memory of the launch for what the kernel makes ----------------------===//
//
// Tensor maps made by the kernel lie in memory that the launcher supplies: each block has its own piece, whose size the
// manifest tells. The kernel gets a last, hidden argument for it.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Dialect/TileOps.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_ALLOCATESCRATCH
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

/// CUDA driver API: a tensor map has 128 bytes; copies want them aligned to 64, tensormap.replace to 128.
constexpr int64_t tensorMapBytes = 128;

namespace {

struct AllocateScratch : tlx::impl::AllocateScratchBase<AllocateScratch> {
  void runOnOperation() override {
    int64_t bytes = 0;
    getOperation().walk([&](Operation *op) {
      if (auto make = dyn_cast<MakeDescriptorOp>(op); make && !make.getMemory()) {
        make.setScratch(bytes);
        bytes += tensorMapBytes;
      } else if (auto memory = dyn_cast<DescriptorMemoryOp>(op)) {
        memory.setScratch(bytes);
        bytes += tensorMapBytes * memory.getCount();
      }
    });
    if (bytes == 0)
      return;
    func::FuncOp kernel = getOperation();
    Builder builder(&getContext());
    auto type = PointerType::get(&getContext(), builder.getIntegerType(8));
    unsigned index = kernel.getNumArguments();
    auto attributes =
        builder.getDictionaryAttr({builder.getNamedAttr("tlx.name", builder.getStringAttr("scratch")),
                                   builder.getNamedAttr("tlx.type", builder.getStringAttr("*i8")),
                                   builder.getNamedAttr("tlx.scratch", builder.getI64IntegerAttr(bytes))});
    if (failed(kernel.insertArgument(index, type, attributes, kernel.getLoc())))
      signalPassFailure();
  }
};

} // namespace
