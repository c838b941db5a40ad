//===- StagedTile.cpp - a tile of registers in a buffer of its own ----------------------------------------===//

#include "StagedTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tlx/Layout/SharedLayout.h"

using namespace mlir;
using namespace tlx;

Value tlx::storeInBuffer(func::FuncOp kernel, Operation *user, StringRef name, Value tile, int swizzle) {
  Operation *place = user;
  while (auto loop = dyn_cast<scf::ForOp>(place->getParentOp())) {
    if (!loop.isDefinedOutsideOfLoop(tile))
      break;
    place = loop;
  }
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t rows = type.getRank() < 2 ? 1 : type.getDimSize(type.getRank() - 2);
  MLIRContext *context = kernel.getContext();
  Location loc = user->getLoc();
  auto layout = SharedLayoutAttr::get(context, swizzle, rows, /*transposed=*/false);
  auto bufferType = [&](int64_t count) {
    return BufferType::get(context, type.getShape(), type.getElementType(), count, layout);
  };
  OpBuilder builder(context);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  auto alloc = LocalAllocOp::create(builder, loc, bufferType(1), name, IntegerAttr(), Value());
  builder.setInsertionPoint(place);
  Value zero = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 0);
  Value buffer = LocalViewOp::create(builder, loc, bufferType(0), alloc, zero);
  LocalStoreOp::create(builder, loc, buffer, tile);
  return buffer;
}

BufferType tlx::slotTypeOf(DescriptorType type, int64_t count) {
  ArrayRef<int64_t> shape = type.getShape().drop_while([](int64_t extent) { return extent == 1; });
  if (shape.empty())
    shape = type.getShape().take_back(1);
  Type element = type.getElementType();
  int swizzle = layout::SharedTile::defaultSwizzle(shape, element.getIntOrFloatBitWidth() / 8);
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  auto layout = SharedLayoutAttr::get(type.getContext(), swizzle, rows, /*transposed=*/false);
  return BufferType::get(type.getContext(), shape, element, count, layout);
}

Value tlx::transposedView(OpBuilder &builder, Location loc, Value buffer) {
  auto from = cast<BufferType>(buffer.getType());
  SharedLayoutAttr layout = from.getLayout();
  MLIRContext *context = builder.getContext();
  layout = SharedLayoutAttr::get(context, layout.getSwizzle(), layout.getPanelRows(), !layout.getTransposed());
  auto view = BufferType::get(context, {from.getShape()[1], from.getShape()[0]}, from.getElementType(), 0, layout);
  return LocalTransOp::create(builder, loc, view, buffer);
}

Value tlx::transpositionSource(Value tile) {
  auto permute = tile.getDefiningOp<PermuteOp>();
  return permute && permute.getOrder() == ArrayRef<int32_t>{1, 0} ? permute.getSource() : Value();
}
