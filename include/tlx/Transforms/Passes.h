//===- Passes.h - the passes on tiles and the pipeline of them ------------------------------------------===//

#ifndef TLX_TRANSFORMS_PASSES_H
#define TLX_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "tlx/Dialect/TLXDialect.h"

namespace tlx {

#define GEN_PASS_DECL
#include "tlx/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tlx/Transforms/Passes.h.inc"

/// States of a kernel after which it can be printed, checked and resumed.
enum class Gate { Built, Scheduled, LaidOut, Synchronized, Allocated };

/// What the passes need to know of the target.
struct PipelineOptions {
  int sharedCapacity = 232448;
  int registersPerSM = 65536;
  /// Products accumulate in registers, or in tensor memory.
  bool hasWgmma = true;
  bool hasTensorMemory = false;
  /// Threads can have whole tiles copied by tensor maps.
  bool hasTensorMaps = true;
  /// Loads through pointers, too, where the launcher can make the map.
  bool mapsPointers = true;
};

/// Adds the passes that bring a kernel from gate `from` to gate `upTo`.
void buildPipeline(mlir::OpPassManager &manager, Gate upTo, const PipelineOptions &options, Gate from = Gate::Built);

/// `tlx-to-scheduled`, `tlx-to-laid-out`, ...: the pipelines by name, with default options.
void registerPipelines();

} // namespace tlx

#endif // TLX_TRANSFORMS_PASSES_H
