// Loads, stores and atomics through pointers.
#include "SharedAccess.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

Type tlx::storedType(OpBuilder &b, Type element) {
  return element.isInteger(1) ? Type(b.getI8Type()) : element;
}

int tlx::storedBytes(Type stored) {
  return isa<LLVM::LLVMPointerType>(stored) ? 8 : stored.getIntOrFloatBitWidth() / 8;
}

/// Consecutive elements of one access, as the analysis promised and the element count allows.
static int accessWidth(Operation *op, int count, int bytes) {
  auto attribute = op->getAttrOfType<IntegerAttr>("tlx.vector");
  int width = attribute ? attribute.getInt() : 1;
  while (width > 1 && (width * bytes > 16 || count % width != 0))
    width /= 2;
  return width;
}

void Emitter::emitAddPtr(AddPtrOp op) {
  Registers pointers = elements(op.getPointer()), offsets = elements(op.getOffset()), emitted;
  Type pointee = cast<PointerType>(getElementTypeOrSelf(op.getPointer().getType())).getPointee();
  Type stored = storedType(b, elementType(pointee));
  size_t count = std::max(pointers.size(), offsets.size());
  for (size_t i = 0; i < count; ++i) {
    Value pointer = pointers[pointers.size() == 1 ? 0 : i], offset = offsets[offsets.size() == 1 ? 0 : i];
    emitted.push_back(LLVM::GEPOp::create(b, loc, pointer.getType(), stored, pointer, ArrayRef<LLVM::GEPArg>{offset}));
  }
  setElements(op.getResult(), emitted);
}

/// What pointers name, as wide as `access` was found to be; `others` or zero where masks do not hold.
Registers Emitter::loadElements(Operation *access, ArrayRef<Value> pointers, ArrayRef<Value> masks,
                                ArrayRef<Value> others, Type element, bool isVolatile) {
  Type stored = storedType(b, element);
  bool isTile = isa<RankedTensorType>(access->getOperand(0).getType());
  int bytes = storedBytes(stored), count = pointers.size(), width = isTile ? accessWidth(access, count, bytes) : 1;
  Type type = width > 1 ? Type(VectorType::get({width}, stored)) : stored;
  AccessRange range = isVolatile ? AccessRange() : rangeOf(access, access->getOperand(0));
  Registers emitted;
  for (int i = 0; i < count; i += width) {
    Value fallback = LLVM::ZeroOp::create(b, loc, type);
    if (!others.empty()) {
      for (int j = 0; j < width; ++j) {
        Value other = others[others.size() == 1 ? 0 : i + j];
        if (stored != element)
          other = LLVM::ZExtOp::create(b, loc, stored, other);
        fallback = width > 1 ? Value(LLVM::InsertElementOp::create(b, loc, fallback, other, i32(j))) : other;
      }
    }
    Value mask = masks.empty() ? Value() : masks[masks.size() == 1 ? 0 : i];
    auto load = [&]() -> Registers {
      return {LLVM::LoadOp::create(b, loc, type, pointers[i], width * bytes, isVolatile)};
    };
    Value data;
    if (range) {
      data = machine->loadInRange(b, loc, type, range.base, range.bytes, offsetInRange(range, pointers[i], mask));
      if (mask && !others.empty())
        data = LLVM::SelectOp::create(b, loc, mask, data, fallback);
    } else {
      data = whenElse(mask, load, {fallback})[0];
    }
    for (int j = 0; j < width; ++j) {
      Value one = width > 1 ? Value(LLVM::ExtractElementOp::create(b, loc, data, i32(j))) : data;
      emitted.push_back(stored == element ? one : LLVM::TruncOp::create(b, loc, element, one));
    }
  }
  return emitted;
}

void Emitter::emitLoad(LoadOp op) {
  Type element = elementType(getElementTypeOrSelf(op.getType()));
  Registers pointers = elements(op.getPointer());
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  Registers others = op.getOther() ? elements(op.getOther()) : Registers();
  setElements(op.getResult(), loadElements(op, pointers, masks, others, element, op.getIsVolatile()));
}

