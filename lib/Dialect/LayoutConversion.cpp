//===- LayoutConversion.cpp - attributes to layouts and back --------------------------------------------===//

#include "tlx/Dialect/LayoutConversion.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using layout::InDim;
using layout::LinearLayout;
using layout::SharedTile;

bool tlx::hasLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
}

LinearLayout tlx::toLinear(RankedTensorType type) {
  return toLinear(cast<LayoutAttr>(type.getEncoding()), type.getShape());
}

LinearLayout tlx::toLinear(LayoutAttr attr, ArrayRef<int64_t> shape) {
  assert(attr.getRank() == shape.size() && "a layout has the axes of its tile");
  SmallVector<int, 4> axisBits;
  for (int64_t extent : shape)
    axisBits.push_back(llvm::Log2_64_Ceil(extent));
  LinearLayout result(axisBits);
  auto add = [&](InDim dim, ArrayRef<int32_t> bases) {
    for (size_t i = 0; i < bases.size(); i += attr.getRank())
      result.addBasis(dim, bases.slice(i, attr.getRank()));
  };
  add(InDim::Register, attr.getRegisters());
  add(InDim::Lane, attr.getLanes());
  add(InDim::Warp, attr.getWarps());
  return result;
}

static SmallVector<int32_t> flatBases(const LinearLayout &layout, InDim dim) {
  SmallVector<int32_t> bases;
  for (int bit = 0; bit < layout.inBits(dim); ++bit)
    llvm::append_range(bases, layout.basis(dim, bit));
  return bases;
}

LayoutAttr tlx::toAttr(MLIRContext *context, const LinearLayout &layout) {
  assert(layout.inBits(InDim::Block) == 0 && layout.inBits(InDim::Offset) == 0 && "tiles belong to one block");
  return LayoutAttr::get(context, layout.rank(), flatBases(layout, InDim::Register), flatBases(layout, InDim::Lane),
                         flatBases(layout, InDim::Warp));
}

RankedTensorType tlx::withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), toAttr(type.getContext(), layout));
}

SharedTile tlx::sharedTile(BufferType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (type.getLayout().getTransposed())
    std::reverse(shape.begin(), shape.end());
  SharedTile tile = SharedTile::whole(shape, type.elementBits() / 8, type.getLayout().getSwizzle());
  tile.places.assign(type.getLayout().getPlaces().begin(), type.getLayout().getPlaces().end());
  ArrayRef<int64_t> padding = type.getLayout().getPadding();
  for (size_t i = 0; i + 1 < padding.size(); i += 2)
    tile.padding.push_back({padding[i], padding[i + 1]});
  // A slice of rows lies in panels of the tile that it was cut from.
  if (tile.rank() >= 2)
    tile.panelRows = type.getLayout().getPanelRows();
  return tile;
}

int64_t tlx::tileStride(BufferType type) {
  SharedTile tile = sharedTile(type);
  return llvm::alignTo(tile.sizeInBytes(), tile.alignment());
}
