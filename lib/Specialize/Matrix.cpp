// Matrix products on the tensor cores.
#include "Specializer.h"
#include "TensorMemory.h"
#include "WrittenLayouts.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

namespace {
/// `tl.dot` after its options are read.
struct TileProduct {
  IRValue a, b;
  SmallVector<int64_t> shape;
  DType sumType;
  std::string precision;
  /// Bytes carry no sign in the IR.
  bool isUnsignedA = false, isUnsignedB = false;
};
} // namespace

static FailureOr<std::string> precisionOf(Call &call) {
  if (call.given("input_precision")) {
    auto text = call.string("input_precision");
    if (failed(text) || *text == "tf32" || *text == "tf32x3" || *text == "ieee")
      return text;
    call.error(diag::Kind::ArgumentType, "input_precision") << "`" << *text << "` is not one of tf32, tf32x3, ieee";
    return failure();
  }
  if (call.given("allow_tf32") && !call["allow_tf32"].truth().value_or(true))
    return std::string("ieee");
  return std::string("tf32");
}

/// Matrices, or stacks of them, that multiply.
static FailureOr<SmallVector<int64_t>> productShape(Call &call, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  bool fits = a.size() == b.size() && (a.size() == 2 || a.size() == 3) && a.back() == b[b.size() - 2] &&
              (a.size() == 2 || a[0] == b[0]);
  if (fits) {
    SmallVector<int64_t> shape(a);
    shape.back() = b.back();
    return shape;
  }
  call.emit.error(diag::Kind::ShapeMismatch)
      << "the product of " << call["input"].describe() << " and " << call["other"].describe();
  return failure();
}

static bool isByte(DType type) {
  return type.kind == ScalarKind::I8 || type.kind == ScalarKind::U8;
}

static FailureOr<TileProduct> tileProductOf(Call &call) {
  auto a = call.tile("input"), b = call.tile("other");
  auto precision = precisionOf(call);
  if (failed(a) || failed(b) || failed(precision))
    return failure();
  auto shape = productShape(call, shapeOf(a->value), shapeOf(b->value));
  if (failed(shape))
    return failure();
  bool arePlain = !a->dtype.isPointer && !b->dtype.isPointer && !a->dtype.isBool();
  bool areBytes = isByte(a->dtype) && isByte(b->dtype);
  if (!arePlain || (a->dtype != b->dtype && !areBytes && !(a->dtype.isFloat8() && b->dtype.isFloat8()))) {
    call.emit.error(diag::Kind::ArgumentType)
        << "the product of " << call["input"].describe() << " and " << call["other"].describe()
        << ": the element types " << (arePlain ? "differ" : "are not numbers");
    return failure();
  }
  // The tensor cores know bytes; others multiply as 32-bit integers.
  if (a->dtype.isInteger() && !areBytes && a->dtype.bits() < 32) {
    a = call.emit.cast(*a, {ScalarKind::I32});
    b = call.emit.cast(*b, {ScalarKind::I32});
  }
  DType sum = a->dtype.isInteger() ? DType{a->dtype.bits() == 64 ? ScalarKind::I64 : ScalarKind::I32}
                                   : DType{a->dtype.kind == ScalarKind::F64 ? ScalarKind::F64 : ScalarKind::F32};
  auto isUnsigned = [](DType type) { return type.kind == ScalarKind::U8; };
  return TileProduct{*a, *b, *shape, sum, *precision, isUnsigned(a->dtype), isUnsigned(b->dtype)};
}

static FailureOr<IRValue> multiply(Call &call, const TileProduct &product, IRValue a, IRValue b, IRValue acc) {
  Type type = call.emit.typeOf(product.sumType, product.shape);
  StringRef precision = product.precision == "tf32x3" ? StringRef("tf32") : StringRef(product.precision);
  auto dot = call.emit.create<DotOp>(type, a.value, b.value, acc.value, precision);
  if (product.isUnsignedA)
    dot->setAttr("tlx.unsigned_a", call.emit.builder.getUnitAttr());
  if (product.isUnsignedB)
    dot->setAttr("tlx.unsigned_b", call.emit.builder.getUnitAttr());
  return IRValue{dot, product.sumType};
}

