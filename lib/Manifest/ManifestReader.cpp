// JSON to manifest. The first error is kept with its path; later ones are only its echoes.
#include "Names.h"
#include "tlx/Manifest/JsonReader.h"
#include "tlx/Manifest/Manifest.h"

#include <cmath>

using namespace tlx;
using namespace tlx::rt;

template <typename T, size_t N> static T readName(const JsonReader &field, const Spelled<T> (&table)[N]) {
  std::string text = field.string();
  std::string list;
  for (const Spelled<T> &row : table) {
    if (text == row.text)
      return row.value;
    list += (list.empty() ? "`" : ", `") + std::string(row.text) + "`";
  }
  field.error("`" + text + "` is none of " + list);
  return table[0].value;
}

static ConstexprValue readConstexpr(const JsonReader &field) {
  const Json &value = field.value();
  if (value.is_null())
    return std::monostate();
  if (value.is_boolean())
    return field.boolean();
  if (value.is_number_integer())
    return field.integer();
  if (value.is_number())
    return field.number();
  if (value.is_string())
    return field.string();
  return value.dump();
}

static NamedValues readNamedValues(const JsonReader &object, std::string_view key) {
  NamedValues result;
  if (auto values = object.find(key))
    for (auto &[name, value] : values->fields())
      result.emplace_back(name, readConstexpr(value));
  return result;
}

static std::array<int64_t, 3> readTriple(const JsonReader &object, std::string_view key,
                                         std::array<int64_t, 3> fallback) {
  auto field = object.find(key);
  if (!field)
    return fallback;
  std::vector<int64_t> values = field->integers();
  if (values.size() != 3) {
    field->error("expected 3 numbers, found " + std::to_string(values.size()));
    return fallback;
  }
  for (int64_t value : values)
    if (value < 1)
      field->error("expected numbers of at least 1, found " + std::to_string(value));
  return {values[0], values[1], values[2]};
}

static Extent readExtent(const JsonReader &field) {
  if (field.value().is_null())
    return std::monostate();
  if (field.value().is_string())
    return field.string();
  if (field.value().is_object())
    return Multiple{field.at("parameter").string(), field.at("times").integer()};
  return field.integer();
}

static std::vector<Extent> readExtents(const JsonReader &field) {
  std::vector<Extent> result;
  for (const JsonReader &element : field.elements())
    result.push_back(readExtent(element));
  return result;
}

static void checkRank(const JsonReader &object, const char *key, size_t found, int64_t rank) {
  if (int64_t(found) != rank)
    object.error(std::string("`") + key + "` has " + std::to_string(found) + " entries; the rank is " +
                 std::to_string(rank));
}

static TensorMapSource readSource(const JsonReader &object, int64_t rank) {
  TensorMapSource source;
  source.pointer = object.at("pointer").string();
  source.sizes = readExtents(object.at("sizes"));
  source.strides = readExtents(object.at("strides"));
  if (auto apart = object.find("apart"))
    for (const JsonReader &name : apart->elements())
      source.apart.push_back(name.string());
  checkRank(object, "sizes", source.sizes.size(), rank);
  checkRank(object, "strides", source.strides.size(), rank);
  return source;
}

static TensorMap readTensorMap(const JsonReader &object) {
  TensorMap map;
  JsonReader dtype = object.at("dtype");
  if (auto type = parseElementType(dtype.string()))
    map.dtype = *type;
  else
    dtype.error("`" + dtype.string() + "` is not an element type");
  map.rank = object.at("rank").integer();
  map.box = object.at("box").integers();
  checkRank(object, "box", map.box.size(), map.rank);
  auto block = object.find("block");
  map.block = block ? block->integers() : map.box;
  checkRank(object, "block", map.block.size(), map.rank);
  auto strides = object.find("element_strides");
  map.elementStrides = strides ? strides->integers() : std::vector<int64_t>(map.box.size(), 1);
  checkRank(object, "element_strides", map.elementStrides.size(), map.rank);
  map.swizzle = object.integerOr("swizzle", 0);
  map.interleave = object.integerOr("interleave", 0);
  if (auto fill = object.find("fill"))
    map.fill = readName(*fill, fills);
  map.l2Promotion = object.integerOr("l2_promotion", 256);
  if (auto source = object.find("source"))
    map.source = readSource(*source, map.rank);
  return map;
}

