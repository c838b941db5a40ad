//===- AllocateTensorMemory.cpp - columns of tensor memory ----------------------------------------------===//
//
// A kernel allocates once, a power of two of columns; its tiles stand side by side in them and live as long as it does.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace tlx {
#define GEN_PASS_DEF_ALLOCATETENSORMEMORY
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

// PTX ISA, tcgen05.alloc: 32 to 512 columns.
constexpr int64_t fewestColumns = 32;

static int64_t columnsOf(tmem::AllocOp alloc) {
  return alloc.getType().columns() * std::max<int64_t>(1, alloc.getType().getCount());
}

namespace {

struct AllocateTensorMemory : tlx::impl::AllocateTensorMemoryBase<AllocateTensorMemory> {
  using AllocateTensorMemoryBase::AllocateTensorMemoryBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    SmallVector<tmem::AllocOp> allocations, reusing;
    kernel.walk([&](tmem::AllocOp alloc) { (alloc.getReuse() ? reusing : allocations).push_back(alloc); });
    if (allocations.empty())
      return;
    int64_t total = 0;
    for (tmem::AllocOp alloc : allocations) {
      // Scales come in groups of four columns, and may use what any other tile was.
      total = static_cast<int64_t>(llvm::alignTo(total, 4));
      alloc.setColumn(total);
      total += columnsOf(alloc);
    }
    if (total > capacity)
      return reportOverfull(allocations, total);
    for (tmem::AllocOp alloc : reusing)
      if (placeReusing(alloc).failed())
        return signalPassFailure();
    OpBuilder b(&getContext());
    int64_t columns = std::max<int64_t>(fewestColumns, llvm::PowerOf2Ceil(total));
    kernel->setAttr("tlx.tmem_columns", b.getI64IntegerAttr(columns));
    if (tmem::isUsedInPairs(kernel))
      kernel->setAttr("tlx.tmem_pair", b.getUnitAttr());
    reserveAddress(b, kernel);
  }

private:
  /// The hardware writes the address of what it allocated to shared memory.
  static void reserveAddress(OpBuilder &b, func::FuncOp kernel) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    auto layout = SharedLayoutAttr::get(b.getContext(), 0, 1, false);
    Type type = BufferType::get(b.getContext(), {4}, b.getI32Type(), 1, layout);
    auto address = LocalAllocOp::create(b, kernel.getLoc(), type, b.getStringAttr("address of tensor memory"),
                                        IntegerAttr(), Value());
    address->setAttr("tlx.tmem_address", b.getUnitAttr());
  }

  LogicalResult placeReusing(tmem::AllocOp alloc) {
    tmem::AllocOp storage = tmem::storageOf(alloc.getReuse());
    if (columnsOf(alloc) > columnsOf(storage))
      return alloc.emitError() << "`" << alloc.getName() << "` needs " << columnsOf(alloc) << " columns and reuses `"
                               << storage.getName() << "`, which has " << columnsOf(storage) << " [reuse-too-small]";
    alloc.setColumn(*storage.getColumn());
    return success();
  }

  void reportOverfull(ArrayRef<tmem::AllocOp> allocations, int64_t total) {
    InFlightDiagnostic error = getOperation().emitError()
                               << "the kernel needs " << total << " columns of tensor memory; "
                               << "there are " << int64_t(capacity) << " [tensor-memory-overfull]";
    for (tmem::AllocOp alloc : allocations)
      error.attachNote(alloc.getLoc()) << "`" << alloc.getName()
                                       << "`: " << std::max<int64_t>(1, alloc.getType().getCount()) << " x "
                                       << alloc.getType().columns() << " columns";
    signalPassFailure();
  }
};

} // namespace
