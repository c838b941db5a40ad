//===- PipelineLoads.cpp - loads of a loop run ahead of it ----------------------------------------------===//
//
// A loop that loads tiles, puts them into shared memory and multiplies them waits for each load. Where the addresses of
// later iterations can be computed early, the tiles get a ring of slots instead: asynchronous copies of iterations to
// come are under way while the products of this one run.
//
//===----------------------------------------------------------------------------------------------------===//

#include "CarriedProduct.h"
#include "RingLifetimes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Analysis/AxisInfo.h"
#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Dialect/WarpProducts.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_PIPELINELOADS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

/// What Triton takes where the source asks for nothing.
static constexpr int usualStages = 3;
/// PTX ISA, cp.async: the least that one copy moves.
static constexpr int leastCopyBits = 32;

namespace {

/// A tile that is loaded only to be stored to a buffer of its own.
struct StagedLoad {
  LoadOp load;
  LocalStoreOp store;
  LocalViewOp view;
  LocalAllocOp alloc;
};

/// What computes addresses and masks from the induction variable and carried values: can run for later iterations.
class AddressSlice {
public:
  explicit AddressSlice(scf::ForOp loop) : loop(loop) {}

  /// False when the value depends on what only its own iteration knows.
  bool add(Value value) {
    if (!value || loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody())
        return false;
      unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
      return !carried.insert(index) || add(loop.getBody()->getTerminator()->getOperand(index));
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    if (!ops.insert(op).second)
      return true;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); });
  }

  /// Computes the slice once more; `map` knows the induction variable and the carried values of that iteration.
  void clone(OpBuilder &builder, IRMapping &map) {
    for (Operation &op : *loop.getBody())
      if (ops.contains(&op))
        builder.clone(op, map);
  }

  ArrayRef<unsigned> carriedValues() const { return carried.getArrayRef(); }

private:
  scf::ForOp loop;
  llvm::DenseSet<Operation *> ops;
  llvm::SetVector<unsigned> carried;
};

class LoopPipelining {
public:
  LoopPipelining(scf::ForOp loop, const AxisInfoAnalysis &facts, bool keepsProductsInFlight)
      : loop(loop), facts(facts), keepsProductsInFlight(keepsProductsInFlight), slice(loop),
        builder(loop.getContext()) {}

  /// Whether the loop can run ahead; `spare` bytes of shared memory are left.
  bool prepare(int64_t spare) { return collect() && chooseSlots(spare); }

  void run() {
    for (StagedLoad &staged : loads)
      giveSlots(staged);
    relaxWaits();
    SmallVector<Value> ahead = emitPrologue();
    carry(ahead);
    emitBody();
    builder.setInsertionPointAfter(loop);
    AsyncWaitOp::create(builder, loop.getLoc(), 0, ValueRange());
  }

private:
  bool collect();
  bool isHarmless(Operation *op) const;
  bool isWideEnough(LoadOp load) const;
  bool chooseSlots(int64_t spare);
  bool keepsOperands(AsyncDotOp dot);
  void giveSlots(StagedLoad &staged);
  void relaxWaits();
  SmallVector<Value> emitPrologue();
  void carry(ArrayRef<Value> ahead);
  void emitBody();
  void emitCopies(IRMapping &map, Value inside, Value slot);
  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loop.getLoc(), type, builder.getIntegerAttr(type, value));
  }

  scf::ForOp loop;
  const AxisInfoAnalysis &facts;
  bool keepsProductsInFlight;
  SmallVector<StagedLoad> loads;
  AddressSlice slice;
  OpBuilder builder;
  /// Slots of the ring, and how many iterations the copies are ahead.
  int slots = 0, distance = 0;
};

} // namespace

/// Nothing that writes global memory may lie between a load and where it is moved to.
bool LoopPipelining::isHarmless(Operation *op) const {
  return isMemoryEffectFree(op) || isa<scf::YieldOp, scf::IfOp, scf::ForOp, LoadOp, LocalLoadOp, LocalStoreOp,
                                       AsyncDotOp, AsyncDotWaitOp, FmaDotOp, MmaDotOp, LocalGatherOp>(op);
}

bool LoopPipelining::isWideEnough(LoadOp load) const {
  auto tile = dyn_cast<RankedTensorType>(load.getPointer().getType());
  if (!tile)
    return false;
  unsigned bits = cast<PointerType>(tile.getElementType()).getPointee().getIntOrFloatBitWidth();
  std::optional<AxisInfo> mask;
  if (load.getMask())
    mask = facts.get(load.getMask());
  AccessWidth width = accessWidth(facts.get(load.getPointer()), mask ? &*mask : nullptr, bits, tile.getShape());
  int64_t threads = 32 * warpsAt(load);
  return width.axis == tile.getRank() - 1 && width.elements * bits >= leastCopyBits &&
         tile.getNumElements() * bits >= threads * leastCopyBits;
}

