// Block-scaled products: operands whose blocks of K have factors of their own, which lie in tensor memory.
#include "Specializer.h"
#include "TensorMemory.h"
#include "tlx/Dialect/TensorMemory.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

namespace {
/// One operand of a block-scaled product.
struct ScaledOperand {
  mlir::Value value;
  std::string format;
  /// Rows of A or columns of B, and elements along K.
  int64_t extent, depth;
  /// Elements that share a scale.
  int64_t block;

  bool isPairs() const { return format == "e2m1"; }
};
} // namespace

static tmem::BufferType scalesType(MLIRContext *context, ArrayRef<int64_t> shape, mlir::Type element, int64_t count) {
  return tmem::BufferType::get(context, shape, element, count, /*scales=*/true);
}

Result tlx::specialize::allocateScales(Call &call, ArrayRef<int64_t> shape, DType type, int64_t count,
                                       mlir::Value reuse) {
  if (shape.size() != 2 || shape[0] < 8 || shape[0] > 512 || shape[0] % 8 || shape[1] < 1 || shape[1] > 2048) {
    call.error(diag::Kind::TensorMemoryShape, "shape") << "8-bit integers in tensor memory are scales: a row for each "
                                                          "row of an operand, a multiple of 8 up to 512, and "
                                                          "a column for each block of K";
    return failure();
  }
  MLIRContext *context = call.emit.context();
  auto name = call.emit.builder.getStringAttr(call.specializer.allocationName("buffer"));
  mlir::Type buffers = scalesType(context, shape, type.toMLIR(context), count);
  return Datum::ir(call.emit.create<tmem::AllocOp>(buffers, name, IntegerAttr(), reuse), type);
}

Result tlx::specialize::sliceScales(Call &call, TypedValue<tmem::BufferType> buffer, DType type, int64_t offset,
                                    int64_t size, StringRef offsetName) {
  ArrayRef<int64_t> shape = buffer.getType().getShape();
  if (offset % 4 || (size % 4 && offset + size != shape[1])) {
    call.error(diag::Kind::MisalignedSlice, offsetName)
        << "a part of a buffer of scales begins and ends at multiples of 4";
    return failure();
  }
  mlir::Type part = scalesType(call.emit.context(), {shape[0], size}, buffer.getType().getElementType(), 0);
  return Datum::ir(call.emit.create<tmem::SubsliceOp>(part, buffer, static_cast<uint64_t>(offset)), type);
}

/// The ways to write blocks of 512 bytes side by side, those of one 128 rows first.
static bool arePacked(ArrayRef<int64_t> shape, int64_t rowAtoms, int64_t depthAtoms) {
  auto withoutOnes = [](ArrayRef<int64_t> extents) {
    SmallVector<int64_t> kept(extents.drop_while([](int64_t extent) { return extent == 1; }));
    return kept;
  };
  const SmallVector<int64_t> wanted[] = {{rowAtoms, depthAtoms, 2, 256},   {rowAtoms, depthAtoms, 32, 16},
                                         {rowAtoms, depthAtoms, 32, 4, 4}, {rowAtoms, depthAtoms, 512},
                                         {rowAtoms, depthAtoms * 512},     {rowAtoms * depthAtoms, 512}};
  return llvm::any_of(wanted, [&](ArrayRef<int64_t> one) { return withoutOnes(one) == withoutOnes(shape); });
}

static LogicalResult checkPacked(Call &call, StringRef name, BufferType source, tmem::BufferType scales) {
  if (arePacked(source.getShape(), scales.rowAtoms(), scales.depthAtoms()) && source.getLayout().getSwizzle() == 0 &&
      !source.getLayout().getTransposed() && source.elementBits() == 8)
    return success();
  call.error(diag::Kind::ShapeMismatch, name)
      << "the scales of " << scales.getShape()[0] << " rows and " << scales.getShape()[1]
      << " blocks of K are given as bytes of shape [" << scales.rowAtoms() << ", " << scales.depthAtoms()
      << ", 2, 256], without swizzle: 512 bytes for each 128 rows and 4 blocks; this is " << call[name].describe();
  return failure();
}

Result tlx::specialize::tmemCopy(Call &call) {
  auto source = call.buffer("src_smem");
  if (failed(source))
    return failure();
  auto destination = dyn_cast_if_present<TypedValue<tmem::BufferType>>(call["dst_tmem"].irValue());
  if (!destination || destination.getType().getCount() != 0) {
    call.error(diag::Kind::ArgumentType, "dst_tmem")
        << "`dst_tmem` is one buffer in tensor memory; this is " << call["dst_tmem"].describe();
    return failure();
  }
  if (!destination.getType().getScales()) {
    call.error(diag::Kind::UnsupportedOption, "dst_tmem")
        << "copies to tensor memory carry scales, to a buffer of 8-bit integers; this is "
        << call["dst_tmem"].describe();
    return failure();
  }
  if (failed(checkPacked(call, "src_smem", source->getType(), destination.getType())))
    return failure();
  call.emit.create<tmem::CopyScalesOp>(*source, destination, mlir::Value());
  return Datum(NoneValue());
}

