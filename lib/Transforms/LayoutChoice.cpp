//===- LayoutChoice.cpp - one layout for each tile of a kernel ------------------------------------------===//

#include "LayoutChoice.h"
#include "CarriedValues.h"
#include "PinnedLayouts.h"
#include "RingLifetimes.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Dialect/WarpProducts.h"

using namespace mlir;
using namespace tlx;
using layout::LinearLayout;

LayoutChoice::LayoutChoice(func::FuncOp kernel, int64_t spareShared)
    : kernel(kernel), target(targetOf(kernel)), spareShared(spareShared) {
  anchorProducts();
  anchorAccesses();
  anchorRest();
}

ThreadGrid LayoutChoice::threadsAt(Operation *op) {
  return {static_cast<int>(target.warpSize), warpsAt(op)};
}

static bool isCheapOp(Operation *op) {
  if (isa<RangeOp, SplatOp, UndefinedOp, arith::ConstantOp>(op) ||
      isa<ExpandDimsOp, BroadcastOp, ReshapeOp, PermuteOp, AddPtrOp>(op))
    return true;
  bool isArithmetic = isa_and_nonnull<arith::ArithDialect>(op->getDialect());
  return isArithmetic && op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op);
}

bool LayoutChoice::isCheap(Value value) {
  auto known = cheap.find(value);
  if (known != cheap.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  bool result = op && isCheapOp(op) &&
                llvm::all_of(op->getOperands(), [&](Value operand) { return !tileType(operand) || isCheap(operand); });
  cheap[value] = result;
  return result;
}

const LinearLayout &LayoutChoice::layoutOf(Value value) const {
  auto found = layouts.find(value);
  assert(found != layouts.end() && "every tile that is not cheap has a layout");
  return found->second;
}

LinearLayout LayoutChoice::ownLayout(Value value) {
  if (!isCheap(value))
    return layoutOf(value);
  return defaultLayout(tileType(value), threadsAt(value.getDefiningOp()));
}

//===-- anchors -------------------------------------------------------------------------------------------===//

void LayoutChoice::anchorProducts() {
  SmallVector<AsyncDotOp> dots;
  SmallVector<MfmaDotOp> products;
  SmallVector<MmaDotOp> warpProducts;
  SmallVector<RequireLayoutOp> pins;
  kernel.walk([&](Operation *op) {
    if (auto dot = dyn_cast<AsyncDotOp>(op))
      dots.push_back(dot);
    if (auto product = dyn_cast<MfmaDotOp>(op))
      products.push_back(product);
    if (auto product = dyn_cast<MmaDotOp>(op))
      warpProducts.push_back(product);
    if (auto pin = dyn_cast<RequireLayoutOp>(op))
      pins.push_back(pin);
  });
  // What the hardware gives comes first, then what the source asks for, then what operands would like: what one product
  // makes and the next one takes stays as it is made.
  for (AsyncDotOp dot : dots)
    propose(dot.getResult(), accumulatorLayout(dot, warpsAt(dot)));
  for (MfmaDotOp product : products)
    propose(product.getResult(), mfmaLayout(product, 2, warpsAt(product)));
  for (MmaDotOp product : warpProducts)
    propose(product.getResult(), mmaLayout(product, 2, warpsAt(product)));
  proposeTensorMemory();
  for (RequireLayoutOp pin : pins)
    propose(pin.getResult(), pinnedLayout(pin));
  for (AsyncDotOp dot : dots)
    if (tileType(dot.getA()))
      propose(dot.getA(), operandALayout(dot, warpsAt(dot)));
  for (MfmaDotOp product : products)
    for (unsigned operand : {0, 1})
      propose(product->getOperand(operand), mfmaLayout(product, operand, warpsAt(product)));
  for (MmaDotOp product : warpProducts)
    for (unsigned operand : {0, 1})
      if (tileType(product->getOperand(operand)))
        propose(product->getOperand(operand), mmaLayout(product, operand, warpsAt(product)));
  for (RequireLayoutOp pin : pins)
    propose(pin.getSource(), pinnedLayout(pin));
  spread();
}

void LayoutChoice::proposeTensorMemory() {
  kernel.walk([&](Operation *op) {
    if (isa<tmem::LoadOp>(op))
      propose(op->getResult(0), tensorMemoryLayout(op, warpsAt(op)));
  });
  kernel.walk([&](tmem::StoreOp store) {
    // A pin decides for itself; the store converts.
    if (!store.getValue().getDefiningOp<RequireLayoutOp>())
      propose(store.getValue(), tensorMemoryLayout(store, warpsAt(store)));
  });
}

void LayoutChoice::anchorAccesses() {
  kernel.walk([&](Operation *op) {
    if (!op->hasAttr("tlx.vector"))
      return;
    LinearLayout layout = isa<AsyncLoadOp>(op) ? storeLayout(op) : accessLayout(op, threadsAt(op));
    if (isa<LoadOp, AtomicOp, AtomicCasOp>(op)) {
      propose(op->getResult(0), layout);
      layout = layoutOf(op->getResult(0));
    }
    for (Value operand : op->getOperands())
      propose(operand, layout);
    spread();
  });
}

void LayoutChoice::anchorRest() {
  auto anchor = [&](Value value, Operation *at) {
    if (tileType(value))
      propose(value, defaultLayout(tileType(value), threadsAt(at)));
    spread();
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          anchor(argument, op);
    for (Value result : op->getResults())
      anchor(result, op);
  });
}

