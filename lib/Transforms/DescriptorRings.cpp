//===- DescriptorRings.cpp - tiles that a task of its own can load ahead --------------------------------===//

#include "DescriptorRings.h"
#include "RingLifetimes.h"
#include "StagedTile.h"
#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/TileOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tlx;

/// Slots where the source asks for nothing.
static constexpr int usualStages = 3;

//===-- one load -------------------------------------------------------------------------------------------===//

BufferType RingLoad::slotType() const {
  DescriptorLoadOp op = load;
  return slotTypeOf(op.getDescriptor().getType());
}

static LocalAllocOp ownBuffer(LocalStoreOp store) {
  auto view = store.getBuffer().getDefiningOp<LocalViewOp>();
  auto alloc = view ? view.getBuffer().getDefiningOp<LocalAllocOp>() : LocalAllocOp();
  bool isOwn = alloc && alloc->hasOneUse() && !alloc.getReuse() && alloc.getType().getCount() == 1 &&
               view->getBlock() == store->getBlock();
  return isOwn ? alloc : LocalAllocOp();
}

llvm::StringRef RingLoad::name() const {
  if (stagings.empty())
    return "landing";
  LocalStoreOp first = stagings.front();
  return ownBuffer(first).getName();
}

/// What accesses a buffer through a view, as operations of `block`.
static void collectReaders(Value buffer, Operation *store, Block *block, SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : buffer.getUsers()) {
    if (user == store)
      continue;
    bool isView = false;
    for (Value result : user->getResults())
      if (isa<BufferType>(result.getType())) {
        isView = true;
        collectReaders(result, store, block, readers);
      }
    if (!isView)
      readers.push_back(block->findAncestorOpInBlock(*user));
  }
}

SmallVector<Operation *> RingLoad::readers() const {
  SmallVector<Operation *> all;
  for (LocalStoreOp store : stagings)
    collectReaders(store.getBuffer(), store, store->getBlock(), all);
  return all;
}

SmallVector<Operation *> RingLoad::readFromRing(OpBuilder &builder) {
  SmallVector<Operation *> all = readers();
  for (LocalStoreOp store : stagings) {
    LocalAllocOp staged = ownBuffer(store);
    store.getBuffer().getDefiningOp<LocalViewOp>().getBufferMutable().assign(buffer);
    staged.erase();
    store.erase();
  }
  if (isInRegisters) {
    builder.setInsertionPoint(load);
    Location loc = load.getLoc();
    Value zero = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 0);
    Value view = LocalViewOp::create(builder, loc, slotType(), buffer, zero);
    auto type = cast<RankedTensorType>(load.getType());
    auto tile = RankedTensorType::get(slotType().getShape(), type.getElementType());
    auto value = LocalLoadOp::create(builder, loc, tile, view);
    all.push_back(value);
    Value shaped = tile == type ? value.getResult() : ReshapeOp::create(builder, loc, type, value).getResult();
    load.getResult().replaceAllUsesWith(shaped);
  }
  // A change of shape that only led to the stagings has lost its users.
  for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
    user->erase();
  load.erase();
  return all;
}

void RingLoad::takeSlot(Block *block, Value channel, Value slot) {
  for (Operation *user : buffer->getUsers()) {
    auto view = dyn_cast<LocalViewOp>(user);
    if (!view || view->getBlock() != block)
      continue;
    view.getIndexMutable().assign(slot);
    for (Operation *filling : view->getUsers())
      if (auto fill = dyn_cast<ChannelLoadOp>(filling); fill && fill.getChannel() == channel)
        fill.getSlotMutable().assign(slot);
  }
}

/// Products of `StageProducts` are waited for where they stand.
static bool isAwaited(Operation *reader) {
  auto dot = dyn_cast<AsyncDotOp>(reader);
  return !dot || (dot->hasOneUse() && isa<AsyncDotWaitOp>(*dot->getUsers().begin()) &&
                  (*dot->getUsers().begin())->getBlock() == dot->getBlock());
}

