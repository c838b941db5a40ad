//===- StageDescriptorAccess.cpp - descriptor accesses to registers go through shared memory ------------===//

#include "CarriedState.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Layout/SharedLayout.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tlx {
#define GEN_PASS_DEF_STAGEDESCRIPTORACCESS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

/// The block's shape without leading axes of extent 1.
static ArrayRef<int64_t> tileShape(DescriptorType type) {
  return type.getShape().drop_while([](int64_t extent) { return extent == 1; }).empty()
             ? type.getShape().take_back(1)
             : type.getShape().drop_while([](int64_t extent) { return extent == 1; });
}

static BufferType stagingType(DescriptorType type, int64_t count) {
  ArrayRef<int64_t> shape = tileShape(type);
  Type element = type.getElementType();
  int swizzle = layout::SharedTile::defaultSwizzle(shape, element.getIntOrFloatBitWidth() / 8);
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  auto layout = SharedLayoutAttr::get(type.getContext(), swizzle, rows, /*transposed=*/false);
  return BufferType::get(type.getContext(), shape, element, count, layout);
}

namespace {

class Staging {
public:
  Staging(func::FuncOp kernel, const TaskScope &scope) : scope(scope), builder(kernel.getContext()), kernel(kernel) {}

  void run() {
    llvm::MapVector<BufferType, SmallVector<DescriptorStoreOp>> stores;
    SmallVector<DescriptorLoadOp> loads;
    walkScope(*scope.body, [&](Operation *op) {
      if (auto store = dyn_cast<DescriptorStoreOp>(op))
        stores[stagingType(store.getDescriptor().getType(), 1)].push_back(store);
      if (auto load = dyn_cast<DescriptorLoadOp>(op))
        loads.push_back(load);
    });
    for (auto &[type, sites] : stores)
      stageStores(sites);
    for (DescriptorLoadOp load : loads)
      stageLoad(load);
    drainStores();
  }

private:
  Value number(Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  }

  LocalAllocOp allocate(StringRef name, DescriptorType type, int64_t count, Location loc) {
    builder.setInsertionPointToStart(&kernel.getBody().front());
    return LocalAllocOp::create(builder, loc, stagingType(type, count), name, IntegerAttr(), Value());
  }

  /// Two slots when the stores come in pairs, so that one is filled while the other drains.
  void stageStores(ArrayRef<DescriptorStoreOp> sites) {
    Block *block = sites.front()->getBlock();
    bool together = llvm::all_of(sites, [&](DescriptorStoreOp site) { return site->getBlock() == block; });
    int64_t slots = together && sites.size() % 2 == 0 ? 2 : 1;
    DescriptorStoreOp head = sites.front();
    LocalAllocOp staging = allocate("staging", head.getDescriptor().getType(), slots, head.getLoc());
    for (auto [index, site] : llvm::enumerate(sites))
      stageStore(site, staging, index % slots, slots - 1);
  }

  void stageStore(DescriptorStoreOp site, LocalAllocOp staging, int64_t slot, int64_t pendings) {
    builder.setInsertionPoint(site);
    Location loc = site.getLoc();
    BufferType tile = stagingType(site.getDescriptor().getType(), 0);
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

  void stageLoad(DescriptorLoadOp load) {
    DescriptorType descriptor = load.getDescriptor().getType();
    LocalAllocOp landing = allocate("landing", descriptor, 1, load.getLoc());
    auto barrierType = BarrierType::get(builder.getContext(), 1, false);
    auto full = AllocBarriersOp::create(builder, load.getLoc(), barrierType, "landing.full", 1, IntegerAttr());
    auto lower = [&](Operation *op, Value phase) {
      builder.setInsertionPoint(op);
      Location loc = op->getLoc();
      Value zero = number(loc, 0);
      Value buffer = LocalViewOp::create(builder, loc, stagingType(descriptor, 0), landing, zero);
      Value barrier = BarrierViewOp::create(builder, loc, BarrierType::get(builder.getContext(), 0, false), full, zero);
      BarrierExpectOp::create(builder, loc, barrier, descriptor.blockBytes(), Value());
      TMALoadOp::create(builder, loc, load.getDescriptor(), buffer, load.getOffsets(), barrier, Value(), Value(), "");
      BarrierWaitOp::create(builder, loc, barrier, phase, Value());
      auto type = cast<RankedTensorType>(load.getType());
      auto tile = RankedTensorType::get(tileShape(descriptor), type.getElementType());
      Value value = LocalLoadOp::create(builder, loc, tile, buffer);
      // The next load into the buffer starts when all threads have read this one.
      TaskBarrierOp::create(builder, loc);
      if (value.getType() != type)
        value = ReshapeOp::create(builder, loc, type, value);
      load.getResult().replaceAllUsesWith(value);
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
