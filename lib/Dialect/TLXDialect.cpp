// Registration and verifiers of the tlx dialect.
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/LaunchControl.h"
#include "tlx/Dialect/WarpProducts.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlx;

#include "tlx/Dialect/TLXDialect.cpp.inc"
#include "tlx/Dialect/TLXEnums.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/TLXOps.cpp.inc"

void TLXDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerTileOps();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/TLXOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/LaunchControlOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/AMDOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/WarpProductOps.cpp.inc"
      >();
}

void LoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult AsyncTasksOp::verify() {
  size_t count = getTasks().size();
  if (getWarps().size() != count || getRegisters().size() != count || getFirstWarp().size() != count ||
      getNames().size() != count || getReplicas().size() != count)
    return emitOpError("needs warps, registers, first_warp, names and replicas for each of its ") << count << " tasks";
  return success();
}
