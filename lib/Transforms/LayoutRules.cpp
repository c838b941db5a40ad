//===- LayoutRules.cpp - how layouts of operands and results depend on each other ------------------------===//

#include "LayoutRules.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Dialect/WarpProducts.h"
#include "tlx/Layout/MfmaLayouts.h"
#include "tlx/Layout/MmaLayouts.h"
#include "tlx/Layout/RegisterLayouts.h"
#include "tlx/Layout/TensorMemoryLayout.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlx;
using layout::LinearLayout;

bool tlx::sharesOneLayout(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<AddPtrOp, LoadOp, StoreOp, AtomicOp, AsyncLoadOp, AsyncDotWaitOp, PointerCastOp, PairOp, InlineAssemblyOp,
             AtomicCasOp, LocalGatherOp, LocalScatterOp, FmaDotOp, PrefetchOp>(op);
}

static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  llvm::copy_if(shape, std::back_inserter(result), [](int64_t extent) { return extent != 1; });
  return result;
}

bool tlx::onlyUnitAxesDiffer(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  return withoutUnits(from) == withoutUnits(to);
}

static LinearLayout reshaped(LinearLayout layout, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (!onlyUnitAxesDiffer(from, to))
    return layout.reshape(to);
  // Padded axes keep their padding; only the unit axes move.
  for (int axis = from.size() - 1; axis >= 0; --axis)
    if (from[axis] == 1)
      layout = layout.slice(axis);
  for (auto [axis, extent] : llvm::enumerate(to))
    if (extent == 1)
      layout = layout.expandDims(axis);
  return layout;
}

static SmallVector<int> inverseOrder(ArrayRef<int32_t> order) {
  SmallVector<int> inverse(order.size());
  for (auto [axis, source] : llvm::enumerate(order))
    inverse[source] = axis;
  return inverse;
}

/// Whether a basis moves to another part of a tile of parts of `shape`, and that only.
static bool tellsPartsApart(layout::Coords basis, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::enumerate(basis),
                      [&](auto axis) { return axis.value() == 0 || axis.value() >= shape[axis.index()]; }) &&
         llvm::any_of(basis, [](int32_t coordinate) { return coordinate != 0; });
}

static bool liesInPart(layout::Coords basis, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::enumerate(basis), [&](auto axis) { return axis.value() < shape[axis.index()]; });
}

/// How a part of a tile is held: without the registers of the other parts. Nothing when threads tell the parts apart.
static std::optional<LinearLayout> partLayout(const LinearLayout &whole, ArrayRef<int64_t> shape) {
  SmallVector<int> bits;
  for (auto [axis, extent] : llvm::enumerate(shape))
    bits.push_back(std::min<int>(whole.outBits(axis), llvm::Log2_64_Ceil(extent)));
  LinearLayout part(bits);
  for (layout::InDim dim : layout::allInDims)
    for (int bit = 0; bit < whole.inBits(dim); ++bit) {
      layout::Coords basis = whole.basis(dim, bit);
      if (liesInPart(basis, shape))
        part.addBasis(dim, basis);
      else if (dim != layout::InDim::Register || !tellsPartsApart(basis, shape))
        return std::nullopt;
    }
  return part;
}

/// How a tile is held whose parts are held by `part`: each thread has its elements of all of them.
static LinearLayout layoutOfParts(const LinearLayout &part, ArrayRef<int64_t> shape) {
  SmallVector<int> bits;
  for (int64_t extent : shape)
    bits.push_back(llvm::Log2_64_Ceil(extent));
  LinearLayout whole(bits);
  for (layout::InDim dim : layout::allInDims)
    for (int bit = 0; bit < part.inBits(dim); ++bit)
      whole.addBasis(dim, part.basis(dim, bit));
  for (int axis = part.rank() - 1; axis >= 0; --axis)
    for (int bit = part.outBits(axis); bit < whole.outBits(axis); ++bit) {
      layout::Coords step(part.rank(), 0);
      step[axis] = 1 << bit;
      whole.addBasis(layout::InDim::Register, step);
    }
  return whole;
}

