// Barriers and fences.
#include "Specializer.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static FailureOr<int64_t> positive(Call &call, StringRef name) {
  auto value = call.integer(name);
  if (succeeded(value) && *value < 1) {
    call.error(diag::Kind::ArgumentType, name) << "`" << name << "` is " << *value << "; it is at least 1";
    return failure();
  }
  return value;
}

/// PTX ISA, mbarrier: arrivals of one phase are counted up to 2^20 - 1.
static bool countsArrivals(Call &call, StringRef name, int64_t arrivals) {
  constexpr int64_t most = (1 << 20) - 1;
  if (arrivals <= most)
    return true;
  call.error(diag::Kind::ArgumentType, name) << arrivals << " arrivals; a barrier counts to " << most;
  return false;
}

static Result allocate(Call &call, int64_t count, int64_t arrivals, bool perThread) {
  Type type = BarrierType::get(call.emit.context(), count, perThread);
  std::string name = call.specializer.allocationName("barriers");
  auto op = call.emit.create<AllocBarriersOp>(type, call.emit.builder.getStringAttr(name),
                                              call.emit.builder.getI32IntegerAttr(static_cast<int32_t>(arrivals)),
                                              IntegerAttr());
  return Datum::ir(op, DType{ScalarKind::I64});
}

Result tlx::specialize::allocBarriers(Call &call) {
  auto count = positive(call, "num_barriers"), arrivals = positive(call, "arrive_count");
  if (failed(count) || failed(arrivals) || !countsArrivals(call, "arrive_count", *arrivals))
    return failure();
  if (!call.specializer.channelNames.contains(call.specializer.assignee()))
    return allocate(call, *count, *arrivals, false);
  if (failed(call.refuse("arrive_count")))
    return failure();
  std::string name = call.specializer.allocationName("barriers");
  Type type = ChannelType::get(call.emit.context(), *count);
  return Datum::ir(call.emit.create<AllocChannelOp>(type, call.emit.builder.getStringAttr(name)),
                   DType{ScalarKind::I64});
}

Result tlx::specialize::allocWarpBarrier(Call &call) {
  auto count = positive(call, "num_barriers"), warps = positive(call, "num_warps");
  auto arrivals = positive(call, "num_arrivals");
  if (failed(count) || failed(warps) || failed(arrivals))
    return failure();
  int64_t threads = 0;
  if (llvm::MulOverflow(*warps * 32, *arrivals, threads))
    threads = std::numeric_limits<int64_t>::max();
  if (!countsArrivals(call, "num_arrivals", threads))
    return failure();
  return allocate(call, *count, *warps * 32 * *arrivals, true);
}

Result tlx::specialize::barrierExpect(Call &call) {
  auto barrier = call.barrier("bar");
  auto bytes = call.integer("size");
  auto predicate = call.predicate("pred");
  if (failed(barrier) || failed(bytes) || failed(predicate))
    return failure();
  // PTX ISA, mbarrier: the transaction count of a phase lies below 2^20.
  if (*bytes < 0 || *bytes >= (1 << 20)) {
    call.error(diag::Kind::ArgumentType, "size")
        << *bytes << " bytes are expected; a barrier counts from 0 to " << (1 << 20) - 1;
    return failure();
  }
  call.emit.create<BarrierExpectOp>(*barrier, static_cast<uint32_t>(*bytes), *predicate);
  return Datum(NoneValue());
}

Result tlx::specialize::barrierWait(Call &call) {
  auto barrier = call.barrier("bar");
  auto phase = call.i32("phase");
  auto predicate = call.predicate("pred");
  if (failed(barrier) || failed(phase) || failed(predicate))
    return failure();
  call.emit.create<BarrierWaitOp>(*barrier, *phase, *predicate);
  return Datum(NoneValue());
}

static constexpr StringLiteral remoteMarker = "barrier of another block";

