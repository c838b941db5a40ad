// Checks of arguments, one message each, and their encoding.
#include "ArgumentPacker.h"

#include <cstring>
#include <new>

using namespace tlx;
using namespace tlx::rt;

// Tensor maps are aligned to 64 bytes inside the block.
static constexpr std::align_val_t blockAlignment{64};

ParameterBlock::ParameterBlock(int64_t bytes)
    : storage(static_cast<std::byte *>(operator new(size_t(bytes) + 1, blockAlignment))) {
  // Some drivers copy the block as a whole, gaps included.
  std::memset(storage.get(), 0, size_t(bytes));
}

void ParameterBlock::Release::operator()(std::byte *memory) const {
  operator delete(memory, blockAlignment);
}

namespace {

std::string_view kindName(int32_t kind) {
  switch (kind) {
  case TLXRT_ARG_TENSOR:
    return "a tensor";
  case TLXRT_ARG_POINTER:
    return "a pointer";
  case TLXRT_ARG_I64:
    return "an integer";
  case TLXRT_ARG_F64:
    return "a floating-point number";
  }
  return "of unknown kind";
}

Error kindError(const Param &param, const char *wanted, int32_t found) {
  return Error{ErrorKind::ArgumentKind,
               "`" + param.name + "` takes " + wanted + "; the argument is " + std::string(kindName(found))};
}

Error valueError(const Param &param, const std::string &what) {
  return Error{ErrorKind::ArgumentValue, "`" + param.name + "`: " + what};
}

class Packer {
public:
  Packer(const tlxrt_kernel &kernel, const MapWriter &writeMap, ParameterBlock &block)
      : kernel(kernel), writeMap(writeMap), block(block), arguments(kernel.manifest.params.size(), nullptr) {}

  Status pack(const tlxrt_arg *args, int count);

private:
  Status packOne(size_t index);
  Status packPointer(const Param &param, const tlxrt_arg &arg);
  Status packInteger(const Param &param, ElementType type, const tlxrt_arg &arg);
  Status packScalar(const Param &param, const tlxrt_arg &arg);
  Status packTensorMap(size_t index, const TensorView &view);
  Result<TensorView> viewOf(const Param &param, const tlxrt_arg &arg) const;
  Result<TensorView> viewOfSource(const Param &param) const;
  Status checkTensor(const Param &param, const tlxrt_arg &arg, ElementType type) const;
  int64_t extent(const Extent &extent) const;
  const tlxrt_arg &argument(const std::string &name) const;

