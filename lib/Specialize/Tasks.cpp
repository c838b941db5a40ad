// `with tlx.async_tasks()`: reads the tasks and emits one region for each replica.
#include "Specializer.h"
#include "TaskPlan.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// The builtin that a `with` opens, or null.
const Builtin *Specializer::contextBuiltin(const ast::With *statement) {
  const auto *call = statement->items.size() == 1 ? dyn_cast<ast::Call>(statement->items[0].value) : nullptr;
  if (!call || statement->items[0].target)
    return nullptr;
  auto constant = [&]() -> std::optional<Datum> {
    auto callee = evaluate(call->callee);
    return failed(callee) ? std::nullopt : std::optional<Datum>(*callee);
  }();
  const auto *builtin = constant ? constant->getIf<const Builtin *>() : nullptr;
  return builtin ? *builtin : nullptr;
}

FailureOr<Call> Specializer::bindContext(const ast::With *statement) {
  const auto *expr = cast<ast::Call>(statement->items[0].value);
  auto given = evaluateArguments(expr);
  if (failed(given))
    return failure();
  Call call(*this, emit, *contextBuiltin(statement), expr->range);
  if (failed(bindArguments(call, *given)))
    return failure();
  return call;
}

LogicalResult Specializer::executeWith(const ast::With *statement) {
  unsigned errors = sink.errorCount();
  const Builtin *builtin = contextBuiltin(statement);
  if (sink.errorCount() != errors)
    return failure();
  if (builtin && builtin->name == "tlx.async_tasks")
    return executeTasks(statement);
  if (builtin && builtin->name == "tlx.async_task") {
    sink.error(diag::Kind::TaskForm, statement->items[0].value->range)
        << "`async_task` stands outside `with tlx.async_tasks():`";
    return failure();
  }
  if (builtin && builtin->name == "tlx.warp_pipeline_stage")
    return executeStage(statement);
  if (builtin)
    return LogicalResult(callBuiltin(*builtin, {}, statement->items[0].value->range));
  return LogicalResult(unsupported(statement->range, "`with` on something other than tasks"));
}

LogicalResult Specializer::collectTasks(ast::Body body, SmallVectorImpl<TaskRequest> &tasks) {
  for (const ast::Stmt *statement : body) {
    if (const auto *with = dyn_cast<ast::With>(statement)) {
      if (failed(collectTask(with, tasks)))
        return failure();
      continue;
    }
    if (const auto *branch = dyn_cast<ast::If>(statement)) {
      auto condition = evaluate(branch->condition);
      if (failed(condition))
        return failure();
      if (auto truth = condition->truth()) {
        if (failed(collectTasks(*truth ? branch->thenBody : branch->elseBody, tasks)))
          return failure();
        continue;
      }
      sink.error(diag::Kind::NeedsConstexpr, branch->condition->range)
          << "an `if` around tasks has a compile-time condition; this is " << condition->describe();
      return failure();
    }
    const auto *expression = dyn_cast<ast::ExprStmt>(statement);
    bool isText = expression && isa<ast::StringLiteral>(expression->value);
    if (isa<ast::Pass>(statement) || isText)
      continue;
    sink.error(diag::Kind::TaskForm, statement->range) << "`async_tasks` holds only `with tlx.async_task(...):` blocks";
    return failure();
  }
  return success();
}

LogicalResult Specializer::readTask(Call &call, TaskRequest &task) {
  const Datum &kind = call["task"];
  task.isDefault = kind == Datum(std::string("default"));
  if (!kind.isNone() && !task.isDefault) {
    call.error(diag::Kind::TaskForm, "task")
        << "a task is `\"default\"` or has `num_warps`; this is " << kind.describe();
    return failure();
  }
  if (!task.isDefault && !call.given("num_warps")) {
    sink.error(diag::Kind::MissingArgument, call.range) << "a task other than the default needs `num_warps`";
    return failure();
  }
  const char *registers = call.given("registers") ? "registers" : "num_regs";
  auto read = [&](const char *name, int64_t otherwise) {
    return call.given(name) ? call.integer(name) : FailureOr<int64_t>(otherwise);
  };
  auto warps = read("num_warps", numWarps), budget = read(registers, 0), replicas = read("replicate", 1);
  auto first = read("warp_group_start_id", -1);
  if (failed(warps) || failed(budget) || failed(replicas) || failed(first))
    return failure();
  if (*warps < 1 || *warps > 32 || *replicas < 1 || *replicas > 32) {
    sink.error(diag::Kind::WarpCount, call.range)
        << *replicas << " replicas of " << *warps << " warps; a block has 1 to 32 warps";
    return failure();
  }
  if (task.isDefault && *warps != numWarps) {
    call.error(diag::Kind::WarpCount, "num_warps")
        << "the default task asks for " << *warps << " warps; the kernel has " << numWarps;
    return failure();
  }
  if (*budget && (*budget % 8 || *budget < 24 || *budget > 256)) {
    call.error(diag::Kind::RegisterRequest, registers) << *budget << " registers are asked for; the hardware gives a "
                                                       << "multiple of 8 from 24 to 256";
    return failure();
  }
  task.warps = *warps;
  task.registers = *budget;
  task.replicas = *replicas;
  if (call.given("warp_group_start_id"))
    task.firstWarp = *first;
  return success();
}

