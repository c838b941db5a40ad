//===- SpecializeLoads.cpp - a task of its own for the loads of a kernel --------------------------------===//
//
// A kernel without tasks that loads tiles by tensor maps in its loops waits for each of them. Here it becomes two
// tasks: one warp runs ahead and fills rings of slots, the kernel's own warps take them from there. What fills and
// reads a ring are the channel's operations, which later become barriers.
//
//===----------------------------------------------------------------------------------------------------===//

#include "CarriedProduct.h"
#include "CarriedState.h"
#include "DescriptorRings.h"
#include "LoadProducer.h"
#include "PointerMaps.h"
#include "RingLifetimes.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_SPECIALIZELOADS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

/// CUDA C++ Programming Guide, compute capability 9.0: each block takes as much more shared memory as a multiprocessor
/// has beyond what one block may have. Barriers take a little.
static constexpr int64_t reservedBytes = 1024, blockOverhead = reservedBytes + 512;

/// How many slots before the next one a release means.
static constexpr StringLiteral backAttribute = "tlx.back";
/// The first load of those that fill a slot together.
static constexpr StringLiteral firstAttribute = "tlx.first";

/// setmaxnreg: works on warp groups, and the least that it takes.
static constexpr int32_t groupWarps = 4, fewestRegisters = 24;
/// Registers of an accumulator beyond which those of a ninth to twelfth warp are missed.
static constexpr int64_t largeAccumulator = 96;

/// Registers of an accumulator, over all warps, up to which two blocks find room on a multiprocessor.
static constexpr int64_t mostAccumulatorsOfTwo = 512;

namespace {

class LoadSpecialization {
public:
  LoadSpecialization(func::FuncOp kernel, SmallVector<DescriptorRing> rings, const KeptOutside &outside,
                     bool keepsProductsInFlight)
      : kernel(kernel), rings(std::move(rings)), outside(outside), keepsProductsInFlight(keepsProductsInFlight),
        builder(kernel.getContext()) {}

  void run(LoadProducer &producer) {
    makeRings();
    AsyncTasksOp tasks = makeTasks(producer);
    for (DescriptorRing &ring : rings)
      readFrom(ring);
    for (DescriptorRing &ring : rings) {
      numberSlots(tasks.getTasks()[0].front(), ring);
      numberSlots(tasks.getTasks()[1].front(), ring);
    }
  }

private:
  Value number(Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  }
  void makeRings();
  AsyncTasksOp makeTasks(LoadProducer &producer);
  void emitLoad(OpBuilder &inTask, Operation *load, IRMapping &map);
  void readFrom(DescriptorRing &ring);
  void letProductsRunOn(scf::ForOp loop);
  void release(DescriptorRing &ring, Location loc, int64_t back);
  void numberSlots(Block &block, DescriptorRing &ring);
  Value slotBefore(Location loc, Value next, int64_t back, int64_t slots);

  func::FuncOp kernel;
  SmallVector<DescriptorRing> rings;
  const KeptOutside &outside;
  bool keepsProductsInFlight;
  OpBuilder builder;
};

} // namespace

void LoadSpecialization::makeRings() {
  builder.setInsertionPointToStart(&kernel.getBody().front());
  for (DescriptorRing &ring : rings) {
    Location loc = ring.loads.front().load.getLoc();
    for (RingLoad &one : ring.loads) {
      BufferType slot = one.slotType();
      auto type =
          BufferType::get(slot.getContext(), slot.getShape(), slot.getElementType(), ring.slots, slot.getLayout());
      one.buffer = LocalAllocOp::create(builder, one.load.getLoc(), type, one.name(), IntegerAttr(), Value());
      one.buffer->setAttr(ringAttribute, builder.getUnitAttr());
    }
    ring.channel = AllocChannelOp::create(builder, loc, ChannelType::get(builder.getContext(), ring.slots),
                                          ring.loads.front().name());
  }
}

