// Loads, stores and atomics through pointers.
#include "Emitter.h"

using namespace mlir;
using namespace tlx;

/// How an element lies in memory: booleans take a byte.
static Type storedType(OpBuilder &b, Type element) { return element.isInteger(1) ? Type(b.getI8Type()) : element; }

static int storedBytes(Type stored) {
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

void Emitter::emitLoad(LoadOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  Type element = elementType(getElementTypeOrSelf(op.getType())), stored = storedType(b, element);
  Registers pointers = elements(op.getPointer());
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  Registers others = op.getOther() ? elements(op.getOther()) : Registers();
  int bytes = storedBytes(stored), count = pointers.size(), width = tile ? accessWidth(op, count, bytes) : 1;
  Type type = width > 1 ? Type(VectorType::get({width}, stored)) : stored;
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
      return {LLVM::LoadOp::create(b, loc, type, pointers[i], width * bytes, op.getIsVolatile())};
    };
    Value data = whenElse(mask, load, {fallback})[0];
    for (int j = 0; j < width; ++j) {
      Value one = width > 1 ? Value(LLVM::ExtractElementOp::create(b, loc, data, i32(j))) : data;
      emitted.push_back(stored == element ? one : LLVM::TruncOp::create(b, loc, element, one));
    }
  }
  setElements(op.getResult(), emitted);
}

void Emitter::emitStore(StoreOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getPointer().getType());
  Registers pointers = elements(op.getPointer()), held = elements(op.getValue());
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  Type element = held[0].getType(), stored = storedType(b, element);
  int bytes = storedBytes(stored), count = pointers.size(), width = tile ? accessWidth(op, count, bytes) : 1;
  // Of threads with copies of an element one stores it; of a scalar, the leader.
  Value owner = tile ? holdsFirstCopy(tileInfo(tile).layout) : isLeader();
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
    when(condition, [&] { LLVM::StoreOp::create(b, loc, data, pointers[i], width * bytes); });
  }
}

static std::optional<LLVM::AtomicBinOp> atomicKind(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add: return LLVM::AtomicBinOp::add;
  case AtomicKind::FAdd: return LLVM::AtomicBinOp::fadd;
  case AtomicKind::Max: return LLVM::AtomicBinOp::max;
  case AtomicKind::Min: return LLVM::AtomicBinOp::min;
  case AtomicKind::UMax: return LLVM::AtomicBinOp::umax;
  case AtomicKind::UMin: return LLVM::AtomicBinOp::umin;
  case AtomicKind::And: return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or: return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor: return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Exch: return LLVM::AtomicBinOp::xchg;
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

LogicalResult Emitter::emitAtomic(AtomicOp op) {
  auto order = atomicOrder(op.getSemantics());
  if (!order)
    return op.emitError() << "memory order `" << op.getSemantics()
                          << "`; known are relaxed, acquire, release, acq_rel [unknown-memory-order]";
  auto tile = dyn_cast<RankedTensorType>(op.getPointer().getType());
  Value owner = tile ? holdsFirstCopy(tileInfo(tile).layout) : isLeader();
  if (owner && !op.getResult().use_empty())
    return op.emitError("the old value of an atomic operation is known to one thread only here; using it is not "
                        "supported yet [unsupported-atomic-result]");
  StringRef scope = op.getScope() == "cta" ? "block" : op.getScope() == "sys" ? "" : "device";
  Registers pointers = elements(op.getPointer()), held = elements(op.getValue()), emitted;
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  for (size_t i = 0; i < pointers.size(); ++i) {
    Value condition = owner, value = held[held.size() == 1 ? 0 : i];
    if (!masks.empty()) {
      Value mask = masks[masks.size() == 1 ? 0 : i];
      condition = condition ? bitAnd(condition, mask) : mask;
    }
    Value nothing = LLVM::ZeroOp::create(b, loc, value.getType());
    auto run = [&]() -> Registers {
      return {LLVM::AtomicRMWOp::create(b, loc, *atomicKind(op.getKind()), pointers[i], value, *order, scope)};
    };
    emitted.push_back(whenElse(condition, run, {nothing})[0]);
  }
  setElements(op.getResult(), emitted);
  return success();
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
  } else {
    return false;
  }
  return true;
}