/// The part of an f32 that tf32 holds, and the rest of it.
static FailureOr<std::pair<IRValue, IRValue>> splitForTF32(Call &call, IRValue value) {
  auto bits = call.emit.bitcast(value, {ScalarKind::U32});
  auto kept = failed(bits) ? Result(failure())
                           : call.emit.binary(ast::BinaryOp::BitAnd, Datum(*bits), Datum(int64_t(0xffffe000)));
  auto big = failed(kept) ? FailureOr<IRValue>(failure()) : call.emit.bitcast(*kept->getIf<IRValue>(), value.dtype);
  auto small = failed(big) ? Result(failure()) : call.emit.binary(ast::BinaryOp::Subtract, Datum(value), Datum(*big));
  if (failed(small))
    return failure();
  return std::pair(*big, *small->getIf<IRValue>());
}

/// Three products, small terms first, come close to f32 (the product of the two rests is left out).
static FailureOr<IRValue> multiplyInThree(Call &call, const TileProduct &product, IRValue acc) {
  auto a = splitForTF32(call, product.a), b = splitForTF32(call, product.b);
  if (failed(a) || failed(b))
    return failure();
  auto sum = multiply(call, product, a->second, b->first, acc);
  sum = failed(sum) ? sum : multiply(call, product, a->first, b->second, *sum);
  return failed(sum) ? sum : multiply(call, product, a->first, b->first, *sum);
}

Result tlx::specialize::tileDot(Call &call) {
  auto product = tileProductOf(call);
  if (failed(product))
    return failure();
  DType wanted = product->sumType;
  if (call.given("out_dtype")) {
    auto type = call.dtype("out_dtype");
    if (failed(type))
      return failure();
    wanted = *type;
  } else if (call.given("acc") && call["acc"].isTile()) {
    wanted = call["acc"].dtype();
  }
  if (wanted.isInteger() != product->sumType.isInteger()) {
    call.emit.error(diag::Kind::ArgumentType) << "products of `" << product->a.dtype.name() << "` add up in `"
                                              << product->sumType.name() << "`, not in `" << wanted.name() << "`";
    return failure();
  }
  FailureOr<IRValue> acc = failure();
  if (call.given("acc")) {
    auto given = call.tile("acc");
    if (failed(given))
      return failure();
    if (shapeOf(given->value) != ArrayRef<int64_t>(product->shape)) {
      call.error(diag::Kind::ShapeMismatch, "acc")
          << "the accumulator is " << call["acc"].describe() << "; the product has "
          << product->shape[product->shape.size() - 2] << " rows and " << product->shape.back() << " columns";
      return failure();
    }
    acc = call.emit.cast(*given, product->sumType);
  } else {
    acc = call.emit.literal(Datum(int64_t(0)), product->sumType, product->shape);
  }
  if (failed(acc))
    return failure();
  bool inThree = product->precision == "tf32x3" && product->a.dtype.kind == ScalarKind::F32;
  auto sum = inThree ? multiplyInThree(call, *product, *acc) : multiply(call, *product, product->a, product->b, *acc);
  auto result = failed(sum) ? sum : call.emit.cast(*sum, wanted);
  return failed(result) ? Result(failure()) : Result(Datum(*result));
}

static std::optional<ArrayRef<int64_t>> matrixShape(const Datum &value) {
  if (value.isTile())
    return shapeOf(value.irValue());
  if (auto buffer = value.isIR() ? dyn_cast<BufferType>(value.irValue().getType()) : BufferType())
    if (buffer.getCount() == 0)
      return buffer.getShape();
  return std::nullopt;
}

namespace {
struct Product {
  mlir::Value a, b;
  SmallVector<int64_t> shape;
  DType elements;
  bool isUnsignedA, isUnsignedB;
};
} // namespace

/// Bytes carry no sign in the IR.
static AsyncDotOp emitProduct(Call &call, const Product &product, Type type, mlir::Value acc, mlir::Value useAcc) {
  auto op = call.emit.create<AsyncDotOp>(type, product.a, product.b, acc, useAcc);
  if (product.isUnsignedA)
    op->setAttr("tlx.unsigned_a", call.emit.builder.getUnitAttr());
  if (product.isUnsignedB)
    op->setAttr("tlx.unsigned_b", call.emit.builder.getUnitAttr());
  return op;
}

