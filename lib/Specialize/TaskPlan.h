// Which warps run which replica of which task.
#ifndef TLX_SPECIALIZE_TASKPLAN_H
#define TLX_SPECIALIZE_TASKPLAN_H

#include "Specializer.h"

namespace tlx::specialize {

/// One entry for each region, the default's first.
struct TaskPlan {
  llvm::SmallVector<int32_t> warps, registers, firstWarps, replicas;
  llvm::SmallVector<std::string> names;
  /// Index of the request that the region comes from.
  llvm::SmallVector<size_t> requests;
};

/// `tasks[0]` is the default. Tasks without a place of their own are packed behind it, largest first.
mlir::FailureOr<TaskPlan> planTasks(llvm::ArrayRef<TaskRequest> tasks, int64_t defaultWarps, diag::Sink &sink);
/// Takes names of tiles away, so that their use in a task is an error.
void hideTiles(Frame &frame);

} // namespace tlx::specialize

#endif
