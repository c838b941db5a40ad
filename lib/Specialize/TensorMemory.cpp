// Buffers in tensor memory, and the products that accumulate in them.
#include "TensorMemory.h"

#include "PinnedLayouts.h"
#include "Specializer.h"
#include "WrittenLayouts.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static tmem::BufferType tensorMemoryType(mlir::Value value) {
  return value ? dyn_cast<tmem::BufferType>(value.getType()) : tmem::BufferType();
}

bool tlx::specialize::isTensorMemory(const Datum &value) {
  return bool(tensorMemoryType(value.irValue()));
}

ArrayRef<int64_t> tlx::specialize::tensorMemoryShape(mlir::Value value) {
  return tensorMemoryType(value).getShape();
}
int64_t tlx::specialize::tensorMemoryCount(mlir::Value value) {
  return tensorMemoryType(value).getCount();
}

std::string tlx::specialize::describeTensorMemory(const IRValue &value) {
  tmem::BufferType type = tensorMemoryType(value.value);
  std::string text = type.getCount() ? std::to_string(type.getCount()) + " buffers " : "a buffer ";
  llvm::raw_string_ostream stream(text);
  stream << value.dtype.name() << '[';
  llvm::interleaveComma(type.getShape(), stream);
  stream << (type.getScales() ? "] of scales in tensor memory" : "] in tensor memory");
  return text;
}

/// One buffer; several are an error that says to choose.
static FailureOr<TypedValue<tmem::BufferType>> oneBuffer(Call &call, StringRef name) {
  auto value = dyn_cast_if_present<TypedValue<tmem::BufferType>>(call[name].irValue());
  if (value && value.getType().getCount() == 0)
    return value;
  call.error(diag::Kind::ArgumentType, name)
      << "`" << name << "` of `" << call.builtin.name << "` is " << call[name].describe()
      << "; it takes one buffer in tensor memory" << (value ? ": choose with `[index]`" : "");
  return failure();
}

/// Scales lie as products read them, which no thread holds.
static LogicalResult refuseScales(Call &call, TypedValue<tmem::BufferType> buffer, StringRef name) {
  if (!buffer.getType().getScales())
    return success();
  call.error(diag::Kind::UnsupportedOption, name)
      << "`" << call.builtin.name << "` does not take scales; they come to tensor memory by `tlx.tmem_copy`";
  return failure();
}

/// Rows are lanes, columns whole words; what is larger than the memory is the allocator's to refuse.
static LogicalResult checkShape(Call &call, ArrayRef<int64_t> shape, DType type) {
  if (shape.size() == 2 && (shape[0] == 64 || shape[0] == 128) && shape[1] >= 1 && shape[1] <= 1 << 16 &&
      !type.isPointer && type.bits() >= 8 && type.bits() <= 32 && shape[1] * type.bits() % 32 == 0)
    return success();
  call.error(diag::Kind::TensorMemoryShape, "shape")
      << "a buffer in tensor memory has 64 or 128 rows and whole columns of 32 bits, of elements of at most 32 bits";
  return failure();
}

Result tlx::specialize::allocateTensorMemory(Call &call, ArrayRef<int64_t> shape, DType type, int64_t count) {
  // The language has no other use for bytes there.
  bool areScales = type.isInteger() && type.bits() == 8 && !type.isBool();
  if ((!areScales && failed(checkShape(call, shape, type))) || failed(call.refuse("layout")))
    return failure();
  if (count < 1 || count > 512) {
    call.error(diag::Kind::ArgumentType, "num") << count << " buffers; tensor memory has 512 columns";
    return failure();
  }
  mlir::Value reuse;
  if (call.given("reuse")) {
    reuse = call["reuse"].irValue();
    if (!tensorMemoryType(reuse)) {
      call.error(diag::Kind::ArgumentType, "reuse")
          << "`reuse` takes buffers in tensor memory here; this is " << call["reuse"].describe();
      return failure();
    }
  }
  if (areScales)
    return allocateScales(call, shape, type, count, reuse);
  MLIRContext *context = call.emit.context();
  Type buffers = tmem::BufferType::get(context, shape, type.toMLIR(context), count);
  auto name = call.emit.builder.getStringAttr(call.specializer.allocationName("buffer"));
  return Datum::ir(call.emit.create<tmem::AllocOp>(buffers, name, IntegerAttr(), reuse), type);
}

Datum tlx::specialize::viewTensorMemory(Emitter &emit, const Datum &base, mlir::Value slot) {
  tmem::BufferType type = tensorMemoryType(base.irValue());
  Type view = tmem::BufferType::get(emit.context(), type.getShape(), type.getElementType(), 0, type.getScales());
  return Datum::ir(emit.create<tmem::ViewOp>(view, base.irValue(), slot), base.dtype());
}