  const tlxrt_kernel &kernel;
  const MapWriter &writeMap;
  ParameterBlock &block;
  /// By index of the parameter; null for hidden ones.
  std::vector<const tlxrt_arg *> arguments;
};

uint64_t addressOf(const tlxrt_arg &arg) {
  void *pointer = arg.kind == TLXRT_ARG_TENSOR ? arg.value.tensor->data : arg.value.pointer;
  return reinterpret_cast<uintptr_t>(pointer);
}

Status Packer::checkTensor(const Param &param, const tlxrt_arg &arg, ElementType type) const {
  if (!arg.value.tensor)
    return Error{ErrorKind::NullArgument, "`" + param.name + "`: the tensor is null"};
  const tlxrt_tensor &tensor = *arg.value.tensor;
  if (tensor.dtype != int(type)) {
    std::string found = tensor.dtype >= 0 && tensor.dtype <= int(ElementType::FP8E5B16)
                            ? "`" + std::string(spelling(ElementType(tensor.dtype))) + "`"
                            : "number " + std::to_string(tensor.dtype);
    return Error{ErrorKind::ArgumentKind, "`" + param.name + "` takes elements of `" + std::string(spelling(type)) +
                                              "`; the tensor has " + found};
  }
  return Done();
}

Status Packer::packPointer(const Param &param, const tlxrt_arg &arg) {
  if (arg.kind != TLXRT_ARG_TENSOR && arg.kind != TLXRT_ARG_POINTER)
    return kindError(param, "a pointer or a tensor", arg.kind);
  // A pointer to something that is no element type, such as an opaque struct, takes any tensor.
  if (auto type = param.elementType(); type && arg.kind == TLXRT_ARG_TENSOR)
    if (Status status = checkTensor(param, arg, *type); !status)
      return status;
  if (arg.kind == TLXRT_ARG_TENSOR && !arg.value.tensor)
    return Error{ErrorKind::NullArgument, "`" + param.name + "`: the tensor is null"};
  uint64_t address = addressOf(arg);
  if (param.divisibleBy > 1 && address % param.divisibleBy != 0)
    return valueError(param, "address " + std::to_string(address) + " is not divisible by " +
                                 std::to_string(param.divisibleBy) + ", which the kernel was compiled for");
  std::memcpy(block.at(param.offset), &address, sizeof address);
  return Done();
}

Status Packer::packInteger(const Param &param, ElementType type, const tlxrt_arg &arg) {
  if (arg.kind != TLXRT_ARG_I64)
    return kindError(param, "an integer", arg.kind);
  int64_t value = arg.value.i64;
  // Every bit pattern is a value of u64.
  if (type != ElementType::U64 && (value < minInteger(type) || value > maxInteger(type)))
    return valueError(param, std::to_string(value) + " does not fit `" + param.type + "`, which holds " +
                                 std::to_string(minInteger(type)) + " to " + std::to_string(maxInteger(type)));
  if (param.divisibleBy > 1 && value % param.divisibleBy != 0)
    return valueError(param, std::to_string(value) + " is not divisible by " + std::to_string(param.divisibleBy) +
                                 ", which the kernel was compiled for");
  if (param.equalTo && value != *param.equalTo)
    return valueError(param, std::to_string(value) + " is not " + std::to_string(*param.equalTo) +
                                 ", which the kernel was compiled for");
  std::memcpy(block.at(param.offset), &value, size_t(param.size));
  return Done();
}

Status Packer::packScalar(const Param &param, const tlxrt_arg &arg) {
  ElementType type = *param.elementType();
  if (!isFloat(type))
    return packInteger(param, type, arg);
  if (arg.kind != TLXRT_ARG_F64)
    return kindError(param, "a floating-point number", arg.kind);
  encodeElement(type, arg.value.f64, block.at(param.offset));
  return Done();
}

Result<TensorView> Packer::viewOf(const Param &param, const tlxrt_arg &arg) const {
  const TensorMap &map = *param.tensorMap;
  if (arg.kind != TLXRT_ARG_TENSOR)
    return kindError(param, "a tensor", arg.kind);
  if (Status status = checkTensor(param, arg, map.dtype); !status)
    return status.error();
  const tlxrt_tensor &tensor = *arg.value.tensor;
  if (tensor.rank != map.rank)
    return Error{ErrorKind::ArgumentKind, "`" + param.name + "` takes a tensor of rank " + std::to_string(map.rank) +
                                              "; the rank is " + std::to_string(tensor.rank)};
  TensorView view{addressOf(arg), map.rank, {}, {}};
  for (int64_t axis = 0; axis < map.rank; ++axis) {
    view.sizes[axis] = tensor.sizes[axis];
    view.strides[axis] = tensor.strides[axis];
  }
  return view;
}

const tlxrt_arg &Packer::argument(const std::string &name) const {
  size_t index = kernel.manifest.findParam(name) - kernel.manifest.params.data();
  return *arguments[index];
}

int64_t Packer::extent(const Extent &extent) const {
  if (auto *number = std::get_if<int64_t>(&extent))
    return *number;
  if (auto *name = std::get_if<std::string>(&extent))
    return argument(*name).value.i64;
  if (auto *multiple = std::get_if<Multiple>(&extent))
    return argument(multiple->parameter).value.i64 * multiple->times;
  return unboundedExtent;
}

Result<TensorView> Packer::viewOfSource(const Param &param) const {
  const TensorMap &map = *param.tensorMap;
  TensorView view{addressOf(argument(map.source->pointer)), map.rank, {}, {}};
  for (int64_t axis = 0; axis < map.rank; ++axis) {
    view.sizes[axis] = extent(map.source->sizes[axis]);
    view.isEmpty |= view.sizes[axis] <= 0;
    view.strides[axis] = extent(map.source->strides[axis]);
    auto *name = std::get_if<std::string>(&map.source->strides[axis]);
    if (name && axis == map.rank - 1 && view.strides[axis] != 1)
      return Error{ErrorKind::ArgumentValue, "`" + *name + "`: " + std::to_string(view.strides[axis]) +
                                                 " is not 1, which the tensor map `" + param.name + "` needs"};
  }
  // Whatever the kernel reads of a tensor without elements is zero. A map has at least one element.
  if (view.isEmpty) {
    view.address = 16;
    view.sizes.fill(1);
    return view;
  }
  for (const std::string &name : map.source->apart)
    if (addressOf(argument(name)) == view.address)
      return Error{ErrorKind::ArgumentValue, "`" + map.source->pointer + "` and `" + name +
                                                 "` are the same memory, and the kernel loads the one ahead of what it "
                                                 "stores to the other: compile it with --no-hidden-maps"};
  return view;
}

Status Packer::packTensorMap(size_t index, const TensorView &view) {
  const Param &param = kernel.manifest.params[index];
  Result<TensorMapRequest> request = makeRequest(param, view);
  if (!request)
    return request.error();
  request->isEmpty = view.isEmpty;
  return writeMap(index, *request, block.at(param.offset));
}

Status Packer::packOne(size_t index) {
  const Param &param = kernel.manifest.params[index];
  switch (param.kind) {
  case ParamKind::Pointer:
    return packPointer(param, *arguments[index]);
  case ParamKind::Scalar:
    return packScalar(param, *arguments[index]);
  case ParamKind::TensorMap: {
    auto view = arguments[index] ? viewOf(param, *arguments[index]) : viewOfSource(param);
    if (!view)
      return view.error();
    return packTensorMap(index, *view);
  }
  case ParamKind::Scratch:
    return Done();
  }
  return Done();
}

Status Packer::pack(const tlxrt_arg *args, int count) {
  if (count != int(kernel.visible.size()))
    return Error{ErrorKind::ArgumentCount, "`" + kernel.manifest.kernel + "` takes " +
                                               std::to_string(kernel.visible.size()) + " arguments; " +
                                               std::to_string(count) + " were given"};
  for (int i = 0; i < count; ++i)
    arguments[kernel.visible[i]] = &args[i];
  // Arguments first: the hidden maps are made from them and rely on their kinds.
  for (bool hidden : {false, true})
    for (size_t i = 0; i < arguments.size(); ++i)
      if (kernel.manifest.params[i].isHidden() == hidden)
        if (Status status = packOne(i); !status)
          return status;
  return Done();
}

} // namespace

Status rt::packArguments(const tlxrt_kernel &kernel, const MapWriter &writeMap, const tlxrt_arg *args, int count,
                         ParameterBlock &block) {
  return Packer(kernel, writeMap, block).pack(args, count);
}
