// The rules of tensor maps, one message each. Source: CUDA Driver API, cuTensorMapEncodeTiled.
#include "TensorMapRequest.h"

using namespace tlx;
using namespace tlx::rt;

static std::string text(int64_t value) {
  return std::to_string(value);
}

static Error recipeError(const Param &param, const std::string &what) {
  return Error{ErrorKind::Manifest, "tensor map `" + param.name + "`: " + what};
}

static Error tensorError(const Param &param, const std::string &what) {
  return Error{ErrorKind::TensorMap, "`" + param.name + "`: " + what};
}

static bool isOneOf(int64_t value, std::initializer_list<int64_t> list) {
  for (int64_t entry : list)
    if (entry == value)
      return true;
  return false;
}

static std::optional<cuda::TensorMapDataType> dataType(ElementType type) {
  switch (type) {
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::FP8E4NV:
  case ElementType::FP8E5:
  case ElementType::FP8E4B8:
  case ElementType::FP8E5B16:
    return cuda::tensorMapUint8;
  case ElementType::I16:
  case ElementType::U16:
    return cuda::tensorMapUint16;
  case ElementType::I32:
    return cuda::tensorMapInt32;
  case ElementType::U32:
    return cuda::tensorMapUint32;
  case ElementType::I64:
    return cuda::tensorMapInt64;
  case ElementType::U64:
    return cuda::tensorMapUint64;
  case ElementType::FP16:
    return cuda::tensorMapFloat16;
  case ElementType::BF16:
    return cuda::tensorMapBfloat16;
  case ElementType::FP32:
    return cuda::tensorMapFloat32;
  case ElementType::FP64:
    return cuda::tensorMapFloat64;
  case ElementType::I1:
    return std::nullopt;
  }
  return std::nullopt;
}

static Status checkBox(const Param &param) {
  const TensorMap &map = *param.tensorMap;
  for (int64_t axis = 0; axis < map.rank; ++axis) {
    if (map.box[axis] < 1 || map.box[axis] > 256)
      return recipeError(param, "box of axis " + text(axis) + " is " + text(map.box[axis]) + "; it must be 1 to 256");
    if (map.elementStrides[axis] < 1 || map.elementStrides[axis] > 8)
      return recipeError(param, "element stride of axis " + text(axis) + " is " + text(map.elementStrides[axis]) +
                                    "; it must be 1 to 8");
  }
  int64_t inner = map.box.back() * byteSize(map.dtype);
  if (inner % 16 != 0)
    return recipeError(param, "the innermost axis of the box has " + text(inner) + " bytes, no multiple of 16");
  if (map.swizzle != 0 && inner > map.swizzle)
    return recipeError(param, "the innermost axis of the box has " + text(inner) + " bytes; swizzle " +
                                  text(map.swizzle) + " takes at most " + text(map.swizzle));
  return Done();
}

Status rt::checkRecipe(const Param &param) {
  const TensorMap &map = *param.tensorMap;
  if (map.rank < 1 || map.rank > 5)
    return recipeError(param, "rank " + text(map.rank) + "; it must be 1 to 5");
  if (param.size != 128 || param.align % 64 != 0)
    return recipeError(param, "size " + text(param.size) + " and alignment " + text(param.align) +
                                  "; a tensor map has 128 bytes aligned to 64");
  if (!dataType(map.dtype))
    return recipeError(param, "`" + std::string(spelling(map.dtype)) + "` has no tensor map type");
  if (!isOneOf(map.swizzle, {0, 32, 64, 128}))
    return recipeError(param, "swizzle " + text(map.swizzle) + " is none of 0, 32, 64, 128");
  if (!isOneOf(map.l2Promotion, {0, 64, 128, 256}))
    return recipeError(param, "L2 promotion " + text(map.l2Promotion) + " is none of 0, 64, 128, 256");
  if (!isOneOf(map.interleave, {0, 16, 32}))
    return recipeError(param, "interleave " + text(map.interleave) + " is none of 0, 16, 32");
  if (map.interleave != 0 && map.rank < 3)
    return recipeError(param, "interleave needs rank 3 or more; the rank is " + text(map.rank));
  if (map.interleave == 32 && map.swizzle != 32)
    return recipeError(param, "interleave 32 needs swizzle 32; the swizzle is " + text(map.swizzle));
  bool encodedAsFloat = isFloat(map.dtype) && byteSize(map.dtype) > 1;
  if (map.fill == Fill::NaN && !encodedAsFloat)
    return recipeError(param, "fill `nan` needs a float of 16 bits or more; the type is `" +
                                  std::string(spelling(map.dtype)) + "`");
  return checkBox(param);
}

