// Cluster launch control: a ring of answers, each with a full and an empty barrier.
#include "Specializer.h"
#include "SharedMemory.h"
#include "tlx/Dialect/LaunchControl.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// A context is a tuple: empty barriers, full barriers, answers.
namespace {
struct Context {
  mlir::Value empty, full, answer;
};
} // namespace

static mlir::Value allocateBarriers(Call &call, int64_t count, int64_t arrivals) {
  Type type = BarrierType::get(call.emit.context(), count, false);
  std::string name = call.specializer.allocationName("launch control");
  return call.emit.create<AllocBarriersOp>(type, call.emit.builder.getStringAttr(name),
                                           call.emit.builder.getI32IntegerAttr(static_cast<int32_t>(arrivals)),
                                           IntegerAttr());
}

Result tlx::specialize::launchControlContext(Call &call) {
  auto consumers = call.integer("num_consumers"), stages = call.integer("num_stages");
  if (failed(consumers) || failed(stages))
    return failure();
  if (*consumers < 1 || *stages < 1 || *stages > 64) {
    call.emit.error(diag::Kind::ArgumentType) << *consumers << " consumers and " << *stages
                                              << " stages; there is at least one of each, and at most 64 stages";
    return failure();
  }
  DType word{ScalarKind::I32};
  mlir::Value empty = allocateBarriers(call, *stages, *consumers), full = allocateBarriers(call, *stages, 1);
  auto answers = allocateBuffers(call, {4}, word, *stages, mlir::Value());
  if (failed(answers))
    return failure();
  DType barrier{ScalarKind::I64};
  return Datum::sequence({Datum::ir(empty, barrier), Datum::ir(full, barrier), *answers}, false);
}

/// The members of the context, each for the stage `k`.
static FailureOr<Context> contextOf(Call &call) {
  const SequenceValue *members = call["context"].asSequence();
  if (!members || members->elements.size() != 3 || !members->elements[2].isIR()) {
    call.error(diag::Kind::ArgumentType, "context")
        << "`context` is what `tlx.clc_create_context` gives; this is " << call["context"].describe();
    return failure();
  }
  SmallVector<mlir::Value> views;
  for (const Datum &member : members->elements) {
    auto view = call.specializer.viewOf(member, call["k"], call.argument("k").range);
    if (failed(view))
      return failure();
    views.push_back(view->irValue());
  }
  return Context{views[0], views[1], views[2]};
}

/// With several CTAs in a cluster, the first asks for all.
static FailureOr<bool> isShared(Call &call) {
  auto several = call.boolean("multi_ctas");
  if (failed(several))
    return failure();
  return *several && call.specializer.clusterSize > 1;
}

Result tlx::specialize::launchControlProducer(Call &call) {
  auto context = contextOf(call);
  auto phase = call.i32("p_producer");
  auto shared = isShared(call);
  if (failed(context) || failed(phase) || failed(shared))
    return failure();
  mlir::Value isFirst;
  if (*shared) {
    mlir::Value rank = call.emit.create<ClusterRankOp>(call.emit.builder.getI32Type());
    isFirst = call.emit.create<arith::CmpIOp>(arith::CmpIPredicate::eq, rank, call.emit.i32(0));
  }
  call.emit.create<BarrierWaitOp>(context->empty, *phase, isFirst);
  call.emit.create<BarrierExpectOp>(context->full, 16u, mlir::Value());
  call.emit.create<LaunchRequestOp>(context->answer, context->full, *shared);
  return Datum(NoneValue());
}

Result tlx::specialize::launchControlConsumer(Call &call) {
  auto context = contextOf(call);
  auto phase = call.i32("p_consumer");
  auto shared = isShared(call);
  auto all = call.boolean("return_3d");
  if (failed(context) || failed(phase) || failed(shared) || failed(all))
    return failure();
  Emitter &emit = call.emit;
  emit.create<BarrierWaitOp>(context->full, *phase, mlir::Value());
  Type i32 = emit.builder.getI32Type();
  auto answer = emit.create<LaunchAnswerOp>(emit.builder.getI1Type(), i32, i32, i32, context->answer);
  mlir::Value x = answer.getX();
  if (*shared)
    x = emit.create<arith::AddIOp>(x, emit.create<ClusterRankOp>(emit.builder.getI32Type()));
  x = emit.create<arith::SelectOp>(answer.getTaken(), x, emit.i32(-1));
  // The answer was read as ordinary memory; the next one is written by the hardware.
  emit.create<FenceOp>("async_shared");
  mlir::Value first = *shared ? emit.i32(0) : mlir::Value();
  emit.create<BarrierArriveOp>(context->empty, 1u, first, answer.getTaken(), /*converged=*/false);
  DType word{ScalarKind::I32};
  if (!*all)
    return Datum::ir(x, word);
  return Datum::sequence({Datum::ir(x, word), Datum::ir(answer.getY(), word), Datum::ir(answer.getZ(), word)}, false);
}
