// Asynchronous copies between global and shared memory.
#include "SharedMemory.h"
#include "Specializer.h"
#include "WrittenLayouts.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static FailureOr<SmallVector<mlir::Value>> tokensOf(Call &call) {
  SmallVector<mlir::Value> tokens;
  const SequenceValue *sequence = call["tokens"].asSequence();
  ArrayRef<Datum> values = sequence ? ArrayRef<Datum>(sequence->elements) : ArrayRef<Datum>(call["tokens"]);
  for (const Datum &value : values) {
    if (!value.isIR() || !isa<TokenType>(value.irValue().getType())) {
      call.error(diag::Kind::ArgumentType, "tokens") << value.describe() << " is not a token of a copy";
      return failure();
    }
    tokens.push_back(value.irValue());
  }
  return tokens;
}

static const DType tokenDType{ScalarKind::Void};

static FailureOr<int64_t> pendings(Call &call) {
  auto count = call.integer("pendings");
  if (succeeded(count) && *count < 0) {
    call.error(diag::Kind::ArgumentType, "pendings") << *count << " cannot be in flight; the least is 0";
    return failure();
  }
  return count;
}

/// Each thread copies what its pointers of `source`, which `name` gives, name.
static Result copyByThreads(Call &call, const Datum &source, StringRef name) {
  auto buffer = call.buffer("result");
  auto cache = call.string("cache_modifier"), eviction = call.string("eviction_policy");
  if (failed(buffer) || failed(cache) || failed(eviction))
    return failure();
  ArrayRef<int64_t> shape = buffer->getType().getShape();
  DType type = call["result"].dtype();
  bool isPointers = source.isTile() && isa<PointerType>(getElementTypeOrSelf(source.irValue().getType()));
  if (!isPointers || source.dtype().pointee() != type || shapeOf(source.irValue()) != shape) {
    call.error(diag::Kind::ArgumentType, name) << "the source is " << source.describe() << "; "
                                               << call["result"].describe() << " takes a tile of pointers like it";
    return failure();
  }
  mlir::Value mask, other;
  if (call.given("mask")) {
    Emitter::At at(call.emit, call.argument("mask").range);
    auto condition = call.emit.asCondition(call["mask"]);
    auto wide = failed(condition) ? condition : call.emit.broadcast(*condition, shape);
    if (failed(wide))
      return failure();
    mask = wide->value;
  }
  if (call.given("other")) {
    Emitter::At at(call.emit, call.argument("other").range);
    auto filler = call["other"].isNumber() ? call.emit.literal(call["other"], type, shape)
                                           : call.emit.convert(call["other"], type);
    auto wide = failed(filler) ? filler : call.emit.broadcast(*filler, shape);
    if (failed(wide))
      return failure();
    other = wide->value;
  }
  auto op = call.emit.create<AsyncLoadOp>(TokenType::get(call.emit.context()), source.irValue(), *buffer, mask, other);
  // Hints for the caches stay visible although nothing uses them yet.
  if (!cache->empty())
    op->setAttr("tlx.cache", call.emit.builder.getStringAttr(*cache));
  if (!eviction->empty())
    op->setAttr("tlx.eviction", call.emit.builder.getStringAttr(*eviction));
  return Datum::ir(op, tokenDType);
}

Result tlx::specialize::asyncLoad(Call &call) {
  auto isBulk = call.boolean("bulk");
  if (failed(isBulk))
    return failure();
  if (*isBulk)
    return bulkLoad(call);
  for (StringRef option : {"bulk_size", "barrier", "is_volatile"})
    if (failed(call.refuse(option)))
      return failure();
  return copyByThreads(call, call["src"], "src");
}

Result tlx::specialize::bufferLoadToLocal(Call &call) {
  auto pointers = call.emit.binary(ast::BinaryOp::Add, call["ptr"], call["offsets"]);
  return failed(pointers) ? Result(failure()) : copyByThreads(call, *pointers, "offsets");
}

Result tlx::specialize::asyncCommit(Call &call) {
  auto tokens = tokensOf(call);
  if (failed(tokens))
    return failure();
  return Datum::ir(call.emit.create<AsyncCommitOp>(TokenType::get(call.emit.context()), *tokens), tokenDType);
}

Result tlx::specialize::asyncWait(Call &call) {
  auto count = pendings(call);
  auto tokens = tokensOf(call);
  if (failed(count) || failed(tokens))
    return failure();
  auto op = call.emit.create<AsyncWaitOp>(TokenType::get(call.emit.context()), static_cast<uint32_t>(*count), *tokens);
  return Datum::ir(op, tokenDType);
}

static ArrayRef<int64_t> withoutLeadingOnes(ArrayRef<int64_t> shape) {
  while (shape.size() > 1 && shape.front() == 1)
    shape = shape.drop_front();
  return shape;
}

