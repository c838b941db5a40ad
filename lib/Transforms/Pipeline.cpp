//===- Pipeline.cpp - the passes in order ---------------------------------------------------------------===//

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tlx/Transforms/Passes.h"

using namespace mlir;
using namespace tlx;

static void addScheduling(OpPassManager &kernel, const PipelineOptions &options) {
  // Equal slots and views become one value, which is how the passes recognise them.
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(createStageMfma());
  kernel.addPass(createStageProducts({options.hasWgmma || options.hasTensorMemory, options.hasTensorMemory}));
  // What products no longer use is not to look like a use of its load.
  kernel.addPass(createCanonicalizerPass());
  if (options.hasTensorMaps)
    kernel.addPass(createSpecializeLoads(
        {options.sharedCapacity, options.hasWgmma && !options.hasTensorMemory, options.mapsPointers}));
  kernel.addPass(createPipelineLoads({options.sharedCapacity, options.hasWgmma && !options.hasTensorMemory}));
  if (options.hasTensorMemory)
    kernel.addPass(createAccumulateInTensorMemory());
  kernel.addPass(createFoldZeroAccumulators());
  kernel.addPass(createLowerChannels());
  kernel.addPass(createStageDescriptorAccess());
  kernel.addPass(createShapeTensorMaps());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
}

static void addLayouts(OpPassManager &kernel, const PipelineOptions &options) {
  kernel.addPass(createAnnotateAccesses());
  kernel.addPass(createAssignLayouts({options.sharedCapacity}));
  kernel.addPass(createCSEPass());
}

static void addSynchronization(OpPassManager &kernel) {
  kernel.addPass(createSkewStages());
  kernel.addPass(createInsertBarriers());
  kernel.addPass(createCountCopies());
  kernel.addPass(createMarkConverged());
  kernel.addPass(createInsertTensorMemoryFences());
}

static void addAllocation(OpPassManager &kernel, const PipelineOptions &options) {
  kernel.addPass(createMarkLeaderTasks());
  kernel.addPass(createAssignNamedBarriers());
  kernel.addPass(createAssignRegisters({options.registersPerSM}));
  kernel.addPass(createAllocateTensorMemory());
  kernel.addPass(createAllocateScratch());
  kernel.addPass(createAllocateShared({options.sharedCapacity}));
  kernel.addPass(createCheckProtocol());
}

void tlx::buildPipeline(OpPassManager &manager, Gate upTo, const PipelineOptions &options, Gate from) {
  OpPassManager &kernel = manager.nest<func::FuncOp>();
  auto leadsThrough = [&](Gate gate) { return from < gate && gate <= upTo; };
  if (leadsThrough(Gate::Scheduled))
    addScheduling(kernel, options);
  if (leadsThrough(Gate::LaidOut))
    addLayouts(kernel, options);
  if (leadsThrough(Gate::Synchronized))
    addSynchronization(kernel);
  if (leadsThrough(Gate::Allocated))
    addAllocation(kernel, options);
}

static void registerPipeline(StringRef name, StringRef description, Gate gate) {
  PassPipelineRegistration<>(name, description, [gate](OpPassManager &manager) { buildPipeline(manager, gate, {}); });
}

void tlx::registerPipelines() {
  registerPipeline("tlx-to-scheduled", "channels, staging and tensor maps made explicit", Gate::Scheduled);
  registerPipeline("tlx-to-laid-out", "every tile has a layout", Gate::LaidOut);
  registerPipeline("tlx-to-synchronized", "barriers and fences inside tasks inserted", Gate::Synchronized);
  registerPipeline("tlx-to-allocated", "shared memory, barriers and registers assigned", Gate::Allocated);
}