static Param readParam(const JsonReader &object) {
  Param param;
  param.name = object.at("name").string();
  param.kind = readName(object.at("kind"), paramKinds);
  param.type = object.stringOr("type", "");
  param.offset = object.at("offset").integer();
  param.size = object.at("size").integer();
  param.align = object.integerOr("align", param.size);
  param.divisibleBy = object.integerOr("divisible_by", 0);
  if (auto value = object.find("equal_to"))
    param.equalTo = value->integer();
  if (param.kind == ParamKind::TensorMap)
    param.tensorMap = readTensorMap(object.at("tensor_map"));
  if (param.kind == ParamKind::Scalar && !param.elementType())
    object.error("`" + param.type + "` is not the type of a scalar");
  if (param.kind == ParamKind::Pointer && !param.type.starts_with('*'))
    object.error("`" + param.type + "` is not the type of a pointer");
  if (param.offset < 0 || param.size <= 0 || param.align <= 0 || param.offset % param.align != 0)
    object.error("offset " + std::to_string(param.offset) + ", size " + std::to_string(param.size) + ", align " +
                 std::to_string(param.align) + " do not describe a place in the parameter block");
  return param;
}

static Launch readLaunch(const JsonReader &object) {
  Launch launch;
  launch.threads = object.at("threads").integer();
  launch.cluster = readTriple(object, "cluster", launch.cluster);
  launch.dynamicShared = object.integerOr("dynamic_shared", 0);
  launch.staticShared = object.integerOr("static_shared", 0);
  launch.tmemColumns = object.integerOr("tmem_columns", 0);
  launch.cooperative = object.booleanOr("cooperative", false);
  launch.dependentLaunch = object.booleanOr("dependent_launch", false);
  launch.scratchBytes = object.integerOr("scratch_bytes", 0);
  launch.scratchAlign = object.integerOr("scratch_align", 0);
  launch.maxGrid = readTriple(object, "max_grid", launch.maxGrid);
  launch.argumentBytes = object.integerOr("argument_bytes", 0);
  launch.argumentAlign = object.integerOr("argument_align", 0);
  if (auto hidden = object.find("hidden_arguments"))
    for (const JsonReader &argument : hidden->elements())
      launch.hiddenArguments.push_back(
          {argument.at("kind").string(), argument.at("offset").integer(), argument.at("size").integer()});
  return launch;
}

static Resources readResources(const JsonReader &object) {
  Resources resources;
  resources.registers = object.integerOr("registers", 0);
  resources.spillStores = object.integerOr("spill_stores", 0);
  resources.spillLoads = object.integerOr("spill_loads", 0);
  resources.stack = object.integerOr("stack", 0);
  resources.barriers = object.integerOr("barriers", 0);
  resources.accumulators = object.integerOr("accumulators", 0);
  resources.scalarRegisters = object.integerOr("scalar_registers", 0);
  resources.spilledRegisters = object.integerOr("spilled_registers", 0);
  resources.spilledScalars = object.integerOr("spilled_scalars", 0);
  resources.wavesPerSimd = object.integerOr("waves_per_simd", 0);
  if (auto tasks = object.find("tasks"))
    for (const JsonReader &task : tasks->elements())
      resources.tasks.push_back({task.at("name").string(), task.integerOr("warps", 0), task.integerOr("replicas", 1),
                                 task.integerOr("registers", 0)});
  if (auto shared = object.find("shared"))
    for (const JsonReader &buffer : shared->elements())
      resources.shared.push_back({buffer.at("name").string(), buffer.integerOr("bytes", 0),
                                  buffer.integerOr("offset", 0), buffer.integerOr("line", 0)});
  return resources;
}

static Image readImage(const JsonReader &object) {
  Image image;
  image.file = object.at("file").string();
  image.kind = readName(object.at("kind"), imageKinds);
  image.bytes = object.at("bytes").integer();
  image.sha256 = object.at("sha256").string();
  image.ptxSha256 = object.stringOr("ptx_sha256", "");
  return image;
}

