// From the named arguments of a launch file to one value for each visible parameter of the manifest.
#include "tlx/Launch/LaunchSession.h"

using namespace tlx;
using namespace tlx::rt;

namespace {

Error argumentError(const Param &param, const std::string &what) {
  return Error{ErrorKind::Input, "argument `" + param.name + "`: " + what};
}

int indexOf(const LaunchFile &file, const std::string &name) {
  const TensorDecl *tensor = file.findTensor(name);
  return tensor ? int(tensor - file.tensors.data()) : -1;
}

Result<BoundArgument> bindDescriptor(const LaunchFile &file, const Param &param, const ArgumentDecl &arg) {
  BoundArgument bound{param.name, BoundArgument::Kind::Descriptor, -1, 0, {}, {}, 0, 0};
  DescriptorValue view;
  if (auto *descriptor = std::get_if<DescriptorValue>(&arg.value)) {
    view = *descriptor;
  } else if (auto *pointer = std::get_if<PointerValue>(&arg.value); pointer && !pointer->tensor.empty()) {
    // A plain name stands for the whole tensor.
    const TensorDecl &tensor = *file.findTensor(pointer->tensor);
    view = {tensor.name, tensor.shape, tensor.strides, pointer->offset};
  } else {
    return argumentError(param, "the parameter is a tensor map: expected {\"descriptor\": tensor}");
  }
  const TensorMap &map = *param.tensorMap;
  const TensorDecl &tensor = *file.findTensor(view.tensor);
  // Tensor maps copy integers, whatever their sign.
  bool areIntegers = !isFloat(tensor.dtype) && !isFloat(map.dtype) && byteSize(tensor.dtype) == byteSize(map.dtype);
  if (tensor.dtype != map.dtype && !areIntegers)
    return argumentError(param, "`" + tensor.name + "` has elements of `" + std::string(spelling(tensor.dtype)) +
                                    "`; the parameter takes `" + std::string(spelling(map.dtype)) + "`");
  if (int64_t(view.sizes.size()) != map.rank)
    return argumentError(param, "the view has rank " + std::to_string(view.sizes.size()) +
                                    "; the parameter takes rank " + std::to_string(map.rank));
  bound.tensor = indexOf(file, view.tensor);
  bound.offset = view.offset, bound.sizes = view.sizes, bound.strides = view.strides;
  return bound;
}

Result<BoundArgument> bindPointer(const LaunchFile &file, const Param &param, const ArgumentDecl &arg) {
  auto *pointer = std::get_if<PointerValue>(&arg.value);
  if (!pointer)
    return argumentError(param, "the parameter is a pointer: expected the name of a tensor or null");
  BoundArgument bound{param.name, BoundArgument::Kind::Pointer, -1, pointer->offset, {}, {}, 0, 0};
  if (pointer->tensor.empty())
    return bound;
  const TensorDecl &tensor = *file.findTensor(pointer->tensor);
  if (auto type = param.elementType(); type && *type != tensor.dtype)
    return argumentError(param, "`" + tensor.name + "` has elements of `" + std::string(spelling(tensor.dtype)) +
                                    "`; the parameter is `" + param.type + "`");
  bound.tensor = indexOf(file, pointer->tensor);
  return bound;
}

Result<BoundArgument> bindScalar(const Param &param, const ArgumentDecl &arg) {
  BoundArgument bound{param.name, BoundArgument::Kind::Integer, -1, 0, {}, {}, 0, 0};
  auto *integer = std::get_if<int64_t>(&arg.value);
  auto *number = std::get_if<double>(&arg.value);
  auto *boolean = std::get_if<bool>(&arg.value);
  if (isFloat(*param.elementType())) {
    if (!integer && !number)
      return argumentError(param, "the parameter is `" + param.type + "`: expected a number");
    bound.kind = BoundArgument::Kind::Float;
    bound.number = number ? *number : double(*integer);
    return bound;
  }
  if (!integer && !boolean)
    return argumentError(param, "the parameter is `" + param.type + "`: expected an integer");
  bound.integer = integer ? *integer : *boolean;
  const ElementType type = *param.elementType();
  if (bound.integer < minInteger(type) || bound.integer > maxInteger(type))
    return argumentError(param, std::to_string(bound.integer) + " does not fit `" + param.type + "`");
  return bound;
}

Result<BoundArgument> bindOne(const LaunchFile &file, const Param &param, const ArgumentDecl &arg) {
  switch (param.kind) {
  case ParamKind::TensorMap:
    return bindDescriptor(file, param, arg);
  case ParamKind::Pointer:
    return bindPointer(file, param, arg);
  default:
    return bindScalar(param, arg);
  }
}

/// Names of the visible parameters, for messages.
std::string visibleNames(const Manifest &manifest) {
  std::string list;
  for (const Param &param : manifest.params)
    if (!param.isHidden())
      list += (list.empty() ? "`" : ", `") + param.name + "`";
  return list.empty() ? "none" : list;
}

} // namespace

Result<LaunchRequest> rt::bindArguments(const LaunchFile &file, const Manifest &manifest) {
  LaunchRequest request{file.grid, {}};
  for (const ArgumentDecl &arg : file.args) {
    const Param *param = manifest.findParam(arg.name);
    if (!param || param->isHidden())
      return Error{ErrorKind::Input, "`" + manifest.kernel + "` takes no argument `" + arg.name + "`; it takes " +
                                         visibleNames(manifest)};
  }
  for (const Param &param : manifest.params) {
    if (param.isHidden())
      continue;
    const ArgumentDecl *found = nullptr;
    for (const ArgumentDecl &arg : file.args)
      if (arg.name == param.name)
        found = &arg;
    if (!found)
      return Error{ErrorKind::Input, "argument `" + param.name + "` of `" + manifest.kernel + "` is missing"};
    Result<BoundArgument> bound = bindOne(file, param, *found);
    if (!bound)
      return bound.error();
    request.args.push_back(std::move(*bound));
  }
  return request;
}
