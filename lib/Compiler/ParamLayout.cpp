// Parameter offsets, kinds, preconditions and tensor-map recipes.
#include "ParamLayout.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;

static llvm::Error broken(StringRef parameter, const llvm::Twine &what) {
  return llvm::createStringError("parameter `" + parameter + "` of the lowered kernel " + what);
}

/// "tensordesc<fp16[128,64]>" to element type and block.
static llvm::Error readDescriptorType(StringRef name, StringRef type, rt::TensorMap &map) {
  StringRef inside = type;
  if (!inside.consume_front("tensordesc<") || !inside.consume_back("]>"))
    return broken(name, "has the type `" + type + "`, which is not that of a tensor map");
  auto [element, sizes] = inside.split('[');
  std::optional<rt::ElementType> dtype = rt::parseElementType(std::string_view(element.data(), element.size()));
  if (!dtype)
    return broken(name, "has the unknown element type `" + element + "`");
  map.dtype = *dtype;
  for (StringRef size : llvm::split(sizes, ',')) {
    int64_t value;
    if (size.trim().getAsInteger(10, value))
      return broken(name, "has a block size `" + size + "` that is not a number");
    map.block.push_back(value);
  }
  map.rank = map.block.size();
  map.elementStrides.assign(map.rank, 1);
  return llvm::Error::success();
}

static rt::Extent extentOf(Attribute attribute) {
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getInt();
  if (auto name = dyn_cast<StringAttr>(attribute))
    return name.getValue().str();
  return std::monostate();
}

static std::vector<rt::Extent> extentsOf(Attribute attribute, size_t rank) {
  std::vector<rt::Extent> result;
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute))
    for (Attribute entry : list)
      result.push_back(extentOf(entry));
  result.resize(rank);
  return result;
}

static std::optional<rt::TensorMapSource> sourceOf(DictionaryAttr entry, size_t rank) {
  auto source = entry.getAs<DictionaryAttr>("tlx.tensor_map");
  auto pointer = source ? source.getAs<StringAttr>("pointer") : StringAttr();
  if (!pointer)
    return std::nullopt;
  return rt::TensorMapSource{pointer.getValue().str(), extentsOf(source.get("sizes"), rank),
                             extentsOf(source.get("strides"), rank)};
}

static llvm::Error readTensorMap(DictionaryAttr entry, rt::Param &param) {
  rt::TensorMap map;
  if (llvm::Error error = readDescriptorType(param.name, param.type, map))
    return error;
  auto box = entry.getAs<DenseI64ArrayAttr>("tlx.box");
  auto swizzle = entry.getAs<IntegerAttr>("tlx.swizzle");
  if (!box || !swizzle || static_cast<int64_t>(box.size()) != map.rank)
    return broken(param.name, "lacks the box and swizzle of its tensor map");
  map.box.assign(box.asArrayRef().begin(), box.asArrayRef().end());
  map.swizzle = swizzle.getInt();
  map.source = sourceOf(entry, map.rank);
  param.kind = rt::ParamKind::TensorMap;
  param.type.clear();
  param.tensorMap = std::move(map);
  return llvm::Error::success();
}

/// Bytes of an argument in the parameter block, or 0 for what has no place there.
static int64_t bytesOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return 0;
}

static llvm::Expected<rt::Param> describe(LLVM::LLVMFuncOp kernel, unsigned index, DictionaryAttr entry) {
  rt::Param param;
  auto name = entry.getAs<StringAttr>("tlx.name");
  param.name = name ? name.getValue().str() : "arg" + std::to_string(index);
  auto type = entry.getAs<StringAttr>("tlx.type");
  if (!type)
    return broken(param.name, "has no type");
  param.type = type.getValue().split(':').first.str();
  if (auto divisible = entry.getAs<IntegerAttr>("tlx.divisibility"))
    param.divisibleBy = divisible.getInt();
  if (auto equal = entry.getAs<IntegerAttr>("tlx.equal_to"))
    param.equalTo = equal.getInt();
  if (kernel.getArgAttr(index, "llvm.byval")) {
    // CUtensorMap (CUDA driver API).
    param.size = 128;
    param.align = 64;
    if (llvm::Error error = readTensorMap(entry, param))
      return error;
    return param;
  }
  param.size = param.align = bytesOf(kernel.getArgument(index).getType());
  if (param.size == 0)
    return broken(param.name, "has a type that cannot be passed");
  param.kind = StringRef(param.type).starts_with("*") ? rt::ParamKind::Pointer : rt::ParamKind::Scalar;
  return param;
}

llvm::Expected<std::vector<rt::Param>> tlx::layOutParams(LLVM::LLVMFuncOp kernel) {
  auto described = kernel->getAttrOfType<ArrayAttr>("tlx.params");
  if (!described || described.size() != kernel.getNumArguments())
    return llvm::createStringError("the lowered kernel does not describe its parameters");
  std::vector<rt::Param> params;
  int64_t offset = 0;
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    llvm::Expected<rt::Param> param = describe(kernel, index, cast<DictionaryAttr>(described[index]));
    if (!param)
      return param.takeError();
    param->offset = llvm::alignTo(offset, llvm::Align(param->align));
    offset = param->offset + param->size;
    params.push_back(std::move(*param));
  }
  return params;
}