bool LoopPipelining::collect() {
  bool isAllHarmless = true;
  loop.getBody()->walk([&](Operation *op) { isAllHarmless &= isHarmless(op); });
  if (!isAllHarmless)
    return false;
  for (auto store : loop.getBody()->getOps<LocalStoreOp>()) {
    auto load = store.getValue().getDefiningOp<LoadOp>();
    auto view = store.getBuffer().getDefiningOp<LocalViewOp>();
    auto alloc = view ? view.getBuffer().getDefiningOp<LocalAllocOp>() : LocalAllocOp();
    if (!load || !load->hasOneUse() || load->getBlock() != loop.getBody() || load.getIsVolatile() ||
        !isWideEnough(load))
      continue;
    if (!alloc || !alloc->hasOneUse() || alloc.getReuse() || alloc.getType().getCount() != 1 ||
        view->getBlock() != loop.getBody())
      continue;
    if (slice.add(load.getPointer()) && slice.add(load.getMask()) && slice.add(load.getOther()))
      loads.push_back({load, store, view, alloc});
    else
      return false;
  }
  return !loads.empty();
}

/// A product that runs on reads its operands in the next iteration, too.
bool LoopPipelining::keepsOperands(AsyncDotOp dot) {
  return llvm::all_of(dot.buffersRead(), [&](Value buffer) {
    LocalAllocOp storage = storageOf(buffer);
    bool isRing = llvm::any_of(loads, [&](StagedLoad &staged) { return staged.alloc == storage; });
    auto stores = loop.getBody()->getOps<LocalStoreOp>();
    return isRing || llvm::none_of(stores, [&](LocalStoreOp store) { return storageOf(store.getBuffer()) == storage; });
  });
}

bool LoopPipelining::chooseSlots(int64_t spare) {
  auto asked = loop->getAttrOfType<IntegerAttr>("tlx.num_stages");
  if (!asked)
    asked = loop->getParentOfType<func::FuncOp>()->getAttrOfType<IntegerAttr>("tlx.num_stages");
  slots = asked ? asked.getInt() : usualStages;
  int64_t bytes = 0;
  for (StagedLoad &staged : loads)
    bytes += tileStride(staged.alloc.getType());
  // One slot of each is counted as taken already. What was asked for and does not fit is an error of the allocation,
  // with all sizes.
  while (!asked && slots > 1 && (slots - 1) * bytes > spare)
    --slots;
  distance = slots - 1;
  return slots > 1;
}

void LoopPipelining::giveSlots(StagedLoad &staged) {
  BufferType one = staged.alloc.getType();
  auto ring = BufferType::get(builder.getContext(), one.getShape(), one.getElementType(), slots, one.getLayout());
  staged.alloc.getResult().setType(ring);
  staged.alloc->setAttr(ringAttribute, builder.getUnitAttr());
}

void LoopPipelining::relaxWaits() {
  for (unsigned i = 0; keepsProductsInFlight && i < loop.getNumRegionIterArgs(); ++i)
    if (AsyncDotWaitOp wait = waitOfCarriedProduct(loop, i);
        wait && keepsOperands(wait.getSource().getDefiningOp<AsyncDotOp>()))
      letRunOn(loop, i, wait);
}

/// Copies of one iteration into a slot; `inside` tells whether the loop has that iteration.
void LoopPipelining::emitCopies(IRMapping &map, Value inside, Value slot) {
  SmallVector<Value> tokens;
  for (StagedLoad &staged : loads) {
    LoadOp load = staged.load;
    Location loc = load.getLoc();
    Value buffer = LocalViewOp::create(builder, loc, staged.view.getType(), staged.alloc, slot);
    Value mask = inside, other = load.getOther() ? map.lookupOrDefault(load.getOther()) : Value();
    if (load.getMask()) {
      Value own = map.lookupOrDefault(load.getMask());
      if (isa<RankedTensorType>(own.getType()))
        mask = SplatOp::create(builder, loc, own.getType(), inside);
      mask = arith::AndIOp::create(builder, loc, own, mask);
    }
    // Zeros are what the hardware fills in.
    if (other && (matchPattern(load.getOther(), m_AnyZeroFloat()) || matchPattern(load.getOther(), m_Zero())))
      other = Value();
    tokens.push_back(AsyncLoadOp::create(builder, loc, map.lookupOrDefault(load.getPointer()), buffer, mask, other));
  }
  AsyncCommitOp::create(builder, loop.getLoc(), tokens);
}

/// Starts the copies of the first iterations; returns the carried values of the first one that is left.
SmallVector<Value> LoopPipelining::emitPrologue() {
  builder.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  SmallVector<Value> carried;
  for (unsigned index : slice.carriedValues())
    carried.push_back(loop.getInitArgs()[index]);
  for (int iteration = 0; iteration < distance; ++iteration) {
    IRMapping map;
    Value offset = arith::MulIOp::create(builder, loc, loop.getStep(), integer(type, iteration));
    Value place = arith::AddIOp::create(builder, loc, loop.getLowerBound(), offset);
    map.map(loop.getInductionVar(), place);
    for (auto [index, value] : llvm::zip_equal(slice.carriedValues(), carried))
      map.map(loop.getRegionIterArg(index), value);
    slice.clone(builder, map);
    Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, place, loop.getUpperBound());
    emitCopies(map, inside, integer(builder.getI32Type(), iteration));
    for (auto [index, value] : llvm::zip_equal(slice.carriedValues(), carried))
      value = map.lookupOrDefault(loop.getBody()->getTerminator()->getOperand(index));
  }
  return carried;
}

