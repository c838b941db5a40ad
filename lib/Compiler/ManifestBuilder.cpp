// Function attributes to manifest.
#include "ManifestBuilder.h"

#include "ParamLayout.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlx;

static int64_t number(DictionaryAttr entry, StringRef key, int64_t otherwise = 0) {
  auto attribute = entry.getAs<IntegerAttr>(key);
  return attribute ? attribute.getInt() : otherwise;
}

static std::string text(DictionaryAttr entry, StringRef key) {
  auto attribute = entry.getAs<StringAttr>(key);
  return attribute ? attribute.getValue().str() : std::string();
}

static llvm::SmallVector<DictionaryAttr> entries(Operation *kernel, StringRef name) {
  llvm::SmallVector<DictionaryAttr> result;
  if (auto list = kernel->getAttrOfType<ArrayAttr>(name))
    for (Attribute entry : list)
      if (auto dictionary = dyn_cast<DictionaryAttr>(entry))
        result.push_back(dictionary);
  return result;
}

static rt::ConstexprValue constexprOf(Attribute attribute) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.getValue().str();
  return std::monostate();
}

/// Threads of a block. ROCDL's attribute is a range, "256,256"; both ends are the same.
static int64_t threadsOf(LLVM::LLVMFuncOp kernel) {
  int64_t threads = 0;
  if (auto shape = kernel->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid"))
    for (int32_t count : shape.asArrayRef())
      threads = std::max<int64_t>(threads, 1) * count;
  if (auto range = kernel->getAttrOfType<StringAttr>("rocdl.flat_work_group_size"))
    range.getValue().split(',').second.getAsInteger(10, threads);
  return threads;
}

static rt::Launch launchOf(LLVM::LLVMFuncOp kernel) {
  rt::Launch launch;
  launch.threads = threadsOf(kernel);
  if (auto cluster = kernel->getAttrOfType<DenseI32ArrayAttr>("tlx.cluster"))
    for (size_t axis = 0; axis < std::min<size_t>(3, cluster.size()); ++axis)
      launch.cluster[axis] = cluster[axis];
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>("tlx.shared_bytes"))
    launch.dynamicShared = bytes.getInt();
  if (auto columns = kernel->getAttrOfType<IntegerAttr>("tlx.tmem_columns"))
    launch.tmemColumns = columns.getInt();
  launch.dependentLaunch = kernel->hasAttr("tlx.dependent_launch");
  for (Attribute entry : kernel->getAttrOfType<ArrayAttr>("tlx.params").getValue())
    if (auto scratch = cast<DictionaryAttr>(entry).getAs<IntegerAttr>("tlx.scratch")) {
      launch.scratchBytes = scratch.getInt();
      // tensormap.replace works on 128 bytes aligned to their size.
      launch.scratchAlign = 128;
    }
  return launch;
}

/// Replicas of one task stand in one row.
static void addTask(DictionaryAttr task, std::vector<rt::TaskResources> &tasks) {
  rt::TaskResources entry{text(task, "name"), number(task, "warps"), 1, number(task, "registers")};
  if (number(task, "replica") > 0 && !tasks.empty() && tasks.back().name == entry.name) {
    ++tasks.back().replicas;
    return;
  }
  tasks.push_back(entry);
}

static rt::Resources resourcesOf(LLVM::LLVMFuncOp kernel, const rt::Launch &launch, const Arch &arch) {
  rt::Resources resources;
  for (DictionaryAttr task : entries(kernel, "tlx.tasks"))
    addTask(task, resources.tasks);
  if (resources.tasks.empty())
    resources.tasks.push_back({"default", launch.threads / arch.warpSize, 1, 0});
  for (DictionaryAttr buffer : entries(kernel, "tlx.shared"))
    resources.shared.push_back({text(buffer, "name"),
                                number(buffer, "bytes") * std::max<int64_t>(1, number(buffer, "count")),
                                number(buffer, "offset"), number(buffer, "line")});
  for (DictionaryAttr barrier : entries(kernel, "tlx.barriers"))
    resources.shared.push_back({text(barrier, "name"), 8 * std::max<int64_t>(1, number(barrier, "count")),
                                number(barrier, "offset"), number(barrier, "line")});
  return resources;
}