void Emitter::emitStore(StoreOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getPointer().getType());
  Registers pointers = elements(op.getPointer()), held = elements(op.getValue());
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  Type element = held[0].getType(), stored = storedType(b, element);
  int bytes = storedBytes(stored), count = pointers.size(), width = tile ? accessWidth(op, count, bytes) : 1;
  // Of threads with copies of an element one stores it; of a scalar, the leader.
  Value owner = tile ? holdsFirstCopy(tileInfo(tile).layout) : isLeader();
  AccessRange range = rangeOf(op, op.getPointer());
  for (int i = 0; i < count; i += width) {
    Value data;
    for (int j = 0; j < width; ++j) {
      Value one = held[held.size() == 1 ? 0 : i + j];
      if (stored != element)
        one = LLVM::ZExtOp::create(b, loc, stored, one);
      if (width > 1 && !data)
        data = LLVM::PoisonOp::create(b, loc, VectorType::get({width}, stored));
      data = width > 1 ? Value(LLVM::InsertElementOp::create(b, loc, data, one, i32(j))) : one;
    }
    Value condition = owner;
    if (!masks.empty()) {
      Value mask = masks[masks.size() == 1 ? 0 : i];
      condition = condition ? bitAnd(condition, mask) : mask;
    }
    if (range)
      machine->storeInRange(b, loc, data, range.base, range.bytes, offsetInRange(range, pointers[i], condition));
    else
      when(condition, [&] { LLVM::StoreOp::create(b, loc, data, pointers[i], width * bytes); });
  }
}

static std::optional<LLVM::AtomicBinOp> atomicKind(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Exch:
    return LLVM::AtomicBinOp::xchg;
  case AtomicKind::FMax:
    return LLVM::AtomicBinOp::fmax;
  case AtomicKind::FMin:
    return LLVM::AtomicBinOp::fmin;
  }
  return std::nullopt;
}

static std::optional<LLVM::AtomicOrdering> atomicOrder(StringRef semantics) {
  if (semantics == "relaxed")
    return LLVM::AtomicOrdering::monotonic;
  if (semantics == "acquire")
    return LLVM::AtomicOrdering::acquire;
  if (semantics == "release")
    return LLVM::AtomicOrdering::release;
  if (semantics == "acq_rel")
    return LLVM::AtomicOrdering::acq_rel;
  return std::nullopt;
}

static FailureOr<LLVM::AtomicOrdering> orderOf(Operation *op, StringRef semantics) {
  if (auto order = atomicOrder(semantics))
    return *order;
  return op->emitError() << "memory order `" << semantics
                         << "`; known are relaxed, acquire, release, acq_rel [unknown-memory-order]";
}

static StringRef atomicScope(const Machine &machine, StringRef scope) {
  return scope == "cta" ? machine.blockScope() : scope == "sys" ? "" : machine.deviceScope();
}

/// Runs `body` for each element in the one thread that holds its first copy; the others get the result through memory.
void Emitter::emitOncePerElement(Operation *op, Value pointers, Value mask, AtomicBody body) {
  auto tile = dyn_cast<RankedTensorType>(pointers.getType());
  Value owner = tile ? holdsFirstCopy(tileInfo(tile).layout) : isLeader();
  Registers masks = mask ? elements(mask) : Registers(), emitted;
  Value result = op->getResult(0);
  Type element = elementType(getElementTypeOrSelf(result.getType()));
  size_t count = elements(pointers).size();
  for (size_t i = 0; i < count; ++i) {
    Value condition = owner;
    if (mask) {
      Value one = masks[masks.size() == 1 ? 0 : i];
      condition = condition ? bitAnd(condition, one) : one;
    }
    Value nothing = LLVM::ZeroOp::create(b, loc, element);
    emitted.push_back(whenElse(condition, [&]() -> Registers { return {body(i)}; }, {nothing})[0]);
  }
  if (!owner || result.use_empty() || task.singleThread)
    return setElements(result, emitted);
  Value base = sharedBase(op->getAttrOfType<IntegerAttr>("tlx.scratch").getInt());
  taskBarrier();
  if (!tile) {
    when(owner, [&] { LLVM::StoreOp::create(b, loc, emitted[0], base, storedBytes(element)); });
    taskBarrier();
    return setValues(result, {LLVM::LoadOp::create(b, loc, element, base, storedBytes(element))});
  }
  const TileInfo info = tileInfo(result.getType());
  SharedAccess access(*this, scratchTile(info.shape, storedBytes(element)), /*transposed=*/false, base, element);
  when(owner, [&] { access.store(info, emitted); });
  taskBarrier();
  setElements(result, access.load(info));
}

