// The module attribute that names the machine.
#include "tlx/Dialect/Target.h"

using namespace mlir;
using namespace tlx;

static constexpr llvm::StringLiteral targetAttribute = "tlx.target";

const Arch &tlx::targetOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(targetAttribute) : StringAttr();
  const Arch *arch = name ? findArch(name.getValue()) : nullptr;
  return arch ? *arch : *findArch("sm_90a");
}

void tlx::nameTarget(ModuleOp module, const Arch &arch) {
  module->setAttr(targetAttribute, StringAttr::get(module.getContext(), arch.name));
}