/// A in registers or in a buffer, B in a buffer, shapes that multiply.
static FailureOr<Product> productOf(Call &call, StringRef aName, StringRef bName) {
  const Datum &a = call[aName], &b = call[bName];
  auto aShape = matrixShape(a);
  auto second = hardwareBuffer(call, bName);
  if (failed(second) || (aShape && !a.isTile() && failed(hardwareBuffer(call, aName))))
    return failure();
  if (!aShape || aShape->size() != 2) {
    call.error(diag::Kind::ArgumentType, aName)
        << "`" << aName << "` is a matrix in a buffer or in registers; this is " << a.describe();
    return failure();
  }
  ArrayRef<int64_t> bShape = second->getType().getShape();
  if (bShape.size() != 2 || (*aShape)[1] != bShape[0]) {
    call.emit.error(diag::Kind::ShapeMismatch) << "the product of " << a.describe() << " and " << b.describe() << ": "
                                               << (*aShape)[1] << " columns meet " << bShape[0] << " rows";
    return failure();
  }
  auto isUnsigned = [](DType type) { return type.kind == ScalarKind::U8; };
  bool areMixed = (a.dtype().isFloat8() && b.dtype().isFloat8()) || (isByte(a.dtype()) && isByte(b.dtype()));
  if (a.dtype() != b.dtype() && !areMixed) {
    call.emit.error(diag::Kind::ArgumentType)
        << "the product of " << a.describe() << " and " << b.describe() << ": the element types differ";
    return failure();
  }
  return Product{a.irValue(),          *second, {(*aShape)[0], bShape[1]}, a.dtype(), isUnsigned(a.dtype()),
                 isUnsigned(b.dtype())};
}

static FailureOr<mlir::Value> accumulatorOf(Call &call, StringRef name, DType type, ArrayRef<int64_t> shape) {
  if (!call.given(name))
    return mlir::Value();
  auto acc = call.tile(name);
  if (failed(acc))
    return failure();
  if (shapeOf(acc->value) == shape && acc->dtype == type)
    return acc->value;
  call.error(diag::Kind::ShapeMismatch, name)
      << "the accumulator is " << call[name].describe() << "; the product has " << shape[0] << " rows and " << shape[1]
      << " columns of `" << type.name() << "`";
  return failure();
}

/// What the products add up in: the accumulator's type, else what was asked for, else f32 (i32 for integers).
static FailureOr<DType> resultType(Call &call, DType elements, bool hasOption, StringRef accName) {
  if (hasOption && !call["out_dtype"].isNone())
    return call.dtype("out_dtype");
  if (elements.isInteger())
    return DType{ScalarKind::I32};
  bool canBeHalf = elements.kind == ScalarKind::F16 || elements.isFloat8();
  bool isHalf = canBeHalf && call[accName].isTile() && call[accName].dtype().kind == ScalarKind::F16;
  return DType{isHalf ? ScalarKind::F16 : ScalarKind::F32};
}

/// wgmma takes the upper 19 bits of 32-bit floats.
static LogicalResult asyncPrecision(Call &call) {
  if (!call.given("input_precision") || call["input_precision"] == Datum(std::string("tf32")))
    return success();
  call.error(diag::Kind::UnsupportedOption, "input_precision") << "the tensor cores multiply 32-bit floats as tf32";
  return failure();
}

namespace {
/// When a product takes place, and who hears of its end.
struct Occasion {
  mlir::Value predicate;
  SmallVector<mlir::Value> barriers;
  bool isNever = false;
};
} // namespace

static FailureOr<Occasion> occasionOf(Call &call) {
  auto barriers = barriersOf(call, "mBarriers");
  if (failed(barriers))
    return failure();
  if (call["pred"].isNumber() && !*call["pred"].truth())
    return Occasion{mlir::Value(), *barriers, true};
  auto predicate = call.predicate("pred");
  if (failed(predicate))
    return failure();
  if (*predicate && isa<RankedTensorType>(predicate->getType())) {
    call.error(diag::Kind::OperandType, "pred") << "the condition is one value for the whole task, not a tile";
    return failure();
  }
  return Occasion{*predicate, *barriers, false};
}

