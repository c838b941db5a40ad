// Builtins of the shorthand: channels, loads by address, products that may be read at once.
#include "Shorthand.h"
#include "Scan.h"
#include "SharedMemory.h"
#include "WrittenLayouts.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

bool tlx::specialize::usesWarpGroups(const ast::FunctionDef &function) {
  bool found = false;
  forEachExpr(function.body, [&](const ast::Expr *expr) {
    const auto *call = dyn_cast<ast::Call>(expr);
    found |= call && calleeName(call) == "get_warp_group_id";
  });
  return found;
}

/// The barrier argument of a call of the shorthand, or null.
static const ast::Expr *barrierArgument(const ast::Call *call) {
  StringRef name = calleeName(call);
  size_t position = name == "async_load_2d" ? 2 : 0;
  if (name != "async_load_2d" && name != "wait_barrier" && name != "arrive_barrier")
    return nullptr;
  for (const ast::KeywordArgument &keyword : call->keywords)
    if (keyword.name == "barrier")
      return keyword.value;
  return position < call->arguments.size() ? call->arguments[position] : nullptr;
}

llvm::StringSet<> tlx::specialize::namesOfChannels(const ast::FunctionDef &function) {
  llvm::StringSet<> names;
  forEachExpr(function.body, [&](const ast::Expr *expr) {
    const auto *call = dyn_cast<ast::Call>(expr);
    const ast::Expr *barrier = call ? barrierArgument(call) : nullptr;
    while (const auto *subscript = dyn_cast_if_present<ast::Subscript>(barrier))
      barrier = subscript->base;
    if (const auto *name = dyn_cast_if_present<ast::Name>(barrier))
      names.insert(name->name);
  });
  return names;
}

Result tlx::specialize::warpGroupId(Call &call) {
  return Datum(WarpGroupId());
}

Result tlx::specialize::allocShared(Call &call) {
  auto shape = call.integers("shape");
  auto type = call.dtype("dtype");
  if (failed(shape) || failed(type))
    return failure();
  if (shape->size() < 2) {
    call.error(diag::Kind::ShapeMismatch, "shape")
        << "`alloc_smem` takes the number of buffers and their extents; " << shape->size() << " numbers are given";
    return failure();
  }
  return allocateBuffers(call, ArrayRef<int64_t>(*shape).drop_front(), *type, shape->front(), mlir::Value());
}

static FailureOr<ChannelSlot> slotOf(Call &call) {
  if (const auto *slot = call["barrier"].getIf<ChannelSlot>())
    return *slot;
  call.error(diag::Kind::ArgumentType, "barrier")
      << "`" << call.builtin.name << "` takes one barrier of loads, as in `barriers[stage]`; this is "
      << call["barrier"].describe();
  return failure();
}

Result tlx::specialize::waitBarrier(Call &call) {
  auto slot = slotOf(call);
  if (failed(slot))
    return failure();
  call.emit.create<ChannelWaitOp>(slot->channel, slot->slot);
  return Datum(NoneValue());
}

Result tlx::specialize::arriveBarrier(Call &call) {
  auto slot = slotOf(call);
  if (failed(slot))
    return failure();
  call.emit.create<ChannelReleaseOp>(slot->channel, slot->slot);
  return Datum(NoneValue());
}

/// How the launcher finds a tensor map: which pointer, which strides (a parameter's name, or 1).
static DictionaryAttr mapAttribute(Call &call, const TileAddress &address) {
  func::FuncOp function = call.specializer.function;
  Builder &builder = call.emit.builder;
  auto strideOf = [&](const AddressAxis &axis) -> Attribute {
    if (!axis.stride)
      return builder.getI32IntegerAttr(1);
    return function.getArgAttrOfType<StringAttr>(*axis.stride, "tlx.name");
  };
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("pointer", function.getArgAttrOfType<StringAttr>(address.base, "tlx.name")),
       builder.getNamedAttr("strides", builder.getArrayAttr({strideOf(address.row), strideOf(address.column)}))});
}

/// The hidden parameter that holds the map; loads of the same tiles share it.
static mlir::Value descriptorArgument(Call &call, const TileAddress &address, BufferType tile, DType type) {
  func::FuncOp function = call.specializer.function;
  Builder &builder = call.emit.builder;
  auto descriptor = DescriptorType::get(call.emit.context(), tile.getShape(), tile.getElementType());
  DictionaryAttr map = mapAttribute(call, address);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, "tlx.tensor_map") == map && function.getArgument(i).getType() == descriptor)
      return function.getArgument(i);
  std::string base = cast<StringAttr>(map.get("pointer")).getValue().str() + "_map";
  unsigned index = function.getNumArguments(), copies = 0;
  for (unsigned i = 0; i < index; ++i)
    if (auto name = function.getArgAttrOfType<StringAttr>(i, "tlx.name"))
      copies += name.getValue().starts_with(base);
  std::string text = "tensordesc<" + type.name() + "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleave(tile.getShape(), stream, ",");
  stream << "]>";
  SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("tlx.name", builder.getStringAttr(copies ? base + std::to_string(copies) : base)),
      builder.getNamedAttr("tlx.type", builder.getStringAttr(text)), builder.getNamedAttr("tlx.tensor_map", map)};
  LogicalResult inserted =
      function.insertArgument(index, descriptor, builder.getDictionaryAttr(attributes), call.emit.location());
  assert(succeeded(inserted) && "a function of our own takes another parameter");
  (void)inserted;
  if (address.column.stride)
    function.setArgAttr(*address.column.stride, "tlx.equal_to", builder.getI32IntegerAttr(1));
  return function.getArgument(index);
}

Result tlx::specialize::asyncLoad2D(Call &call) {
  auto buffer = hardwareBuffer(call, "dest");
  auto slot = slotOf(call);
  if (failed(buffer) || failed(slot))
    return failure();
  const Datum &source = call["src"];
  DType type = call["dest"].dtype();
  if (!source.isScalar() || !source.dtype().isPointer || source.dtype().pointee() != type) {
    call.error(diag::Kind::ArgumentType, "src")
        << "the source is " << source.describe() << "; it is loaded into " << call["dest"].describe();
    return failure();
  }
  BufferType tile = buffer->getType();
  std::string why = "the destination has " + std::to_string(tile.getShape().size()) + " axes, not two";
  std::optional<TileAddress> address;
  if (tile.getShape().size() == 2)
    address = recoverAddress(call.emit, call.specializer.function, source.irValue(), why);
  if (!address) {
    call.error(diag::Kind::AddressNotRecovered, "src") << "the address cannot be made a tensor map: " << why;
    return failure();
  }
  mlir::Value descriptor = descriptorArgument(call, *address, tile, type);
  call.emit.create<ChannelLoadOp>(slot->channel, slot->slot, descriptor, *buffer,
                                  ValueRange{address->row.coordinate, address->column.coordinate});
  return Datum(NoneValue());
}
