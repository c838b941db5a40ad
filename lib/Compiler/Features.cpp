// Instruction families of a lowered kernel.
#include "Features.h"

#include "PassDiagnostics.h"
#include "tlx/Dialect/ThreadTensorMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
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

static std::string targetsWith(Feature feature) {
  llvm::SmallVector<std::string> names;
  for (const Arch &arch : allArchs())
    if (arch.has(feature))
      names.push_back(("`" + arch.name + "`").str());
  return llvm::join(names, ", ");
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
    if (arch.missing(feature) == Feature::None || llvm::any_of(uses, [&](const Use &use) { return use.feature == feature; }))
      return;
    uses.push_back({feature, op->getLoc()});
  });
  return uses;
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
