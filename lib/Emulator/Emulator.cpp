// The run of a whole grid: checks of the launch, then one cluster after the other, in turns where they wait for each
// other.
#include "tlx/Emulator/Emulator.h"
#include "Cluster.h"
#include "ConstantMemory.h"
#include "Decoder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <deque>
#include <memory>

namespace tlx::emu {

Argument Argument::scalar(uint64_t bits) {
  Argument argument;
  argument.bits = bits;
  return argument;
}
Argument Argument::f32(float value) {
  return scalar(std::bit_cast<uint32_t>(value));
}
Argument Argument::pointer(unsigned buffer, uint64_t offset) {
  Argument argument;
  argument.kind = Kind::Pointer;
  argument.buffer = buffer;
  argument.offset = offset;
  return argument;
}
Argument Argument::tensorMap(const HostTensorMap &map) {
  Argument argument;
  argument.kind = Kind::TensorMap;
  argument.map = map;
  return argument;
}

static llvm::Expected<mlir::LLVM::LLVMFuncOp> findKernel(mlir::ModuleOp module, const std::string &name) {
  mlir::LLVM::LLVMFuncOp kernel;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>()) {
    const bool isKernel = function->hasAttr("nvvm.kernel") || function->hasAttr("rocdl.kernel");
    if (!isKernel || function.isExternal() || (!name.empty() && function.getName() != name))
      continue;
    if (kernel)
      return llvm::createStringError("the module has several kernels; name one");
    kernel = function;
  }
  if (!kernel)
    return llvm::createStringError("the module has no kernel%s%s", name.empty() ? "" : " named ", name.c_str());
  return kernel;
}

/// Arguments must be of the kinds that the parameters have, and the grid one of whole clusters.
static llvm::Error checkLaunch(const Program &program, const Launch &launch) {
  if (launch.arguments.size() != program.parameters.size())
    return llvm::createStringError("the kernel has %zu parameters; %zu arguments are given", program.parameters.size(),
                                   launch.arguments.size());
  for (size_t index = 0; index < launch.arguments.size(); ++index) {
    const Argument &given = launch.arguments[index];
    constexpr const char *names[] = {"scalar", "pointer", "tensor map"};
    Parameter::Kind kind = program.parameters[index].kind;
    if (static_cast<int>(given.kind) != static_cast<int>(kind))
      return llvm::createStringError("parameter %zu is a %s; a %s is given", index, names[static_cast<int>(kind)],
                                     names[static_cast<int>(given.kind)]);
    unsigned buffer = given.kind == Argument::Kind::TensorMap ? given.map.buffer : given.buffer;
    if (given.kind != Argument::Kind::Scalar && buffer >= launch.buffers.size())
      return llvm::createStringError("argument %zu names buffer %u of %zu", index, buffer, launch.buffers.size());
  }
  for (unsigned axis = 0; axis < 3; ++axis)
    if (launch.grid[axis] == 0 || launch.grid[axis] % program.cluster[axis])
      return llvm::createStringError("grid size %u of axis %u is not a multiple of the cluster's %u", launch.grid[axis],
                                     axis, program.cluster[axis]);
  return llvm::Error::success();
}

static void addTo(Statistics &statistics, const Cluster &cluster) {
  statistics.instructions += cluster.instructions;
  statistics.matrixOperations += cluster.matrixOperations;
  statistics.tensorCopies += cluster.tensorCopies;
  ++statistics.clusters;
}

llvm::Expected<Report> run(mlir::ModuleOp module, const Launch &launch, const Options &options) {
  llvm::Expected<mlir::LLVM::LLVMFuncOp> kernel = findKernel(module, launch.kernel);
  if (!kernel)
    return kernel.takeError();
  llvm::Expected<Program> program = Decoder(module, *kernel).decode();
  if (!program)
    return program.takeError();
  if (llvm::Error error = checkLaunch(*program, launch))
    return std::move(error);
  Report report;
  FindingLog log(options.maxFindings, options.seed);
  Timeline timeline;
  // Behind the buffers of the host lie the zeros.
  Launch whole = launch;
  std::array<uint8_t, zerosBytes> zeros{};
  whole.buffers.push_back({"tlx_zeros", zeros.data(), zerosBytes});
  GlobalMemory memory(whole.buffers, whole.arguments);
  for (auto &[slot, bits] : program->constants)
    if (bits == zerosPlaceholder)
      bits = memory.addressOf(static_cast<unsigned>(launch.buffers.size()), 0);
  unsigned clusters = 1;
  for (unsigned axis = 0; axis < 3; ++axis)
    clusters *= launch.grid[axis] / program->cluster[axis];
  // Those that seem to wait for another cluster; all of them are taken to be resident at once.
  std::deque<std::unique_ptr<Cluster>> waiting;
  LaunchQueue queue(clusters);
  while (!log.full()) {
    std::unique_ptr<Cluster> cluster;
    if (std::optional<unsigned> next = queue.launch()) {
      cluster = std::make_unique<Cluster>(*program, launch, options, memory, log, options.trace ? &timeline : nullptr,
                                          queue, *next);
    } else if (!waiting.empty()) {
      cluster = std::move(waiting.front());
      waiting.pop_front();
    } else {
      break;
    }
    if (!cluster->run()) {
      waiting.push_back(std::move(cluster));
      auto inCircles = [](const std::unique_ptr<Cluster> &one) { return one->goesInCircles(); };
      if (!queue.isEmpty() || !llvm::all_of(waiting, inCircles))
        continue;
      for (const std::unique_ptr<Cluster> &one : waiting) {
        one->reportCircles();
        addTo(report.statistics, *one);
      }
      break;
    }
    addTo(report.statistics, *cluster);
  }
  report.output = std::move(log.printed);
  report.findings = log.take();
  if (options.trace)
    report.trace = timeline.take();
  return report;
}

} // namespace tlx::emu
