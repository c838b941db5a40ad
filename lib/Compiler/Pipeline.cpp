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

LogicalResult tlx::runStage(ModuleOp module, Stage stage, const Arch &arch) {
  PassManager passes(module.getContext());
  nameStage(module, stage);
  return passes.run(module);
}