/// The stride of an axis of one element is never used, and callers leave odd values there: put a valid one.
static int64_t strideBytes(const TensorView &view, int64_t axis, int64_t elementBytes, int64_t alignment) {
  if (view.sizes[axis] != 1)
    return view.strides[axis] * elementBytes;
  return alignment;
}

Result<TensorMapRequest> rt::makeRequest(const Param &param, const TensorView &view) {
  const TensorMap &map = *param.tensorMap;
  int64_t alignment = map.interleave == 32 ? 32 : 16, bytes = byteSize(map.dtype);
  TensorMapRequest request;
  request.address = view.address;
  if (view.address == 0)
    return tensorError(param, "the address is null");
  if (view.address % alignment != 0)
    return tensorError(param, "address " + std::to_string(view.address) + " is not aligned to " + text(alignment) +
                                  " bytes (it is off by " + text(view.address % alignment) + ")");
  for (int64_t axis = 0; axis < map.rank; ++axis) {
    int64_t size = view.sizes[axis], inner = map.rank - 1 - axis;
    if (size < 1 || size > int64_t(1) << 32)
      return tensorError(param, "size " + text(size) + " of axis " + text(axis) + "; it must be 1 to 4294967296");
    request.sizes[inner] = size;
    if (inner == 0) {
      if (size != 1 && view.strides[axis] != 1)
        return tensorError(param, "stride " + text(view.strides[axis]) + " of the innermost axis " + text(axis) +
                                      "; a tensor map needs 1");
      continue;
    }
    int64_t stride = strideBytes(view, axis, bytes, alignment);
    if (stride < 0 || stride >= int64_t(1) << 40)
      return tensorError(param, "stride of axis " + text(axis) + " is " + text(stride) +
                                    " bytes; it must be 0 to 1099511627775");
    if (stride % alignment != 0)
      return tensorError(param, "stride of axis " + text(axis) + " is " + text(stride) + " bytes, no multiple of " +
                                    text(alignment));
    request.strides[inner - 1] = stride;
  }
  return request;
}

static int swizzleNumber(int64_t bytes) {
  return bytes == 0 ? 0 : bytes == 32 ? 1 : bytes == 64 ? 2 : 3;
}
static int promotionNumber(int64_t bytes) {
  return bytes == 0 ? 0 : bytes == 64 ? 1 : bytes == 128 ? 2 : 3;
}

Result<cuda::TensorMapBits> rt::encode(const Driver &driver, const Param &param, const TensorMapRequest &request) {
  const TensorMap &map = *param.tensorMap;
  std::array<uint32_t, 5> box{}, elementStrides{};
  for (int64_t axis = 0; axis < map.rank; ++axis) {
    box[map.rank - 1 - axis] = uint32_t(map.box[axis]);
    elementStrides[map.rank - 1 - axis] = uint32_t(map.elementStrides[axis]);
  }
  cuda::TensorMapBits bits{};
  cuda::Result result = driver.tensorMapEncodeTiled(
      &bits, *dataType(map.dtype), uint32_t(map.rank), reinterpret_cast<void *>(request.address), request.sizes.data(),
      request.strides.data(), box.data(), elementStrides.data(), int(map.interleave / 16), swizzleNumber(map.swizzle),
      promotionNumber(map.l2Promotion), map.fill == Fill::NaN ? 1 : 0);
  if (result == cuda::success)
    return bits;
  if (result != cuda::errorInvalidValue)
    return driver.failure(result, "tensorMapEncodeTiled");
  std::string shape;
  for (int64_t axis = 0; axis < map.rank; ++axis)
    shape += (axis ? " x " : "") + std::to_string(request.sizes[map.rank - 1 - axis]);
  return tensorError(param, "the driver refuses a tensor map of " + shape + " elements of `" +
                                std::string(spelling(map.dtype)) + "`");
}