/// Registers that the largest accumulator takes in each thread.
static int64_t accumulatorRegisters(func::FuncOp kernel) {
  int64_t most = 0;
  kernel.walk([&](AsyncDotOp dot) {
    auto type = cast<RankedTensorType>(dot.getType());
    most = std::max(most, type.getNumElements() * type.getElementTypeBitWidth() / 32 / (32 * kernelWarps(kernel)));
  });
  return most;
}

/// What `outside` keeps stays in front of the tasks; the rest of the kernel becomes the first of them.
AsyncTasksOp LoadSpecialization::makeTasks(LoadProducer &producer) {
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> moved;
  for (Operation &op : body.without_terminator())
    if (!outside.contains(&op) && !isa<LocalAllocOp, AllocChannelOp>(op))
      moved.push_back(&op);
  builder.setInsertionPoint(body.getTerminator());
  int32_t warps = kernelWarps(kernel);
  // Registers are dealt out to groups of four warps: large accumulators get those that loading does not need.
  bool handsRegistersOver = warps > groupWarps && accumulatorRegisters(kernel) >= largeAccumulator;
  int32_t loadWarps = handsRegistersOver ? groupWarps : 1, loadRegisters = handsRegistersOver ? fewestRegisters : 0;
  auto tasks =
      AsyncTasksOp::create(builder, kernel.getLoc(), ArrayRef<int32_t>{warps, loadWarps},
                           ArrayRef<int32_t>{0, loadRegisters}, ArrayRef<int32_t>{0, warps},
                           builder.getStrArrayAttr({"default", "loads"}), ArrayRef<int32_t>{0, 0}, /*tasksCount=*/2);
  Block *compute = builder.createBlock(&tasks.getTasks()[0]);
  builder.createBlock(&tasks.getTasks()[1]);
  producer.emit(body, builder, [&](OpBuilder &inTask, Operation *op, IRMapping &map) { emitLoad(inTask, op, map); });
  TaskEndOp::create(builder, kernel.getLoc());
  builder.setInsertionPointToEnd(compute);
  TaskEndOp::create(builder, kernel.getLoc());
  for (Operation *op : moved)
    op->moveBefore(compute->getTerminator());
  return tasks;
}

void LoadSpecialization::emitLoad(OpBuilder &inTask, Operation *load, IRMapping &map) {
  for (DescriptorRing &ring : rings)
    for (RingLoad &one : ring.loads) {
      if (one.load != load)
        continue;
      Location loc = load->getLoc();
      Value slot = arith::ConstantIntOp::create(inTask, loc, inTask.getI32Type(), 0);
      Value view = LocalViewOp::create(inTask, loc, one.slotType(), one.buffer, slot);
      auto offsets =
          llvm::map_to_vector(one.load.getOffsets(), [&](Value offset) { return map.lookupOrDefault(offset); });
      auto filling = ChannelLoadOp::create(inTask, loc, ring.channel, slot,
                                           map.lookupOrDefault(one.load.getDescriptor()), view, offsets);
      if (load == ring.loads.front().load)
        filling->setAttr(firstAttribute, inTask.getUnitAttr());
    }
}

/// The products of the loop whose operands stay where they are until the next iteration waits for them.
void LoadSpecialization::letProductsRunOn(scf::ForOp loop) {
  for (unsigned i = 0; keepsProductsInFlight && i < loop.getNumRegionIterArgs(); ++i) {
    AsyncDotWaitOp wait = waitOfCarriedProduct(loop, i);
    auto dot = wait ? wait.getSource().getDefiningOp<AsyncDotOp>() : AsyncDotOp();
    if (dot && !writesOperandsOf(dot, loop))
      letRunOn(loop, i, wait);
  }
}

void LoadSpecialization::release(DescriptorRing &ring, Location loc, int64_t back) {
  auto release = ChannelReleaseOp::create(builder, loc, ring.channel, number(loc, 0));
  release->setAttr(backAttribute, builder.getI32IntegerAttr(back));
}

