// Matrix products on the tensor cores.
#include "Specializer.h"
#include "TensorMemory.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

Result tlx::specialize::tileDot(Call &call) {
  call.emit.error(diag::Kind::UnsupportedDot)
      << "`tl.dot` on tiles in registers is not supported yet; copy to buffers and use `tlx.async_dot`";
  return failure();
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
};
} // namespace

/// A in registers or in a buffer, B in a buffer, shapes that multiply.
static FailureOr<Product> productOf(Call &call, StringRef aName, StringRef bName) {
  const Datum &a = call[aName], &b = call[bName];
  auto aShape = matrixShape(a);
  auto second = call.buffer(bName);
  if (failed(second))
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
  if (a.dtype() != b.dtype() && !(a.dtype().isFloat8() && b.dtype().isFloat8())) {
    call.emit.error(diag::Kind::ArgumentType)
        << "the product of " << a.describe() << " and " << b.describe() << ": the element types differ";
    return failure();
  }
  return Product{a.irValue(), *second, {(*aShape)[0], bShape[1]}, a.dtype()};
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
  bool isHalf =
      elements.kind == ScalarKind::F16 && call[accName].isTile() && call[accName].dtype().kind == ScalarKind::F16;
  return DType{isHalf ? ScalarKind::F16 : ScalarKind::F32};
}

Result tlx::specialize::asyncDot(Call &call) {
  if (isTensorMemory(call["acc"]))
    return dotIntoTensorMemory(call);
  if (failed(call.refuse("two_ctas")) || failed(call.refuse("input_precision")) || failed(call.refuse("pred")) ||
      failed(call.refuse("mBarriers")))
    return failure();
  auto product = productOf(call, "A", "B");
  if (failed(product))
    return failure();
  auto type = resultType(call, product->elements, true, "acc");
  if (failed(type))
    return failure();
  auto acc = accumulatorOf(call, "acc", *type, product->shape);
  if (failed(acc))
    return failure();
  mlir::Value useAcc;
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
  return Datum::ir(call.emit.create<AsyncDotOp>(result, product->a, product->b, *acc, useAcc), *type);
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
  mlir::Value started = call.emit.create<AsyncDotOp>(tile, product->a, product->b, *acc, mlir::Value());
  return Datum::ir(call.emit.create<AsyncDotWaitOp>(tile, 0u, started), *type);
}
