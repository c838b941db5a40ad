//===- ShapeTensorMaps.cpp - box and swizzle of each tensor map -----------------------------------------===//
//
// What the host must encode follows from the buffers that a descriptor is used with. Rules: CUDA driver API,
// cuTensorMapEncodeTiled.
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Dialect/TileOps.h"
#include "tlx/Layout/SharedLayout.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tlx {
#define GEN_PASS_DEF_SHAPETENSORMAPS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

constexpr int64_t mostAxes = 5, mostPerAxis = 256, innerUnit = 16;

static ArrayRef<int64_t> withoutLeadingUnits(ArrayRef<int64_t> shape) {
  while (shape.size() > 1 && shape.front() == 1)
    shape = shape.drop_front();
  return shape;
}

static StringRef elementName(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float16Type) { return "fp16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float32Type) { return "fp32"; })
      .Case([](Float64Type) { return "fp64"; })
      .Case([](Float8E4M3FNType) { return "fp8e4nv"; })
      .Case([](Float8E5M2Type) { return "fp8e5"; })
      .Case([](Float8E4M3FNUZType) { return "fp8e4b8"; })
      .Case([](Float8E5M2FNUZType) { return "fp8e5b16"; })
      .Case([](IntegerType integer) {
        switch (integer.getWidth()) {
        case 8:
          return "i8";
        case 16:
          return "i16";
        case 32:
          return "i32";
        default:
          return "i64";
        }
      })
      .Default([](Type) { return "unknown"; });
}

/// The buffer that a use of a descriptor fills or reads; none for prefetches.
static BufferType bufferOf(Operation *use) {
  if (auto load = dyn_cast<TMALoadOp>(use))
    return load.getBuffer().getType();
  if (auto store = dyn_cast<TMAStoreOp>(use))
    return store.getBuffer().getType();
  return {};
}

static InFlightDiagnostic &operator<<(InFlightDiagnostic &error, ArrayRef<int64_t> shape) {
  error << "[";
  llvm::interleaveComma(shape, error);
  return error << "]";
}

static LogicalResult checkUse(Operation *use, DescriptorType descriptor) {
  BufferType buffer = bufferOf(use);
  if (buffer.getLayout().isWritten())
    return use->emitError("a tensor map moves tiles in rows, plain or swizzled; this buffer has a layout of its own"
                          " [layout-reader]");
  if (buffer.getLayout().getTransposed())
    return use->emitError("a tensor map moves tiles as they lie in memory; this buffer is a transposed view"
                          " [tensor-map-transposed]");
  if (withoutLeadingUnits(buffer.getShape()) == withoutLeadingUnits(descriptor.getShape()) &&
      buffer.elementBits() == descriptor.getElementType().getIntOrFloatBitWidth())
    return success();
  InFlightDiagnostic error = use->emitError();
  error << "the buffer is " << buffer.getShape() << " of " << buffer.getElementType() << "; the descriptor's block is "
        << descriptor.getShape() << " of " << descriptor.getElementType() << " [tensor-map-shape]";
  return error;
}

namespace {

struct ShapeTensorMaps : tlx::impl::ShapeTensorMapsBase<ShapeTensorMaps> {
  void runOnOperation() override {
    bool failed = false;
    for (BlockArgument argument : getOperation().getArguments())
      if (isa<DescriptorType>(argument.getType()))
        failed |= shape(argument).failed();
    getOperation().walk([&](Operation *op) {
      if (isa<MakeDescriptorOp, ReadDescriptorOp>(op))
        failed |= shape(op->getResult(0)).failed();
      else
        failed |= checkOrigin(op).failed();
    });
    if (failed)
      signalPassFailure();
  }

private:
  /// What fills or reads a buffer must know the map: a loop or branch that hands descriptors on hides it.
  LogicalResult checkOrigin(Operation *use) {
    if (!bufferOf(use))
      return success();
    for (Value operand : use->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      bool isKernels = argument && argument.getOwner()->getParentOp() == getOperation();
      if (isa<DescriptorType>(operand.getType()) && !isKernels &&
          !isa_and_nonnull<MakeDescriptorOp, ReadDescriptorOp>(operand.getDefiningOp()))
        return use->emitError("a descriptor that a loop or branch hands on is not known here; use `desc_ptr` and "
                              "`tlx.reinterpret_tensor_descriptor` [unsupported-operation]");
    }
    return success();
  }

