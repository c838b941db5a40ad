// tl.load, tl.store and atomics; descriptors' load and store.
#include "BlockPointers.h"
#include "Specializer.h"
#include "tlx/Dialect/TileOps.h"
#include <cmath>

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static FailureOr<IRValue> pointerOf(Call &call, StringRef name) {
  const Datum &value = call[name];
  if (value.isIR() && isa<PointerType>(getElementTypeOrSelf(value.irValue().getType())))
    return *value.getIf<IRValue>();
  call.error(diag::Kind::ArgumentType, name) << "`" << name << "` of `" << call.builtin.name
                                             << "` takes a pointer or a tile of pointers; this is " << value.describe();
  return failure();
}

/// The mask in the shape of the access; null without one.
static FailureOr<mlir::Value> maskOf(Call &call, ArrayRef<int64_t> shape) {
  if (!call.given("mask"))
    return mlir::Value();
  Emitter::At at(call.emit, call.argument("mask").range);
  auto condition = call.emit.asCondition(call["mask"]);
  auto mask = failed(condition) ? condition : call.emit.broadcast(*condition, shape);
  return failed(mask) ? FailureOr<mlir::Value>(failure()) : FailureOr<mlir::Value>(mask->value);
}

/// A value to store or to fill with, in the pointee's type and the shape of the access.
static FailureOr<IRValue> fitted(Call &call, StringRef name, DType type, ArrayRef<int64_t> shape) {
  Emitter::At at(call.emit, call.argument(name).range);
  if (call[name].isNumber())
    return call.emit.literal(call[name], type, shape);
  auto converted = call.emit.convert(call[name], type);
  return failed(converted) ? converted : call.emit.broadcast(*converted, shape);
}

/// Pointers and mask broadcast against each other.
static FailureOr<IRValue> widenedPointer(Call &call, IRValue pointer, std::initializer_list<StringRef> others) {
  SmallVector<int64_t> shape(shapeOf(pointer.value));
  for (StringRef name : others) {
    if (!call[name].isTile())
      continue;
    if (shape.empty()) {
      call.error(diag::Kind::ShapeMismatch, name)
          << "`" << name << "` is " << call[name].describe() << "; the pointer names one element";
      return failure();
    }
    auto joined = call.emit.joinShapes(shape, shapeOf(call[name].irValue()));
    if (failed(joined))
      return failure();
    shape = *joined;
  }
  return call.emit.broadcast(pointer, shape);
}

/// The axes along which an access through a block pointer stays inside.
static FailureOr<SmallVector<int64_t>> checkedAxes(Call &call, const BlockPointer &pointer) {
  auto axes = call.integers("boundary_check");
  if (failed(axes))
    return failure();
  for (int64_t axis : *axes)
    if (axis < 0 || axis >= static_cast<int64_t>(pointer.block.size())) {
      call.error(diag::Kind::IndexOutOfRange, "boundary_check")
          << "axis " << axis << " of a block of " << pointer.block.size() << " axes";
      return failure();
    }
  return axes;
}

static Result loadBlock(Call &call, const BlockPointer &pointer) {
  auto cache = call.string("cache_modifier"), eviction = call.string("eviction_policy");
  auto padding = call.string("padding_option");
  auto axes = checkedAxes(call, pointer);
  if (failed(cache) || failed(eviction) || failed(padding) || failed(axes) || failed(call.refuse("mask")) ||
      failed(call.refuse("other")))
    return failure();
  auto address = pointer.pointers(call.emit);
  auto mask = pointer.inside(call.emit, *axes);
  if (failed(address) || failed(mask))
    return failure();
  DType type = pointer.base.dtype.pointee();
  mlir::Value other;
  if (*padding == "nan" && type.isFloat()) {
    auto filler = call.emit.literal(Datum(std::nan("")), type, pointer.block);
    if (failed(filler))
      return failure();
    other = filler->value;
  } else if (!padding->empty() && *padding != "zero") {
    call.error(diag::Kind::ArgumentType, "padding_option")
        << "`" << *padding << "` is not one of zero, nan (of floats)";
    return failure();
  }
  auto op = call.emit.create<LoadOp>(call.emit.typeOf(type, pointer.block), address->value, *mask,
                                     *mask ? other : mlir::Value(), StringRef(*cache), StringRef(*eviction), false);
  return Datum::ir(op, type);
}

