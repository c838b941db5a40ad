//===- AllocateShared.cpp - offsets in shared memory ----------------------------------------------------===//
//
// Buffers and barriers live as long as the kernel, so they stand side by side. Scratch of conversions and reductions
// lives for one operation: those of a task share one region, tasks do not. Conversions after a pipelined loop take what
// its ring leaves.
//
//===----------------------------------------------------------------------------------------------------===//

#include "LayoutRules.h"
#include "RingLifetimes.h"
#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Layout/RegisterAccess.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace tlx {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;
using layout::InDim;
using layout::LinearLayout;

constexpr int64_t barrierBytes = 8, scratchAlignment = 128, strictestAlignment = 1024;

static int64_t bytesOf(Type element) {
  return isa<PointerType>(element) ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// A tile that changes threads passes through memory as a whole.
static int64_t conversionScratch(ConvertLayoutOp convert) {
  auto from = cast<RankedTensorType>(convert.getSource().getType());
  auto to = cast<RankedTensorType>(convert.getResult().getType());
  if (layout::movement(toLinear(from), toLinear(to)) <= layout::Movement::Registers)
    return 0;
  return rearrangingBytes(to);
}

/// Every lane of every warp leaves its partial results, when warps share what is reduced.
static int64_t reductionScratch(ReduceOp reduce) {
  auto type = cast<RankedTensorType>(reduce.getSource().getType());
  LinearLayout source = toLinear(type);
  bool acrossWarps = false;
  for (int bit = 0; bit < source.inBits(InDim::Warp); ++bit)
    acrossWarps |= source.basis(InDim::Warp, bit)[reduce.getAxis()] != 0;
  if (!acrossWarps)
    return 0;
  int64_t partials = source.slice(reduce.getAxis()).withoutFreeRegisters().inSize(InDim::Register);
  return source.inSize(InDim::Warp) * source.inSize(InDim::Lane) * partials * bytesOf(type.getElementType());
}

/// Warps that exchange elements leave all of theirs.
static int64_t pairScratch(PairOp pair) {
  if (!exchangedWarpBit(pair))
    return 0;
  auto type = cast<RankedTensorType>(pair.getSource().getType());
  LinearLayout source = toLinear(type);
  return source.inSize(InDim::Register) * source.inSize(InDim::Lane) * source.inSize(InDim::Warp) *
         bytesOf(type.getElementType());
}

/// The old values of atomic operations, which one thread has and its copies want.
static int64_t atomicScratch(Operation *op) {
  if (op->getResult(0).use_empty())
    return 0;
  auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return tile ? rearrangingBytes(tile) : 16;
}

static int64_t scratchBytes(Operation *op) {
  if (auto pair = dyn_cast<PairOp>(op))
    return pairScratch(pair);
  if (isa<AtomicOp, AtomicCasOp>(op))
    return atomicScratch(op);
  if (auto gather = dyn_cast<GatherOp>(op))
    return rearrangingBytes(cast<RankedTensorType>(gather.getSource().getType()));
  if (auto histogram = dyn_cast<HistogramOp>(op))
    return rearrangingBytes(cast<RankedTensorType>(histogram.getResult().getType()));
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return conversionScratch(convert);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reductionScratch(reduce);
  return 0;
}

namespace {

/// A piece of shared memory and who wants it.
struct Piece {
  std::string what;
  Location where;
  int64_t bytes;
  int64_t alignment;
  /// Says where the piece is.
  std::function<void(int64_t)> place;
};

struct AllocateShared : tlx::impl::AllocateSharedBase<AllocateShared> {
  using AllocateSharedBase::AllocateSharedBase;

  void runOnOperation() override {
    pieces.clear();
    reusing.clear();
    inRings.clear();
    SmallVector<LocalAllocOp> buffers;
    getOperation().walk([&](LocalAllocOp alloc) { (alloc.getReuse() ? reusing : buffers).push_back(alloc); });
    for (LocalAllocOp alloc : buffers)
      addBuffer(alloc);
    getOperation().walk([&](AllocBarriersOp barriers) { addBarriers(barriers); });
    addScratch();
    int64_t total = placeAll();
    if (total > capacity)
      return reportOverfull(total);
    getOperation()->setAttr("tlx.shared_bytes", Builder(&getContext()).getI64IntegerAttr(total));
    for (auto [op, ring] : inRings)
      op->setAttr("tlx.scratch", Builder(&getContext()).getI64IntegerAttr(*ring.getOffset()));
    for (LocalAllocOp alloc : reusing)
      if (placeReusing(alloc).failed())
        return signalPassFailure();
  }

private:
  void addBuffer(LocalAllocOp alloc) {
    BufferType type = alloc.getType();
    std::string what = llvm::formatv("`{0}`: {1} x {2} bytes", alloc.getName(), std::max<int64_t>(1, type.getCount()),
                                     tileStride(type));
    // What reuses the buffer may need a stricter alignment.
    int64_t alignment = sharedTile(type).alignment();
    // What the source reads it as, too.
    if (auto asked = alloc->getAttrOfType<IntegerAttr>("tlx.alignment"))
      alignment = std::max(alignment, asked.getInt());
    for (LocalAllocOp other : reusing)
      if (storageOf(other.getReuse()) == alloc)
        alignment = std::max<int64_t>(alignment, sharedTile(other.getType()).alignment());
    pieces.push_back({what, alloc.getLoc(), bytesOf(alloc), alignment,
                      [alloc](int64_t offset) mutable { alloc.setOffset(offset); }});
  }

  void addBarriers(AllocBarriersOp barriers) {
    int64_t count = std::max<int64_t>(1, barriers.getType().getCount());
    std::string what = llvm::formatv("`{0}`: {1} barriers x {2} bytes", barriers.getName(), count, barrierBytes);
    pieces.push_back({what, barriers.getLoc(), count * barrierBytes, barrierBytes,
                      [barriers](int64_t offset) mutable { barriers.setOffset(offset); }});
  }

  /// One region for each task; the code around tasks runs on the default task's warps before and after it.
  void addScratch() {
    SmallVector<TaskScope> scopes = taskScopes(getOperation());
    addScratchOf({scopes.front().body, scopes.size() > 1 ? scopes[1].body : nullptr}, scopes.front().name);
    for (const TaskScope &scope : ArrayRef(scopes).drop_front(std::min<size_t>(2, scopes.size())))
      addScratchOf({scope.body}, scope.name);
  }

  void addScratchOf(ArrayRef<Region *> bodies, StringRef name) {
    SmallVector<Operation *> users;
    int64_t most = 0;
    for (Region *body : bodies)
      if (body)
        walkScope(*body, [&](Operation *op) {
          int64_t bytes = scratchBytes(op);
          if (bytes == 0 || takesRing(op, bytes))
            return;
          users.push_back(op);
          most = std::max(most, bytes);
        });
    if (users.empty())
      return;
    std::string what = llvm::formatv("room in which `{0}` rearranges tiles: {1} bytes", name, most);
    pieces.push_back({what, users.front()->getLoc(), most, scratchAlignment, [users](int64_t offset) {
                        for (Operation *op : users)
                          op->setAttr("tlx.scratch", Builder(op->getContext()).getI64IntegerAttr(offset));
                      }});
  }

  bool takesRing(Operation *op, int64_t bytes) {
    LocalAllocOp ring = isa<ConvertLayoutOp>(op) ? largestDeadRing(op) : LocalAllocOp();
    if (!ring || bytesOf(ring) < bytes)
      return false;
    inRings.push_back({op, ring});
    return true;
  }

  /// Strictest alignment first: no gaps but at the end of a piece.
  int64_t placeAll() {
    int64_t end = 0;
    for (int64_t alignment = strictestAlignment; alignment >= barrierBytes; alignment /= 2)
      for (Piece &piece : pieces) {
        if (piece.alignment != alignment)
          continue;
        int64_t offset = llvm::alignTo(end, alignment);
        piece.place(offset);
        end = offset + piece.bytes;
      }
    return end;
  }

  LogicalResult placeReusing(LocalAllocOp alloc) {
    LocalAllocOp storage = storageOf(alloc.getReuse());
    if (bytesOf(alloc) > bytesOf(storage))
      return alloc.emitError() << "`" << alloc.getName() << "` needs " << bytesOf(alloc) << " bytes and reuses `"
                               << storage.getName() << "`, which has " << bytesOf(storage) << " [reuse-too-small]";
    auto inside = alloc->getAttrOfType<IntegerAttr>("tlx.alias_offset");
    alloc.setOffset(*storage.getOffset() + (inside ? inside.getInt() : 0));
    return success();
  }

  void reportOverfull(int64_t total) {
    InFlightDiagnostic error = getOperation().emitError()
                               << "the kernel needs " << total << " bytes of shared memory; there are "
                               << int64_t(capacity) << " [shared-memory-overfull]";
    for (const Piece &piece : pieces)
      error.attachNote(piece.where) << piece.what << ", " << piece.bytes << " in all";
    signalPassFailure();
  }

  SmallVector<Piece> pieces;
  SmallVector<LocalAllocOp> reusing;
  /// Conversions and the ring in whose place they rearrange.
  SmallVector<std::pair<Operation *, LocalAllocOp>> inRings;
};

} // namespace