/// `access` with fences for its order: LLVM's NVPTX backend writes atomic operations without one.
static Value ordered(OpBuilder &b, Location loc, LLVM::AtomicOrdering order, StringRef scope,
                     llvm::function_ref<Value()> access) {
  auto fence = [&] { LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, scope); };
  if (order == LLVM::AtomicOrdering::release || order == LLVM::AtomicOrdering::acq_rel)
    fence();
  Value result = access();
  if (order == LLVM::AtomicOrdering::acquire || order == LLVM::AtomicOrdering::acq_rel)
    fence();
  return result;
}

LogicalResult Emitter::emitAtomic(AtomicOp op) {
  auto order = orderOf(op, op.getSemantics());
  if (failed(order))
    return failure();
  Registers pointers = elements(op.getPointer()), held = elements(op.getValue());
  emitOncePerElement(op, op.getPointer(), op.getMask(), [&](size_t i) -> Value {
    StringRef scope = atomicScope(*machine, op.getScope());
    return ordered(b, loc, *order, scope, [&] {
      return LLVM::AtomicRMWOp::create(b, loc, *atomicKind(op.getKind()), pointers[i], held[held.size() == 1 ? 0 : i],
                                       LLVM::AtomicOrdering::monotonic, scope);
    });
  });
  return success();
}

LogicalResult Emitter::emitAtomicCas(AtomicCasOp op) {
  auto order = orderOf(op, op.getSemantics());
  if (failed(order))
    return failure();
  Registers pointers = elements(op.getPointer()), compare = elements(op.getCompare()), held = elements(op.getValue());
  Type element = held[0].getType(), integer = b.getIntegerType(element.getIntOrFloatBitWidth());
  auto bits = [&](Value value) { return element == integer ? value : LLVM::BitcastOp::create(b, loc, integer, value); };
  emitOncePerElement(op, op.getPointer(), Value(), [&](size_t i) -> Value {
    StringRef scope = atomicScope(*machine, op.getScope());
    Value old = ordered(b, loc, *order, scope, [&]() -> Value {
      constexpr auto relaxed = LLVM::AtomicOrdering::monotonic;
      auto exchange = LLVM::AtomicCmpXchgOp::create(b, loc, pointers[i], bits(compare[compare.size() == 1 ? 0 : i]),
                                                    bits(held[held.size() == 1 ? 0 : i]), relaxed, relaxed, scope);
      return LLVM::ExtractValueOp::create(b, loc, exchange, 0);
    });
    return element == integer ? old : LLVM::BitcastOp::create(b, loc, element, old);
  });
  return success();
}

void Emitter::emitPointerCast(PointerCastOp op) {
  auto isNumber = [](Value value) { return getElementTypeOrSelf(value.getType()).isInteger(); };
  bool fromNumber = isNumber(op.getSource()), toNumber = isNumber(op.getResult());
  if (fromNumber == toNumber)
    return setValues(op.getResult(), values(op.getSource()));
  Type type = elementType(getElementTypeOrSelf(op.getType()));
  Registers cast;
  for (Value one : values(op.getSource()))
    cast.push_back(toNumber ? Value(LLVM::PtrToIntOp::create(b, loc, type, one))
                            : Value(LLVM::IntToPtrOp::create(b, loc, type, one)));
  setValues(op.getResult(), cast);
}

FailureOr<bool> Emitter::emitGlobalMemory(Operation *op) {
  if (auto add = dyn_cast<AddPtrOp>(op)) {
    emitAddPtr(add);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    emitLoad(load);
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    emitStore(store);
  } else if (auto atomic = dyn_cast<AtomicOp>(op)) {
    if (failed(emitAtomic(atomic)))
      return failure();
  } else if (auto cas = dyn_cast<AtomicCasOp>(op)) {
    if (failed(emitAtomicCas(cas)))
      return failure();
  } else if (auto cast = dyn_cast<PointerCastOp>(op)) {
    emitPointerCast(cast);
  } else {
    return false;
  }
  return true;
}