static Result storeBlock(Call &call, const BlockPointer &pointer) {
  auto cache = call.string("cache_modifier"), eviction = call.string("eviction_policy");
  auto axes = checkedAxes(call, pointer);
  if (failed(cache) || failed(eviction) || failed(axes) || failed(call.refuse("mask")))
    return failure();
  auto address = pointer.pointers(call.emit);
  auto value = fitted(call, "value", pointer.base.dtype.pointee(), pointer.block);
  auto mask = pointer.inside(call.emit, *axes);
  if (failed(address) || failed(value) || failed(mask))
    return failure();
  call.emit.create<StoreOp>(address->value, value->value, *mask, StringRef(*cache), StringRef(*eviction));
  return Datum(NoneValue());
}

Result tlx::specialize::load(Call &call) {
  if (auto block = BlockPointer::from(call["pointer"]))
    return loadBlock(call, *block);
  auto cache = call.string("cache_modifier"), eviction = call.string("eviction_policy");
  auto isVolatile = call.boolean("volatile");
  if (failed(call.refuse("boundary_check")) || failed(call.refuse("padding_option")) || failed(cache) ||
      failed(eviction) || failed(isVolatile))
    return failure();
  auto narrow = pointerOf(call, "pointer");
  auto pointer = failed(narrow) ? narrow : widenedPointer(call, *narrow, {"mask", "other"});
  if (failed(pointer))
    return failure();
  DType type = pointer->dtype.pointee();
  ArrayRef<int64_t> shape = shapeOf(pointer->value);
  auto mask = maskOf(call, shape);
  if (failed(mask))
    return failure();
  mlir::Value other;
  if (call.given("other")) {
    auto filler = fitted(call, "other", type, shape);
    if (failed(filler))
      return failure();
    other = filler->value;
  }
  auto op = call.emit.create<LoadOp>(call.emit.typeOf(type, shape), pointer->value, *mask, other, StringRef(*cache),
                                     StringRef(*eviction), *isVolatile);
  return Datum::ir(op, type);
}

Result tlx::specialize::store(Call &call) {
  if (auto block = BlockPointer::from(call["pointer"]))
    return storeBlock(call, *block);
  auto cache = call.string("cache_modifier"), eviction = call.string("eviction_policy");
  if (failed(call.refuse("boundary_check")) || failed(cache) || failed(eviction))
    return failure();
  auto narrow = pointerOf(call, "pointer");
  auto pointer = failed(narrow) ? narrow : widenedPointer(call, *narrow, {"mask", "value"});
  if (failed(pointer))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(pointer->value);
  auto value = fitted(call, "value", pointer->dtype.pointee(), shape);
  auto mask = failed(value) ? FailureOr<mlir::Value>(failure()) : maskOf(call, shape);
  if (failed(mask))
    return failure();
  call.emit.create<StoreOp>(pointer->value, value->value, *mask, StringRef(*cache), StringRef(*eviction));
  return Datum(NoneValue());
}

/// The tile of pointers of a raw buffer access: a pointer and offsets in elements.
static FailureOr<IRValue> bufferPointers(Call &call, std::initializer_list<StringRef> others) {
  auto sum = call.emit.binary(ast::BinaryOp::Add, call["ptr"], call["offsets"]);
  if (failed(sum) || failed(pointerOf(call, "ptr")))
    return failure();
  return widenedPointer(call, *sum->getIf<IRValue>(), others);
}

/// The source says by the operation itself that the offsets are not negative and reach less than 2 GiB.
static void promiseBuffer(Call &call, Operation *op) {
  if (!isa<RankedTensorType>(call["ptr"].irValue().getType()))
    op->setAttr("tlx.buffer", call.emit.builder.getUnitAttr());
}