void LoadSpecialization::readFrom(DescriptorRing &ring) {
  auto loop = cast<scf::ForOp>(ring.loads.front().load->getParentOp());
  SmallVector<Operation *> readers;
  for (RingLoad &one : ring.loads)
    llvm::append_range(readers, one.readFromRing(builder));
  letProductsRunOn(loop);
  auto inOrder = [](Operation *one, Operation *other) { return one->isBeforeInBlock(other); };
  llvm::sort(readers, inOrder);
  Location loc = readers.front()->getLoc();
  builder.setInsertionPoint(readers.front());
  ChannelWaitOp::create(builder, loc, ring.channel, number(loc, 0));

  // Done with the slot: after the last wait for a product that reads it, or with what runs on, in the next iteration.
  Operation *end = readers.front();
  bool runsOn = false;
  for (Operation *reader : readers) {
    Operation *done = reader;
    if (auto dot = dyn_cast<AsyncDotOp>(reader)) {
      auto wait = cast<AsyncDotWaitOp>(*dot->getUsers().begin());
      runsOn |= wait.getPendings() > 0;
      done = wait;
    }
    if (end->isBeforeInBlock(done))
      end = done;
  }
  builder.setInsertionPointAfter(end);
  if (!runsOn)
    return release(ring, loc, 1);
  auto guarded = [&](arith::CmpIPredicate predicate, Value one, Value other, int64_t back) {
    Value condition = arith::CmpIOp::create(builder, loc, predicate, one, other);
    auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    release(ring, loc, back);
  };
  guarded(arith::CmpIPredicate::ne, loop.getInductionVar(), loop.getLowerBound(), 2);
  // The waits for the last products stand right behind the loop.
  builder.setInsertionPointAfter(loop);
  while (isa<AsyncDotWaitOp>(&*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  guarded(arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound(), 1);
}

Value LoadSpecialization::slotBefore(Location loc, Value next, int64_t back, int64_t slots) {
  Value less = arith::SubIOp::create(builder, loc, next, number(loc, back));
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, less, number(loc, 0));
  Value wrapped = arith::AddIOp::create(builder, loc, less, number(loc, slots));
  return arith::SelectOp::create(builder, loc, wraps, wrapped, less);
}

/// Both tasks go round the ring in the same order, each with a number of its own.
void LoadSpecialization::numberSlots(Block &block, DescriptorRing &ring) {
  auto isOurs = [&](Operation *op) {
    return (isa<ChannelWaitOp, ChannelReleaseOp>(op) || op->hasAttr(firstAttribute)) &&
           op->getOperand(0) == ring.channel;
  };
  auto give = [&](Operation *op, Value slot) {
    op->setOperand(1, slot);
    op->removeAttr(backAttribute);
    op->removeAttr(firstAttribute);
  };
  auto number = [&](Operation *op, Value next) -> Value {
    Location loc = op->getLoc();
    builder.setInsertionPoint(op);
    if (auto back = op->getAttrOfType<IntegerAttr>(backAttribute)) {
      give(op, slotBefore(loc, next, back.getInt(), ring.slots));
      return next;
    }
    give(op, next);
    for (RingLoad &one : ring.loads)
      one.takeSlot(op->getBlock(), ring.channel, next);
    Value more = arith::AddIOp::create(builder, loc, next, this->number(loc, 1));
    Value last = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, more, this->number(loc, ring.slots));
    return arith::SelectOp::create(builder, loc, last, this->number(loc, 0), more);
  };
  builder.setInsertionPointToStart(&block);
  CarriedState(isOurs, number).run(block, this->number(kernel.getLoc(), 0));
}

/// What is asked for by `-Wload-warp`: why loads by descriptors have no load warp, or which ones it makes.
static void remarkObstacles(func::FuncOp kernel, ArrayRef<Obstacle> obstacles) {
  for (const Obstacle &obstacle : obstacles) {
    auto remark = obstacle.place->emitRemark();
    remark << "`" << kernel.getName() << "` has no load warp: " << obstacle.reason << " [load-warp]";
  }
}

