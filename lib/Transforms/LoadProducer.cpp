//===- LoadProducer.cpp - what decides when and from where a kernel loads tiles -------------------------===//

#include "LoadProducer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/TLXDialect.h"

using namespace mlir;
using namespace tlx;

static bool isTile(Type type) {
  return isa<RankedTensorType>(type);
}

bool LoadProducer::add(Operation *load) {
  loads.insert(load);
  return need(load);
}

bool LoadProducer::needAll(ValueRange values) {
  return llvm::all_of(values, [&](Value value) { return need(value); });
}

bool LoadProducer::need(Value value) {
  if (isShared(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (loop && argument != loop.getInductionVar())
      return needCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
    return need(owner);
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return needCarried(loop, number);
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return needResult(branch, number);
  return need(value.getDefiningOp());
}

bool LoadProducer::needCarried(scf::ForOp loop, unsigned index) {
  if (!numbers.insert({loop, index}).second)
    return true;
  return !isTile(loop.getResult(index).getType()) && need(loop.getOperation()) && need(loop.getInitArgs()[index]) &&
         need(loop.getBody()->getTerminator()->getOperand(index));
}

bool LoadProducer::needResult(scf::IfOp branch, unsigned index) {
  if (!numbers.insert({branch, index}).second)
    return true;
  return !isTile(branch.getResult(index).getType()) && need(branch.getOperation()) &&
         need(branch.thenYield().getOperand(index)) && need(branch.elseYield().getOperand(index));
}

bool LoadProducer::need(Operation *op) {
  if (!needed.insert(op).second)
    return true;
  Operation *around = op->getParentOp();
  if (!isa<func::FuncOp>(around) && !need(around))
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return needAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return need(branch.getCondition());
  if (llvm::any_of(op->getOperandTypes(), isTile))
    return false;
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return needAll(loop.getInits()) && needAll(loop.getConditionOp()->getOperands()) &&
           needAll(loop.getYieldOp()->getOperands());
  if (loads.contains(op))
    return needAll(op->getOperands());
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::none_of(op->getResultTypes(), isTile) &&
         needAll(op->getOperands());
}

void LoadProducer::emit(Block &block, OpBuilder &builder, EmitLoad emitLoad) {
  map.clear();
  emitOperations(block, builder, emitLoad);
}

void LoadProducer::emitOperations(Block &block, OpBuilder &builder, EmitLoad emitLoad) {
  for (Operation &op : block.without_terminator()) {
    if (!needed.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      emitFor(loop, builder, emitLoad);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      emitIf(branch, builder, emitLoad);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      emitWhile(loop, builder, emitLoad);
    else if (loads.contains(&op))
      emitLoad(builder, &op, map);
    else
      builder.clone(op, map);
  }
}

void LoadProducer::emitFor(scf::ForOp loop, OpBuilder &builder, EmitLoad emitLoad) {
  OpBuilder::InsertionGuard guard(builder);
  auto find = [&](Value value) { return map.lookupOrDefault(value); };
  SmallVector<unsigned> kept;
  SmallVector<Value> inits, yielded;
  for (auto [index, init] : llvm::enumerate(loop.getInitArgs()))
    if (numbers.contains({loop, index})) {
      kept.push_back(index);
      inits.push_back(find(init));
    }
  auto copy = scf::ForOp::create(builder, loop.getLoc(), find(loop.getLowerBound()), find(loop.getUpperBound()),
                                 find(loop.getStep()), inits);
  map.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [number, index] : llvm::enumerate(kept)) {
    map.map(loop.getRegionIterArg(index), copy.getRegionIterArg(number));
    map.map(loop.getResult(index), copy.getResult(number));
  }
  builder.setInsertionPointToStart(copy.getBody());
  emitOperations(*loop.getBody(), builder, emitLoad);
  if (kept.empty())
    return;
  for (unsigned index : kept)
    yielded.push_back(find(loop.getBody()->getTerminator()->getOperand(index)));
  builder.setInsertionPointToEnd(copy.getBody());
  scf::YieldOp::create(builder, loop.getLoc(), yielded);
}

void LoadProducer::emitIf(scf::IfOp branch, OpBuilder &builder, EmitLoad emitLoad) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<unsigned> kept;
  SmallVector<Type> types;
  for (auto [index, type] : llvm::enumerate(branch.getResultTypes()))
    if (numbers.contains({branch, index})) {
      kept.push_back(index);
      types.push_back(type);
    }
  auto copy = scf::IfOp::create(builder, branch.getLoc(), types, map.lookupOrDefault(branch.getCondition()),
                                /*withElseRegion=*/branch.elseBlock() != nullptr);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    builder.setInsertionPointToStart(&to.front());
    emitOperations(from.front(), builder, emitLoad);
    if (kept.empty())
      continue;
    SmallVector<Value> yielded;
    for (unsigned index : kept)
      yielded.push_back(map.lookupOrDefault(from.front().getTerminator()->getOperand(index)));
    builder.setInsertionPointToEnd(&to.front());
    scf::YieldOp::create(builder, branch.getLoc(), yielded);
  }
  for (auto [number, index] : llvm::enumerate(kept))
    map.map(branch.getResult(index), copy.getResult(number));
}

void LoadProducer::emitWhile(scf::WhileOp loop, OpBuilder &builder, EmitLoad emitLoad) {
  OpBuilder::InsertionGuard guard(builder);
  auto findAll = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return map.lookupOrDefault(value); });
  };
  auto copy = scf::WhileOp::create(builder, loop.getLoc(), loop.getResultTypes(), findAll(loop.getInits()));
  for (auto [from, to] : llvm::zip_equal(loop->getRegions(), copy->getRegions())) {
    SmallVector<Location> places(from.getNumArguments(), loop.getLoc());
    Block *block = builder.createBlock(&to, {}, from.getArgumentTypes(), places);
    map.map(from.getArguments(), block->getArguments());
    emitOperations(from.front(), builder, emitLoad);
    builder.setInsertionPointToEnd(block);
    builder.clone(*from.front().getTerminator(), map);
  }
  map.map(loop.getResults(), copy.getResults());
}