Result tlx::specialize::bufferLoad(Call &call) {
  auto cache = call.string("cache");
  auto pointer = failed(cache) ? FailureOr<IRValue>(failure()) : bufferPointers(call, {"mask", "other"});
  if (failed(pointer))
    return failure();
  DType type = pointer->dtype.pointee();
  ArrayRef<int64_t> shape = shapeOf(pointer->value);
  auto mask = maskOf(call, shape);
  auto other = call.given("other") ? fitted(call, "other", type, shape) : FailureOr<IRValue>(IRValue());
  if (failed(mask) || failed(other))
    return failure();
  auto op = call.emit.create<LoadOp>(call.emit.typeOf(type, shape), pointer->value, *mask, other->value,
                                     StringRef(*cache), StringRef(), /*is_volatile=*/false);
  promiseBuffer(call, op);
  return Datum::ir(op, type);
}

Result tlx::specialize::bufferStore(Call &call) {
  auto cache = call.string("cache");
  auto pointer = failed(cache) ? FailureOr<IRValue>(failure()) : bufferPointers(call, {"mask", "value"});
  if (failed(pointer))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(pointer->value);
  auto value = fitted(call, "value", pointer->dtype.pointee(), shape);
  auto mask = failed(value) ? FailureOr<mlir::Value>(failure()) : maskOf(call, shape);
  if (failed(mask))
    return failure();
  auto op = call.emit.create<StoreOp>(pointer->value, value->value, *mask, StringRef(*cache), StringRef());
  promiseBuffer(call, op);
  return Datum(NoneValue());
}

static FailureOr<std::string> optionOf(Call &call, StringRef name, ArrayRef<StringRef> known) {
  if (call[name].isNone())
    return known.front().str();
  auto text = call.string(name);
  if (succeeded(text) && !llvm::is_contained(known, *text)) {
    call.error(diag::Kind::ArgumentType, name) << "`" << *text << "` is not one of " << llvm::join(known, ", ");
    return failure();
  }
  return text;
}

static Result atomic(Call &call, AtomicKind kind, AtomicKind unsignedKind) {
  auto order = optionOf(call, "sem", {"acq_rel", "relaxed", "acquire", "release"});
  auto scope = optionOf(call, "scope", {"gpu", "cta", "sys"});
  auto narrow = pointerOf(call, "pointer");
  if (failed(order) || failed(scope) || failed(narrow))
    return failure();
  auto pointer = widenedPointer(call, *narrow, {"mask", "val"});
  if (failed(pointer))
    return failure();
  DType type = pointer->dtype.pointee();
  ArrayRef<int64_t> shape = shapeOf(pointer->value);
  auto value = fitted(call, "val", type, shape);
  auto mask = failed(value) ? FailureOr<mlir::Value>(failure()) : maskOf(call, shape);
  if (failed(mask))
    return failure();
  bool isBitwise = kind == AtomicKind::And || kind == AtomicKind::Or || kind == AtomicKind::Xor;
  bool isOrdering = kind == AtomicKind::Max || kind == AtomicKind::Min;
  if (type.isFloat() && isOrdering && type.bits() >= 32)
    kind = kind == AtomicKind::Max ? AtomicKind::FMax : AtomicKind::FMin;
  else if (type.isFloat() && (isBitwise || isOrdering)) {
    call.error(diag::Kind::UnsupportedOption, "pointer")
        << "`" << call.builtin.name << "` of `" << type.name() << "` is not supported yet";
    return failure();
  }
  if (type.isFloat() && kind == AtomicKind::Add)
    kind = AtomicKind::FAdd;
  else if (type.isInteger() && !type.isSigned())
    kind = unsignedKind;
  auto op = call.emit.create<AtomicOp>(call.emit.typeOf(type, shape), kind, pointer->value, value->value, *mask,
                                       StringRef(*order), StringRef(*scope));
  return Datum::ir(op, type);
}

