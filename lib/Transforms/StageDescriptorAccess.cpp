//===- StageDescriptorAccess.cpp - descriptor accesses to registers go through shared memory ------------===//

#include "CarriedState.h"
#include "DescriptorRings.h"
#include "RingLifetimes.h"
#include "StagedTile.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tlx {
#define GEN_PASS_DEF_STAGEDESCRIPTORACCESS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

namespace {

class Staging {
public:
  Staging(func::FuncOp kernel, const TaskScope &scope) : scope(scope), builder(kernel.getContext()), kernel(kernel) {}

  void run() {
    llvm::MapVector<BufferType, SmallVector<DescriptorStoreOp>> stores;
    SmallVector<DescriptorLoadOp> loads;
    walkScope(*scope.body, [&](Operation *op) {
      if (auto store = dyn_cast<DescriptorStoreOp>(op))
        stores[slotTypeOf(store.getDescriptor().getType(), 1)].push_back(store);
      if (auto load = dyn_cast<DescriptorLoadOp>(op))
        loads.push_back(load);
    });
    for (auto &[type, sites] : stores)
      stageStores(sites);
    for (DescriptorLoadOp load : loads)
      stageLoad(load);
    keepMapsUntilStored();
    drainStores();
  }

private:
  Value number(Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  }

  LocalAllocOp allocate(StringRef name, DescriptorType type, int64_t count, Location loc) {
    builder.setInsertionPointToStart(&kernel.getBody().front());
    return LocalAllocOp::create(builder, loc, slotTypeOf(type, count), name, IntegerAttr(), Value());
  }

  /// Two slots when the stores come in pairs, so that one is filled while the other drains.
  void stageStores(ArrayRef<DescriptorStoreOp> sites) {
    Block *block = sites.front()->getBlock();
    bool together = llvm::all_of(sites, [&](DescriptorStoreOp site) { return site->getBlock() == block; });
    int64_t slots = together && sites.size() % 2 == 0 ? 2 : 1;
    DescriptorStoreOp head = sites.front();
    LocalAllocOp staging = allocate("staging", head.getDescriptor().getType(), slots, head.getLoc());
    if (LocalAllocOp ring = ringFor(sites, bytesOf(staging))) {
      staging->moveAfter(ring);
      staging.getReuseMutable().assign(ring);
    }
    for (auto [index, site] : llvm::enumerate(sites))
      stageStore(site, staging, index % slots, slots - 1);
  }

  /// A ring that is free at all of the stores and large enough, or null.
  static LocalAllocOp ringFor(ArrayRef<DescriptorStoreOp> sites, int64_t bytes) {
    DescriptorStoreOp head = sites.front();
    LocalAllocOp ring = largestDeadRing(head);
    bool fits = ring && bytesOf(ring) >= bytes &&
                llvm::all_of(sites, [&](DescriptorStoreOp site) { return largestDeadRing(site) == ring; });
    return fits ? ring : LocalAllocOp();
  }

  void stageStore(DescriptorStoreOp site, LocalAllocOp staging, int64_t slot, int64_t pendings) {
    builder.setInsertionPoint(site);
    Location loc = site.getLoc();
    BufferType tile = slotTypeOf(site.getDescriptor().getType());
    Value buffer = LocalViewOp::create(builder, loc, tile, staging, number(loc, slot));
    TMAStoreWaitOp::create(builder, loc, pendings, /*complete=*/false);
    TaskBarrierOp::create(builder, loc);
    LocalStoreOp::create(builder, loc, buffer, withoutLeadingUnits(site.getValue(), tile));
    FenceOp::create(builder, loc, "async_shared");
    TaskBarrierOp::create(builder, loc);
    auto reduce = site->getAttrOfType<StringAttr>("tlx.reduce");
    TMAStoreOp::create(builder, loc, site.getDescriptor(), buffer, site.getOffsets(), reduce ? reduce.getValue() : "",
                       "");
    site.erase();
  }

