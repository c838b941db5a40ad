// The passes from tile-level IR to tile-level IR, in the order in which the pipeline runs them.
#ifndef TLX_PASSES
#define TLX_PASSES

include "mlir/Pass/PassBase.td"

//===-- scheduled ------------------------------------------------------------------------------------------===//
def LowerChannels : Pass<"tlx-lower-channels", "::mlir::func::FuncOp"> {
  let summary = "channels become full and empty barriers with phases";
}
def StageDescriptorAccess : Pass<"tlx-stage-descriptor-access", "::mlir::func::FuncOp"> {
  let summary = "descriptor loads and stores of tiles in registers go through shared memory";
}
def StageProducts : Pass<"tlx-stage-products", "::mlir::func::FuncOp"> {
  let summary = "products of tiles in registers go through shared memory, to the tensor cores where they fit";
  let options = [Option<"hasWgmma", "wgmma", "bool", /*default=*/"true", "the target has tensor cores">,
                 Option<"hasTensorMemory", "tensor-memory", "bool", /*default=*/"false", "they add up in tensor memory">];
}
def SpecializeLoads : Pass<"tlx-specialize-loads", "::mlir::func::FuncOp"> {
  let summary = "tiles that loops load by tensor maps are loaded ahead by a task of its own, `num_stages` slots of each";
  let options = [Option<"capacity", "capacity", "int64_t", /*default=*/"232448", "bytes of shared memory of a block">,
                 Option<"keepsProductsInFlight", "products-in-flight", "bool", /*default=*/"true",
                        "a product that only adds to a carried accumulator runs on into the next iteration">,
                 Option<"mapsPointers", "map-pointers", "bool", /*default=*/"true",
                        "loads through pointers, too, where a tensor map that the launcher makes loads the same">];
}
def PipelineLoads : Pass<"tlx-pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "tiles that a loop loads and multiplies are copied asynchronously, `num_stages` iterations ahead";
  let options = [Option<"capacity", "capacity", "int64_t", /*default=*/"232448", "bytes of shared memory of a block">,
                 Option<"keepsProductsInFlight", "products-in-flight", "bool", /*default=*/"true",
                        "a product that only adds to a carried accumulator runs on into the next iteration">];
}
def StageMfma : Pass<"tlx-stage-mfma", "::mlir::func::FuncOp"> {
  let summary = "products for machines whose waves multiply alone, from registers";
}
def ShapeTensorMaps : Pass<"tlx-shape-tensor-maps", "::mlir::func::FuncOp"> {
  let summary = "box and swizzle of each tensor map, from the buffers it is used with";
}

//===-- laid out -------------------------------------------------------------------------------------------===//
def AccumulateInTensorMemory : Pass<"tlx-accumulate-in-tensor-memory", "::mlir::func::FuncOp"> {
  let summary = "products whose accumulators are in registers, for tensor cores that add up in tensor memory";
  let dependentDialects = ["::tlx::tmem::TMemDialect"];
}
def FoldZeroAccumulators : Pass<"tlx-fold-zero-accumulators", "::mlir::func::FuncOp"> {
  let summary = "accumulators that start at zero start by their first product instead";
  let description = [{
    A loop that carries a product in flight must not enter with registers that ordinary instructions wrote: the assembler
    would serialise all of its products. The first product ignores the accumulator, which enters undefined; a loop that
    does not run at all still gives zeros.
  }];
}
def AnnotateAccesses : Pass<"tlx-annotate-accesses", "::mlir::func::FuncOp"> {
  let summary = "how many consecutive elements an access to global memory may move at once";
}
def AssignLayouts : Pass<"tlx-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "each tile gets a layout; conversions where two must differ";
  let options = [Option<"capacity", "capacity", "int", /*default=*/"232448", "bytes of shared memory of one CTA">];
}

def VerifyLayouts : Pass<"tlx-verify-layouts", "::mlir::func::FuncOp"> {
  let summary = "checks what AssignLayouts promises; for tests";
}

//===-- synchronized ---------------------------------------------------------------------------------------===//
def SkewStages : Pass<"tlx-skew-stages", "::mlir::func::FuncOp"> {
  let summary = "loops of stages in which the halves of a block take turns";
}
def InsertBarriers : Pass<"tlx-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "barriers and fences between the threads of a task that the source left out";
}
def InsertTensorMemoryFences : Pass<"tlx-insert-tensor-memory-fences", "::mlir::func::FuncOp"> {
  let summary = "fences that order accesses to tensor memory across barriers";
}
def CountCopies : Pass<"tlx-count-copies", "::mlir::func::FuncOp"> {
  let summary = "how many copies to shared memory may be in flight at each wait, where the hardware counts them";
}
def MarkConverged : Pass<"tlx-mark-converged", "::mlir::func::FuncOp"> {
  let summary = "arrivals in front of which the task need not meet";
}

//===-- allocated ------------------------------------------------------------------------------------------===//
def MarkLeaderTasks : Pass<"tlx-mark-leader-tasks", "::mlir::func::FuncOp"> {
  let summary = "tasks in which one thread has all the work";
}
def AssignNamedBarriers : Pass<"tlx-assign-named-barriers", "::mlir::func::FuncOp"> {
  let summary = "a hardware barrier for each task, beside those that the source names";
}
def AssignRegisters : Pass<"tlx-assign-registers", "::mlir::func::FuncOp"> {
  let summary = "registers per thread of each task, from the requests";
  let options = [Option<"registersPerSM", "registers-per-sm", "int", /*default=*/"65536", "registers of one SM">];
}
def AllocateTensorMemory : Pass<"tlx-allocate-tensor-memory", "::mlir::func::FuncOp"> {
  let summary = "columns of the tiles in tensor memory";
  let options = [Option<"capacity", "capacity", "int", /*default=*/"512", "columns of one multiprocessor">];
}
def AllocateScratch : Pass<"tlx-allocate-scratch", "::mlir::func::FuncOp"> {
  let summary = "global memory of the launch for tensor maps that the kernel makes";
}
def AllocateShared : Pass<"tlx-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "offsets of buffers, barriers and scratch in shared memory";
  let options = [Option<"capacity", "capacity", "int", /*default=*/"232448", "bytes of shared memory of one CTA">];
}

//===-- checked --------------------------------------------------------------------------------------------===//
def CheckProtocol : Pass<"tlx-check-protocol", "::mlir::func::FuncOp"> {
  let summary = "refuses barrier protocols that cannot work";
}

#endif
