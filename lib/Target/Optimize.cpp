// LLVM's O3 pipeline, tuned for kernels that keep their tiles in registers.
#include "Guarded.h"
#include "Machine.h"
#include "tlx/Target/CodeGenerator.h"

#include "llvm/Passes/PassBuilder.h"

using namespace tlx;

static llvm::PipelineTuningOptions tuning() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = false;
  options.SLPVectorization = false;
  options.LoopInterleaving = false;
  // Off means: only where loop metadata asks.
  options.LoopUnrolling = false;
  return options;
}

static void runPipeline(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

llvm::Error tlx::optimize(llvm::Module &module, const Arch &arch) {
  auto machine = makeTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  return runGuarded("optimisation", [&] { runPipeline(module, **machine); });
}
