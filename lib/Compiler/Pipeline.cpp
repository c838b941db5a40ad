// Gates to passes.
#include "Pipeline.h"

#include "tlx/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tlx;

static constexpr llvm::StringLiteral stageAttribute = "tlx.gate";

std::optional<Stage> tlx::stageNamedIn(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(stageAttribute);
  return name ? findStage(name.getValue()) : std::nullopt;
}

void tlx::nameStage(ModuleOp module, Stage stage) {
  module->setAttr(stageAttribute, StringAttr::get(module.getContext(), spelling(stage)));
}

static Gate gateOf(Stage stage) {
  switch (stage) {
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

LogicalResult tlx::runPasses(ModuleOp module, Stage stage, const Arch &arch) {
  PipelineOptions options;
  options.sharedCapacity = arch.sharedPerBlock;
  options.registersPerSM = arch.registersPerMultiprocessor;
  PassManager passes(module.getContext());
  buildPipeline(passes, gateOf(stage), options);
  if (failed(passes.run(module)))
    return failure();
  nameStage(module, stage);
  return success();
}
