//===- TurnedLoads.cpp - tiles that lie across their rows in memory ---------------------------------------===//

#include "TurnedLoads.h"
#include "StagedTile.h"
#include "tlx/Analysis/AxisInfo.h"

using namespace mlir;
using namespace tlx;

/// Neighbours along the first axis are neighbours in memory, so that more than one moves at once.
static bool liesAcross(LoadOp load, const AxisInfoAnalysis &facts) {
  auto tile = dyn_cast<RankedTensorType>(load.getPointer().getType());
  if (!tile || tile.getRank() != 2 || !load->hasOneUse())
    return false;
  unsigned bits = cast<PointerType>(tile.getElementType()).getPointee().getIntOrFloatBitWidth();
  std::optional<AxisInfo> mask;
  if (load.getMask())
    mask = facts.get(load.getMask());
  AccessWidth width = accessWidth(facts.get(load.getPointer()), mask ? &*mask : nullptr, bits, tile.getShape());
  return width.axis == 0 && width.elements > 1;
}

static RankedTensorType turnedType(Type type) {
  auto tile = cast<RankedTensorType>(type);
  return RankedTensorType::get({tile.getDimSize(1), tile.getDimSize(0)}, tile.getElementType());
}

static Value turned(OpBuilder &builder, Value tile) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  if (Value source = transpositionSource(tile))
    return source;
  return PermuteOp::create(builder, tile.getLoc(), turnedType(tile.getType()), tile, ArrayRef<int32_t>{1, 0});
}

/// The load of the transposition, in front of `load`.
static Value turnedLoad(LoadOp load) {
  OpBuilder builder(load);
  Operation *along = load->clone();
  for (OpOperand &operand : along->getOpOperands())
    operand.set(turned(builder, operand.get()));
  along->getResult(0).setType(turnedType(load.getType()));
  builder.insert(along);
  return along->getResult(0);
}

void tlx::turnLoads(func::FuncOp kernel, ArrayRef<DotOp> dots) {
  AxisInfoAnalysis facts(kernel);
  for (DotOp dot : dots)
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
      Value tile = operand->get(), source = transpositionSource(tile);
      auto load = (source ? source : tile).getDefiningOp<LoadOp>();
      if (!load || !tile.hasOneUse() || !liesAcross(load, facts))
        continue;
      Value along = turnedLoad(load);
      OpBuilder builder(load);
      operand->set(source ? along : turned(builder, along));
      if (source)
        tile.getDefiningOp()->erase();
      load.erase();
    }
}