std::optional<RingLoad> tlx::ringLoad(DescriptorLoadOp load) {
  RingLoad one;
  one.load = load;
  BufferType slot = one.slotType();
  auto stages = [&](Operation *user) {
    auto store = dyn_cast<LocalStoreOp>(user);
    return store && store->getBlock() == load->getBlock() && store.getBuffer().getType() == slot && ownBuffer(store)
               ? store
               : LocalStoreOp();
  };
  for (Operation *user : load->getUsers()) {
    auto shaped = dyn_cast<ReshapeOp>(user);
    if (shaped && llvm::all_of(shaped->getUsers(), stages))
      for (Operation *further : shaped->getUsers())
        one.stagings.push_back(stages(further));
    else if (LocalStoreOp store = stages(user))
      one.stagings.push_back(store);
    else
      one.isInRegisters = true;
  }
  if (load->use_empty() || !llvm::all_of(one.readers(), isAwaited))
    return std::nullopt;
  return one;
}

//===-- the kernel -----------------------------------------------------------------------------------------===//

/// The parameter that the launcher makes a hidden map from; other parameters stand for themselves.
static Value behindMap(func::FuncOp kernel, BlockArgument argument) {
  auto map = kernel.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(), "tlx.tensor_map");
  auto pointer = map ? map.getAs<StringAttr>("pointer") : StringAttr();
  for (unsigned i = 0; pointer && i < kernel.getNumArguments(); ++i)
    if (kernel.getArgAttr(i, "tlx.name") == pointer)
      return kernel.getArgument(i);
  return argument;
}

/// Adds the parameters that an address comes from; false when that is not plain.
static bool collectRoots(Value value, llvm::DenseSet<Value> &seen, llvm::DenseSet<Value> &roots) {
  if (!seen.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<func::FuncOp>(owner)) {
      roots.insert(behindMap(kernel, argument));
      return true;
    }
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || argument == loop.getInductionVar())
      return false;
    unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
    return collectRoots(loop.getInitArgs()[index], seen, roots) &&
           collectRoots(loop.getBody()->getTerminator()->getOperand(index), seen, roots);
  }
  Operation *op = value.getDefiningOp();
  if (auto make = dyn_cast<MakeDescriptorOp>(op))
    return collectRoots(make.getBase(), seen, roots);
  if (isa<AddPtrOp, SplatOp, ExpandDimsOp, BroadcastOp, ReshapeOp, PermuteOp, PointerCastOp>(op))
    return collectRoots(op->getOperand(0), seen, roots);
  return false;
}

/// The parameter that an address comes from; null when that is not plain.
static Value rootOf(Value value) {
  llvm::DenseSet<Value> seen, roots;
  return collectRoots(value, seen, roots) && roots.size() == 1 ? *roots.begin() : Value();
}

/// Such a load may wait for what another thread, block or kernel stores: a number that a `while` depends on.
static bool mayPoll(LoadOp load) {
  bool isNumber = !isa<RankedTensorType>(load.getType());
  return load.getIsVolatile() || load.getCache() == ".cv" || (isNumber && load->getParentOfType<scf::WhileOp>());
}

/// What hands data to others or takes it from them, and what the source schedules itself; no words where it does not.
static StringRef ownOrder(Operation *op) {
  if (isa<AsyncTasksOp>(op))
    return "the kernel has tasks of its own";
  if (auto load = dyn_cast<LoadOp>(op); load && mayPoll(load))
    return "this load may wait for what others store";
  if (isa<AtomicCasOp>(op) || (isa<AtomicOp>(op) && !op->use_empty()))
    return "the result of this atomic may be a signal of other blocks";
  if (auto assembly = dyn_cast<InlineAssemblyOp>(op); assembly && !assembly.getPure())
    return "nobody knows what this assembly does";
  if (isa<FenceOp>(op))
    return "this fence orders loads";
  if (isa<DependentWaitOp>(op) && !isa<func::FuncOp>(op->getParentOp()))
    return "the wait for the kernel before stands in a loop or branch";
  if (isa<AllocBarriersOp, AllocChannelOp, BarrierWaitOp, BarrierArriveOp, TMALoadOp, TMAStoreOp, AsyncLoadOp,
          NamedBarrierArriveOp, NamedBarrierWaitOp, ClusterBarrierOp>(op))
    return "the kernel has barriers or asynchronous copies of its own";
  return {};
}