/// The loop carries the slot that it reads, and what the addresses of the copies follow from.
void LoopPipelining::carry(ArrayRef<Value> ahead) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  builder.setInsertionPoint(loop);
  SmallVector<Value> initial{integer(builder.getI32Type(), 0)};
  llvm::append_range(initial, ahead);
  auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>(arguments.begin(), arguments.end());
  };
  auto replaced = loop.replaceWithAdditionalYields(rewriter, initial, /*replaceInitOperandUsesInLoop=*/false, same);
  loop = cast<scf::ForOp>(**replaced);
}

void LoopPipelining::emitBody() {
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType(), i32 = builder.getI32Type();
  unsigned first = loop.getNumRegionIterArgs() - 1 - slice.carriedValues().size();
  Value slot = loop.getRegionIterArg(first);
  Operation *yield = loop.getBody()->getTerminator();

  // What this iteration multiplies has arrived.
  builder.setInsertionPointToStart(loop.getBody());
  AsyncWaitOp::create(builder, loc, distance - 1, ValueRange());
  // The fence goes in front of the meeting that the copies below need as well: one meeting serves both.
  auto waits = loop.getBody()->getOps<AsyncDotWaitOp>();
  if (!waits.empty())
    FenceOp::create(builder, loc, "async_shared");
  auto modulo = [&](Value number) {
    Value whole = integer(i32, slots);
    Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, number, whole);
    return arith::SelectOp::create(builder, loc, wraps, arith::SubIOp::create(builder, loc, number, whole), number);
  };
  Value free = modulo(arith::AddIOp::create(builder, loc, slot, integer(i32, distance)));
  Value next = modulo(arith::AddIOp::create(builder, loc, slot, integer(i32, 1)));
  IRMapping map;
  Value offset = arith::MulIOp::create(builder, loc, loop.getStep(), integer(type, distance));
  Value place = arith::AddIOp::create(builder, loc, loop.getInductionVar(), offset);
  map.map(loop.getInductionVar(), place);
  for (auto [number, index] : llvm::enumerate(slice.carriedValues()))
    map.map(loop.getRegionIterArg(index), loop.getRegionIterArg(first + 1 + number));
  AddressSlice inNewLoop(loop);
  for (StagedLoad &staged : loads)
    for (Value value : {staged.load.getPointer(), staged.load.getMask(), staged.load.getOther()})
      inNewLoop.add(value);
  // The slot that is filled was read in the iteration before. Where all products of that are done, the copies are
  // issued while the first product runs; a product that runs on is done after the wait for all but the newest.
  if (!waits.empty())
    builder.setInsertionPoint(*waits.begin());
  for (AsyncDotWaitOp wait : waits)
    if (wait.getPendings() > 0)
      builder.setInsertionPointAfter(wait);
  inNewLoop.clone(builder, map);
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, place, loop.getUpperBound());
  emitCopies(map, inside, free);

  yield->setOperand(first, next);
  for (auto [number, index] : llvm::enumerate(slice.carriedValues()))
    yield->setOperand(first + 1 + number, map.lookupOrDefault(yield->getOperand(index)));
  for (StagedLoad &staged : loads) {
    staged.view.getIndexMutable().assign(slot);
    staged.store.erase();
    staged.load.erase();
  }
}

/// Carried values that only their own successors are computed from are not carried: the canonicalizer drops what is
/// handed on unchanged.
static void dropUnusedCarried(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  llvm::DenseSet<Value> live;
  SmallVector<Value> pending;
  auto markOperands = [&](Operation *op) { llvm::append_range(pending, op->getOperands()); };
  loop.getBody()->walk([&](Operation *op) {
    if (op != yield && (!isMemoryEffectFree(op) || op->getBlock() != loop.getBody() || op->getNumRegions()))
      markOperands(op);
  });
  for (auto [index, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      pending.push_back(yield->getOperand(index));
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!live.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp())
      markOperands(op);
    else if (auto argument = dyn_cast<BlockArgument>(value);
             argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
      pending.push_back(yield->getOperand(argument.getArgNumber() - loop.getNumInductionVars()));
  }
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (!live.contains(loop.getRegionIterArg(i)) && loop.getResult(i).use_empty())
      yield->setOperand(i, loop.getRegionIterArg(i));
}

namespace {

struct PipelineLoads : tlx::impl::PipelineLoadsBase<PipelineLoads> {
  using PipelineLoadsBase::PipelineLoadsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    AxisInfoAnalysis facts(kernel);
    for (scf::ForOp loop : loops) {
      LoopPipelining pipelining(loop, facts, keepsProductsInFlight);
      if (pipelining.prepare(spareForRings(kernel, capacity)))
        pipelining.run();
    }
    shareDeadRings(kernel);
    kernel.walk(dropUnusedCarried);
  }
};

} // namespace