llvm::Expected<rt::Manifest> tlx::buildManifest(ModuleOp lowered, const Arch &arch) {
  LLVM::LLVMFuncOp kernel;
  for (auto function : lowered.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel") || function->hasAttr("rocdl.kernel"))
      kernel = function;
  if (!kernel)
    return llvm::createStringError("the lowered module has no kernel");
  rt::Manifest manifest;
  manifest.kernel = manifest.entry = kernel.getName().str();
  manifest.target = arch.name.str();
  for (llvm::StringRef device : llvm::split(arch.devices, ' '))
    manifest.devices.push_back(device.str());
  if (auto values = kernel->getAttrOfType<DictionaryAttr>("tlx.constexprs"))
    for (NamedAttribute value : values)
      manifest.constexprs.emplace_back(value.getName().str(), constexprOf(value.getValue()));
  llvm::Expected<std::vector<rt::Param>> params = layOutParams(kernel);
  if (!params)
    return params.takeError();
  manifest.params = std::move(*params);
  manifest.launch = launchOf(kernel);
  manifest.resources = resourcesOf(kernel, manifest.launch, arch);
  return manifest;
}

void tlx::addReport(const AssemblerReport &report, rt::Manifest &manifest) {
  manifest.resources.registers = report.registers;
  manifest.resources.spillStores = report.spillStores;
  manifest.resources.spillLoads = report.spillLoads;
  manifest.resources.stack = report.stack;
  manifest.resources.barriers = report.barriers;
  manifest.launch.staticShared = report.staticShared;
}

/// The arguments lie in the image where the manifest says: else launchers would pass them wrongly.
static llvm::Error comparePlaces(const CodeObjectReport &report, const rt::Manifest &manifest) {
  llvm::SmallVector<SegmentArgument> own;
  for (const SegmentArgument &argument : report.arguments)
    if (argument.hidden.empty())
      own.push_back(argument);
  if (own.size() != manifest.params.size())
    return llvm::createStringError("the code object has " + llvm::Twine(own.size()) + " arguments, the kernel " +
                                   llvm::Twine(manifest.params.size()));
  for (auto [argument, param] : llvm::zip(own, manifest.params))
    if (argument.offset != param.offset || argument.size != param.size)
      return llvm::createStringError("the code object has `" + param.name + "` at offset " +
                                     llvm::Twine(argument.offset) + " with " + llvm::Twine(argument.size) +
                                     " bytes, the manifest at " + llvm::Twine(param.offset) + " with " +
                                     llvm::Twine(param.size));
  return llvm::Error::success();
}

llvm::Error tlx::addReport(const CodeObjectReport &report, const Arch &arch, rt::Manifest &manifest) {
  if (llvm::Error error = comparePlaces(report, manifest))
    return error;
  rt::Resources &resources = manifest.resources;
  resources.registers = report.vectorRegisters;
  resources.accumulators = report.accumulationRegisters;
  resources.scalarRegisters = report.scalarRegisters;
  resources.spilledRegisters = report.vectorSpills;
  resources.spilledScalars = report.scalarSpills;
  resources.stack = report.scratch;
  rt::Launch &launch = manifest.launch;
  // The descriptor of the kernel asks for it, so that the launch does not.
  launch.staticShared = report.shared;
  launch.dynamicShared = 0;
  resources.wavesPerSimd = wavesPerSimd(report, static_cast<unsigned>(launch.threads), arch);
  launch.argumentBytes = report.segmentBytes;
  launch.argumentAlign = report.segmentAlign;
  for (const SegmentArgument &argument : report.arguments)
    if (!argument.hidden.empty())
      launch.hiddenArguments.push_back({argument.hidden, argument.offset, argument.size});
  return llvm::Error::success();
}