/// The address that a store or an atomic writes to.
static Value writtenAddress(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getPointer();
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return atomic.getPointer();
  if (auto store = dyn_cast<DescriptorStoreOp>(op))
    return store.getDescriptor();
  return {};
}

SmallVector<BlockArgument> tlx::writtenParameters(func::FuncOp kernel) {
  llvm::DenseSet<Value> written;
  kernel.walk([&](Operation *op) {
    if (Value address = writtenAddress(op))
      written.insert(rootOf(address));
  });
  SmallVector<BlockArgument> inOrder;
  for (BlockArgument argument : kernel.getArguments())
    if (written.contains(argument))
      inOrder.push_back(argument);
  return inOrder;
}

std::optional<Obstacle> tlx::obstacleToRunningAhead(func::FuncOp kernel) {
  llvm::DenseSet<Value> loaded;
  std::optional<Obstacle> found;
  kernel.walk([&](Operation *op) {
    if (StringRef reason = ownOrder(op); !reason.empty() && !found)
      found = Obstacle{op, reason};
    auto load = dyn_cast<DescriptorLoadOp>(op);
    if (!load)
      return;
    Value root = rootOf(load.getDescriptor());
    if (!root && !found)
      found = Obstacle{op, "it is not known which tensor this loads"};
    loaded.insert(root);
  });
  kernel.walk([&](Operation *op) {
    Value address = writtenAddress(op);
    if (found || !address)
      return;
    Value root = rootOf(address);
    if (!root)
      found = Obstacle{op, "it is not known which tensor this writes"};
    else if (loaded.contains(root))
      found = Obstacle{op, "this writes a tensor that the kernel also loads by a descriptor"};
  });
  return found;
}

bool tlx::isStoredTo(DescriptorLoadOp load) {
  Value loaded = rootOf(load.getDescriptor());
  bool isStored = false;
  load->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (!isa<DescriptorStoreOp, TMAStoreOp>(op))
      return;
    Value written = rootOf(op->getOperand(0));
    isStored |= !loaded || !written || written == loaded;
  });
  return isStored;
}

bool tlx::isWrittenByThreads(DescriptorLoadOp load) {
  Value loaded = rootOf(load.getDescriptor());
  bool isWritten = false;
  load->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (!isa<StoreOp, AtomicOp, AtomicCasOp>(op))
      return;
    Value written = rootOf(isa<StoreOp>(op)    ? cast<StoreOp>(op).getPointer()
                           : isa<AtomicOp>(op) ? cast<AtomicOp>(op).getPointer()
                                               : cast<AtomicCasOp>(op).getPointer());
    isWritten |= !loaded || !written || written == loaded;
  });
  return isWritten;
}

/// Adds what `op` of the kernel's block follows from; false when that is more than arithmetic.
static bool addWithOperands(Operation *op, Block *block, KeptOutside &kept) {
  if (op->getBlock() != block || op->getNumRegions() != 0)
    return false;
  if (!isa<MakeDescriptorOp, DescriptorMemoryOp>(op) && !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp(); source && !addWithOperands(source, block, kept))
      return false;
  kept.insert(op);
  return true;
}

KeptOutside tlx::keptOutside(func::FuncOp kernel) {
  KeptOutside kept;
  Block *block = &kernel.getBody().front();
  for (Operation &op : *block) {
    if (isa<LocalAllocOp, DependentWaitOp>(op))
      kept.insert(&op);
    if (isa<MakeDescriptorOp>(op)) {
      KeptOutside more;
      if (addWithOperands(&op, block, more))
        kept.insert(more.begin(), more.end());
    }
  }
  return kept;
}

static int64_t slotBytes(const RingLoad &one) {
  return tileStride(one.slotType());
}

