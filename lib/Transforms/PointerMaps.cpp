//===- PointerMaps.cpp - tiles behind pointers, loaded by tensor maps -----------------------------------===//

#include "PointerMaps.h"
#include "DescriptorRings.h"
#include "MatrixTile.h"
#include "StagedTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tlx/Analysis/BufferStorage.h"
#include "tlx/Dialect/TileOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tlx;

/// Whether tensor cores read everything that the load gives, from shared memory.
static bool feedsProducts(LoadOp load) {
  auto isRead = [](Value buffer, Operation *store, auto &&self) -> bool {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      if (user == store || isa<AsyncDotOp>(user))
        return true;
      bool isView = user->getNumResults() == 1 && isa<BufferType>(user->getResult(0).getType());
      return isView && self(user->getResult(0), store, self);
    });
  };
  return !load->use_empty() && llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto store = dyn_cast<LocalStoreOp>(user);
    return store && store->getBlock() == load->getBlock() && isRead(store.getBuffer(), store, isRead);
  });
}

static StringAttr nameOf(BlockArgument argument) {
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tlx.name");
}

/// As `ParamLayout` reads it: a number, a name, or both for their product; nothing where there is no end.
static Attribute extentAttribute(Builder &builder, const std::optional<MatrixExtent> &extent) {
  if (!extent)
    return builder.getUnitAttr();
  if (!extent->parameter)
    return builder.getI64IntegerAttr(extent->number);
  StringAttr name = nameOf(extent->parameter);
  if (extent->number == 1)
    return name;
  return builder.getArrayAttr({name, builder.getI64IntegerAttr(extent->number)});
}

static DictionaryAttr mapAttribute(func::FuncOp kernel, Builder &builder, const MatrixTile &tile) {
  SmallVector<Attribute> sizes, strides, apart;
  for (BlockArgument written : writtenParameters(kernel))
    apart.push_back(nameOf(written));
  for (const MatrixAxis &axis : tile.axes) {
    sizes.push_back(extentAttribute(builder, axis.size));
    strides.push_back(extentAttribute(builder, axis.stride));
  }
  return builder.getDictionaryAttr({builder.getNamedAttr("pointer", nameOf(tile.pointer)),
                                    builder.getNamedAttr("sizes", builder.getArrayAttr(sizes)),
                                    builder.getNamedAttr("strides", builder.getArrayAttr(strides)),
                                    builder.getNamedAttr("apart", builder.getArrayAttr(apart))});
}

/// The hidden parameter with the map; loads of equal tiles share it.
Value PointerMaps::descriptor(LoadOp load, const MatrixTile &tile) {
  Builder builder(kernel.getContext());
  auto shape = llvm::map_to_vector(tile.axes, [](const MatrixAxis &axis) { return axis.extent; });
  auto pointer = cast<PointerType>(tile.pointer.getType());
  auto type = DescriptorType::get(kernel.getContext(), shape, pointer.getPointee());
  DictionaryAttr map = mapAttribute(kernel, builder, tile);
  std::string base = nameOf(tile.pointer).getValue().str() + "_map";
  unsigned sameBase = 0, count = kernel.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    if (kernel.getArgAttr(i, "tlx.tensor_map") == map && kernel.getArgument(i).getType() == type)
      return kernel.getArgument(i);
    auto name = kernel.getArgAttrOfType<StringAttr>(i, "tlx.name");
    sameBase += name && name.getValue().starts_with(base);
  }
  auto element = kernel.getArgAttrOfType<StringAttr>(tile.pointer.getArgNumber(), "tlx.type").getValue();
  std::string text = ("tensordesc<" + element.ltrim('*') + "[").str();
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, ",");
  stream << "]>";
  SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("tlx.name", builder.getStringAttr(sameBase ? base + std::to_string(sameBase) : base)),
      builder.getNamedAttr("tlx.type", builder.getStringAttr(text)), builder.getNamedAttr("tlx.tensor_map", map)};
  LogicalResult isInserted = kernel.insertArgument(count, type, builder.getDictionaryAttr(attributes), load.getLoc());
  assert(succeeded(isInserted) && "kernels take another parameter");
  (void)isInserted;
  return kernel.getArgument(count);
}

bool PointerMaps::make() {
  AxisInfoAnalysis facts(kernel);
  TileForms forms;
  SmallVector<std::pair<LoadOp, MatrixTile>, 0> found;
  llvm::DenseSet<Operation *> mixed;
  kernel.walk([&](LoadOp load) {
    if (!isa<scf::ForOp>(load->getParentOp()) || !feedsProducts(load))
      return;
    if (auto tile = matrixTile(load, forms, facts))
      found.push_back({load, *tile});
    else
      mixed.insert(load->getParentOp());
  });
  // A loop in which threads copy, too, waits for them in every iteration.
  llvm::erase_if(found, [&](auto &one) { return mixed.contains(one.first->getParentOp()); });
  parametersBefore = kernel.getNumArguments();
  for (auto &[load, tile] : found) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Value map = descriptor(load, tile);
    SmallVector<int64_t> shape;
    SmallVector<Value> offsets;
    for (const MatrixAxis &axis : tile.axes) {
      shape.push_back(axis.extent);
      offsets.push_back(axis.coordinate.emit(builder, loc, forms.scalars()));
    }
    auto type = cast<RankedTensorType>(load.getType());
    auto whole = RankedTensorType::get(shape, type.getElementType());
    auto made = DescriptorLoadOp::create(builder, loc, whole, map, offsets);
    Value result = whole == type ? made.getResult() : ReshapeOp::create(builder, loc, type, made).getResult();
    load.getResult().replaceAllUsesWith(result);
    load->remove();
    replaced.push_back({load, made, result});
  }
  return !replaced.empty();
}

PointerMaps::~PointerMaps() {
  for (Replaced &one : replaced)
    one.before->erase();
}

void PointerMaps::revert() {
  for (Replaced &one : replaced) {
    one.load->getBlock()->getOperations().insert(one.load->getIterator(), one.before.getOperation());
    one.result.replaceAllUsesWith(one.before.getResult());
    if (one.result != one.load.getResult())
      one.result.getDefiningOp()->erase();
    one.load.erase();
  }
  replaced.clear();
  while (kernel.getNumArguments() > parametersBefore)
    (void)kernel.eraseArgument(kernel.getNumArguments() - 1);
}
