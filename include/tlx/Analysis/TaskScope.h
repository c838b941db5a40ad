//===- TaskScope.h - which task an operation belongs to -------------------------------------------------===//
//
// A kernel without tasks is one scope; with tasks, each of their regions is one, and so is what stands around them.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_ANALYSIS_TASKSCOPE_H
#define TLX_ANALYSIS_TASKSCOPE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/KernelAttributes.h"
#include "tlx/Dialect/TLXDialect.h"

namespace tlx {

/// The code that one group of warps runs.
struct TaskScope {
  mlir::Region *body;
  int warps;
  /// The task's number; -1 for the code around tasks.
  int task;
  /// How a message names it: `consumer` or the kernel's name.
  llvm::StringRef name;
};

/// Warp groups of a task whose products are those of whole groups; 1 for any other.
int warpGroups(const TaskScope &scope);

/// `tlx.num_warps` of the kernel.
int kernelWarps(mlir::func::FuncOp kernel);

/// The tasks of the kernel, if it has any.
AsyncTasksOp findTasks(mlir::func::FuncOp kernel);

/// The kernel's own code first, then its tasks.
llvm::SmallVector<TaskScope> taskScopes(mlir::func::FuncOp kernel);

/// The region of the task that holds `op`, else the body of the kernel.
mlir::Region *enclosingScope(mlir::Operation *op);

/// Warps that run `op`.
int warpsAt(mlir::Operation *op);

/// Visits the operations of a scope, outer ones first, without those of tasks nested in it.
void walkScope(mlir::Region &scope, llvm::function_ref<void(mlir::Operation *)> visit);

/// Whether all threads of the task have met once `op` is done, whatever its predicate. Waits for asynchronous copies do
/// not count: each thread waits for its own.
bool meetsHere(mlir::Operation *op);

} // namespace tlx

#endif // TLX_ANALYSIS_TASKSCOPE_H
