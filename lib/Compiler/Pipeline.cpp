// Gates to passes.
#include "Pipeline.h"

#include "mlir/Pass/PassManager.h"
#include "tlx/Transforms/Passes.h"

using namespace mlir;
using namespace tlx;

static constexpr llvm::StringLiteral stageAttribute = "tlx.gate";

llvm::StringRef tlx::stageNamedIn(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(stageAttribute);
  return name ? name.getValue() : llvm::StringRef();
}

void tlx::nameStage(ModuleOp module, Stage stage) {
  module->setAttr(stageAttribute, StringAttr::get(module.getContext(), spelling(stage)));
}

static Gate gateOf(Stage stage) {
  switch (stage) {
  case Stage::Built:
    return Gate::Built;
  case Stage::Scheduled:
    return Gate::Scheduled;
  case Stage::LaidOut:
    return Gate::LaidOut;
  case Stage::Synchronized:
    return Gate::Synchronized;
  case Stage::Allocated:
    return Gate::Allocated;
  default:
    llvm_unreachable("no passes lead to this gate");
  }
}

LogicalResult tlx::runStage(ModuleOp module, Stage stage, const Arch &arch, bool mapsPointers) {
  PipelineOptions options;
  options.mapsPointers = mapsPointers;
  options.sharedCapacity = arch.sharedPerBlock;
  options.hasTensorMemory = archWith(arch, Feature::TensorMemory) != nullptr;
  options.hasWgmma = archWith(arch, Feature::Wgmma) != nullptr;
  options.hasTensorMaps = archWith(arch, Feature::TMA) != nullptr;
  options.registersPerSM = arch.registersPerMultiprocessor;
  PassManager passes(module.getContext());
  Gate before = gateOf(static_cast<Stage>(static_cast<int>(stage) - 1));
  buildPipeline(passes, gateOf(stage), options, before);
  if (failed(passes.run(module)))
    return failure();
  nameStage(module, stage);
  return success();
}
