//===- LowerChannels.cpp - channels become barriers with phases -----------------------------------------===//
//
// A channel's slots are each guarded by a `full` and an `empty` barrier. The parities of all slots are the bits of one
// number per task and side, flipped at each use, so slots may be used in any order.
//
//===----------------------------------------------------------------------------------------------------===//

#include "CarriedState.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_LOWERCHANNELS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

constexpr int64_t mostSlots = 32;

namespace {

/// Loads that fill one slot together.
struct Filling {
  bool first = false;
  int64_t bytes = 0;
};

class ChannelLowering {
public:
  ChannelLowering(AllocChannelOp channel, ArrayRef<TaskScope> scopes)
      : channel(channel), slots(channel.getResult()), builder(channel), scopes(scopes) {}

  LogicalResult run() {
    if (check().failed())
      return failure();
    int64_t count = channel.getType().getCount();
    auto type = BarrierType::get(channel.getContext(), count, /*perThread=*/false);
    StringRef name = channel.getName();
    full = AllocBarriersOp::create(builder, channel.getLoc(), type, (name + ".full").str(), 1, IntegerAttr());
    empty = AllocBarriersOp::create(builder, channel.getLoc(), type, (name + ".empty").str(), releasing, IntegerAttr());
    for (const TaskScope &scope : scopes) {
      lowerFillings(scope);
      lowerUses(scope);
    }
    channel.erase();
    return success();
  }

private:
  LogicalResult check() {
    int filling = 0;
    for (const TaskScope &scope : scopes) {
      releasing += holds<ChannelReleaseOp>(scope) ? warpGroups(scope) : 0;
      filling += holds<ChannelLoadOp>(scope);
    }
    if (channel.getType().getCount() > mostSlots)
      return channel.emitError() << "`" << channel.getName() << "` has " << channel.getType().getCount()
                                 << " slots; the compiler keeps phases of at most " << mostSlots << " [channel-slots]";
    if (filling > 1)
      return channel.emitError() << "`" << channel.getName() << "` is filled by " << filling
                                 << " tasks; one task fills a slot [unsupported-channel-producers]";
    if (filling == 1 && releasing == 0)
      return channel.emitError() << "the slots of `" << channel.getName()
                                 << "` are filled but never released [channel-without-release]";
    return success();
  }

  template <typename Op> bool isOurs(Operation *op) const {
    auto use = dyn_cast<Op>(op);
    return use && use.getChannel() == slots;
  }
  template <typename Op> bool holds(const TaskScope &scope) const {
    bool found = false;
    walkScope(*scope.body, [&](Operation *op) { found |= isOurs<Op>(op); });
    return found;
  }

  Value number(Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  }
  Value slotOf(AllocBarriersOp barriers, Value slot, Location loc) {
    return BarrierViewOp::create(builder, loc, BarrierType::get(builder.getContext(), 0, false), barriers, slot);
  }

  /// Waits for the slot's current parity and returns the parities after it.
  Value waitFor(AllocBarriersOp barriers, Value slot, Value parities, Location loc) {
    Value phase =
        arith::AndIOp::create(builder, loc, arith::ShRUIOp::create(builder, loc, parities, slot), number(loc, 1));
    BarrierWaitOp::create(builder, loc, slotOf(barriers, slot, loc), phase, Value());
    Value bit = arith::ShLIOp::create(builder, loc, number(loc, 1), slot);
    return arith::XOrIOp::create(builder, loc, parities, bit);
  }

  /// Consecutive loads of one slot in one block belong together.
  llvm::DenseMap<Operation *, Filling> findFillings(const TaskScope &scope) {
    llvm::DenseMap<Operation *, Filling> fillings;
    Operation *first = nullptr;
    Value slot;
    walkScope(*scope.body, [&](Operation *op) {
      if (!isOurs<ChannelLoadOp>(op))
        return;
      auto load = cast<ChannelLoadOp>(op);
      if (!first || first->getBlock() != op->getBlock() || slot != load.getSlot()) {
        first = op;
        slot = load.getSlot();
      }
      fillings[first].bytes += load.getDescriptor().getType().blockBytes();
      fillings[op].first = op == first;
    });
    return fillings;
  }

  void lowerFillings(const TaskScope &scope) {
    if (!holds<ChannelLoadOp>(scope))
      return;
    llvm::DenseMap<Operation *, Filling> fillings = findFillings(scope);
    auto lower = [&](Operation *op, Value parities) {
      auto load = cast<ChannelLoadOp>(op);
      builder.setInsertionPoint(op);
      Location loc = op->getLoc();
      Filling filling = fillings.lookup(op);
      if (filling.first) {
        parities = waitFor(empty, load.getSlot(), parities, loc);
        BarrierExpectOp::create(builder, loc, slotOf(full, load.getSlot(), loc), filling.bytes, Value());
      }
      TMALoadOp::create(builder, loc, load.getDescriptor(), load.getBuffer(), load.getOffsets(),
                        slotOf(full, load.getSlot(), loc), Value(), Value(), "");
      op->erase();
      return parities;
    };
    // A fresh barrier lets a wait for parity 1 pass: all slots are empty.
    carry(scope, -1, [&](Operation *op) { return isOurs<ChannelLoadOp>(op); }, lower);
  }

  void lowerUses(const TaskScope &scope) {
    auto lowerWait = [&](Operation *op, Value parities) {
      builder.setInsertionPoint(op);
      parities = waitFor(full, cast<ChannelWaitOp>(op).getSlot(), parities, op->getLoc());
      op->erase();
      return parities;
    };
    if (holds<ChannelWaitOp>(scope))
      carry(scope, 0, [&](Operation *op) { return isOurs<ChannelWaitOp>(op); }, lowerWait);
    SmallVector<ChannelReleaseOp> releases;
    walkScope(*scope.body, [&](Operation *op) {
      if (isOurs<ChannelReleaseOp>(op))
        releases.push_back(cast<ChannelReleaseOp>(op));
    });
    for (ChannelReleaseOp release : releases) {
      builder.setInsertionPoint(release);
      Value slot = slotOf(empty, release.getSlot(), release.getLoc());
      auto arrive = BarrierArriveOp::create(builder, release.getLoc(), slot, 1, Value(), Value(), false);
      if (warpGroups(scope) > 1)
        arrive->setAttr(eachGroupAttribute, builder.getUnitAttr());
      release.erase();
    }
  }

  void carry(const TaskScope &scope, int64_t initial, CarriedState::Touches touches, CarriedState::Update update) {
    Block &block = scope.body->front();
    builder.setInsertionPointToStart(&block);
    CarriedState(touches, update).run(block, number(channel.getLoc(), initial));
  }

  AllocChannelOp channel;
  Value slots;
  OpBuilder builder;
  ArrayRef<TaskScope> scopes;
  AllocBarriersOp full, empty;
  /// Warp groups that release slots.
  int releasing = 0;
};

struct LowerChannels : tlx::impl::LowerChannelsBase<LowerChannels> {
  void runOnOperation() override {
    SmallVector<AllocChannelOp> channels;
    getOperation().walk([&](AllocChannelOp channel) { channels.push_back(channel); });
    for (AllocChannelOp channel : channels)
      if (ChannelLowering(channel, taskScopes(getOperation())).run().failed())
        return signalPassFailure();
  }
};

} // namespace