/// What the stores by tensor map will need for their tiles. Behind all loops with rings they use the memory of those.
static int64_t storeBytes(func::FuncOp kernel, ArrayRef<DescriptorRing> rings) {
  Block &block = kernel.getBody().front();
  auto isBehind = [&](DescriptorStoreOp store) {
    Operation *place = block.findAncestorOpInBlock(*store);
    return llvm::all_of(rings, [&](const DescriptorRing &ring) {
      DescriptorLoadOp load = ring.loads.front().load;
      return block.findAncestorOpInBlock(*load)->isBeforeInBlock(place);
    });
  };
  llvm::MapVector<Type, int64_t> sites;
  kernel.walk([&](DescriptorStoreOp store) {
    if (!isBehind(store))
      ++sites[slotTypeOf(store.getDescriptor().getType())];
  });
  int64_t bytes = 0;
  for (auto &[type, count] : sites)
    bytes += tileStride(cast<BufferType>(type)) * (count % 2 == 0 ? 2 : 1);
  return bytes;
}

/// As many as asked for, fewer where memory ends. Gives the bytes that are left, less than none when two are too many.
static int64_t chooseSlots(MutableArrayRef<DescriptorRing> rings, func::FuncOp kernel, int64_t capacity) {
  int64_t spare = spareForRings(kernel, capacity) - storeBytes(kernel, rings);
  for (DescriptorRing &ring : rings)
    for (RingLoad &one : ring.loads)
      for (LocalStoreOp store : one.stagings)
        spare += bytesOf(ownBuffer(store));
  auto wanted = [&](DescriptorRing &ring) {
    Operation *loop = ring.loads.front().load->getParentOp();
    auto asked = loop->getAttrOfType<IntegerAttr>("tlx.num_stages");
    if (!asked)
      asked = kernel->getAttrOfType<IntegerAttr>("tlx.num_stages");
    return asked ? static_cast<int>(asked.getInt()) : usualStages;
  };
  int most = 0;
  for (DescriptorRing &ring : rings)
    most = std::max(most, wanted(ring));
  for (; most >= 2; --most) {
    int64_t bytes = 0;
    for (DescriptorRing &ring : rings) {
      ring.slots = std::min(wanted(ring), most);
      for (RingLoad &one : ring.loads)
        bytes += ring.slots * slotBytes(one);
    }
    if (bytes <= spare)
      return spare - bytes;
  }
  return -1;
}

static bool asksForOneStage(scf::ForOp loop) {
  auto asked = loop->getAttrOfType<IntegerAttr>("tlx.num_stages");
  if (!asked)
    asked = loop->getParentOfType<func::FuncOp>()->getAttrOfType<IntegerAttr>("tlx.num_stages");
  return asked && asked.getInt() <= 1;
}

RingPlan tlx::findRings(func::FuncOp kernel, int64_t capacity) {
  llvm::MapVector<Operation *, DescriptorRing> byReader;
  RingPlan plan;
  kernel.walk([&](DescriptorLoadOp load) {
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    std::optional<RingLoad> one = loop && !asksForOneStage(loop) ? ringLoad(load) : std::nullopt;
    if (!one)
      return plan.obstacles.push_back(
          {load, !loop ? "this load does not stand in a loop over a range without `break` or `continue`"
                 : asksForOneStage(loop) ? "`num_stages=1` turns it off"
                                         : "what this loads is not used where it can be taken from a ring"});
    Operation *first = load;
    if (!one->isInRegisters) {
      SmallVector<Operation *> readers = one->readers();
      if (readers.empty())
        return;
      first = *llvm::min_element(readers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    }
    byReader[first].loads.push_back(*one);
  });
  for (auto &[first, ring] : byReader)
    plan.rings.push_back(ring);
  plan.spare = chooseSlots(plan.rings, kernel, capacity);
  if (plan.spare >= 0)
    return plan;
  for (DescriptorRing &ring : plan.rings)
    plan.obstacles.push_back({ring.loads.front().load, "shared memory has no room for two slots of what this loads"});
  plan.rings.clear();
  return plan;
}

bool tlx::writesOperandsOf(AsyncDotOp dot, scf::ForOp loop) {
  if (!isa<BufferType>(dot.getA().getType()))
    return true;
  bool writes = false;
  loop->walk([&](LocalStoreOp store) {
    for (Value operand : dot.buffersRead())
      writes |= storageOf(store.getBuffer()) == storageOf(operand);
  });
  return writes;
}
