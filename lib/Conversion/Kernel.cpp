// The frame of a kernel: signature, entry code, what is written on the function for manifest and emulator.
#include "Emitter.h"
#include "tlx/Dialect/KernelAttributes.h"

#include "tlx/Conversion/Conversion.h"
#include "tlx/Dialect/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;

static constexpr StringLiteral sharedSymbol = "tlx_shared";

Emitter::Emitter(func::FuncOp kernel, OpBuilder builder)
    : kernel(kernel), machine(Machine::of(targetOf(kernel))), b(builder), loc(kernel.getLoc()) {
  auto cluster = kernel->getAttrOfType<DenseI32ArrayAttr>("tlx.cluster");
  if (cluster)
    inCluster = cluster[0] * cluster[1] * cluster[2] > 1;
}

/// Warps of the whole kernel, tasks included; in whole warp groups where these exchange registers.
static int totalWarps(func::FuncOp kernel) {
  int warps = kernel->getAttrOfType<IntegerAttr>("tlx.num_warps").getInt();
  kernel.walk([&](AsyncTasksOp tasks) {
    for (auto [first, count] : llvm::zip(tasks.getFirstWarp(), tasks.getWarps()))
      warps = std::max(warps, first + count);
    if (kernel->hasAttr("tlx.entry_registers"))
      warps = llvm::alignTo(warps, 4);
  });
  return warps;
}

LLVM::LLVMFuncOp Emitter::createFunction() {
  MLIRContext *context = b.getContext();
  SmallVector<Type> inputs;
  for (Type type : kernel.getArgumentTypes())
    inputs.push_back(elementType(type));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), inputs);
  auto result = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
  auto blocks = kernel->getAttrOfType<IntegerAttr>(minBlocksAttribute);
  machine->markKernel(result, machine->lanes() * totalWarps(kernel), blocks ? blocks.getInt() : 1);
  if (auto most = kernel->getAttrOfType<IntegerAttr>("tlx.max_registers")) {
    // Tasks share out what the block starts with, and that is not to be less.
    bool isShared = kernel->hasAttr("tlx.entry_registers");
    if (isShared || !targetOf(kernel).isNVIDIA())
      kernel.emitWarning("`maxnreg` is ignored: ")
          << (isShared ? "the kernel's tasks have register budgets" : "the target has no such limit")
          << " [registers-ignored]";
    else
      result->setAttr("nvvm.maxnreg", most);
  }
  if (inCluster)
    result->setAttr("nvvm.cluster_dim", kernel->getAttr("tlx.cluster"));
  for (auto [i, argument] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (isa<DescriptorType>(argument)) {
      result.setArgAttr(i, "llvm.byval", TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), 128)));
      result.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(64));
      result.setArgAttr(i, "nvvm.grid_constant", b.getUnitAttr());
    }
    if (auto divisible = kernel.getArgAttrOfType<IntegerAttr>(i, "tlx.divisibility");
        divisible && isa<PointerType>(argument))
      result.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(divisible.getInt()));
  }
  return result;
}

static unsigned lineOf(Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    return place.getLine();
  return 0;
}

