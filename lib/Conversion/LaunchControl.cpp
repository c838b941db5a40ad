// Cluster launch control: one thread asks, every thread reads the answer.
#include "Emitter.h"
#include "InlineAssembly.h"
#include "LaunchControlAssembly.h"

#include "tlx/Dialect/LaunchControl.h"

using namespace mlir;
using namespace tlx;

FailureOr<bool> Emitter::emitLaunchControl(Operation *op) {
  if (auto request = dyn_cast<LaunchRequestOp>(op)) {
    Value condition;
    if (request.getMulticast() && inCluster)
      condition = equals(NVVM::ClusterId::create(b, loc, b.getI32Type()), 0);
    // Every thread of the task has read the answer that the new one overwrites.
    taskBarrier();
    when(isLeader(condition), [&] {
      thread::LaunchRequestOp::create(b, loc, scalar(request.getAnswer()), scalar(request.getBarrier()),
                                      request.getMulticast() && inCluster);
    });
    return true;
  }
  if (auto answer = dyn_cast<LaunchAnswerOp>(op)) {
    Type i32Type = b.getI32Type();
    auto read = thread::LaunchAnswerOp::create(b, loc, i32Type, i32Type, i32Type, i32Type, scalar(answer.getAnswer()));
    setValues(answer.getTaken(),
              {LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, read.getTaken(), i32(0))});
    setValues(answer.getX(), {read.getX()});
    setValues(answer.getY(), {read.getY()});
    setValues(answer.getZ(), {read.getZ()});
    return true;
  }
  return false;
}

static void expandRequest(thread::LaunchRequestOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string answer = assembly.in(op.getAnswer()), barrier = assembly.in(op.getBarrier());
  assembly.emit("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" +
                    std::string(op.getMulticast() ? ".multicast::cluster::all" : "") + ".b128 [" + answer + "], [" +
                    barrier + "];",
                true);
}

/// Ids may be asked for only where something was taken (PTX ISA, clusterlaunchcontrol.query_cancel).
static void expandAnswer(thread::LaunchAnswerOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string taken = assembly.out(b.getI32Type()), x = assembly.out(b.getI32Type());
  std::string y = assembly.out(b.getI32Type()), z = assembly.out(b.getI32Type());
  std::string address = assembly.in(op.getAnswer());
  op->replaceAllUsesWith(assembly.emit(
      "{ .reg .b128 answer; .reg .pred p; .reg .b32 i, j, k, l; ld.shared.b128 answer, [" + address +
          "]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer; mov.b32 i, 0; mov.b32 j, 0; mov.b32 k, 0; "
          "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {i, j, k, l}, answer; selp.b32 " +
          taken + ", 1, 0, p; mov.b32 " + x + ", i; mov.b32 " + y + ", j; mov.b32 " + z + ", k; }",
      true));
}

bool tlx::expandLaunchControl(Operation *op, OpBuilder &b) {
  if (auto request = dyn_cast<thread::LaunchRequestOp>(op))
    return expandRequest(request, b), true;
  if (auto answer = dyn_cast<thread::LaunchAnswerOp>(op))
    return expandAnswer(answer, b), true;
  return false;
}
