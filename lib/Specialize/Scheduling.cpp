// What kernels say to the scheduler of AMD's machines: stages of a loop, scheduling barriers.
#include "Specializer.h"
#include "tlx/Dialect/AMD.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The hardware has priorities 0 to 3 (AMD CDNA3 ISA, S_SETPRIO).
static constexpr int64_t highestPriority = 3;

LogicalResult Specializer::executeStage(const ast::With *statement) {
  auto call = bindContext(statement);
  if (failed(call))
    return failure();
  auto label = call->string("label");
  auto priority = call->given("priority") ? call->integer("priority") : FailureOr<int64_t>(-1);
  if (failed(label) || failed(priority))
    return failure();
  if (call->given("priority") && (*priority < 0 || *priority > highestPriority)) {
    call->error(diag::Kind::ArgumentType, "priority")
        << "priority " << *priority << "; there are 0 to " << highestPriority;
    return failure();
  }
  Emitter::At at(emit, statement->items[0].value->range);
  emit.create<StageOp>(StringRef(*label), static_cast<uint32_t>(*priority));
  ++frame().openTails;
  auto flow = execute(statement->body);
  --frame().openTails;
  if (failed(flow))
    return failure();
  if (*flow != Flow::Next)
    return LogicalResult(unsupported(statement->range, "a way out of a stage other than its end"));
  // What stands behind a stage runs as what stands before one.
  emit.create<StageOp>(StringRef(), static_cast<uint32_t>(*priority > 0 ? 0 : -1));
  return success();
}

Result tlx::specialize::schedulingBarrier(Call &call) {
  auto mask = call.integer("mask");
  if (failed(mask))
    return failure();
  call.emit.create<SchedulingBarrierOp>(static_cast<uint32_t>(*mask));
  return Datum(NoneValue());
}
