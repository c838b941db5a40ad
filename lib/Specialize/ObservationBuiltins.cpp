// Printing, assertions, clocks, votes, prefetches, and PTX of the kernel's author.
#include "Specializer.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

Result tlx::specialize::devicePrint(Call &call) {
  const std::vector<Datum> &values = call["values"].asSequence()->elements;
  auto hex = call.boolean("hex");
  if (failed(hex))
    return failure();
  std::string prefix;
  SmallVector<mlir::Value> operands;
  SmallVector<int32_t> isSigned;
  for (const Datum &value : values) {
    if (value.is<std::string>() || (value.isConstant() && !value.isNumber())) {
      prefix += (prefix.empty() ? "" : " ") + value.text();
      continue;
    }
    auto ir = call.emit.asIR(value);
    if (failed(ir))
      return failure();
    if (ir->dtype.isFloat8() && !ir->dtype.isPointer)
      ir = call.emit.cast(*ir, {ScalarKind::F32});
    operands.push_back(ir->value);
    isSigned.push_back(ir->dtype.isSigned() || ir->dtype.isFloat());
  }
  // `%` begins a conversion of C's printf.
  std::string escaped;
  for (char letter : prefix)
    escaped += letter == '%' ? std::string("%%") : std::string(1, letter);
  call.emit.create<PrintOp>(escaped, *hex, isSigned, operands);
  return Datum(NoneValue());
}

Result tlx::specialize::deviceAssert(Call &call) {
  auto message = call.string("msg");
  auto condition = failed(message) ? FailureOr<IRValue>(failure()) : call.emit.asCondition(call["cond"]);
  if (failed(condition))
    return failure();
  Datum holds(*condition);
  if (call.given("mask")) {
    auto counts = call.emit.asCondition(call["mask"]);
    auto outside =
        failed(counts) ? Result(failure()) : call.emit.binary(ast::BinaryOp::BitXor, Datum(*counts), Datum(true));
    auto either = failed(outside) ? outside : call.emit.binary(ast::BinaryOp::BitOr, holds, *outside);
    if (failed(either))
      return failure();
    holds = *either;
  }
  call.emit.create<AssertOp>(holds.irValue(), *message);
  return Datum(NoneValue());
}

Result tlx::specialize::clockBuiltin(Call &call) {
  return Datum::ir(call.emit.create<ClockOp>(), {ScalarKind::I64});
}

Result tlx::specialize::voteBallot(Call &call) {
  auto lanes = call.integer("mask");
  auto condition = failed(lanes) ? FailureOr<IRValue>(failure()) : call.emit.asCondition(call["pred"]);
  if (failed(condition))
    return failure();
  DType type{ScalarKind::I32};
  ArrayRef<int64_t> shape = shapeOf(condition->value);
  auto op = call.emit.create<BallotOp>(call.emit.typeOf(type, shape), static_cast<uint32_t>(*lanes), condition->value);
  return Datum::ir(op, type);
}

Result tlx::specialize::prefetchBuiltin(Call &call) {
  auto level = call.string("level");
  auto isMap = call.boolean("tensormap");
  if (failed(level) || failed(isMap))
    return failure();
  const Datum &pointer = call["pointer"];
  if (pointer.isIR() && isa<DescriptorType>(pointer.irValue().getType())) {
    call.emit.create<PrefetchDescriptorOp>(pointer.irValue());
    return Datum(NoneValue());
  }
  bool isPointer = pointer.isIR() && isa<PointerType>(getElementTypeOrSelf(pointer.irValue().getType()));
  if (!isPointer || *isMap || (*level != "L1" && *level != "L2")) {
    call.error(diag::Kind::ArgumentType, isPointer && !*isMap ? "level" : "pointer")
        << "`tlx.prefetch` takes a pointer and the level `L1` or `L2`, or a tensor descriptor";
    return failure();
  }
  mlir::Value mask;
  if (call.given("mask")) {
    auto condition = call.emit.asCondition(call["mask"]);
    auto wide = failed(condition) ? condition : call.emit.broadcast(*condition, shapeOf(pointer.irValue()));
    if (failed(wide))
      return failure();
    mask = wide->value;
  }
  call.emit.create<PrefetchOp>(pointer.irValue(), mask, StringRef(*level));
  return Datum(NoneValue());
}

Result tlx::specialize::dumpLayout(Call &call) {
  auto tile = call.tile("x");
  if (failed(tile))
    return failure();
  call.emit.create<DumpLayoutOp>(tile->value);
  return Datum(NoneValue());
}

/// LLVM's template language: `$0` names an operand, where inline assembly of CUDA writes `%0`.
static FailureOr<SmallVector<DType>> resultTypes(Call &call) {
  if (const SequenceValue *sequence = call["dtype"].asSequence()) {
    SmallVector<DType> types;
    for (const Datum &type : sequence->elements)
      if (const auto *known = type.getIf<DType>())
        types.push_back(*known);
    if (!types.empty() && types.size() == sequence->elements.size())
      return types;
  }
  auto type = call.dtype("dtype");
  if (failed(type))
    return failure();
  return SmallVector<DType>{*type};
}

Result tlx::specialize::inlineAssembly(Call &call) {
  auto text = call.string("asm"), constraints = call.string("constraints");
  auto isPure = call.boolean("is_pure");
  auto pack = call.integer("pack");
  auto types = resultTypes(call);
  const SequenceValue *arguments = call["args"].asSequence();
  if (failed(text) || failed(constraints) || failed(isPure) || failed(pack) || failed(types))
    return failure();
  if (!arguments || *pack < 1) {
    call.error(diag::Kind::ArgumentType, arguments ? "pack" : "args") << "`args` is a list and `pack` is at least 1";
    return failure();
  }
  SmallVector<IRValue> values;
  SmallVector<int64_t> shape;
  for (const Datum &argument : arguments->elements) {
    auto value = call.emit.asIR(argument);
    auto joined =
        failed(value) ? FailureOr<SmallVector<int64_t>>(failure()) : call.emit.joinShapes(shape, shapeOf(value->value));
    if (failed(joined))
      return failure();
    shape = *joined;
    values.push_back(*value);
  }
  SmallVector<mlir::Value> operands;
  for (IRValue value : values) {
    auto wide = call.emit.broadcast(value, shape);
    if (failed(wide))
      return failure();
    operands.push_back(wide->value);
  }
  SmallVector<Type> results;
  for (DType type : *types)
    results.push_back(call.emit.typeOf(type, shape));
  auto op = call.emit.create<InlineAssemblyOp>(results, StringRef(*text), StringRef(*constraints), operands,
                                               static_cast<uint32_t>(*pack), *isPure);
  std::vector<Datum> list;
  for (auto [result, type] : llvm::zip(op.getResults(), *types))
    list.push_back(Datum::ir(result, type));
  return list.size() == 1 ? list[0] : Datum::sequence(std::move(list), false);
}
