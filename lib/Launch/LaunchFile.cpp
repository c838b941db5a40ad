// Reading of launch files: tensors, arguments, and the rest. Expectations are read in ExpectationReader.cpp.
#include "LaunchFileReader.h"
#include "tlx/Manifest/ReadFile.h"

#include <algorithm>
#include <limits>

using namespace tlx;
using namespace tlx::rt;

const TensorDecl *LaunchFile::findTensor(std::string_view name) const {
  for (const TensorDecl &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

const TensorDecl *rt::requireTensor(const JsonReader &place, const LaunchFile &file, const std::string &name) {
  const TensorDecl *tensor = file.findTensor(name);
  if (!tensor)
    place.error("there is no tensor `" + name + "`");
  return tensor;
}

static Initializer readNamedInit(const JsonReader &field) {
  Initializer init;
  std::string name = field.string();
  if (name == "randn")
    init.kind = Initializer::Kind::Randn;
  else if (name == "arange")
    init.kind = Initializer::Kind::Arange;
  else if (name == "zeros")
    init.kind = Initializer::Kind::Zeros;
  else if (name == "nan")
    init.kind = Initializer::Kind::NaN;
  else
    field.error("`" + name +
                "` is none of `randn`, `arange`, `zeros`, `nan`, {`randn`: [mean, deviation]}, "
                "{`randint`: [low, high]}, {`full`: x}, {`npy`: path}");
  return init;
}

static Initializer readInit(const JsonReader &field) {
  if (field.value().is_string())
    return readNamedInit(field);
  field.refuseUnknown({"randn", "randint", "full", "npy"});
  Initializer init;
  if (field.value().size() != 1) {
    field.error("expected one way to fill the tensor, found " + std::to_string(field.value().size()));
  } else if (auto full = field.find("full")) {
    init.kind = Initializer::Kind::Full, init.value = full->number();
  } else if (auto path = field.find("npy")) {
    init.kind = Initializer::Kind::Npy, init.path = path->string();
  } else if (auto normal = field.find("randn")) {
    init.kind = Initializer::Kind::Randn;
    auto numbers = normal->elements();
    if (numbers.size() != 2)
      normal->error("expected mean and deviation");
    else
      init.mean = numbers[0].number(), init.deviation = numbers[1].number();
  } else if (auto range = field.find("randint")) {
    init.kind = Initializer::Kind::RandInt;
    std::vector<int64_t> bounds = range->integers();
    if (bounds.size() != 2 || bounds[0] >= bounds[1])
      range->error("expected a lower bound and a larger upper bound, which does not occur itself");
    else
      init.low = bounds[0], init.high = bounds[1];
  }
  return init;
}

/// FNV-1a: tensors without a seed differ from each other, whatever their order in the file.
static uint64_t seedOfName(std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (unsigned char letter : name)
    hash = (hash ^ letter) * 0x100000001B3u;
  return hash;
}

static std::vector<int64_t> readSizes(const JsonReader &field, int64_t least, const char *what) {
  std::vector<int64_t> sizes = field.integers();
  for (int64_t size : sizes)
    if (size < least || size > int64_t(1) << 40)
      field.error(std::string(what) + " " + std::to_string(size) + " is out of range");
  return sizes;
}

/// Bytes of the storage, as far as they fit into an int64_t: sizes and strides are at most 2^40 each.
static bool fitsInMemory(const TensorDecl &tensor) {
  __int128 last = tensor.offset;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
    last += __int128(tensor.shape[axis] - 1) * tensor.strides[axis];
  return (last + 1) * byteSize(tensor.dtype) <= maxTensorBytes;
}

static TensorDecl readTensor(const std::string &name, const JsonReader &object) {
  object.refuseUnknown({"dtype", "shape", "strides", "offset", "init", "seed"});
  TensorDecl tensor;
  tensor.name = name;
  JsonReader dtype = object.at("dtype");
  if (auto type = parseElementType(dtype.string()))
    tensor.dtype = *type;
  else
    dtype.error("`" + dtype.string() + "` is not an element type");
  tensor.shape = readSizes(object.at("shape"), 1, "size");
  tensor.strides = denseStrides(tensor.shape);
  if (auto strides = object.find("strides")) {
    tensor.strides = readSizes(*strides, 0, "stride");
    if (tensor.strides.size() != tensor.shape.size())
      strides->error(std::to_string(tensor.strides.size()) + " strides for " + std::to_string(tensor.shape.size()) +
                     " sizes");
  }
  tensor.offset = object.integerOr("offset", 0);
  if (tensor.offset < 0)
    object.error("offset " + std::to_string(tensor.offset) + " is negative");
  else if (tensor.strides.size() == tensor.shape.size() && !fitsInMemory(tensor))
    object.error("the tensor needs more than " + std::to_string(maxTensorBytes >> 30) + " GiB");
  tensor.init = readInit(object.at("init"));
  auto seed = object.find("seed");
  tensor.seed = seed ? uint64_t(seed->integer()) : seedOfName(name);
  return tensor;
}

static void permute(const JsonReader &field, DescriptorValue &view) {
  std::vector<int64_t> order;
  for (size_t axis = 0; axis < view.sizes.size(); ++axis)
    order.push_back(int64_t(axis));
  if (field.value().is_boolean()) {
    if (order.size() < 2)
      field.error("a tensor of rank " + std::to_string(order.size()) + " has no two axes to swap");
    else if (field.boolean())
      std::swap(order[order.size() - 1], order[order.size() - 2]);
  } else {
    std::vector<int64_t> wanted = field.integers(), sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != order)
      return field.error("expected each axis of 0 to " + std::to_string(int64_t(order.size()) - 1) + " once");
    order = wanted;
  }
  DescriptorValue source = view;
  for (size_t axis = 0; axis < order.size(); ++axis) {
    view.sizes[axis] = source.sizes[order[axis]];
    view.strides[axis] = source.strides[order[axis]];
  }
}

static DescriptorValue wholeTensor(const TensorDecl &tensor) {
  return {tensor.name, tensor.shape, tensor.strides, tensor.offset};
}

static DescriptorValue readDescriptor(const JsonReader &object, const LaunchFile &file) {
  object.refuseUnknown({"descriptor", "sizes", "strides", "offset", "transpose"});
  const TensorDecl *tensor = requireTensor(object, file, object.at("descriptor").string());
  if (!tensor)
    return {};
  DescriptorValue view = wholeTensor(*tensor);
  if (auto sizes = object.find("sizes")) {
    view.sizes = readSizes(*sizes, 1, "size");
    if (view.sizes.size() != tensor->shape.size() || object.find("strides") == std::nullopt)
      view.strides = denseStrides(view.sizes);
    if (!object.find("strides") && tensor->strides != denseStrides(tensor->shape))
      sizes->error("`" + tensor->name + "` is not dense: give `strides` as well");
  }
  if (auto strides = object.find("strides")) {
    view.strides = readSizes(*strides, 0, "stride");
    if (view.strides.size() != view.sizes.size())
      return strides->error("as many strides as sizes are needed"), view;
  }
  view.offset += object.integerOr("offset", 0);
  int64_t needed = view.offset + reach(view.sizes, view.strides);
  int64_t there = tensor->offset + reach(tensor->shape, tensor->strides);
  if (view.offset < 0 || needed > there)
    object.error("the view reaches " + std::to_string(needed) + " elements; `" + tensor->name + "` has " +
                 std::to_string(there));
  if (auto transpose = object.find("transpose"))
    permute(*transpose, view);
  return view;
}

static PointerValue readPointer(const JsonReader &object, const LaunchFile &file) {
  object.refuseUnknown({"tensor", "offset"});
  const TensorDecl *tensor = requireTensor(object, file, object.at("tensor").string());
  if (!tensor)
    return {};
  return {tensor->name, tensor->offset + object.integerOr("offset", 0)};
}

static ArgumentDecl readArgument(const std::string &name, const JsonReader &field, const LaunchFile &file) {
  const Json &value = field.value();
  if (value.is_null())
    return {name, PointerValue()};
  if (value.is_string()) {
    const TensorDecl *tensor = requireTensor(field, file, field.string());
    return {name, tensor ? PointerValue{tensor->name, tensor->offset} : PointerValue()};
  }
  if (value.is_boolean())
    return {name, field.boolean()};
  if (value.is_number_integer())
    return {name, field.integer()};
  if (value.is_number())
    return {name, field.number()};
  if (value.is_object() && value.contains("descriptor"))
    return {name, readDescriptor(field, file)};
  if (value.is_object())
    return {name, readPointer(field, file)};
  field.error("expected a number, a tensor, {`descriptor`: tensor} or null");
  return {name, PointerValue()};
}

static std::array<int, 3> readGrid(const JsonReader &field) {
  std::array<int, 3> grid{1, 1, 1};
  std::vector<int64_t> sizes = field.integers();
  if (sizes.empty() || sizes.size() > 3) {
    field.error("expected 1 to 3 numbers, found " + std::to_string(sizes.size()));
    return grid;
  }
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] < 1 || sizes[axis] > std::numeric_limits<int>::max())
      field.error("grid size " + std::to_string(sizes[axis]) + " is out of range");
    grid[axis] = int(sizes[axis]);
  }
  return grid;
}

