// Manifest to JSON, in the order of the specification so that two manifests can be compared line by line.
#include "Names.h"
#include "tlx/Manifest/JsonReader.h"
#include "tlx/Manifest/Manifest.h"

#include <cmath>

using namespace tlx;
using namespace tlx::rt;

static Json toJson(const ConstexprValue &value) {
  if (auto *boolean = std::get_if<bool>(&value))
    return *boolean;
  if (auto *integer = std::get_if<int64_t>(&value))
    return *integer;
  if (auto *text = std::get_if<std::string>(&value))
    return *text;
  if (auto *number = std::get_if<double>(&value)) {
    // JSON has no infinities: they are spelled as the language spells them.
    if (std::isnan(*number))
      return "nan";
    if (std::isinf(*number))
      return *number < 0 ? "-inf" : "inf";
    return *number;
  }
  return nullptr;
}

static Json toJson(const NamedValues &values) {
  Json object = Json::object();
  for (auto &[name, value] : values)
    object[name] = toJson(value);
  return object;
}

static Json toJson(const std::vector<Extent> &extents) {
  Json list = Json::array();
  for (const Extent &extent : extents) {
    if (auto *integer = std::get_if<int64_t>(&extent))
      list.push_back(*integer);
    else if (auto *name = std::get_if<std::string>(&extent))
      list.push_back(*name);
    else if (auto *multiple = std::get_if<Multiple>(&extent))
      list.push_back(Json{{"parameter", multiple->parameter}, {"times", multiple->times}});
    else
      list.push_back(nullptr);
  }
  return list;
}

static Json toJson(const TensorMap &map) {
  Json object{{"dtype", spelling(map.dtype)},
              {"rank", map.rank},
              {"box", map.box},
              {"block", map.block},
              {"element_strides", map.elementStrides},
              {"swizzle", map.swizzle},
              {"interleave", map.interleave},
              {"fill", nameOf(fills, map.fill)},
              {"l2_promotion", map.l2Promotion},
              {"source", nullptr}};
  if (map.source)
    object["source"] = Json{{"pointer", map.source->pointer},
                            {"sizes", toJson(map.source->sizes)},
                            {"strides", toJson(map.source->strides)},
                            {"apart", map.source->apart}};
  return object;
}

static Json toJson(const Param &param) {
  Json object{{"name", param.name}, {"kind", nameOf(paramKinds, param.kind)}};
  if (!param.type.empty())
    object["type"] = param.type;
  object["offset"] = param.offset;
  object["size"] = param.size;
  object["align"] = param.align;
  if (param.divisibleBy)
    object["divisible_by"] = param.divisibleBy;
  if (param.equalTo)
    object["equal_to"] = *param.equalTo;
  if (param.tensorMap)
    object["tensor_map"] = toJson(*param.tensorMap);
  return object;
}

static Json toJson(const Launch &launch) {
  Json object{{"threads", launch.threads},
              {"cluster", launch.cluster},
              {"dynamic_shared", launch.dynamicShared},
              {"static_shared", launch.staticShared},
              {"tmem_columns", launch.tmemColumns},
              {"cooperative", launch.cooperative},
              {"dependent_launch", launch.dependentLaunch},
              {"scratch_bytes", launch.scratchBytes},
              {"scratch_align", launch.scratchAlign},
              {"max_grid", launch.maxGrid}};
  if (launch.argumentBytes == 0)
    return object;
  object["argument_bytes"] = launch.argumentBytes;
  object["argument_align"] = launch.argumentAlign;
  object["hidden_arguments"] = Json::array();
  for (const HiddenArgument &argument : launch.hiddenArguments)
    object["hidden_arguments"].push_back(
        Json{{"kind", argument.kind}, {"offset", argument.offset}, {"size", argument.size}});
  return object;
}

static Json toJson(const Resources &resources) {
  Json tasks = Json::array(), shared = Json::array();
  for (const TaskResources &task : resources.tasks)
    tasks.push_back(
        Json{{"name", task.name}, {"warps", task.warps}, {"replicas", task.replicas}, {"registers", task.registers}});
  for (const SharedAllocation &buffer : resources.shared)
    shared.push_back(
        Json{{"name", buffer.name}, {"bytes", buffer.bytes}, {"offset", buffer.offset}, {"line", buffer.line}});
  Json object{{"registers", resources.registers},
              {"spill_stores", resources.spillStores},
              {"spill_loads", resources.spillLoads},
              {"stack", resources.stack},
              {"barriers", resources.barriers}};
  if (resources.wavesPerSimd != 0) {
    object["accumulators"] = resources.accumulators;
    object["scalar_registers"] = resources.scalarRegisters;
    object["spilled_registers"] = resources.spilledRegisters;
    object["spilled_scalars"] = resources.spilledScalars;
    object["waves_per_simd"] = resources.wavesPerSimd;
  }
  object["tasks"] = tasks;
  object["shared"] = shared;
  return object;
}

static Json toJson(const Image &image) {
  Json object{
      {"file", image.file}, {"kind", nameOf(imageKinds, image.kind)}, {"bytes", image.bytes}, {"sha256", image.sha256}};
  if (!image.ptxSha256.empty())
    object["ptx_sha256"] = image.ptxSha256;
  return object;
}

std::string rt::write(const Manifest &manifest) {
  Json root{{"schema", manifestSchema},
            {"kernel", manifest.kernel},
            {"entry", manifest.entry},
            {"variant", manifest.variant}};
  root["source"] = Json{{"file", manifest.source.file}, {"sha256", manifest.source.sha256}};
  root["constexprs"] = toJson(manifest.constexprs);
  root["compiler"] =
      Json{{"tlxc", manifest.compiler.tlxc}, {"llvm", manifest.compiler.llvm}, {"ptxas", manifest.compiler.ptxas}};
  root["target"] = manifest.target;
  root["devices"] = manifest.devices;
  root["image"] = toJson(manifest.image);
  if (!manifest.moduleFile.empty())
    root["module"] = Json{{"file", manifest.moduleFile}};
  root["params"] = Json::array();
  for (const Param &param : manifest.params)
    root["params"].push_back(toJson(param));
  root["launch"] = toJson(manifest.launch);
  root["resources"] = toJson(manifest.resources);
  if (manifest.grid)
    root["grid"] = *manifest.grid;
  root["tuning"] = toJson(manifest.tuning);
  // Names come from user files: bytes that are not UTF-8 are replaced, as JSON cannot hold them.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
