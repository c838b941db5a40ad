// Barriers, fences, and which program, CTA and thread this is.
#include "Emitter.h"
#include "tlx/Dialect/KernelAttributes.h"

using namespace mlir;
using namespace tlx;

static LogicalResult emitFence(OpBuilder &b, const Machine &machine, FenceOp op) {
  Location loc = op.getLoc();
  StringRef scope = op.getScope();
  if (scope == "gpu" || scope == "sys") {
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, scope == "gpu" ? machine.deviceScope() : "");
  } else if (!machine.target().has(Feature::TMA)) {
    // Nothing there goes past the threads to shared memory, so they need not order it either.
  } else if (scope == "async_shared") {
    auto space = NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta);
    NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared), space);
  } else if (scope == "async_global") {
    NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_global),
                               NVVM::SharedSpaceAttr());
  } else if (scope == "mbarrier_init") {
    NVVM::FenceMbarrierInitOp::create(b, loc);
  } else {
    return op.emitError() << "fence scope `" << scope
                          << "`; known are async_shared, async_global, gpu, sys [unknown-fence-scope]";
  }
  return success();
}

FailureOr<bool> Emitter::emitBarrier(Operation *op) {
  auto optional = [&](Value value) { return value ? scalar(value) : Value(); };
  if (auto id = dyn_cast<ProgramIdOp>(op)) {
    setValues(id, {machine->programId(b, loc, static_cast<int>(id.getAxis()))});
  } else if (auto count = dyn_cast<NumProgramsOp>(op)) {
    setValues(count, {machine->programCount(b, loc, static_cast<int>(count.getAxis()))});
  } else if (auto rank = dyn_cast<ClusterRankOp>(op)) {
    setValues(rank, {inCluster ? Value(NVVM::ClusterId::create(b, loc, b.getI32Type())) : i32(0)});
  } else if (auto id = dyn_cast<ThreadIdOp>(op)) {
    setValues(id, {id.getAxis() == 0 ? threadId : i32(0)});
  } else if (auto expect = dyn_cast<BarrierExpectOp>(op)) {
    taskBarrier();
    when(isLeader(optional(expect.getPredicate())),
         [&] { thread::MbarrierExpectOp::create(b, loc, scalar(expect.getBarrier()), expect.getBytes()); });
  } else if (auto wait = dyn_cast<BarrierWaitOp>(op)) {
    when(optional(wait.getPredicate()),
         [&] { thread::MbarrierWaitOp::create(b, loc, scalar(wait.getBarrier()), scalar(wait.getPhase())); });
  } else if (auto arrive = dyn_cast<BarrierArriveOp>(op)) {
    bool perThread = arrive.getBarrier().getType().getPerThread();
    if (!perThread && !arrive.getConverged())
      taskBarrier();
    Value predicate = optional(arrive.getPredicate());
    bool isOfGroup = arrive->hasAttr(eachGroupAttribute);
    when(perThread   ? predicate
         : isOfGroup ? isGroupLeader(predicate)
                     : isLeader(predicate),
         [&] {
           thread::MbarrierArriveOp::create(b, loc, scalar(arrive.getBarrier()), arrive.getCount(),
                                            optional(arrive.getRank()));
         });
  } else if (auto arrive = dyn_cast<NamedBarrierArriveOp>(op)) {
    thread::NamedBarrierOp::create(b, loc, arrive.getId(), arrive.getThreads(), /*arrive=*/true);
  } else if (auto wait = dyn_cast<NamedBarrierWaitOp>(op)) {
    thread::NamedBarrierOp::create(b, loc, wait.getId(), wait.getThreads(), /*arrive=*/false);
  } else if (isa<TaskBarrierOp>(op)) {
    taskBarrier();
  } else if (isa<DependentWaitOp, DependentLaunchOp>(op)) {
    auto kind = isa<DependentWaitOp>(op) ? NVVM::GridDepActionKind::wait : NVVM::GridDepActionKind::launch_dependents;
    NVVM::GriddepcontrolOp::create(b, loc, kind);
  } else if (isa<ClusterBarrierOp>(op)) {
    NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
    NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  } else if (auto fence = dyn_cast<FenceOp>(op)) {
    if (failed(emitFence(b, *machine, fence)))
      return failure();
  } else {
    return false;
  }
  return true;
}