/// What was allocated where, for the emulator's findings and the manifest.
void Emitter::describeKernel(LLVM::LLVMFuncOp result) {
  SmallVector<Attribute> buffers, barriers, tasks, params;
  auto number = [&](int64_t value) { return b.getI64IntegerAttr(value); };
  auto entry = [&](StringRef key, Attribute value) { return b.getNamedAttr(key, value); };
  kernel.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
      BufferType type = alloc.getType();
      // Padding belongs to a buffer like its elements.
      int64_t bytes = type.getLayout().isWritten() ? sharedTile(type).sizeInBytes() : type.tileBytes();
      buffers.push_back(b.getDictionaryAttr({entry("name", alloc.getNameAttr()), entry("offset", alloc.getOffsetAttr()),
                                             entry("bytes", number(bytes)), entry("count", number(type.getCount())),
                                             entry("line", number(lineOf(op->getLoc())))}));
    } else if (auto alloc = dyn_cast<AllocBarriersOp>(op)) {
      barriers.push_back(b.getDictionaryAttr(
          {entry("name", alloc.getNameAttr()), entry("offset", alloc.getOffsetAttr()),
           entry("count", number(alloc.getType().getCount())), entry("arrivals", number(alloc.getArrivals())),
           entry("line", number(lineOf(op->getLoc())))}));
    } else if (auto asynchronous = dyn_cast<AsyncTasksOp>(op)) {
      for (unsigned i = 0; i < asynchronous.getTasks().size(); ++i)
        tasks.push_back(b.getDictionaryAttr({entry("name", asynchronous.getNames()[i]),
                                             entry("first_warp", number(asynchronous.getFirstWarp()[i])),
                                             entry("warps", number(asynchronous.getWarps()[i])),
                                             entry("registers", number(asynchronous.getRegisters()[i])),
                                             entry("replica", number(asynchronous.getReplicas()[i]))}));
    }
  });
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    DictionaryAttr attributes = kernel.getArgAttrDict(i);
    params.push_back(attributes ? attributes : b.getDictionaryAttr({}));
  }
  // The launcher may then let this kernel start before those in front of it have ended.
  bool dependent = kernel.walk([](DependentWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (dependent)
    result->setAttr("tlx.dependent_launch", b.getUnitAttr());
  result->setAttr("tlx.shared", b.getArrayAttr(buffers));
  result->setAttr("tlx.barriers", b.getArrayAttr(barriers));
  result->setAttr("tlx.tasks", b.getArrayAttr(tasks));
  result->setAttr("tlx.params", b.getArrayAttr(params));
  for (StringRef name : {"tlx.tmem_columns", "tlx.shared_bytes", "tlx.num_warps", "tlx.cluster", "tlx.constexprs"})
    if (Attribute attribute = kernel->getAttr(name))
      result->setAttr(name, attribute);
}

void Emitter::initializeBarriers() {
  SmallVector<AllocBarriersOp> allocations;
  kernel.walk([&](AllocBarriersOp op) { allocations.push_back(op); });
  if (!allocations.empty()) {
    when(equals(threadId, 0), [&] {
      for (AllocBarriersOp op : allocations)
        for (int64_t i = 0; i < op.getType().getCount(); ++i)
          NVVM::MBarrierInitOp::create(b, op.getLoc(), sharedBase(op.getOffset().value_or(0) + 8 * i),
                                       i32(op.getArrivals()), /*predicate=*/Value());
      // PTX ISA, mbarrier.init: makes the initialisation visible to the asynchronous proxy and to the cluster.
      NVVM::FenceMbarrierInitOp::create(b, loc);
    });
  }
  if (inCluster) {
    NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
    NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  } else if (!allocations.empty() || kernel->hasAttr("tlx.tmem_columns")) {
    machine->blockBarrier(b, loc);
  }
}

void Emitter::emitEntry() {
  threadId = machine->threadId(b, loc);
  laneId = bitAnd(threadId, i32(machine->lanes() - 1));
  Value warp = LLVM::LShrOp::create(b, loc, threadId, i32(llvm::Log2_32(machine->lanes())));
  // What follows from the warp number is uniform as well.
  warpId = machine->uniform(b, loc, warp);
  shared = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), sharedSymbol);
  allocateTensorMemory();
}

/// The source may take it upon itself that no peer reaches a CTA that has left.
static bool omitsEndingClusterSync(func::FuncOp kernel) {
  return kernel
      .walk([](AsyncTasksOp tasks) {
        auto omit = tasks->getAttrOfType<IntegerAttr>("tlx.no_ending_cluster_sync");
        return omit && !omit.getValue().isZero() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void Emitter::emitReturn() {
  if (inCluster && !omitsEndingClusterSync(kernel)) {
    // No CTA may leave while a peer can still reach its shared memory.
    NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
    NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  }
  releaseTensorMemory();
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

LogicalResult Emitter::run() {
  b.setInsertionPoint(kernel);
  function = createFunction();
  describeKernel(function);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  for (auto [source, emitted] : llvm::zip(kernel.getArguments(), function.getArguments()))
    setValues(source, {emitted});
  task = {0, totalWarps(kernel), 0, false};
  emitEntry();
  // Tiles outside tasks are laid out for the default warps; other warps of a kernel with tasks compute copies.
  task.warps = kernel->getAttrOfType<IntegerAttr>("tlx.num_warps").getInt();
  if (failed(emitBlock(kernel.getBody().front())))
    return failure();
  emitReturn();
  separateCopiesFromLoads();
  kernel.erase();
  return success();
}

static void declareShared(ModuleOp module) {
  OpBuilder b(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  // 1024: the repeat of the widest swizzle (PTX ISA, tensor-map swizzling modes).
  LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External, sharedSymbol,
                         Attribute(),
                         /*alignment=*/1024, /*addrSpace=*/3);
}

LogicalResult tlx::lowerToThreads(ModuleOp module) {
  declareShared(module);
  SmallVector<func::FuncOp> kernels(module.getOps<func::FuncOp>());
  for (func::FuncOp kernel : kernels)
    if (failed(Emitter(kernel, OpBuilder(module.getContext())).run()))
      return failure();
  return convertScalarOps(module);
}
