// Instruction families of a kernel, before its passes and lowered.
#include "Features.h"

#include "PassDiagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/LaunchControl.h"
#include "tlx/Dialect/TensorMemory.h"
#include "tlx/Dialect/ThreadTensorMemory.h"
#include "tlx/Dialect/TileOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlx;

static Feature featureOf(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (isa<thread::WgmmaOp, thread::WgmmaWaitOp>(op) || name.starts_with("nvvm.wgmma."))
    return Feature::Wgmma;
  if (isa<NVVM::SetMaxRegisterOp>(op))
    return Feature::SetMaxRegisters;
  if (isa<thread::TMALoadOp, thread::TMAStoreOp, thread::TMAPrefetchOp, thread::BulkLoadOp, thread::BulkStoreOp,
          thread::MakeTensorMapOp>(op))
    return Feature::TMA;
  if (isa<thread::RemoteStoreOp, thread::BulkRemoteOp>(op))
    return Feature::Clusters;
  if (auto product = dyn_cast<thread::Tcgen05MmaOp>(op); product && product.getKind() == thread::Tcgen05Kind::I8)
    return Feature::IntegerTensorProducts;
  if (name.starts_with("thread.tmem_") || name.starts_with("thread.tcgen05_") || name.starts_with("nvvm.tcgen05."))
    return Feature::TensorMemory;
  if (name.starts_with("thread.launch_") || name.starts_with("nvvm.clusterlaunchcontrol."))
    return Feature::LaunchControl;
  if (name.starts_with("nvvm.griddepcontrol"))
    return Feature::DependentLaunch;
  if (name.starts_with("nvvm.cluster."))
    return Feature::Clusters;
  return Feature::None;
}

/// What an operation on tiles can only become by instructions of one family.
static Feature featureOfTiles(Operation *op) {
  if (isa<AllocBarriersOp, AllocChannelOp, tlx::TMALoadOp, tlx::TMAStoreOp, tlx::TMAPrefetchOp, DescriptorLoadOp,
          DescriptorStoreOp, tlx::BulkLoadOp, tlx::BulkStoreOp, MakeDescriptorOp, DescriptorMemoryOp,
          PrefetchDescriptorOp>(op))
    return Feature::TMA;
  if (isa<tlx::RemoteStoreOp, RemoteCopyOp, ClusterBarrierOp>(op))
    return Feature::Clusters;
  if (isa<tlx::LaunchRequestOp, tlx::LaunchAnswerOp>(op))
    return Feature::LaunchControl;
  if (isa<DependentWaitOp, DependentLaunchOp>(op))
    return Feature::DependentLaunch;
  if (auto dot = dyn_cast<tmem::DotOp>(op); dot && dot.getB().getType().getElementType().isInteger(8))
    return Feature::IntegerTensorProducts;
  if (op->getName().getDialectNamespace() == "tmem")
    return Feature::TensorMemory;
  if (isa<StageOp, SchedulingBarrierOp>(op))
    return Feature::WaveScheduling;
  if (auto kernel = dyn_cast<func::FuncOp>(op)) {
    auto cluster = kernel->getAttrOfType<DenseI32ArrayAttr>("tlx.cluster");
    if (cluster && llvm::any_of(cluster.asArrayRef(), [](int32_t extent) { return extent > 1; }))
      return Feature::Clusters;
    if (llvm::any_of(kernel.getArgumentTypes(), llvm::IsaPred<DescriptorType>))
      return Feature::TMA;
  }
  return Feature::None;
}

static std::string targetsThat(llvm::function_ref<bool(const Arch &)> fit) {
  llvm::SmallVector<std::string> names;
  for (const Arch &arch : allArchs())
    if (fit(arch))
      names.push_back(("`" + arch.name + "`").str());
  return llvm::join(names, ", ");
}

static std::string targetsWith(Feature feature) {
  return targetsThat([&](const Arch &arch) { return arch.has(feature); });
}

namespace {
struct Use {
  Feature feature;
  Location location;
};
} // namespace

/// The first use of each family that `arch` lacks.
static llvm::SmallVector<Use> lackingUses(ModuleOp module, const Arch &arch) {
  llvm::SmallVector<Use> uses;
  module.walk([&](Operation *op) {
    Feature feature = featureOf(op);
    if (arch.missing(feature) == Feature::None ||
        llvm::any_of(uses, [&](const Use &use) { return use.feature == feature; }))
      return;
    uses.push_back({feature, op->getLoc()});
  });
  return uses;
}

static bool meetsInPart(Operation *op) {
  return isa<AsyncTasksOp, NamedBarrierArriveOp, NamedBarrierWaitOp>(op);
}

bool tlx::checkFamilies(ModuleOp built, const Arch &arch, const SourceManager &files, diag::Sink &sink) {
  Feature reported = Feature::None;
  bool ok = true, saidBarriers = false;
  built.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Feature feature = featureOfTiles(op);
    if (!archWith(arch, feature) && (reported | feature) != reported) {
      reported = reported | feature;
      ok = false;
      sink.error(diag::Kind::FeatureMissing, rangeOf(op->getLoc(), files))
          << "the kernel uses " << featureName(feature) << ", which `" << arch.name << "` does not have: it needs "
          << targetsWith(feature);
    }
    if (auto warps = isa<func::FuncOp>(op) ? op->getAttrOfType<IntegerAttr>("tlx.num_warps") : IntegerAttr();
        warps && warps.getInt() * arch.warpSize > arch.threadsPerBlock) {
      ok = false;
      sink.error(diag::Kind::WarpCount, rangeOf(op->getLoc(), files))
          << warps.getInt() << " warps of " << arch.warpSize << " threads; a block of `" << arch.name
          << "` has at most " << arch.threadsPerBlock << " threads";
    }
    if (arch.namedBarriers == 0 && meetsInPart(op) && !saidBarriers) {
      saidBarriers = true;
      ok = false;
      sink.error(diag::Kind::FeatureMissing, rangeOf(op->getLoc(), files))
          << (isa<AsyncTasksOp>(op) ? "tasks meet at" : "the kernel uses") << " named barriers, of which `" << arch.name
          << "` has none: it needs " << targetsThat([](const Arch &other) { return other.namedBarriers > 0; });
    }
  });
  return ok;
}

const Arch *tlx::chooseArch(ModuleOp lowered, const Arch &arch, const SourceManager &files, diag::Sink &sink) {
  llvm::SmallVector<Use> uses = lackingUses(lowered, arch);
  if (uses.empty())
    return &arch;
  Feature wanted = Feature::None;
  for (const Use &use : uses)
    wanted = wanted | use.feature;
  if (const Arch *chosen = archWith(arch, wanted)) {
    sink.remark(diag::Kind::TargetAccelerated, rangeOf(uses[0].location, files))
        << "the kernel uses " << featureName(uses[0].feature) << ", so it is compiled for `" << chosen->name
        << "` instead of `" << arch.name << "`";
    return chosen;
  }
  for (const Use &use : uses)
    if (!archWith(arch, use.feature))
      sink.error(diag::Kind::FeatureMissing, rangeOf(use.location, files))
          << "the kernel uses " << featureName(use.feature) << ", which `" << arch.name << "` does not have: it needs "
          << targetsWith(use.feature);
  return nullptr;
}