/// The block of a descriptor and the buffer hold the same elements in the same order.
static LogicalResult checkBlock(Call &call, StringRef bufferName) {
  const Datum &descriptor = call["desc"], &buffer = call[bufferName];
  auto block = cast<DescriptorType>(descriptor.irValue().getType());
  auto tile = cast<BufferType>(buffer.irValue().getType());
  bool sameShape = withoutLeadingOnes(block.getShape()) == withoutLeadingOnes(tile.getShape());
  if (sameShape && block.getElementType() == tile.getElementType() && !tile.getLayout().getTransposed())
    return success();
  call.error(diag::Kind::ShapeMismatch, bufferName)
      << "the block of the descriptor is " << descriptor.describe() << "; it is copied to or from "
      << (tile.getLayout().getTransposed() ? "a transposed view, " : "") << buffer.describe();
  return failure();
}

/// Ranks of a cluster to a mask with a bit for each; null without targets.
static FailureOr<mlir::Value> multicastMask(Call &call) {
  const SequenceValue *targets = call["multicast_targets"].asSequence();
  if (!targets && !call["multicast_targets"].isNone()) {
    call.error(diag::Kind::ArgumentType, "multicast_targets") << "the targets are a list of ranks";
    return failure();
  }
  if (!targets || targets->elements.empty())
    return mlir::Value();
  Emitter::At at(call.emit, call.argument("multicast_targets").range);
  Datum mask(int64_t(0));
  for (const Datum &rank : targets->elements) {
    if (auto known = rank.asInt(); known && (*known < 0 || *known > 15)) {
      call.emit.error(diag::Kind::IndexOutOfRange) << "rank " << *known << " of a cluster of at most 16 blocks";
      return failure();
    }
    auto bit = call.emit.binary(ast::BinaryOp::ShiftLeft, Datum(int64_t(1)), rank);
    auto joined = failed(bit) ? bit : call.emit.binary(ast::BinaryOp::BitOr, mask, *bit);
    if (failed(joined))
      return failure();
    mask = *joined;
  }
  auto value = call.emit.convert(mask, {ScalarKind::I32});
  return failed(value) ? FailureOr<mlir::Value>(failure()) : FailureOr<mlir::Value>(value->value);
}

Result tlx::specialize::asyncDescriptorLoad(Call &call) {
  auto descriptor = call.descriptor("desc");
  auto buffer = hardwareBuffer(call, "result");
  auto barrier = call.barrier("barrier");
  if (failed(descriptor) || failed(buffer) || failed(barrier) || failed(checkBlock(call, "result")) ||
      failed(call.refuse("cache_modifier")))
    return failure();
  auto offsets = call.offsets("offsets", descriptor->getType().getShape().size());
  auto predicate = call.predicate("pred");
  auto mask = multicastMask(call);
  auto eviction = call.string("eviction_policy");
  auto pair = call.boolean("two_ctas");
  if (failed(offsets) || failed(predicate) || failed(mask) || failed(eviction) || failed(pair))
    return failure();
  auto load =
      call.emit.create<TMALoadOp>(*descriptor, *buffer, *offsets, *barrier, *predicate, *mask, StringRef(*eviction));
  if (*pair)
    load->setAttr("tlx.pair", call.emit.builder.getUnitAttr());
  return Datum(NoneValue());
}

Result tlx::specialize::asyncDescriptorStore(Call &call) {
  auto descriptor = call.descriptor("desc");
  auto buffer = hardwareBuffer(call, "source");
  auto reduce = call.string("store_reduce"), eviction = call.string("eviction_policy");
  if (failed(descriptor) || failed(buffer) || failed(reduce) || failed(eviction) || failed(checkBlock(call, "source")))
    return failure();
  static constexpr StringRef known[] = {"", "add", "min", "max", "and", "or", "xor"};
  if (!llvm::is_contained(known, StringRef(*reduce))) {
    call.error(diag::Kind::ArgumentType, "store_reduce")
        << "`" << *reduce << "` is not one of add, min, max, and, or, xor";
    return failure();
  }
  auto offsets = call.offsets("offsets", descriptor->getType().getShape().size());
  if (failed(offsets))
    return failure();
  call.emit.create<TMAStoreOp>(*descriptor, *buffer, *offsets, StringRef(*reduce), StringRef(*eviction));
  return Datum(NoneValue());
}

Result tlx::specialize::asyncDescriptorStoreWait(Call &call) {
  auto count = pendings(call);
  if (failed(count))
    return failure();
  call.emit.create<TMAStoreWaitOp>(static_cast<uint32_t>(*count), /*complete=*/false);
  return Datum(NoneValue());
}

Result tlx::specialize::descriptorPrefetch(Call &call) {
  auto descriptor = call.descriptor("desc");
  if (failed(descriptor) || failed(call.refuse("pred")) || failed(call.refuse("eviction_policy")))
    return failure();
  auto offsets = call.offsets("offsets", descriptor->getType().getShape().size());
  if (failed(offsets))
    return failure();
  call.emit.create<TMAPrefetchOp>(*descriptor, *offsets);
  return Datum(NoneValue());
}
