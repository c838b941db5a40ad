// tlxc inspect MANIFEST: the manifest as a table that people read.
#include "Commands.h"

#include "tlx/Manifest/Manifest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tlx;

static std::string valueText(const rt::ConstexprValue &value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return llvm::formatv("{0}", number); }
    std::string operator()(const std::string &text) const { return text; }
  };
  return std::visit(Visitor(), value);
}

static void printKernel(const rt::Manifest &manifest, llvm::raw_ostream &stream) {
  stream << "kernel      " << manifest.kernel;
  if (!manifest.variant.empty())
    stream << " (variant " << manifest.variant << ")";
  stream << " of " << manifest.source.file << "\n";
  stream << "target      " << manifest.target << ", loads on " << llvm::join(manifest.devices, ", ") << "\n";
  stream << "image       " << manifest.image.file << ", " << manifest.image.bytes << " bytes\n";
  stream << "made by     tlxc " << manifest.compiler.tlxc << ", LLVM " << manifest.compiler.llvm;
  if (!manifest.compiler.ptxas.empty())
    stream << ", ptxas " << manifest.compiler.ptxas;
  stream << "\n";
  if (manifest.constexprs.empty())
    return;
  stream << "constexprs ";
  for (const auto &[name, value] : manifest.constexprs)
    stream << " " << name << "=" << valueText(value);
  stream << "\n";
}

/// What NVIDIA's assembler reported.
static void printAssembled(const rt::Resources &resources, llvm::raw_ostream &stream) {
  stream << "resources   " << resources.registers << " registers at entry, " << resources.barriers
         << " named barriers, " << resources.spillStores << "/" << resources.spillLoads << " bytes spilled/reloaded, "
         << resources.stack << " bytes of stack\n";
}

/// What AMD's image says of itself.
static void printCodeObject(const rt::Manifest &manifest, llvm::raw_ostream &stream) {
  const rt::Resources &resources = manifest.resources;
  stream << "resources   " << resources.registers << " vector registers (" << resources.accumulators
         << " for accumulation), " << resources.scalarRegisters << " scalar registers, " << resources.spilledRegisters
         << "/" << resources.spilledScalars << " of them spilled, " << resources.stack << " bytes of scratch memory, "
         << resources.wavesPerSimd << " waves on a SIMD\n";
  stream << "arguments   " << manifest.launch.argumentBytes << " bytes with " << manifest.launch.hiddenArguments.size()
         << " hidden ones\n";
}

static void printLaunch(const rt::Manifest &manifest, llvm::raw_ostream &stream) {
  const rt::Launch &launch = manifest.launch;
  stream << "launch      " << launch.threads << " threads, cluster " << launch.cluster[0] << "x" << launch.cluster[1]
         << "x" << launch.cluster[2] << ", " << launch.dynamicShared + launch.staticShared
         << " bytes of shared memory\n";
  if (manifest.image.kind == rt::ImageKind::Hsaco)
    printCodeObject(manifest, stream);
  else
    printAssembled(manifest.resources, stream);
}

static void printTasks(const rt::Manifest &manifest, llvm::raw_ostream &stream) {
  stream << "\ntask              warps  replicas  registers\n";
  for (const rt::TaskResources &task : manifest.resources.tasks) {
    std::string registers = task.registers ? std::to_string(task.registers) : "as at entry";
    stream << llvm::formatv("{0,-16}  {1,5}  {2,8}  {3}\n", task.name, task.warps, task.replicas, registers);
  }
}

static void printShared(const rt::Manifest &manifest, llvm::raw_ostream &stream) {
  if (manifest.resources.shared.empty())
    return;
  stream << "\nshared memory       offset     bytes  line\n";
  for (const rt::SharedAllocation &entry : manifest.resources.shared)
    stream << llvm::formatv("{0,-16}  {1,8}  {2,8}  {3,4}\n", entry.name, entry.offset, entry.bytes, entry.line);
}

static std::string typeText(const rt::Param &param) {
  if (!param.tensorMap)
    return param.type;
  std::string_view element = rt::spelling(param.tensorMap->dtype);
  std::string text = "tensordesc<" + std::string(element) + "[";
  for (auto [index, size] : llvm::enumerate(param.tensorMap->block))
    text += (index ? "," : "") + std::to_string(size);
  return text + "]>";
}

static std::string conditionText(const rt::Param &param) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ", ") + part; };
  if (param.divisibleBy > 1)
    add("divisible by " + std::to_string(param.divisibleBy));
  if (param.equalTo)
    add("equal to " + std::to_string(*param.equalTo));
  if (param.tensorMap) {
    std::vector<std::string> box;
    for (int64_t size : param.tensorMap->box)
      box.push_back(std::to_string(size));
    add("box " + llvm::join(box, "x") + ", swizzle " + std::to_string(param.tensorMap->swizzle));
    if (param.tensorMap->source)
      add("made by the launcher from " + param.tensorMap->source->pointer);
  }
  return text;
}

static void printParams(const rt::Manifest &manifest, llvm::raw_ostream &stream) {
  stream << "\nparameter         offset  size  type\n";
  for (const rt::Param &param : manifest.params) {
    std::string conditions = conditionText(param);
    stream << llvm::formatv("{0,-16}  {1,6}  {2,4}  {3}", param.name, param.offset, param.size, typeText(param));
    stream << (conditions.empty() ? "" : "  (" + conditions + ")") << "\n";
  }
}

ExitCode tlx::runInspect(const InspectCommand &command) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(command.manifest);
  if (!text) {
    llvm::errs() << "tlxc: error: `" << command.manifest << "` cannot be read: " << text.getError().message() << "\n";
    return ExitCode::ToolFailure;
  }
  rt::Result<rt::Manifest> manifest = rt::parse(std::string_view((*text)->getBuffer()));
  if (!manifest) {
    llvm::errs() << "tlxc: error: `" << command.manifest << "`: " << manifest.error().text << "\n";
    return ExitCode::InputError;
  }
  printKernel(*manifest, llvm::outs());
  printLaunch(*manifest, llvm::outs());
  printTasks(*manifest, llvm::outs());
  printShared(*manifest, llvm::outs());
  printParams(*manifest, llvm::outs());
  return ExitCode::Done;
}
