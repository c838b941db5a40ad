// Structured control flow becomes blocks; tile values travel as one block argument for each register.
#include "Emitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tlx;

/// All registers of several values, one after the other.
static Registers flatten(ArrayRef<Registers> lists) {
  Registers all;
  for (const Registers &list : lists)
    llvm::append_range(all, list);
  return all;
}

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult Emitter::emitOp(Operation *op) {
  loc = op->getLoc();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  bool handled = false;
  if (failed(emitControlFlow(op, handled)))
    return failure();
  if (handled)
    return success();
  using Family = FailureOr<bool> (Emitter::*)(Operation *);
  for (Family family :
       {&Emitter::emitElementwise, &Emitter::emitView, &Emitter::emitSharedMemory, &Emitter::emitBarrier,
        &Emitter::emitCopy, &Emitter::emitMatrix, &Emitter::emitTensorMemory, &Emitter::emitLaunchControl,
        &Emitter::emitGlobalMemory, &Emitter::emitAlongAxis, &Emitter::emitLookup, &Emitter::emitBulkCopy,
        &Emitter::emitObservation, &Emitter::emitMadeDescriptor, &Emitter::emitAMD}) {
    FailureOr<bool> done = (this->*family)(op);
    if (failed(done))
      return failure();
    if (*done)
      return success();
  }
  return op->emitError("this operation has no lowering for this target [unsupported-operation]");
}

LogicalResult Emitter::emitControlFlow(Operation *op, bool &handled) {
  handled = true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(loop);
  if (auto tasks = dyn_cast<AsyncTasksOp>(op))
    return emitTasks(tasks);
  handled = false;
  return success();
}

namespace {
/// Moves values of the tile program through block arguments of the thread program.
class Carrier {
public:
  explicit Carrier(llvm::function_ref<SmallVector<Type>(Type)> emittedTypes) : emittedTypes(emittedTypes) {}

  /// Adds arguments for values of these types; returns the registers of each.
  SmallVector<Registers> addArguments(Block *block, TypeRange types, Location loc) {
    SmallVector<Registers> result;
    for (Type type : types) {
      Registers &registers = result.emplace_back();
      for (Type emitted : emittedTypes(type))
        registers.push_back(block->addArgument(emitted, loc));
    }
    return result;
  }

private:
  llvm::function_ref<SmallVector<Type>(Type)> emittedTypes;
};
} // namespace

static Block *newBlock(LLVM::LLVMFuncOp function) {
  Block *block = new Block();
  function.getBody().push_back(block);
  return block;
}

/// A meeting of which one half of the block is ahead.
void Emitter::skewHalves(bool laterWaits) {
  int half = task.warps / 2;
  Value isLater = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::uge, warpId, i32(half));
  when(laterWaits ? isLater : bitXor(isLater, i1(true)), [&] { machine->blockBarrier(b, loc); });
}

LogicalResult Emitter::emitFor(scf::ForOp op) {
  Location place = op.getLoc();
  bool isSkewed = op->hasAttr("tlx.skewed");
  if (isSkewed)
    skewHalves(/*laterWaits=*/true);
  auto typesOf = [&](Type type) { return emittedTypes(type); };
  Carrier carrier(typesOf);
  SmallVector<Registers> initial;
  for (Value value : op.getInitArgs())
    initial.push_back(values(value));
  Registers entering{scalar(op.getLowerBound())};
  llvm::append_range(entering, flatten(initial));
  Value upper = scalar(op.getUpperBound()), step = scalar(op.getStep());

  Block *header = newBlock(function), *body = newBlock(function), *exit = newBlock(function);
  LLVM::BrOp::create(b, place, entering, header);
  Value iv = header->addArgument(upper.getType(), place);
  SmallVector<Registers> carried = carrier.addArguments(header, op.getInitArgs().getTypes(), place);
  b.setInsertionPointToStart(header);
  Value goesOn = LLVM::ICmpOp::create(b, place, LLVM::ICmpPredicate::slt, iv, upper);
  LLVM::CondBrOp::create(b, place, goesOn, body, exit);

  b.setInsertionPointToStart(body);
  setValues(op.getInductionVar(), {iv});
  for (auto [argument, registers] : llvm::zip(op.getRegionIterArgs(), carried))
    setValues(argument, registers);
  if (failed(emitBlock(*op.getBody())))
    return failure();
  Registers next{LLVM::AddOp::create(b, place, iv, step)};
  for (Value value : op.getBody()->getTerminator()->getOperands())
    llvm::append_range(next, values(value));
  LLVM::BrOp::create(b, place, next, header);

  b.setInsertionPointToStart(exit);
  for (auto [result, registers] : llvm::zip(op.getResults(), carried))
    setValues(result, registers);
  loc = place;
  if (isSkewed)
    skewHalves(/*laterWaits=*/false);
  return success();
}