static Result columnsOf(Call &call, TypedValue<tmem::BufferType> buffer, DType type, int64_t offset, int64_t size,
                        StringRef offsetName) {
  ArrayRef<int64_t> shape = buffer.getType().getShape();
  if (offset < 0 || size < 1 || offset + size > shape[1]) {
    call.error(diag::Kind::IndexOutOfRange, offsetName)
        << "the columns end at " << offset + size << "; the buffer has " << shape[1];
    return failure();
  }
  if (buffer.getType().getScales())
    return sliceScales(call, buffer, type, offset, size, offsetName);
  if (offset * type.bits() % 32 || size * type.bits() % 32) {
    call.error(diag::Kind::MisalignedSlice, offsetName)
        << "a part of a buffer in tensor memory begins and ends at whole columns of 32 bits";
    return failure();
  }
  SmallVector<int64_t> part{shape[0], size};
  Type view = tmem::BufferType::get(call.emit.context(), part, buffer.getType().getElementType(), 0);
  return Datum::ir(call.emit.create<tmem::SubsliceOp>(view, buffer, static_cast<uint64_t>(offset)), type);
}

Result tlx::specialize::subslice(Call &call) {
  auto buffer = oneBuffer(call, "local_allocated_buffer");
  auto offset = call.integer("offset"), size = call.integer("size");
  if (failed(buffer) || failed(offset) || failed(size))
    return failure();
  return columnsOf(call, *buffer, call["local_allocated_buffer"].dtype(), *offset, *size, "offset");
}

Result tlx::specialize::sliceTensorMemory(Call &call) {
  auto buffer = oneBuffer(call, "buffer");
  auto offsets = call.integers("offset"), shape = call.integers("shape");
  if (failed(buffer) || failed(offsets) || failed(shape))
    return failure();
  if (offsets->size() != 2 || shape->size() != 2 || (*offsets)[0] != 0 ||
      (*shape)[0] != buffer->getType().getShape()[0]) {
    call.error(diag::Kind::MisalignedSlice, "offset") << "a part of a buffer in tensor memory has all of its rows";
    return failure();
  }
  return columnsOf(call, *buffer, call["buffer"].dtype(), (*offsets)[1], (*shape)[1], "offset");
}

/// The same columns, counted in elements of another size.
Result tlx::specialize::reinterpretTensorMemory(Call &call) {
  auto buffer = oneBuffer(call, "buf");
  auto type = call.dtype("dtype");
  if (failed(buffer) || failed(type) || failed(call.refuse("layout")) || failed(refuseScales(call, *buffer, "buf")))
    return failure();
  SmallVector<int64_t> shape(buffer->getType().getShape());
  shape[1] = shape[1] * buffer->getType().elementBits() / type->bits();
  if (call.given("shape")) {
    auto wanted = call.integers("shape");
    if (failed(wanted) || failed(checkShape(call, *wanted, *type)))
      return failure();
    if ((*wanted)[0] != shape[0] || (*wanted)[1] > shape[1]) {
      call.error(diag::Kind::ShapeMismatch, "shape")
          << "the buffer has room for " << shape[0] << " rows of " << shape[1] << " such elements";
      return failure();
    }
    shape = *wanted;
  }
  Type view = tmem::BufferType::get(call.emit.context(), shape, type->toMLIR(call.emit.context()), 0);
  return Datum::ir(call.emit.create<tmem::ReinterpretOp>(view, *buffer), *type);
}

Result tlx::specialize::loadTensorMemory(Call &call) {
  auto buffer = oneBuffer(call, "src");
  if (failed(buffer) || failed(refuseScales(call, *buffer, "src")) ||
      failed(call.emit.checkExtents(buffer->getType().getShape())))
    return failure();
  DType type = call["src"].dtype();
  mlir::Value tile = call.emit.create<tmem::LoadOp>(call.emit.typeOf(type, buffer->getType().getShape()), *buffer);
  return pinned(call, "layout", {tile, type});
}

Result tlx::specialize::storeTensorMemory(Call &call) {
  auto buffer = oneBuffer(call, "dst");
  auto value = call.tile("src");
  if (failed(buffer) || failed(value) || failed(refuseScales(call, *buffer, "dst")))
    return failure();
  if (shapeOf(value->value) != buffer->getType().getShape() ||
      value->dtype.toMLIR(call.emit.context()) != buffer->getType().getElementType()) {
    call.error(value->dtype == call["dst"].dtype() ? diag::Kind::ShapeMismatch : diag::Kind::ArgumentType, "src")
        << "the value is " << call["src"].describe() << "; it is stored in " << call["dst"].describe();
    return failure();
  }
  call.emit.create<tmem::StoreOp>(*buffer, value->value);
  return Datum(NoneValue());
}

/// A matrix in a buffer of either memory, with its extents.
static FailureOr<std::pair<mlir::Value, ArrayRef<int64_t>>> leftOperand(Call &call) {
  mlir::Value value = call["A"].irValue();
  if (tmem::BufferType type = tensorMemoryType(value); type && type.getCount() == 0 && !type.getScales())
    return std::pair(value, type.getShape());
  auto buffer = hardwareBuffer(call, "A");
  if (failed(buffer))
    return failure();
  return std::pair(mlir::Value(*buffer), buffer->getType().getShape());
}

