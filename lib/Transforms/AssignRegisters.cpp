//===- AssignRegisters.cpp - registers per thread of each task ------------------------------------------===//
//
// setmaxnreg works on warp groups: a group gets the most that one of its tasks asks for, and what nobody asks for goes
// to the groups without a request (PTX ISA, setmaxnreg).
//
//===----------------------------------------------------------------------------------------------------===//

#include "tlx/Analysis/TaskScope.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace tlx {
#define GEN_PASS_DEF_ASSIGNREGISTERS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

constexpr int groupWarps = 4;
constexpr int groupThreads = 32 * groupWarps;
constexpr int fewest = 24, most = 240, mostAtEntry = 248;

namespace {

struct AssignRegisters : tlx::impl::AssignRegistersBase<AssignRegisters> {
  using AssignRegistersBase::AssignRegistersBase;

  void runOnOperation() override {
    AsyncTasksOp tasks = findTasks(getOperation());
    if (!tasks || llvm::all_of(tasks.getRegisters(), [](int32_t count) { return count == 0; }))
      return;
    std::optional<SmallVector<int>> requests = groupRequests(tasks);
    if (!requests)
      return signalPassFailure();
    int entry = std::min<int>(mostAtEntry, llvm::alignDown(registersPerSM / (groupThreads * requests->size()), 8));
    if (distribute(tasks, *requests, entry).failed())
      return signalPassFailure();
    SmallVector<int32_t> registers;
    for (int32_t first : tasks.getFirstWarp())
      registers.push_back((*requests)[first / groupWarps]);
    tasks.setRegisters(registers);
    getOperation()->setAttr("tlx.entry_registers", Builder(&getContext()).getI32IntegerAttr(entry));
  }

private:
  /// For each warp group the largest request of its tasks; 0 when there is none.
  std::optional<SmallVector<int>> groupRequests(AsyncTasksOp tasks) {
    SmallVector<int> requests;
    for (auto [first, warps, count, name] :
         llvm::zip_equal(tasks.getFirstWarp(), tasks.getWarps(), tasks.getRegisters(), tasks.getNames())) {
      if (count != 0 && (count % 8 != 0 || count < fewest || count > most)) {
        tasks.emitError() << "task `" << cast<StringAttr>(name).getValue() << "` asks for " << count
                          << " registers per thread; a request is a multiple of 8 from " << fewest << " to " << most
                          << " [register-request]";
        return std::nullopt;
      }
      size_t end = llvm::divideCeil(first + warps, groupWarps);
      if (requests.size() < end)
        requests.resize(end, 0);
      for (size_t group = first / groupWarps; group < end; ++group)
        requests[group] = std::max<int>(requests[group], count);
    }
    return requests;
  }

  /// Gives the groups without a request what the others leave of the registers at entry.
  LogicalResult distribute(AsyncTasksOp tasks, MutableArrayRef<int> groups, int entry) {
    int total = entry * groups.size();
    int asked = 0, silent = 0;
    for (int request : groups) {
      asked += request;
      silent += request == 0;
    }
    int needed = asked + silent * fewest;
    if (needed > total)
      return tasks.emitError() << "the tasks need " << needed * groupThreads << " registers; "
                               << groups.size() * groupThreads << " threads start with " << total * groupThreads
                               << " [register-budget]";
    if (silent == 0)
      return success();
    int share = std::min<int>(most, llvm::alignDown((total - asked) / silent, 8));
    for (int &group : groups)
      if (group == 0)
        group = share;
    return success();
  }
};

} // namespace