LogicalResult Specializer::collectTask(const ast::With *with, SmallVectorImpl<TaskRequest> &tasks) {
  const Builtin *builtin = contextBuiltin(with);
  if (!builtin || builtin->name != "tlx.async_task") {
    sink.error(diag::Kind::TaskForm, with->items[0].value->range)
        << "`async_tasks` holds only `with tlx.async_task(...):` blocks";
    return failure();
  }
  auto call = bindContext(with);
  TaskRequest task;
  task.body = with->body;
  task.range = with->items[0].value->range;
  if (failed(call) || failed(readTask(*call, task)))
    return failure();
  task.name = task.isDefault ? "default" : "task" + std::to_string(tasks.size());
  tasks.push_back(task);
  return success();
}

LogicalResult Specializer::executeTasks(const ast::With *statement) {
  if (taskRegion) {
    sink.error(diag::Kind::TaskForm, statement->items[0].value->range) << "`async_tasks` stands inside a task";
    return failure();
  }
  // In a function that is called, its caller goes on.
  frame().goesOnBehindTasks = frame().openTails || frame().loopDepth || frames.size() > 1;
  auto call = bindContext(statement);
  SmallVector<TaskRequest> tasks;
  if (failed(call) || failed(collectTasks(statement->body, tasks)))
    return failure();
  auto defaults = llvm::count_if(tasks, [](const TaskRequest &task) { return task.isDefault; });
  if (defaults != 1) {
    sink.error(diag::Kind::TaskForm, statement->items[0].value->range)
        << "`async_tasks` has " << defaults << " default tasks; it needs one";
    return failure();
  }
  // The default comes first, whatever its place in the source.
  auto *first = llvm::find_if(tasks, [](const TaskRequest &task) { return task.isDefault; });
  std::rotate(tasks.begin(), first, first + 1);
  if (tasks.size() == 1 && tasks[0].replicas == 1)
    return executeTaskBody(tasks[0].body, 0, nullptr);
  Emitter::At at(emit, statement->items[0].value->range);
  auto op = emitTasks(tasks);
  if (failed(op))
    return failure();
  // What the region asks for beyond its tasks stays with it.
  for (const char *option : {"exclusive", "no_ending_cluster_sync", "mbarrier_try_wait_suspend_ns"})
    if (call->given(option))
      (*op)->setAttr(std::string("tlx.") + option, loopAttribute(emit.builder, (*call)[option]));
  return success();
}

LogicalResult Specializer::executeTaskBody(ast::Body body, int64_t replicaId, Region *region) {
  Names outerNames = frame().names;
  auto outerLost = frame().lost;
  auto outerReplica = replica;
  Region *outerRegion = taskRegion;
  replica = replicaId;
  if (region) {
    taskRegion = region;
    hideTiles(frame());
  }
  unsigned outerLoops = std::exchange(frame().loopDepth, 0);
  bool wasInTask = std::exchange(frame().isInTask, true);
  auto flow = execute(body);
  frame().loopDepth = outerLoops;
  frame().isInTask = wasInTask;
  for (const auto &[name, binding] : frame().names)
    if (!outerNames.count(name))
      outerLost[name] = {binding.range, "assigned inside a task, which keeps it for itself", false};
  frame().names = std::move(outerNames);
  frame().lost = std::move(outerLost);
  replica = outerReplica;
  taskRegion = outerRegion;
  return LogicalResult(flow);
}

FailureOr<AsyncTasksOp> Specializer::emitTasks(ArrayRef<TaskRequest> tasks) {
  auto plan = planTasks(tasks, numWarps, sink);
  if (failed(plan))
    return failure();
  SmallVector<StringRef> names(plan->names.begin(), plan->names.end());
  auto op =
      emit.create<AsyncTasksOp>(plan->warps, plan->registers, plan->firstWarps, emit.builder.getStrArrayAttr(names),
                                plan->replicas, static_cast<unsigned>(plan->requests.size()));
  OpBuilder::InsertionGuard guard(emit.builder);
  bool isBuilt = true;
  for (auto [index, request] : llvm::enumerate(plan->requests)) {
    Region &region = op.getTasks()[index];
    emit.builder.createBlock(&region);
    isBuilt &= succeeded(executeTaskBody(tasks[request].body, plan->replicas[index], &region));
    emit.create<TaskEndOp>();
  }
  if (!isBuilt)
    return failure();
  return op;
}