/// The barriers of a list, or a single one.
FailureOr<SmallVector<mlir::Value>> tlx::specialize::barriersOf(Call &call, StringRef name) {
  SmallVector<mlir::Value> barriers;
  auto add = [&](const Datum &value) {
    auto barrier = dyn_cast_if_present<TypedValue<BarrierType>>(value.irValue());
    if (barrier && barrier.getType().getCount() == 0) {
      barriers.push_back(barrier);
      return success();
    }
    call.error(diag::Kind::ArgumentType, name) << "`" << name << "` takes barriers; this is " << value.describe();
    return failure();
  };
  const SequenceValue *sequence = call[name].asSequence();
  if (!sequence)
    return failed(add(call[name])) ? FailureOr<SmallVector<mlir::Value>>(failure()) : barriers;
  for (const Datum &element : sequence->elements)
    if (failed(add(element)))
      return failure();
  return barriers;
}

static LogicalResult checkProduct(Call &call, ArrayRef<int64_t> a, ArrayRef<int64_t> b, ArrayRef<int64_t> d,
                                  bool pair) {
  // Each CTA of a pair has half of B's columns.
  if (a.size() == 2 && b.size() == 2 && a[1] == b[0] && d[0] == a[0] && d[1] == (pair ? 2 * b[1] : b[1]))
    return success();
  call.emit.error(diag::Kind::ShapeMismatch)
      << "the product of " << call["A"].describe() << " and " << call["B"].describe() << " does not fit "
      << call["acc"].describe() << (pair ? "; each CTA of a pair has half of B's columns" : "");
  return failure();
}

static mlir::Value ownBarrier(Call &call) {
  MLIRContext *context = call.emit.context();
  auto barriers =
      call.emit.create<AllocBarriersOp>(BarrierType::get(context, 1, false), call.emit.builder.getStringAttr("product"),
                                        call.emit.builder.getI32IntegerAttr(1), IntegerAttr());
  return call.emit.create<BarrierViewOp>(BarrierType::get(context, 0, false), barriers, call.emit.i32(0));
}

FailureOr<ProductOptions> tlx::specialize::productOptions(Call &call) {
  auto isAsync = call.boolean("force_async");
  auto barriers = barriersOf(call, "mBarriers");
  auto predicate = call.predicate("pred");
  if (failed(isAsync) || failed(barriers) || failed(predicate))
    return failure();
  mlir::Value useAcc;
  const Datum &use = call["use_acc"];
  if (use.isNumber() && !*use.truth())
    useAcc = call.emit.create<arith::ConstantOp>(call.emit.builder.getBoolAttr(false));
  else if (use.isIR()) {
    auto condition = call.predicate("use_acc");
    if (failed(condition))
      return failure();
    useAcc = *condition;
  }
  return ProductOptions{useAcc, *predicate, *barriers, *isAsync};
}

void tlx::specialize::issueProduct(Call &call, const ProductOptions &options,
                                   llvm::function_ref<void(ValueRange)> create) {
  if (!options.barriers.empty() || options.isAsync)
    return create(options.barriers);
  // Nobody is told, so that the product is done when the call is: it waits on a barrier of its own. All threads read
  // which phase that is in before the product may end it.
  mlir::Value own = ownBarrier(call);
  mlir::Value phase = call.emit.create<tmem::ParityOp>(call.emit.builder.getI32Type(), own);
  call.emit.create<TaskBarrierOp>();
  create(own);
  call.emit.create<BarrierWaitOp>(own, phase, options.predicate);
}

Result tlx::specialize::dotIntoTensorMemory(Call &call) {
  auto d = oneBuffer(call, "acc");
  auto pair = call.boolean("two_ctas");
  if (failed(d) || failed(pair) || failed(call.refuse("input_precision")))
    return failure();
  auto a = leftOperand(call);
  auto b = hardwareBuffer(call, "B");
  auto options = productOptions(call);
  if (failed(a) || failed(b) || failed(options) ||
      failed(checkProduct(call, a->second, b->getType().getShape(), d->getType().getShape(), *pair)))
    return failure();
  issueProduct(call, *options, [&](ValueRange barriers) {
    auto dot = call.emit.create<tmem::DotOp>(a->first, *b, *d, options->useAcc, options->predicate, barriers, *pair);
    // Bytes carry no sign in the IR.
    for (auto [name, sign] : {std::pair("A", "tlx.unsigned_a"), std::pair("B", "tlx.unsigned_b")})
      if (call[name].dtype().kind == ScalarKind::U8)
        dot->setAttr(sign, call.emit.builder.getUnitAttr());
  });
  return Datum(NoneValue());
}

Result tlx::specialize::tcgen05Commit(Call &call) {
  auto barrier = call.barrier("mBarrier");
  auto pair = call.boolean("two_ctas");
  if (failed(barrier) || failed(pair))
    return failure();
  call.emit.create<tmem::CommitOp>(*barrier, mlir::Value(), *pair);
  return Datum(NoneValue());
}
