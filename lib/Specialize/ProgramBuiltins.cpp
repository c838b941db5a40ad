// Program ids, assertions, hints, and queries of types.
#include "Fold.h"
#include "Specializer.h"
#include "TensorMemory.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static const DType i32Type{ScalarKind::I32};

Result tlx::specialize::unsupportedBuiltin(Call &call) {
  auto builder = call.emit.error(diag::Kind::UnsupportedBuiltin);
  StringRef feature = call.builtin.feature;
  if (feature.starts_with("gfx"))
    builder << "`" << call.builtin.name << "` is an operation of AMD targets (`" << feature
            << "`), for which no code is generated yet";
  else
    builder << "`" << call.builtin.name << "` is not supported yet";
  if (feature.starts_with("sm_"))
    builder << " (it needs `" << feature << "` or later)";
  return failure();
}

static FailureOr<int64_t> axisOf(Call &call) {
  auto axis = call.integer("axis");
  if (succeeded(axis) && (*axis < 0 || *axis > 2)) {
    call.error(diag::Kind::IndexOutOfRange, "axis") << "axis " << *axis << " of a grid that has the axes 0 to 2";
    return failure();
  }
  return axis;
}

Result tlx::specialize::programId(Call &call) {
  auto axis = axisOf(call);
  return failed(axis) ? Result(failure()) : Result(Datum::ir(call.emit.create<ProgramIdOp>(*axis), i32Type));
}

Result tlx::specialize::numPrograms(Call &call) {
  auto axis = axisOf(call);
  return failed(axis) ? Result(failure()) : Result(Datum::ir(call.emit.create<NumProgramsOp>(*axis), i32Type));
}

Result tlx::specialize::threadId(Call &call) {
  auto axis = axisOf(call);
  return failed(axis) ? Result(failure()) : Result(Datum::ir(call.emit.create<ThreadIdOp>(*axis), i32Type));
}

Result tlx::specialize::clusterRank(Call &call) {
  return Datum::ir(call.emit.create<ClusterRankOp>(), i32Type);
}

Result tlx::specialize::clusterSize(Call &call) {
  return Datum(call.specializer.clusterSize);
}

Result tlx::specialize::replicaId(Call &call) {
  if (call.specializer.replica)
    return Datum(*call.specializer.replica);
  call.emit.error(diag::Kind::TaskForm) << "`async_task_replica_id` stands outside a task";
  return failure();
}

Result tlx::specialize::tasksOutsideWith(Call &call) {
  call.emit.error(diag::Kind::TaskForm) << "`" << call.builtin.name << "` stands only in a `with` statement";
  return failure();
}

Result tlx::specialize::constexprCall(Call &call) {
  return call["value"];
}

Result tlx::specialize::staticAssert(Call &call) {
  auto truth = call.boolean("cond");
  if (failed(truth))
    return failure();
  if (*truth)
    return Datum(NoneValue());
  auto builder = call.error(diag::Kind::StaticAssertFailed, "cond");
  builder << "the asserted condition is false";
  if (call.given("msg") && !call["msg"].text().empty())
    builder << ": " << call["msg"].text();
  return failure();
}

Result tlx::specialize::staticPrint(Call &call) {
  std::string text;
  for (const Datum &value : call["values"].asSequence()->elements)
    text += (text.empty() ? "" : " ") + value.text();
  call.emit.sink.remark(diag::Kind::StaticPrint, call.range) << text;
  return Datum(NoneValue());
}

//===-- hints: they promise, so that leaving them out changes nothing that is computed ------===//

Result tlx::specialize::hintAssume(Call &call) {
  auto truth = call["cond"].truth();
  if (!truth || *truth)
    return Datum(NoneValue());
  call.error(diag::Kind::StaticAssertFailed, "cond") << "the assumed condition is false";
  return failure();
}

Result tlx::specialize::hintValue(Call &call) {
  return call["input"];
}
Result tlx::specialize::hintUniform(Call &call) {
  return call["scalar"];
}

Result tlx::specialize::hintMultiple(Call &call) {
  auto values = call.integers("values");
  if (failed(values))
    return failure();
  const Datum &input = call["input"];
  // Kept where a divisibility analysis looks first: on the operation that computes the value.
  if (Operation *owner = input.isIR() ? input.irValue().getDefiningOp() : nullptr; owner && values->size() == 1)
    owner->setAttr("tlx.divisibility", call.emit.builder.getI32IntegerAttr(static_cast<int32_t>((*values)[0])));
  return input;
}