static bool holdsFormat(DType type, StringRef format) {
  if (type.kind == ScalarKind::U8 || type.kind == ScalarKind::I8)
    return true;
  return (format == "e4m3" && type.kind == ScalarKind::F8E4M3) || (format == "e5m2" && type.kind == ScalarKind::F8E5M2);
}

static FailureOr<std::string> formatOf(Call &call, StringRef name, DType type, StringRef operand) {
  auto format = call.string(name);
  if (failed(format))
    return failure();
  if (*format != "e4m3" && *format != "e5m2" && *format != "e2m1") {
    call.error(diag::Kind::ArgumentType, name) << "`" << *format << "` is not one of e4m3, e5m2, e2m1";
    return failure();
  }
  if (!holdsFormat(type, *format)) {
    call.error(diag::Kind::ArgumentType, operand)
        << call[operand].describe() << " does not hold `" << *format << "`; bytes or that 8-bit float do";
    return failure();
  }
  return format;
}

/// `isB`: K are the rows.
static FailureOr<ScaledOperand> operandOf(Call &call, StringRef name, bool isB) {
  if (isTensorMemory(call[name])) {
    call.error(diag::Kind::UnsupportedOption, name)
        << "operands of a block-scaled product come from shared memory; this is " << call[name].describe();
    return failure();
  }
  auto buffer = call.buffer(name);
  if (failed(buffer))
    return failure();
  ArrayRef<int64_t> shape = buffer->getType().getShape();
  auto format = formatOf(call, (name + "_format").str(), call[name].dtype(), name);
  if (failed(format))
    return failure();
  if (shape.size() != 2) {
    call.error(diag::Kind::ShapeMismatch, name)
        << "an operand of a product is a matrix; this is " << call[name].describe();
    return failure();
  }
  const Datum &scale = call[(name + "_scale").str()];
  bool isSixteen = scale.isIR() && scale.dtype().kind == ScalarKind::F8E4M3 && !scale.dtype().isPointer;
  int64_t packing = *format == "e2m1" ? 2 : 1;
  return ScaledOperand{*buffer, *format, shape[isB], shape[!isB] * packing, isSixteen ? 16 : 32};
}

static LogicalResult checkOperands(Call &call, const ScaledOperand &a, const ScaledOperand &b, ArrayRef<int64_t> d) {
  if (a.depth != b.depth || d[0] != a.extent || d[1] != b.extent) {
    call.emit.error(diag::Kind::ShapeMismatch) << "the product of " << call["A"].describe() << " and "
                                               << call["B"].describe() << " does not fit " << call["acc"].describe();
    return failure();
  }
  if (a.extent != 128) {
    call.error(diag::Kind::DotShape, "A") << "a block-scaled product has 128 rows; this one has " << a.extent;
    return failure();
  }
  if (a.isPairs() != b.isPairs()) {
    call.error(diag::Kind::UnsupportedOption, a.isPairs() ? "A_format" : "B_format")
        << "`e2m1` is multiplied with `e2m1` only: beside 8-bit floats its elements would take a byte each";
    return failure();
  }
  if (a.block != b.block || (a.block == 16 && !a.isPairs())) {
    call.error(diag::Kind::ArgumentType, a.block == 16 ? "A_scale" : "B_scale")
        << "scales of type `fp8e4nv` are those of `e2m1`, and of both operands; others are bytes";
    return failure();
  }
  int64_t step = a.isPairs() ? 64 : 32;
  if (a.depth % step == 0)
    return success();
  call.error(diag::Kind::DotShape, "A") << "the product sums over " << a.depth
                                        << " elements; block-scaled products need a multiple of " << step
                                        << " for this format";
  return failure();
}

/// The scales of an operand in tensor memory: those given, or a copy of what is in shared memory.
static FailureOr<mlir::Value> scalesOf(Call &call, StringRef name, const ScaledOperand &operand,
                                       mlir::Value predicate) {
  MLIRContext *context = call.emit.context();
  SmallVector<int64_t> shape{operand.extent, operand.depth / operand.block};
  if (!isTensorMemory(call[name])) {
    auto source = call.buffer(name);
    if (failed(source))
      return failure();
    mlir::Type element = source->getType().getElementType();
    auto type = scalesType(context, shape, element, 0);
    if (failed(checkPacked(call, name, source->getType(), type)))
      return failure();
    mlir::Value allocated =
        call.emit.create<tmem::AllocOp>(type, call.emit.builder.getStringAttr("scales"), IntegerAttr(), mlir::Value());
    call.emit.create<tmem::CopyScalesOp>(*source, allocated, predicate);
    return allocated;
  }
  auto buffer = cast<TypedValue<tmem::BufferType>>(call[name].irValue());
  tmem::BufferType type = buffer.getType();
  if (type.getCount() == 0 && type.getScales() && type.getShape() == ArrayRef<int64_t>(shape))
    return mlir::Value(buffer);
  call.error(diag::Kind::ShapeMismatch, name) << "the operand has " << shape[0] << " rows of " << shape[1]
                                              << " blocks of K, a scale each; this is " << call[name].describe();
  return failure();
}

