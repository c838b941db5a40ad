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

static std::vector<int64_t> numbersOf(DictionaryAttr map, StringRef key) {
  auto list = map.getAs<DenseI64ArrayAttr>(key);
  return list ? std::vector<int64_t>(list.asArrayRef()) : std::vector<int64_t>();
}

static rt::Extent extentOf(Attribute attribute) {
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getInt();
  if (auto name = dyn_cast<StringAttr>(attribute))
    return name.getValue().str();
  if (auto product = dyn_cast<ArrayAttr>(attribute))
    return rt::Multiple{cast<StringAttr>(product[0]).getValue().str(), cast<IntegerAttr>(product[1]).getInt()};
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

static std::optional<rt::TensorMapSource> sourceOf(DictionaryAttr recipe, size_t rank) {
  auto pointer = recipe.getAs<StringAttr>("pointer");
  if (!pointer)
    return std::nullopt;
  rt::TensorMapSource source{
      pointer.getValue().str(), extentsOf(recipe.get("sizes"), rank), extentsOf(recipe.get("strides"), rank), {}};
  if (auto names = recipe.getAs<ArrayAttr>("apart"))
    for (auto name : names.getAsRange<StringAttr>())
      source.apart.push_back(name.getValue().str());
  return source;
}

static llvm::Error readTensorMap(DictionaryAttr entry, rt::Param &param) {
  auto recipe = entry.getAs<DictionaryAttr>("tlx.tensor_map");
  auto element = recipe ? recipe.getAs<StringAttr>("dtype") : StringAttr();
  auto swizzle = recipe ? recipe.getAs<IntegerAttr>("swizzle") : IntegerAttr();
  std::optional<rt::ElementType> dtype = element ? rt::parseElementType(element.getValue()) : std::nullopt;
  if (!dtype || !swizzle)
    return broken(param.name, "lacks the recipe of its tensor map");
  rt::TensorMap map;
  map.dtype = *dtype;
  map.block = numbersOf(recipe, "block");
  map.box = numbersOf(recipe, "box");
  map.rank = map.box.size();
  if (map.rank == 0 || map.block.size() != map.box.size())
    return broken(param.name, "has a tensor map without box or block");
  map.elementStrides.assign(map.rank, 1);
  map.swizzle = swizzle.getInt();
  map.source = sourceOf(recipe, map.rank);
  param.kind = rt::ParamKind::TensorMap;
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
  auto type = entry.getAs<StringAttr>("tlx.type");
  if (!type)
    return broken(param.name, "has no type");
  param.type = type.getValue().split(':').first.str();
  param.size = param.align = bytesOf(kernel.getArgument(index).getType());
  if (param.size == 0)
    return broken(param.name, "has a type that cannot be passed");
  if (entry.contains("tlx.scratch")) {
    param.kind = rt::ParamKind::Scratch;
    return param;
  }
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