/// Products into registers are only known to be done where they are waited for: that is here, when the source wants to
/// hear of it or may skip it. A product that is skipped leaves its accumulator, and arrives nowhere.
static Result multiplyOnOccasion(Call &call, const Occasion &occasion, DType type, ArrayRef<int64_t> shape,
                                 mlir::Value acc, llvm::function_ref<mlir::Value()> start) {
  OpBuilder &builder = call.emit.builder;
  auto run = [&] {
    mlir::Value started = start();
    mlir::Value done = call.emit.create<AsyncDotWaitOp>(started.getType(), 0u, started);
    for (mlir::Value barrier : occasion.barriers)
      call.emit.create<BarrierArriveOp>(barrier, 1u, mlir::Value(), mlir::Value(), /*converged=*/false);
    return done;
  };
  if (!occasion.predicate && !occasion.isNever)
    return Datum::ir(run(), type);
  if (!acc) {
    auto zero = call.emit.literal(Datum(int64_t(0)), type, shape);
    if (failed(zero))
      return failure();
    acc = zero->value;
  }
  if (occasion.isNever)
    return Datum::ir(acc, type);
  auto branch = call.emit.create<scf::IfOp>(TypeRange(acc.getType()), occasion.predicate, /*addThenBlock=*/true,
                                            /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  call.emit.create<scf::YieldOp>(run());
  builder.setInsertionPointToEnd(branch.elseBlock());
  call.emit.create<scf::YieldOp>(acc);
  return Datum::ir(branch.getResult(0), type);
}

Result tlx::specialize::asyncDot(Call &call) {
  if (isTensorMemory(call["acc"]))
    return dotIntoTensorMemory(call);
  if (failed(call.refuse("two_ctas")) || failed(asyncPrecision(call)) || failed(call.refuse("mBarriers")))
    return failure();
  auto occasion = occasionOf(call);
  auto product = failed(occasion) ? FailureOr<Product>(failure()) : productOf(call, "A", "B");
  if (failed(product))
    return failure();
  auto type = resultType(call, product->elements, true, "acc");
  if (failed(type))
    return failure();
  auto acc = accumulatorOf(call, "acc", *type, product->shape);
  if (failed(acc))
    return failure();
  mlir::Value kept = *acc, useAcc;
  const Datum &use = call["use_acc"];
  if (use.isNumber() && !*use.truth()) {
    acc = mlir::Value();
  } else if (use.isIR()) {
    auto condition = call.predicate("use_acc");
    if (failed(condition))
      return failure();
    useAcc = *condition;
  }
  if (useAcc && !*acc) {
    call.error(diag::Kind::MissingArgument, "use_acc") << "`use_acc` is given without `acc`";
    return failure();
  }
  Type result = call.emit.typeOf(*type, product->shape);
  auto start = [&]() -> mlir::Value { return emitProduct(call, *product, result, *acc, useAcc); };
  if (occasion->predicate || occasion->isNever || !occasion->barriers.empty())
    return multiplyOnOccasion(call, *occasion, *type, product->shape, kept, start);
  return Datum::ir(start(), *type);
}

Result tlx::specialize::asyncDotWait(Call &call) {
  auto pendings = call.integer("pendings");
  auto input = call.tile("inp");
  if (failed(pendings) || failed(input))
    return failure();
  if (*pendings < 0 || *pendings > 7) {
    call.error(diag::Kind::ArgumentType, "pendings")
        << *pendings << " products are to stay in flight; the hardware counts 0 to 7";
    return failure();
  }
  auto op = call.emit.create<AsyncDotWaitOp>(input->value.getType(), static_cast<uint32_t>(*pendings), input->value);
  return Datum::ir(op, input->dtype);
}

Result tlx::specialize::wgmma(Call &call) {
  auto product = productOf(call, "a", "b");
  if (failed(product))
    return failure();
  auto type = resultType(call, product->elements, false, "acc");
  auto acc = failed(type) ? FailureOr<mlir::Value>(failure()) : accumulatorOf(call, "acc", *type, product->shape);
  if (failed(acc))
    return failure();
  Type tile = call.emit.typeOf(*type, product->shape);
  mlir::Value started = emitProduct(call, *product, tile, *acc, mlir::Value());
  return Datum::ir(call.emit.create<AsyncDotWaitOp>(tile, 0u, started), *type);
}