/// Names are unique and places do not overlap.
static void checkPlaces(const JsonReader &list, const std::vector<Param> &params) {
  for (size_t i = 0; i < params.size(); ++i) {
    const Param &param = params[i];
    for (size_t j = 0; j < i; ++j) {
      const Param &other = params[j];
      if (other.name == param.name)
        list.error("two parameters are called `" + param.name + "`");
      if (param.offset < other.offset + other.size && other.offset < param.offset + param.size)
        list.error("`" + param.name + "` at offset " + std::to_string(param.offset) + " overlaps `" + other.name +
                   "` at offset " + std::to_string(other.offset));
    }
  }
}

/// What a hidden tensor map is made from exists and has the right kind.
static void checkSource(const JsonReader &list, const Manifest &manifest, const Param &param) {
  const TensorMapSource &source = *param.tensorMap->source;
  const Param *pointer = manifest.findParam(source.pointer);
  if (!pointer || pointer->kind != ParamKind::Pointer)
    list.error("`" + param.name + "` is made from `" + source.pointer + "`, which is not a pointer parameter");
  for (const std::string &name : source.apart)
    if (const Param *written = manifest.findParam(name); !written || written->kind == ParamKind::Scalar)
      list.error("`" + param.name + "` is apart from `" + name + "`, which is not a tensor's parameter");
  for (const auto *extents : {&source.sizes, &source.strides})
    for (const Extent &extent : *extents) {
      const std::string *name = parameterOf(extent);
      if (!name)
        continue;
      const Param *scalar = manifest.findParam(*name);
      if (!scalar || scalar->kind != ParamKind::Scalar || isFloat(*scalar->elementType()))
        list.error("`" + param.name + "` is made from `" + *name + "`, which is not an integer parameter");
    }
}

static void readHeader(const JsonReader &root, Manifest &manifest) {
  manifest.kernel = root.at("kernel").string();
  manifest.entry = root.at("entry").string();
  manifest.variant = root.stringOr("variant", "");
  if (auto source = root.find("source"))
    manifest.source = {source->stringOr("file", ""), source->stringOr("sha256", "")};
  manifest.constexprs = readNamedValues(root, "constexprs");
  if (auto compiler = root.find("compiler"))
    manifest.compiler = {compiler->stringOr("tlxc", ""), compiler->stringOr("llvm", ""),
                         compiler->stringOr("ptxas", "")};
  manifest.target = root.at("target").string();
  if (auto devices = root.find("devices"))
    manifest.devices = devices->strings();
}

Result<Manifest> rt::parse(std::string_view text) {
  Result<Json> json = parseJson(text, ErrorKind::Manifest, "a manifest");
  if (!json)
    return json.error();
  JsonErrors errors(ErrorKind::Manifest);
  JsonReader root(*json, "", errors);
  int64_t schema = root.at("schema").integer();
  if (!errors.any() && schema != manifestSchema)
    return Error{ErrorKind::Manifest, "the manifest has schema " + std::to_string(schema) + "; this program reads " +
                                          std::to_string(manifestSchema)};
  Manifest manifest;
  readHeader(root, manifest);
  manifest.image = readImage(root.at("image"));
  if (auto module = root.find("module"))
    manifest.moduleFile = module->at("file").string();
  JsonReader params = root.at("params");
  for (const JsonReader &param : params.elements())
    manifest.params.push_back(readParam(param));
  manifest.launch = readLaunch(root.at("launch"));
  if (auto resources = root.find("resources"))
    manifest.resources = readResources(*resources);
  if (auto grid = root.find("grid"))
    manifest.grid = grid->string();
  manifest.tuning = readNamedValues(root, "tuning");
  if (!errors.any())
    checkPlaces(params, manifest.params);
  for (const Param &param : manifest.params)
    if (!errors.any() && param.tensorMap && param.tensorMap->source)
      checkSource(params, manifest, param);
  if (errors.any())
    return errors.take();
  return manifest;
}