//===-- spreading -----------------------------------------------------------------------------------------===//

void LayoutChoice::propose(Value value, const LinearLayout &layout) {
  if (!tileType(value) || isCheap(value))
    return;
  if (layouts.contains(value))
    return;
  // What goes round a loop has one layout there, whichever of its names was reached first.
  LinearLayout chosen = layout;
  SmallVector<Value> names(slotNamedBy(value).values);
  for (Value name : names)
    if (auto known = layouts.find(name); known != layouts.end())
      chosen = known->second;
  if (!llvm::is_contained(names, value))
    names.push_back(value);
  for (Value name : names)
    if (!isCheap(name) && layouts.try_emplace(name, chosen).second)
      pending.push_back(name);
}

void LayoutChoice::spread() {
  while (!pending.empty()) {
    Value value = pending.front();
    pending.pop_front();
    LinearLayout layout = layoutOf(value);
    spreadToDefinition(value, layout);
    for (OpOperand &use : value.getUses())
      spreadToUse(use, layout);
  }
}

void LayoutChoice::spreadToUse(OpOperand &use, const LinearLayout &layout) {
  Operation *op = use.getOwner();
  // What a store or copy takes is decided by the access; see required().
  if (isa<StoreOp, AsyncLoadOp, tmem::StoreOp>(op))
    return;
  if (sharesOneLayout(op)) {
    for (Value operand : op->getOperands())
      propose(operand, layout);
    for (Value result : op->getResults())
      propose(result, layout);
    return;
  }
  for (Value name : slotFedBy(use).values)
    propose(name, layout);
  if (isa<JoinOp>(op))
    for (Value operand : op->getOperands())
      propose(operand, layout);
  if (auto derived = derivedResultLayout(use, layout))
    for (Value result : op->getResults())
      propose(result, *derived);
}

void LayoutChoice::spreadToDefinition(Value value, const LinearLayout &layout) {
  CarriedSlot slot = slotNamedBy(value);
  for (Value name : slot.values)
    propose(name, layout);
  for (OpOperand *source : slot.sources)
    propose(source->get(), layout);
  auto result = dyn_cast<OpResult>(value);
  if (!result || !slot.values.empty())
    return;
  Operation *op = result.getOwner();
  if (sharesOneLayout(op))
    for (Value operand : op->getOperands())
      propose(operand, layout);
  if (isa<SplitOp>(op))
    for (Value half : op->getResults())
      propose(half, layout);
  if (auto dot = dyn_cast<AsyncDotOp>(op); dot && dot.getAcc())
    propose(dot.getAcc(), layout);
  if (auto dot = dyn_cast<MfmaDotOp>(op))
    propose(dot.getAcc(), layout);
  if (auto dot = dyn_cast<MmaDotOp>(op))
    propose(dot.getAcc(), layout);
  for (OpOperand &operand : op->getOpOperands())
    if (tileType(operand.get()))
      if (auto derived = derivedOperandLayout(operand, result, layout))
        propose(operand.get(), *derived);
}

