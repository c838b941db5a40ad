// LLVM's O3 pipeline, tuned for kernels that keep their tiles in registers.
#include "CodeObjectModule.h"
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

/// GVN looks at every use of a condition for every branch on it: minutes for the thousands of blocks that long unrolled
/// code has, which no tile that fits the registers ever comes near.
static llvm::OptimizationLevel levelFor(const llvm::Module &module) {
  constexpr size_t mostBlocks = 4096;
  for (const llvm::Function &function : module)
    if (function.size() > mostBlocks)
      return llvm::OptimizationLevel::O1;
  return llvm::OptimizationLevel::O3;
}

/// Passes of the code generator's own that its default pipeline leaves to link time. AMD's attributor finds which
/// hidden arguments and ids a kernel uses; without it all of them are passed and kept in registers.
static llvm::StringRef closingPasses(const Arch &arch) {
  return arch.isNVIDIA() ? "" : "amdgpu-attributor";
}

static llvm::Error runPipeline(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef closing) {
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
  llvm::ModulePassManager passes = builder.buildPerModuleDefaultPipeline(levelFor(module));
  if (!closing.empty())
    if (llvm::Error error = builder.parsePassPipeline(passes, closing))
      return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

llvm::Error tlx::optimize(llvm::Module &module, const Arch &arch) {
  auto machine = makeTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  llvm::Error failed = llvm::Error::success();
  llvm::Error stopped = runGuarded("optimisation", module.getContext(), [&] {
    failed = llvm::joinErrors(std::move(failed), runPipeline(module, **machine, closingPasses(arch)));
  });
  if (llvm::Error error = llvm::joinErrors(std::move(stopped), std::move(failed)))
    return error;
  // NVIDIA's driver has a library of its own (printing, assertions); AMD's kernels stand alone.
  return arch.isNVIDIA() ? llvm::Error::success() : refuseOpenCalls(module);
}