/// A barrier and the rank of the block whose barrier is meant: only arrivals take it.
Result tlx::specialize::remoteView(Call &call) {
  auto barrier = call.barrier("barrier");
  auto rank = call.i32("remote_cta_rank");
  if (failed(barrier) || failed(rank))
    return failure();
  return Datum::sequence({Datum(remoteMarker.str()), call["barrier"], Datum::ir(*rank, {ScalarKind::I32})}, false);
}

static bool isRemoteView(const Datum &value) {
  const SequenceValue *parts = value.asSequence();
  return parts && parts->elements.size() == 3 && parts->elements[0] == Datum(remoteMarker.str());
}

Result tlx::specialize::barrierArrive(Call &call) {
  FailureOr<mlir::Value> rank = mlir::Value();
  if (isRemoteView(call["bar"])) {
    std::vector<Datum> parts = call["bar"].asSequence()->elements;
    rank = parts[2].irValue();
    for (BoundArgument &argument : call.arguments)
      if (argument.parameter.name == "bar")
        argument.value = parts[1];
  }
  auto barrier = call.barrier("bar");
  auto count = positive(call, "arrive_count");
  auto predicate = call.predicate("pred");
  if (call.given("remote_cta_rank"))
    rank = call.i32("remote_cta_rank");
  if (failed(barrier) || failed(count) || failed(predicate) || failed(rank) ||
      !countsArrivals(call, "arrive_count", *count))
    return failure();
  call.emit.create<BarrierArriveOp>(*barrier, static_cast<uint32_t>(*count), *rank, *predicate, /*converged=*/false);
  return Datum(NoneValue());
}

template <typename Op> static Result namedBarrier(Call &call) {
  auto id = call.integer("bar"), threads = call.integer("arrive_count");
  if (failed(id) || failed(threads))
    return failure();
  // PTX ISA, bar: sixteen barriers, thread counts in whole warps.
  if (*id < 0 || *id > 15) {
    call.error(diag::Kind::NamedBarrierId, "bar") << "named barrier " << *id << "; the ids are 0 to 15";
    return failure();
  }
  if (*threads <= 0 || *threads % 32 || *threads > 1024) {
    call.error(diag::Kind::NamedBarrierThreads, "arrive_count")
        << *threads << " threads meet at named barrier " << *id << "; whole warps of 32 do, up to 1024";
    return failure();
  }
  call.emit.create<Op>(static_cast<uint32_t>(*id), static_cast<uint32_t>(*threads));
  return Datum(NoneValue());
}

Result tlx::specialize::namedBarrierWait(Call &call) {
  return namedBarrier<NamedBarrierWaitOp>(call);
}
Result tlx::specialize::namedBarrierArrive(Call &call) {
  return namedBarrier<NamedBarrierArriveOp>(call);
}

Result tlx::specialize::debugBarrier(Call &call) {
  call.emit.create<TaskBarrierOp>();
  return Datum(NoneValue());
}

Result tlx::specialize::clusterBarrier(Call &call) {
  call.emit.create<ClusterBarrierOp>();
  return Datum(NoneValue());
}

Result tlx::specialize::dependentWait(Call &call) {
  call.emit.create<DependentWaitOp>();
  return Datum(NoneValue());
}

Result tlx::specialize::dependentLaunch(Call &call) {
  call.emit.create<DependentLaunchOp>();
  return Datum(NoneValue());
}

static Result fenceOf(Call &call, StringRef scope) {
  call.emit.create<FenceOp>(scope);
  return Datum(NoneValue());
}

Result tlx::specialize::fence(Call &call) {
  auto scope = call.string("scope");
  if (failed(scope))
    return failure();
  if (*scope == "gpu" || *scope == "sys" || *scope == "async_shared" || *scope == "async_global")
    return fenceOf(call, *scope);
  call.error(diag::Kind::ArgumentType, "scope")
      << "`" << *scope << "` is not one of gpu, sys, async_shared, async_global";
  return failure();
}

Result tlx::specialize::fenceAsyncShared(Call &call) {
  return fenceOf(call, "async_shared");
}
Result tlx::specialize::fenceBarrierInit(Call &call) {
  return fenceOf(call, "mbarrier_init");
}
