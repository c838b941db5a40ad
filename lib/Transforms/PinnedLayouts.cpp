//===- PinnedLayouts.cpp - layouts that the source asks for, and its questions about them ----------------===//

#include "PinnedLayouts.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Dialect/TileOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using layout::InDim;
using layout::LinearLayout;

LinearLayout tlx::pinnedLayout(RequireLayoutOp pin) {
  SmallVector<int> bits;
  for (int64_t extent : cast<RankedTensorType>(pin.getSource().getType()).getShape())
    bits.push_back(llvm::Log2_64_Ceil(extent));
  LinearLayout result(bits);
  for (int64_t step : pin.getValues())
    result.addBasis(InDim::Register, result.unflatten(step));
  size_t lanes = llvm::Log2_32(targetOf(pin).warpSize);
  for (auto [bit, step] : llvm::enumerate(pin.getThreads()))
    result.addBasis(bit < lanes ? InDim::Lane : InDim::Warp, result.unflatten(step));
  return result;
}

LogicalResult tlx::checkPin(RequireLayoutOp pin, const TaskScope &scope) {
  int64_t threads = targetOf(pin).warpSize * scope.warps;
  if (int64_t(1) << pin.getThreads().size() == threads)
    return success();
  return pin.emitError() << "the layout is for " << (int64_t(1) << pin.getThreads().size()) << " threads; `"
                         << scope.name << "` has " << threads << " [pinned-layout]";
}

namespace {
/// Consecutive bits that keep doubling their step: one mode of CuTe's shapes.
struct Mode {
  int64_t extent, stride;
};
} // namespace

static void printModes(llvm::raw_ostream &shape, llvm::raw_ostream &stride, const LinearLayout &layout,
                       ArrayRef<InDim> dims) {
  SmallVector<Mode> modes;
  for (InDim dim : dims)
    for (int bit = 0; bit < layout.inBits(dim); ++bit) {
      int64_t step = layout.flatBasis(dim, bit);
      if (!modes.empty() && step == modes.back().extent * modes.back().stride)
        modes.back().extent *= 2;
      else
        modes.push_back({2, step});
    }
  if (modes.empty())
    modes.push_back({1, 0});
  auto print = [&](llvm::raw_ostream &os, auto number) {
    os << '(';
    llvm::interleave(modes, os, [&](const Mode &mode) { os << '_' << number(mode); }, ",");
    os << ')';
  };
  print(shape, [](const Mode &mode) { return mode.extent; });
  print(stride, [](const Mode &mode) { return mode.stride; });
}

/// As `tlx.layout` takes it: ((threads),(values)):((strides),(strides)).
static std::string cuteText(const LinearLayout &layout) {
  std::string shape, stride;
  llvm::raw_string_ostream shapeStream(shape), strideStream(stride);
  printModes(shapeStream, strideStream, layout, {InDim::Lane, InDim::Warp});
  shape += ',';
  stride += ',';
  printModes(shapeStream, strideStream, layout, {InDim::Register});
  return "(" + shape + "):(" + stride + ")";
}

static LinearLayout layoutOf(Value tile) {
  return toLinear(cast<RankedTensorType>(tile.getType()));
}

LogicalResult tlx::settlePins(func::FuncOp kernel) {
  SmallVector<Operation *> settled;
  bool isSame = true;
  kernel.walk([&](Operation *op) {
    if (isa<RequireLayoutOp, ReleaseLayoutOp>(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      settled.push_back(op);
    } else if (auto question = dyn_cast<DumpLayoutOp>(op)) {
      std::string text;
      LinearLayout layout = layoutOf(question.getSource());
      llvm::raw_string_ostream(text) << layout;
      question.emitRemark() << "the tile is held as " << text << "; cute: " << cuteText(layout);
      settled.push_back(op);
    } else if (auto claim = dyn_cast<SameLayoutOp>(op)) {
      LinearLayout left = layoutOf(claim.getLeft()), right = layoutOf(claim.getRight());
      if (left != right)
        claim.emitError() << "one tile is held as " << cuteText(left) << ", the other as " << cuteText(right)
                          << " [layout-mismatch]";
      isSame &= left == right;
      settled.push_back(op);
    }
  });
  for (Operation *op : llvm::reverse(settled))
    op->erase();
  return success(isSame);
}