  LogicalResult shape(Value argument) {
    auto type = cast<DescriptorType>(argument.getType());
    std::optional<int64_t> swizzle;
    Operation *first = nullptr;
    for (Operation *use : argument.getUsers()) {
      BufferType buffer = bufferOf(use);
      if (!buffer)
        continue;
      if (checkUse(use, type).failed())
        return failure();
      int64_t wanted = buffer.getLayout().getSwizzle();
      if (swizzle && *swizzle != wanted)
        return disagreement(argument, first, *swizzle, use, wanted);
      swizzle = wanted;
      first = use;
    }
    int elementBytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    // Makers and readers of a map in memory do not see each other's buffers: both take the swizzle of the block.
    int64_t usual = layout::SharedTile::defaultSwizzle(type.getShape(), elementBytes);
    if (swizzle && *swizzle != usual && !isa<BlockArgument>(argument))
      return first->emitError() << "the buffer has swizzle " << *swizzle
                                << "; a tensor map made by the kernel has that of its block, " << usual
                                << " [tensor-map-swizzle]";
    if (!swizzle)
      swizzle = layout::SharedTile::defaultSwizzle(type.getShape(), elementBytes);
    return describe(argument, *swizzle, elementBytes);
  }

  std::string nameOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return "the descriptor";
    auto name = getOperation().getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tlx.name");
    return name ? name.str() : "argument " + std::to_string(argument.getArgNumber());
  }

  LogicalResult disagreement(Value argument, Operation *first, int64_t firstSwizzle, Operation *second,
                             int64_t secondSwizzle) {
    InFlightDiagnostic error = second->emitError()
                               << "`" << nameOf(argument) << "` is used here with a buffer of swizzle " << secondSwizzle
                               << " and elsewhere with one of swizzle " << firstSwizzle
                               << "; one tensor map has one swizzle [tensor-map-swizzle]";
    error.attachNote(first->getLoc()) << "the other use";
    return error;
  }

  LogicalResult describe(Value argument, int64_t swizzle, int elementBytes) {
    auto type = cast<DescriptorType>(argument.getType());
    SmallVector<int64_t> box(type.getShape());
    if (swizzle != 0)
      box.back() = std::min(box.back(), swizzle / elementBytes);
    if (checkBox(argument, box, swizzle, elementBytes).failed())
      return failure();
    Builder builder(&getContext());
    auto kernels = dyn_cast<BlockArgument>(argument);
    NamedAttrList map;
    if (kernels)
      map = NamedAttrList(getOperation().getArgAttrOfType<DictionaryAttr>(kernels.getArgNumber(), "tlx.tensor_map"));
    map.set("dtype", builder.getStringAttr(elementName(type.getElementType())));
    map.set("rank", builder.getI32IntegerAttr(type.getShape().size()));
    map.set("block", builder.getDenseI64ArrayAttr(type.getShape()));
    map.set("box", builder.getDenseI64ArrayAttr(box));
    map.set("swizzle", builder.getI32IntegerAttr(swizzle));
    if (kernels)
      getOperation().setArgAttr(kernels.getArgNumber(), "tlx.tensor_map", map.getDictionary(&getContext()));
    else
      argument.getDefiningOp()->setAttr("tlx.tensor_map", map.getDictionary(&getContext()));
    return success();
  }

  LogicalResult checkBox(Value argument, ArrayRef<int64_t> box, int64_t swizzle, int elementBytes) {
    auto error = [&] { return mlir::emitError(argument.getLoc()) << "the block of `" << nameOf(argument) << "` has "; };
    int64_t inner = cast<DescriptorType>(argument.getType()).getShape().back() * elementBytes;
    if (int64_t(box.size()) > mostAxes)
      return error() << box.size() << " axes; a tensor map has at most " << mostAxes << " [tensor-map-box]";
    if (inner % innerUnit != 0)
      return error() << "rows of " << inner << " bytes; a tensor map moves multiples of " << innerUnit
                     << " [tensor-map-box]";
    if (swizzle != 0 && inner % swizzle != 0)
      return error() << "rows of " << inner << " bytes; the buffer's swizzle needs a multiple of " << swizzle
                     << " [tensor-map-box]";
    for (int64_t extent : box)
      if (extent > mostPerAxis)
        return error() << extent << " elements along one axis of a message; a tensor map moves at most " << mostPerAxis
                       << " [tensor-map-box]";
    return success();
  }
};

} // namespace