/// Whether what is saved as `<name>.npy` would overwrite what the same launch reads; says so.
static bool readsFromSaved(const JsonReader &place, const LaunchFile &file, const std::string &name) {
  std::filesystem::path written = std::filesystem::path(name + ".npy").lexically_normal();
  auto isWritten = [&](const std::string &read) {
    return !read.empty() && std::filesystem::path(read).lexically_normal() == written;
  };
  bool isRead = std::any_of(file.tensors.begin(), file.tensors.end(),
                            [&](const TensorDecl &tensor) { return isWritten(tensor.init.path); }) ||
                std::any_of(file.expect.begin(), file.expect.end(),
                            [&](const ExpectDecl &expect) { return isWritten(expect.reference.path); });
  if (isRead)
    place.error("saving `" + name + "` writes `" + written.string() +
                "`, which this launch reads; name that file or the tensor otherwise");
  return isRead;
}

static void readRest(const JsonReader &root, LaunchFile &file) {
  if (auto expect = root.find("expect"))
    for (auto &[name, object] : expect->fields())
      file.expect.push_back(readExpectation(name, object, file));
  if (auto save = root.find("save"))
    for (const JsonReader &element : save->elements())
      if (requireTensor(element, file, element.string()) && !readsFromSaved(element, file, element.string()))
        file.save.push_back(element.string());
  file.flops = root.numberOr("flops", 0);
  file.bytes = root.numberOr("bytes", 0);
  file.repeat = root.integerOr("repeat", 1);
  if (file.repeat < 1)
    root.error("`repeat` is " + std::to_string(file.repeat) + "; it must be at least 1");
}

Result<LaunchFile> rt::parseLaunchFile(std::string_view text, const std::filesystem::path &folder) {
  Result<Json> json = parseJson(text, ErrorKind::Input, "a launch file");
  if (!json)
    return json.error();
  JsonErrors errors(ErrorKind::Input);
  JsonReader root(*json, "", errors);
  root.refuseUnknown(
      {"manifest", "grid", "tensors", "args", "expect", "save", "flops", "bytes", "repeat", "description"});
  LaunchFile file;
  file.folder = folder;
  file.manifest = root.at("manifest").string();
  file.grid = readGrid(root.at("grid"));
  if (auto tensors = root.find("tensors"))
    for (auto &[name, object] : tensors->fields())
      file.tensors.push_back(readTensor(name, object));
  if (auto args = root.find("args"))
    for (auto &[name, value] : args->fields())
      file.args.push_back(readArgument(name, value, file));
  readRest(root, file);
  if (errors.any())
    return errors.take();
  return file;
}

Result<LaunchFile> rt::readLaunchFile(const std::filesystem::path &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  Result<LaunchFile> file = parseLaunchFile(*text, path.parent_path());
  if (!file)
    return Error{file.error().kind, path.string() + ": " + file.error().text};
  return file;
}