static void remarkRings(func::FuncOp kernel, const RingPlan &plan) {
  for (const DescriptorRing &ring : plan.rings) {
    DescriptorLoadOp load = ring.loads.front().load;
    auto remark = load->emitRemark();
    remark << "a warp of `" << kernel.getName() << "` of its own loads this up to " << ring.slots
           << " tiles ahead [load-warp]";
    for (const RingLoad &other : llvm::drop_begin(ring.loads))
      remark.attachNote(DescriptorLoadOp(other.load)->getLoc()) << "together with this";
  }
  for (const Obstacle &obstacle : plan.obstacles) {
    auto remark = obstacle.place->emitRemark();
    remark << "the load warp of `" << kernel.getName() << "` leaves this load out: " << obstacle.reason
           << " [load-warp]";
  }
}

/// Whether all products of the ring's loop only add to what the loop carries.
static bool onlyAdds(const DescriptorRing &ring) {
  DescriptorLoadOp first = ring.loads.front().load;
  auto loop = cast<scf::ForOp>(first->getParentOp());
  SmallVector<Operation *> carried;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (AsyncDotWaitOp wait = waitOfCarriedProduct(loop, i))
      carried.push_back(wait.getSource().getDefiningOp());
  bool onlyAdds = true;
  loop.walk([&](AsyncDotOp dot) { onlyAdds &= llvm::is_contained(carried, dot.getOperation()); });
  return onlyAdds;
}

namespace {

struct SpecializeLoads : tlx::impl::SpecializeLoadsBase<SpecializeLoads> {
  using SpecializeLoadsBase::SpecializeLoadsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    // Loads through pointers become loads by tensor map for the sake of the task that makes them, or not at all.
    PointerMaps maps(kernel);
    if (mapsPointers && maps.make()) {
      if (specialize(kernel, /*hasOtherWay=*/true).empty())
        return;
      maps.revert();
    }
    bool loadsTiles = false;
    kernel.walk([&](DescriptorLoadOp) { loadsTiles = true; });
    if (loadsTiles)
      remarkObstacles(kernel, specialize(kernel, /*hasOtherWay=*/false));
  }

private:
  /// What is in the way, with the kernel unchanged, when there is nothing to load ahead, or the other way is better.
  SmallVector<Obstacle> specialize(func::FuncOp kernel, bool hasOtherWay) {
    if (std::optional<Obstacle> obstacle = obstacleToRunningAhead(kernel))
      return {*obstacle};
    KeptOutside outside = keptOutside(kernel);
    LoadProducer producer([&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument ? argument.getOwner() == &kernel.getBody().front() : outside.contains(value.getDefiningOp());
    });
    RingPlan plan = findRings(kernel, capacity);
    if (plan.rings.empty())
      return plan.obstacles;
    for (DescriptorRing &ring : plan.rings)
      for (RingLoad &one : ring.loads)
        if (!producer.add(one.load))
          return {Obstacle{one.load, "where or when this loads follows from tiles or from loaded numbers"}};
    bool fitsTwice = 2 * (capacity - plan.spare + blockOverhead) <= capacity + reservedBytes;
    // Where blocks take turns anyway, one more warp costs more than it gives, unless it lets products run on.
    if (hasOtherWay && fitsTwice && !llvm::all_of(plan.rings, onlyAdds))
      return {Obstacle{plan.rings.front().loads.front().load, "threads do it as fast"}};
    remarkRings(kernel, plan);
    LoadSpecialization(kernel, std::move(plan.rings), outside, keepsProductsInFlight).run(producer);
    // With one more warp the assembler would use registers that a second block on the multiprocessor then lacks.
    // Where accumulators come out of tensor memory they need registers only for a while, and all at once.
    int64_t accumulators = kernelWarps(kernel) * accumulatorRegisters(kernel);
    if (keepsProductsInFlight && fitsTwice && kernelWarps(kernel) % groupWarps == 0 &&
        accumulators <= mostAccumulatorsOfTwo)
      kernel->setAttr(minBlocksAttribute, Builder(kernel.getContext()).getI32IntegerAttr(2));
    return {};
  }
};

} // namespace