LogicalResult Emitter::emitIf(scf::IfOp op) {
  Location place = op.getLoc();
  auto typesOf = [&](Type type) { return emittedTypes(type); };
  Carrier carrier(typesOf);
  Block *thenBlock = newBlock(function), *merge = newBlock(function);
  bool hasElse = !op.getElseRegion().empty();
  Block *elseBlock = hasElse ? newBlock(function) : merge;
  LLVM::CondBrOp::create(b, place, scalar(op.getCondition()), thenBlock, elseBlock);
  SmallVector<Registers> results = carrier.addArguments(merge, op.getResultTypes(), place);

  auto emitSide = [&](Region &region, Block *start) -> LogicalResult {
    b.setInsertionPointToStart(start);
    if (failed(emitBlock(region.front())))
      return failure();
    Registers leaving;
    for (Value value : region.front().getTerminator()->getOperands())
      llvm::append_range(leaving, values(value));
    LLVM::BrOp::create(b, place, leaving, merge);
    return success();
  };
  if (failed(emitSide(op.getThenRegion(), thenBlock)) || (hasElse && failed(emitSide(op.getElseRegion(), elseBlock))))
    return failure();
  merge->moveBefore(&function.getBody(), function.getBody().end());
  b.setInsertionPointToStart(merge);
  for (auto [result, registers] : llvm::zip(op.getResults(), results))
    setValues(result, registers);
  return success();
}

LogicalResult Emitter::emitWhile(scf::WhileOp op) {
  Location place = op.getLoc();
  auto typesOf = [&](Type type) { return emittedTypes(type); };
  Carrier carrier(typesOf);
  Registers entering;
  for (Value value : op.getInits())
    llvm::append_range(entering, values(value));
  Block *before = newBlock(function);
  LLVM::BrOp::create(b, place, entering, before);
  SmallVector<Registers> carried = carrier.addArguments(before, op.getInits().getTypes(), place);
  b.setInsertionPointToStart(before);
  for (auto [argument, registers] : llvm::zip(op.getBeforeArguments(), carried))
    setValues(argument, registers);
  if (failed(emitBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Registers> passed;
  for (Value value : condition.getArgs())
    passed.push_back(values(value));
  Block *after = newBlock(function), *exit = newBlock(function);
  LLVM::CondBrOp::create(b, place, scalar(condition.getCondition()), after, exit);

  b.setInsertionPointToStart(after);
  for (auto [argument, registers] : llvm::zip(op.getAfterArguments(), passed))
    setValues(argument, registers);
  if (failed(emitBlock(*op.getAfterBody())))
    return failure();
  Registers next;
  for (Value value : op.getYieldOp().getOperands())
    llvm::append_range(next, values(value));
  LLVM::BrOp::create(b, place, next, before);

  b.setInsertionPointToStart(exit);
  for (auto [result, registers] : llvm::zip(op.getResults(), passed))
    setValues(result, registers);
  return success();
}

void Emitter::when(Value condition, llvm::function_ref<void()> body) {
  if (!condition) {
    body();
    return;
  }
  Location place = loc;
  Block *inside = newBlock(function), *after = newBlock(function);
  LLVM::CondBrOp::create(b, place, condition, inside, after);
  b.setInsertionPointToStart(inside);
  body();
  LLVM::BrOp::create(b, place, ValueRange(), after);
  after->moveBefore(&function.getBody(), function.getBody().end());
  b.setInsertionPointToStart(after);
}

Registers Emitter::whenElse(Value condition, llvm::function_ref<Registers()> body, ArrayRef<Value> otherwise) {
  if (!condition)
    return body();
  Location place = loc;
  Block *inside = newBlock(function), *after = newBlock(function);
  LLVM::CondBrOp::create(b, place, condition, inside, ValueRange(), after, ValueRange(otherwise));
  b.setInsertionPointToStart(inside);
  Registers computed = body();
  LLVM::BrOp::create(b, place, computed, after);
  Registers result;
  for (Value value : computed)
    result.push_back(after->addArgument(value.getType(), place));
  after->moveBefore(&function.getBody(), function.getBody().end());
  b.setInsertionPointToStart(after);
  return result;
}