Result tlx::specialize::asyncDotScaled(Call &call) {
  auto d = dyn_cast_if_present<TypedValue<tmem::BufferType>>(call["acc"].irValue());
  if (!d || d.getType().getCount() != 0 || d.getType().getScales()) {
    call.error(diag::Kind::ArgumentType, "acc")
        << "a block-scaled product accumulates in one buffer in tensor memory; this is " << call["acc"].describe();
    return failure();
  }
  if (failed(call.refuse("two_ctas")))
    return failure();
  if (call.given("out_dtype") && call["out_dtype"] != Datum(DType{ScalarKind::F32})) {
    call.error(diag::Kind::UnsupportedOption, "out_dtype") << "block-scaled products add up in `fp32`";
    return failure();
  }
  auto a = operandOf(call, "A", false);
  auto b = operandOf(call, "B", true);
  if (failed(a) || failed(b) || failed(checkOperands(call, *a, *b, d.getType().getShape())))
    return failure();
  auto options = productOptions(call);
  if (failed(options))
    return failure();
  auto aScale = scalesOf(call, "A_scale", *a, options->predicate);
  auto bScale = scalesOf(call, "B_scale", *b, options->predicate);
  if (failed(aScale) || failed(bScale))
    return failure();
  issueProduct(call, *options, [&](ValueRange barriers) {
    call.emit.create<tmem::ScaledDotOp>(a->value, b->value, d, *aScale, *bScale, a->format, b->format, options->useAcc,
                                        options->predicate, barriers);
  });
  return Datum(NoneValue());
}

/// Tiles whose product the tensor cores scale, where the kernel may use tensor memory for it.
static bool fitsTensorMemory(Call &call) {
  Specializer &specializer = call.specializer;
  auto isFormat = [&](StringRef name, StringRef text) { return call[name] == Datum(text.str()); };
  auto isTile = [&](StringRef name, int64_t &rows, int64_t &columns, bool isByte) {
    const Datum &value = call[name];
    if (!value.isTile() || shapeOf(value.irValue()).size() != 2)
      return false;
    rows = shapeOf(value.irValue())[0];
    columns = shapeOf(value.irValue())[1];
    DType type = value.dtype();
    return type.kind == ScalarKind::U8 || type.kind == ScalarKind::I8 || (!isByte && type.isFloat8());
  };
  // Tasks have warps of their own; the others are those that reach tensor memory.
  if (!specializer.hasBlockScales || specializer.taskRegion || specializer.numWarps % 4 != 0 ||
      specializer.numWarps > 16)
    return false;
  bool arePairs = isFormat("lhs_format", "e2m1") && isFormat("rhs_format", "e2m1");
  auto isFloat8 = [&](StringRef name) { return isFormat(name, "e4m3") || isFormat(name, "e5m2"); };
  if (!arePairs && !(isFloat8("lhs_format") && isFloat8("rhs_format")))
    return false;
  if (!call["lhs_k_pack"].truth().value_or(false) || !call["rhs_k_pack"].truth().value_or(false))
    return false;
  int64_t m, n, bytes, bytesOfB, aRows, aBlocks, bRows, bBlocks;
  if (!isTile("lhs", m, bytes, false) || !isTile("rhs", bytesOfB, n, false) ||
      !isTile("lhs_scale", aRows, aBlocks, true) || !isTile("rhs_scale", bRows, bBlocks, true))
    return false;
  int64_t k = arePairs ? 2 * bytes : bytes;
  bool isSumWide = !call.given("acc") || (call["acc"].isTile() && call["acc"].dtype().kind == ScalarKind::F32);
  bool isResultWide = !call.given("out_dtype") || call["out_dtype"] == Datum(DType{ScalarKind::F32});
  if (m != 128 || n < 16 || n > 256 || bytes != bytesOfB || bytes % 32 != 0 || aRows != m || bRows != n ||
      aBlocks != k / 32 || bBlocks != k / 32 || !isSumWide || !isResultWide)
    return false;
  constexpr int64_t columns = 512;
  int64_t scales = 4 * ((aBlocks + 3) / 4) * (1 + (n + 127) / 128);
  if (specializer.tileColumns + n + scales > columns / 2)
    return false;
  specializer.tileColumns += n + scales;
  return true;
}

Result tlx::specialize::dotScaled(Call &call) {
  GivenArguments given;
  for (const BoundArgument &bound : call.arguments)
    given.push_back({bound.value, bound.range, {}, {}});
  StringRef function = fitsTensorMemory(call) ? "_dot_scaled_in_tensor_memory" : "dot_scaled";
  return call.specializer.callLibrary(function, given, call.range);
}