Result tlx::specialize::atomicAdd(Call &call) {
  return atomic(call, AtomicKind::Add, AtomicKind::Add);
}
Result tlx::specialize::atomicMax(Call &call) {
  return atomic(call, AtomicKind::Max, AtomicKind::UMax);
}
Result tlx::specialize::atomicMin(Call &call) {
  return atomic(call, AtomicKind::Min, AtomicKind::UMin);
}
Result tlx::specialize::atomicAnd(Call &call) {
  return atomic(call, AtomicKind::And, AtomicKind::And);
}
Result tlx::specialize::atomicOr(Call &call) {
  return atomic(call, AtomicKind::Or, AtomicKind::Or);
}
Result tlx::specialize::atomicXor(Call &call) {
  return atomic(call, AtomicKind::Xor, AtomicKind::Xor);
}
Result tlx::specialize::atomicExchange(Call &call) {
  return atomic(call, AtomicKind::Exch, AtomicKind::Exch);
}

Result tlx::specialize::atomicCompareAndSwap(Call &call) {
  auto order = optionOf(call, "sem", {"acq_rel", "relaxed", "acquire", "release"});
  auto scope = optionOf(call, "scope", {"gpu", "cta", "sys"});
  auto narrow = pointerOf(call, "pointer");
  if (failed(order) || failed(scope) || failed(narrow))
    return failure();
  auto pointer = widenedPointer(call, *narrow, {"cmp", "val"});
  if (failed(pointer))
    return failure();
  DType type = pointer->dtype.pointee();
  ArrayRef<int64_t> shape = shapeOf(pointer->value);
  if (type.bits() < 16) {
    call.error(diag::Kind::ArgumentType, "pointer")
        << "a compare and swap takes 16, 32 or 64 bits; `" << type.name() << "` has " << type.bits();
    return failure();
  }
  auto compare = fitted(call, "cmp", type, shape);
  auto value = failed(compare) ? compare : fitted(call, "val", type, shape);
  if (failed(value))
    return failure();
  auto op = call.emit.create<AtomicCasOp>(compare->value.getType(), pointer->value, compare->value, value->value,
                                          StringRef(*order), StringRef(*scope));
  return Datum::ir(op, type);
}

//===-- descriptors ------------------------------------------------------------------===//

Result tlx::specialize::descriptorLoad(Call &call) {
  auto descriptor = call.descriptor("self");
  if (failed(descriptor))
    return failure();
  DescriptorType type = descriptor->getType();
  auto offsets = call.offsets("offsets", type.getShape().size());
  if (failed(offsets))
    return failure();
  Type tile = RankedTensorType::get(type.getShape(), type.getElementType());
  return Datum::ir(call.emit.create<DescriptorLoadOp>(tile, *descriptor, *offsets), call["self"].dtype());
}

/// `reduce`: empty, or how the tensor map combines the block with what memory holds.
static Result storeThroughDescriptor(Call &call, StringRef reduce) {
  auto descriptor = call.descriptor("self");
  auto value = call.tile("value");
  if (failed(descriptor) || failed(value))
    return failure();
  DescriptorType type = descriptor->getType();
  auto offsets = call.offsets("offsets", type.getShape().size());
  if (failed(offsets))
    return failure();
  if (shapeOf(value->value) != type.getShape() || value->dtype != call["self"].dtype()) {
    call.error(value->dtype == call["self"].dtype() ? diag::Kind::ShapeMismatch : diag::Kind::ArgumentType, "value")
        << "the value is " << call["value"].describe() << "; it is stored through " << call["self"].describe();
    return failure();
  }
  auto op = call.emit.create<DescriptorStoreOp>(*descriptor, value->value, *offsets);
  if (!reduce.empty())
    op->setAttr("tlx.reduce", call.emit.builder.getStringAttr(reduce));
  return Datum(NoneValue());
}

Result tlx::specialize::descriptorStore(Call &call) {
  auto reduce = optionOf(call, "store_reduce", {"", "add", "min", "max", "and", "or", "xor"});
  return failed(reduce) ? Result(failure()) : storeThroughDescriptor(call, *reduce);
}

Result tlx::specialize::descriptorAtomic(Call &call) {
  StringRef name = call.builtin.name;
  name.consume_front("descriptor.atomic_");
  return storeThroughDescriptor(call, name);
}