//===-- what operations take ------------------------------------------------------------------------------===//

/// A vector leaves in the layout that it has: moving it would cost more than narrow stores. So does a matrix that
/// shared memory has no room to rearrange.
LinearLayout LayoutChoice::storeLayout(Operation *access) {
  if (auto copy = dyn_cast<AsyncLoadOp>(access); copy && target.has(Feature::LaneCopy))
    for (int bytes : {16, 4})
      if (bytes == 4 || target.has(Feature::WideLaneCopy))
        if (auto layout = sideBySideLayout(copy, threadsAt(copy), bytes))
          return *layout;
  LinearLayout coalesced = accessLayout(access, threadsAt(access));
  auto store = dyn_cast<StoreOp>(access);
  if (!store || isCheap(store.getValue()))
    return coalesced;
  int64_t longAxes = llvm::count_if(tileType(store.getValue()).getShape(), [](int64_t extent) { return extent > 1; });
  LocalAllocOp ring = largestDeadRing(access);
  bool hasRoom = rearrangingBytes(tileType(store.getValue())) <= std::max(spareShared, ring ? bytesOf(ring) : 0);
  return longAxes > 1 && hasRoom ? coalesced : layoutOf(store.getValue());
}

LinearLayout LayoutChoice::required(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<StoreOp, AsyncLoadOp>(op))
    return storeLayout(op);
  if (isa<tmem::StoreOp>(op))
    return tensorMemoryLayout(op, warpsAt(op));
  if (isa<RequireLayoutOp, ReleaseLayoutOp>(op))
    return layoutOf(op->getResult(0));
  CarriedSlot slot = slotFedBy(operand);
  if (!slot.values.empty())
    return layoutOf(slot.values.front());
  if (auto dot = dyn_cast<AsyncDotOp>(op))
    return operand.getOperandNumber() == 0 ? operandALayout(dot, warpsAt(op)) : layoutOf(dot.getResult());
  if (auto dot = dyn_cast<MfmaDotOp>(op))
    return mfmaLayout(dot, operand.getOperandNumber(), warpsAt(op));
  if (auto dot = dyn_cast<MmaDotOp>(op))
    return mmaLayout(dot, operand.getOperandNumber(), warpsAt(op));
  if (op->getNumResults() == 0 && sharesOneLayout(op))
    return ownLayout(*llvm::find_if(op->getOperands(), [](Value value) { return bool(tileType(value)); }));
  // The mask of a histogram is held as what it masks.
  if (isa<HistogramOp>(op))
    return ownLayout(op->getOperand(0));
  if (isa<GatherOp>(op) && operand.getOperandNumber() == 0)
    return ownLayout(operand.get());
  if (op->getNumResults() == 0 || !tileType(op->getResult(0)) || isa<ReduceOp, DropAxisOp, ConvertLayoutOp>(op))
    return ownLayout(operand.get());
  const LinearLayout &result = layoutOf(op->getResult(0));
  if (sharesOneLayout(op))
    return result;
  if (isa<SplitOp>(op) && !isCheap(operand.get())) {
    auto halves = layoutOf(operand.get()).split();
    if (halves && halves->half == result)
      return layoutOf(operand.get());
  }
  if (isa<ExtractSliceOp>(op) && !isCheap(operand.get()) &&
      derivedResultLayout(operand, layoutOf(operand.get())) == result)
    return layoutOf(operand.get());
  if (auto derived = derivedOperandLayout(operand, op->getResult(0), result))
    return *derived;
  // A join whose result is not told apart by a register: joined as its operands are, then converted.
  return ownLayout(op->getOperand(0));
}

std::optional<LinearLayout> LayoutChoice::natural(Operation *op) {
  if (!isa<ReduceOp, DropAxisOp, JoinOp>(op) || !tileType(op->getResult(0)))
    return std::nullopt;
  OpOperand &source = op->getOpOperand(0);
  if (isa<JoinOp>(op)) {
    // Any position of the telling bit is as good: the one that was chosen needs no conversion.
    if (layoutOf(op->getResult(0)).split())
      return std::nullopt;
  }
  return derivedResultLayout(source, required(source));
}