std::optional<LinearLayout> tlx::derivedResultLayout(OpOperand &operand, const LinearLayout &layout) {
  using Result = std::optional<LinearLayout>;
  return llvm::TypeSwitch<Operation *, Result>(operand.getOwner())
      .Case([&](ReduceOp reduce) -> Result {
        if (!tileType(reduce.getResult()))
          return std::nullopt;
        return layout.slice(reduce.getAxis()).withoutFreeRegisters();
      })
      .Case([&](DropAxisOp drop) -> Result {
        if (!tileType(drop.getResult()))
          return std::nullopt;
        return layout.slice(drop.getAxis()).withoutFreeRegisters();
      })
      .Case([&](GatherOp gather) -> Result {
        // The indices are held as the result is; the source may be held in any way.
        return operand.getOperandNumber() == 1 ? Result(layout) : std::nullopt;
      })
      .Case([&](ExpandDimsOp expand) -> Result { return layout.expandDims(expand.getAxis()); })
      .Case([&](ReshapeOp reshape) -> Result {
        return reshaped(layout, tileType(reshape.getSource()).getShape(), tileType(reshape.getResult()).getShape());
      })
      .Case([&](PermuteOp permute) -> Result { return layout.permute(SmallVector<int>(permute.getOrder())); })
      .Case([&](SplitOp) -> Result {
        auto halves = layout.split();
        return halves ? Result(halves->half) : std::nullopt;
      })
      .Case([&](JoinOp) -> Result { return layout.join(); })
      .Case([&](ExtractSliceOp slice) -> Result { return partLayout(layout, tileType(slice.getResult()).getShape()); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

static LinearLayout broadcastSource(BroadcastOp broadcast, LinearLayout layout) {
  ArrayRef<int64_t> from = tileType(broadcast.getSource()).getShape();
  ArrayRef<int64_t> to = tileType(broadcast.getResult()).getShape();
  for (size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] != to[axis])
      layout = layout.projectTo1(axis);
  return layout.withoutFreeRegisters();
}

std::optional<LinearLayout> tlx::derivedOperandLayout(OpOperand &operand, OpResult, const LinearLayout &layout) {
  using Result = std::optional<LinearLayout>;
  return llvm::TypeSwitch<Operation *, Result>(operand.getOwner())
      .Case([&](ExpandDimsOp expand) -> Result { return layout.slice(expand.getAxis()); })
      .Case([&](BroadcastOp broadcast) -> Result { return broadcastSource(broadcast, layout); })
      .Case([&](GatherOp) -> Result { return operand.getOperandNumber() == 1 ? Result(layout) : std::nullopt; })
      .Case([&](ReshapeOp reshape) -> Result {
        return reshaped(layout, tileType(reshape.getResult()).getShape(), tileType(reshape.getSource()).getShape());
      })
      .Case([&](PermuteOp permute) -> Result { return layout.permute(inverseOrder(permute.getOrder())); })
      .Case([&](SplitOp) -> Result { return layout.join(); })
      .Case(
          [&](ExtractSliceOp slice) -> Result { return layoutOfParts(layout, tileType(slice.getSource()).getShape()); })
      .Case([&](JoinOp) -> Result {
        auto halves = layout.split();
        return halves ? Result(halves->half) : std::nullopt;
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

/// The widest instruction that divides N; a multiple of 8 (PTX ISA, wgmma).
static int64_t instructionColumns(int64_t n) {
  for (int64_t columns = std::min<int64_t>(n, 256); columns >= 8; columns -= 8)
    if (n % columns == 0)
      return columns;
  llvm_unreachable("checked by the caller: N is a multiple of 8");
}

LinearLayout tlx::accumulatorLayout(AsyncDotOp dot, int warps) {
  auto type = cast<RankedTensorType>(dot.getResult().getType());
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  return layout::wgmmaAccumulator(m, n, warps, instructionColumns(n));
}

LinearLayout tlx::operandALayout(AsyncDotOp dot, int warps) {
  RankedTensorType type = tileType(dot.getA());
  return layout::wgmmaOperandA(type.getDimSize(0), type.getDimSize(1), warps, type.getElementTypeBitWidth());
}

LinearLayout tlx::mfmaLayout(MfmaDotOp dot, unsigned operand, int warps) {
  auto number = [](uint32_t attribute) { return static_cast<int>(attribute); };
  layout::MfmaShape shape = {number(dot.getTile()), number(dot.getDepth()), number(dot.getRun())};
  layout::WaveGrid waves = {number(dot.getRowWarps()), number(dot.getColumnWarps()), 1};
  waves.copies = warps / (waves.rows * waves.columns);
  ArrayRef<int64_t> extents = tileType(dot->getOperand(operand)).getShape();
  switch (operand) {
  case 0:
    return layout::mfmaOperandA(extents[0], extents[1], shape, waves);
  case 1:
    return layout::mfmaOperandB(extents[0], extents[1], shape, waves);
  default:
    return layout::mfmaAccumulator(extents[0], extents[1], shape, waves);
  }
}

LinearLayout tlx::mmaLayout(MmaDotOp dot, unsigned operand, int warps) {
  int rows = static_cast<int>(dot.getRowWarps()), columns = static_cast<int>(dot.getColumnWarps());
  layout::WarpGrid grid = {rows, columns, warps / (rows * columns)};
  RankedTensorType tile = tileType(dot->getOperand(operand));
  ArrayRef<int64_t> extents = tile.getShape();
  int bits = static_cast<int>(tile.getElementTypeBitWidth());
  switch (operand) {
  case 0:
    return layout::mmaOperandA(extents[0], extents[1], bits, grid);
  case 1:
    return layout::mmaOperandB(extents[0], extents[1], bits, grid);
  default:
    return layout::mmaAccumulator(extents[0], extents[1], grid);
  }
}

LinearLayout tlx::tensorMemoryLayout(Operation *access, int warps) {
  ArrayRef<int64_t> shape = cast<tmem::BufferType>(access->getOperand(0).getType()).getShape();
  return layout::tensorMemoryTile(shape[0], shape[1], warps);
}

static int elementBits(Type type) {
  return isa<PointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

std::optional<int> tlx::exchangedWarpBit(PairOp pair) {
  LinearLayout layout = toLinear(cast<RankedTensorType>(pair.getSource().getType()));
  layout::Coords step(layout.rank(), 0);
  step[pair.getAxis()] = 1 << pair.getBit();
  for (int bit = 0; bit < layout.inBits(layout::InDim::Warp); ++bit)
    if (layout.basis(layout::InDim::Warp, bit) == step)
      return bit;
  return std::nullopt;
}

LinearLayout tlx::coalescedLayout(RankedTensorType type, ThreadGrid threads, int axis, int vector) {
  ArrayRef<int64_t> shape = type.getShape();
  int rank = shape.size();
  SmallVector<int> order{axis};
  for (int other = rank - 1; other >= 0; --other)
    if (other != axis)
      order.push_back(other);

  SmallVector<int64_t> left;
  int64_t elements = 1;
  for (int64_t extent : shape) {
    left.push_back(llvm::PowerOf2Ceil(extent));
    elements *= left.back();
  }
  // Threads without work cost more than narrow accesses.
  int64_t perThread = std::max<int64_t>(1, elements / (threads.lanes * threads.warps));
  SmallVector<int> registers(rank, 1), lanes(rank, 1), warpsOf(rank, 1);
  registers[axis] = std::min<int64_t>({vector, perThread, left[axis]});
  left[axis] /= registers[axis];
  auto spread = [&](SmallVectorImpl<int> &counts, int64_t total) {
    for (int next : order) {
      int64_t count = std::min(total, left[next]);
      counts[next] = count;
      left[next] /= count;
      total /= count;
    }
    // What is left over holds copies.
    counts[order.back()] *= total;
  };
  spread(lanes, threads.lanes);
  spread(warpsOf, threads.warps);
  return layout::blocked(shape, registers, lanes, warpsOf, order);
}

LinearLayout tlx::defaultLayout(RankedTensorType type, ThreadGrid threads) {
  int vector = std::max(1, 128 / std::max(8, elementBits(type.getElementType())));
  return coalescedLayout(type, threads, type.getRank() - 1, vector);
}

LinearLayout tlx::accessLayout(Operation *access, ThreadGrid threads) {
  auto number = [&](StringRef name) { return access->getAttrOfType<IntegerAttr>(name).getInt(); };
  Value pointers = isa<StoreOp, LoadOp, AsyncLoadOp, AtomicOp, AtomicCasOp>(access) ? access->getOperand(0) : Value();
  return coalescedLayout(tileType(pointers), threads, number("tlx.axis"), number("tlx.vector"));
}

std::optional<LinearLayout> tlx::sideBySideLayout(AsyncLoadOp copy, ThreadGrid threads, int bytes) {
  using layout::InDim;
  BufferType buffer = copy.getBuffer().getType();
  auto vector = copy->getAttrOfType<IntegerAttr>("tlx.vector");
  int elementBytes = static_cast<int>(buffer.elementBits()) / 8, perLane = bytes / elementBytes;
  std::optional<LinearLayout> places = layout::asLinear(sharedTile(buffer));
  bool isAligned = vector && perLane > 0 && vector.getInt() % perLane == 0;
  if (!places || !isAligned || buffer.getLayout().getTransposed())
    return std::nullopt;
  // Offsets go to a lane's elements, lanes, warps and repeats in turn; warps beyond the tile hold copies.
  int bits = places->inBits(InDim::Offset), next = 0;
  SmallVector<int> axes;
  for (int axis = 0; axis < places->rank(); ++axis)
    axes.push_back(places->outBits(axis));
  LinearLayout result(axes);
  auto deal = [&](InDim dim, int count) {
    for (; count > 0 && next < bits; --count)
      result.addBasis(dim, places->basis(InDim::Offset, next++));
    for (; count > 0; --count)
      result.addBasis(dim, layout::Coords(places->rank(), 0));
  };
  if (bits < int(llvm::Log2_32(perLane * threads.lanes)))
    return std::nullopt;
  deal(InDim::Register, llvm::Log2_32(perLane));
  deal(InDim::Lane, llvm::Log2_32(threads.lanes));
  deal(InDim::Warp, llvm::Log2_32(threads.warps));
  deal(InDim::Register, bits - next);
  return result;
}

int64_t tlx::rearrangingBytes(RankedTensorType type) {
  int64_t bytes = llvm::divideCeil(elementBits(type.getElementType()), 8);
  for (int64_t extent : type.getShape())
    bytes *= llvm::PowerOf2Ceil(extent);
  return bytes;
}