//===-- integers ----------------------------------------------------------------------------===//

Result tlx::specialize::ceilDivide(Call &call) {
  const Datum &x = call["x"], &divisor = call["div"];
  if (x.asInt() && divisor.asInt() && *divisor.asInt() != 0)
    return Datum(-floorDivide(-*x.asInt(), *divisor.asInt()));
  auto less = call.emit.binary(ast::BinaryOp::Subtract, divisor, Datum(int64_t(1)));
  auto sum = failed(less) ? less : call.emit.binary(ast::BinaryOp::Add, x, *less);
  return failed(sum) ? sum : call.emit.binary(ast::BinaryOp::FloorDivide, *sum, divisor);
}

/// Rows are taken `size_g` at a time; inside such a band columns come first.
Result tlx::specialize::swizzle2D(Call &call) {
  Emitter &emit = call.emit;
  auto apply = [&](ast::BinaryOp op, const Result &left, const Result &right) -> Result {
    return failed(left) || failed(right) ? Result(failure()) : emit.binary(op, *left, *right);
  };
  Result i = call["i"], j = call["j"], rows = call["size_i"], columns = call["size_j"], group = call["size_g"];
  Result index = apply(ast::BinaryOp::Add, apply(ast::BinaryOp::Multiply, i, columns), j);
  Result band = apply(ast::BinaryOp::Multiply, group, columns);
  Result first = apply(ast::BinaryOp::Multiply, apply(ast::BinaryOp::FloorDivide, index, band), group);
  Result left = apply(ast::BinaryOp::Subtract, rows, first);
  Result height = failed(left) ? left : emit.extremum(/*isMax=*/false, *left, *group);
  Result inside = apply(ast::BinaryOp::Modulo, index, band);
  Result row = apply(ast::BinaryOp::Add, first, apply(ast::BinaryOp::Modulo, inside, height));
  Result column = apply(ast::BinaryOp::FloorDivide, inside, height);
  return failed(row) || failed(column) ? Result(failure()) : Result(Datum::sequence({*row, *column}, false));
}

Result tlx::specialize::nextPowerOfTwo(Call &call) {
  auto number = call.integer("n");
  if (failed(number))
    return failure();
  int64_t power = 1;
  while (power < *number && power < (int64_t(1) << 62))
    power *= 2;
  return Datum(power);
}

Result tlx::specialize::bufferIndexAndPhase(Call &call) {
  Emitter &emit = call.emit;
  auto index = emit.binary(ast::BinaryOp::Modulo, call["cnt"], call["NUM_BUFFERS"]);
  auto round = failed(index) ? index : emit.binary(ast::BinaryOp::FloorDivide, call["cnt"], call["NUM_BUFFERS"]);
  auto phase = failed(round) ? round : emit.binary(ast::BinaryOp::BitAnd, *round, Datum(int64_t(1)));
  return failed(phase) ? phase : Result(Datum::sequence({*index, *phase}, false));
}

//===-- types ---------------------------------------------------------------------------------===//

Result tlx::specialize::dtypeOf(Call &call) {
  const Datum &value = call["v"];
  if (value.isTile() || value.isScalar() ||
      (value.isIR() && isa<BufferType, DescriptorType>(value.irValue().getType())) || isTensorMemory(value))
    return Datum(value.dtype().pointee());
  if (auto type = value.literalType())
    return Datum(*type);
  call.error(diag::Kind::ArgumentType, "v") << value.describe() << " has no element type";
  return failure();
}

Result tlx::specialize::sizeOf(Call &call) {
  auto type = call.dtype("dtype");
  if (failed(type))
    return failure();
  return Datum(static_cast<int64_t>(type->isPointer ? 8 : type->bytes()));
}

Result tlx::specialize::fp8FormatName(Call &call) {
  auto type = call.dtype("dtype");
  if (failed(type))
    return failure();
  if (type->isFloat8() && !type->isFNUZ())
    return Datum(std::string(type->kind == ScalarKind::F8E4M3 ? "e4m3" : "e5m2"));
  call.error(diag::Kind::ArgumentType, "dtype") << "`" << type->name() << "` is neither `fp8e4nv` nor `fp8e5`";
  return failure();
}

Result tlx::specialize::pointerType(Call &call) {
  auto type = call.dtype("element_ty");
  return failed(type) ? Result(failure()) : Result(Datum(type->pointer()));
}