  Value withoutLeadingUnits(Value value, BufferType tile) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getShape() == tile.getShape())
      return value;
    auto wanted = RankedTensorType::get(tile.getShape(), tile.getElementType());
    if (auto reshape = value.getDefiningOp<ReshapeOp>(); reshape && reshape.getSource().getType() == wanted)
      return reshape.getSource();
    return ReshapeOp::create(builder, value.getLoc(), wanted, value);
  }

  /// The tile lands where a product reads it, else in a buffer of its own that registers are loaded from.
  void stageLoad(DescriptorLoadOp load) {
    DescriptorType descriptor = load.getDescriptor().getType();
    std::optional<RingLoad> fate = ringLoad(load);
    bool isReadInPlace = fate && !fate->isInRegisters && fate->stagings.size() == 1;
    LocalAllocOp landing =
        isReadInPlace
            ? fate->stagings.front().getBuffer().getDefiningOp<LocalViewOp>().getBuffer().getDefiningOp<LocalAllocOp>()
            : allocate("landing", descriptor, 1, load.getLoc());
    builder.setInsertionPointAfter(landing);
    auto barrierType = BarrierType::get(builder.getContext(), 1, false);
    auto full = AllocBarriersOp::create(builder, load.getLoc(), barrierType, (landing.getName() + ".full").str(), 1,
                                        IntegerAttr());
    if (isReadInPlace)
      dropStaging(*fate);
    bool waitsForStores = isStoredTo(load), followsThreads = isWrittenByThreads(load);
    auto lower = [&](Operation *op, Value phase) {
      builder.setInsertionPoint(op);
      Location loc = op->getLoc();
      Value zero = number(loc, 0);
      Value buffer = LocalViewOp::create(builder, loc, slotTypeOf(descriptor), landing, zero);
      Value barrier = BarrierViewOp::create(builder, loc, BarrierType::get(builder.getContext(), 0, false), full, zero);
      if (waitsForStores)
        TMAStoreWaitOp::create(builder, loc, 0, /*complete=*/true);
      if (followsThreads)
        FenceOp::create(builder, loc, "async_global");
      // The threads meet before the barrier is armed: those that read the tile before are done with it.
      BarrierExpectOp::create(builder, loc, barrier, descriptor.blockBytes(), Value());
      TMALoadOp::create(builder, loc, load.getDescriptor(), buffer, load.getOffsets(), barrier, Value(), Value(), "");
      BarrierWaitOp::create(builder, loc, barrier, phase, Value());
      if (!isReadInPlace)
        loadFrom(buffer, load);
      Value flipped = arith::XOrIOp::create(builder, loc, phase, number(loc, 1));
      op->erase();
      return flipped;
    };
    Block &block = scope.body->front();
    if (scope.task >= 0)
      builder.setInsertionPointToStart(&block);
    Value phase = number(load.getLoc(), 0);
    Operation *site = load;
    CarriedState([&](Operation *op) { return isa<DescriptorLoadOp>(op) && op == site; }, lower).run(block, phase);
  }

  static void dropStaging(RingLoad &fate) {
    fate.stagings.front().erase();
    for (Operation *user : llvm::make_early_inc_range(fate.load->getUsers()))
      user->erase();
  }

  void loadFrom(Value buffer, DescriptorLoadOp load) {
    Location loc = load.getLoc();
    auto type = cast<RankedTensorType>(load.getType());
    auto tile = RankedTensorType::get(cast<BufferType>(buffer.getType()).getShape(), type.getElementType());
    Value value = LocalLoadOp::create(builder, loc, tile, buffer);
    // The next load into the buffer starts when all threads have read this one.
    TaskBarrierOp::create(builder, loc);
    if (value.getType() != type)
      value = ReshapeOp::create(builder, loc, type, value);
    load.getResult().replaceAllUsesWith(value);
  }

  /// A tensor map that is made anew in a loop is not changed while a store still reads it.
  void keepMapsUntilStored() {
    bool stores = false;
    SmallVector<MakeDescriptorOp> remade;
    walkScope(*scope.body, [&](Operation *op) {
      stores |= isa<TMAStoreOp>(op);
      if (auto make = dyn_cast<MakeDescriptorOp>(op); make && isa<LoopLikeOpInterface>(innermostLoopOrScope(op)))
        remade.push_back(make);
    });
    for (MakeDescriptorOp make : remade) {
      builder.setInsertionPoint(make);
      if (stores)
        TMAStoreWaitOp::create(builder, make.getLoc(), 0, /*complete=*/true);
    }
  }

  static Operation *innermostLoopOrScope(Operation *op) {
    do
      op = op->getParentOp();
    while (isa<scf::IfOp>(op));
    return op;
  }

  /// Shared memory must outlive the stores that read it.
  void drainStores() {
    bool stores = false;
    walkScope(*scope.body, [&](Operation *op) { stores |= isa<TMAStoreOp>(op); });
    Operation *end = scope.body->front().getTerminator();
    if (!stores)
      return;
    if (auto wait = dyn_cast_or_null<TMAStoreWaitOp>(end->getPrevNode()); wait && wait.getPendings() == 0)
      return;
    builder.setInsertionPoint(end);
    TMAStoreWaitOp::create(builder, end->getLoc(), 0, /*complete=*/true);
  }

  const TaskScope &scope;
  OpBuilder builder;
  func::FuncOp kernel;
};

struct StageDescriptorAccess : tlx::impl::StageDescriptorAccessBase<StageDescriptorAccess> {
  void runOnOperation() override {
    for (const TaskScope &scope : taskScopes(getOperation()))
      Staging(getOperation(), scope).run();
  }
};

} // namespace
