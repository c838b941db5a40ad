// How values of the tile program are held by one thread, and the small pieces of code that everything is built from.
#include "Emitter.h"

#include "tlx/Dialect/TensorMemory.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using layout::InDim;

Type Emitter::elementType(Type type) {
  MLIRContext *context = b.getContext();
  return llvm::TypeSwitch<Type, Type>(type)
      .Case<PointerType>([&](auto) { return LLVM::LLVMPointerType::get(context, 1); })
      .Case<DescriptorType>([&](auto) { return LLVM::LLVMPointerType::get(context); })
      .Case<BufferType, BarrierType>([&](auto) { return LLVM::LLVMPointerType::get(context, 3); })
      .Case<tmem::BufferType>([&](auto) { return b.getI32Type(); })
      .Case<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType, Float8E5M2FNUZType>(
          [&](auto) { return b.getI8Type(); })
      .Default([](Type other) { return other; });
}

const TileInfo &Emitter::tileInfo(Type type) {
  auto found = infos.find(type);
  if (found != infos.end())
    return found->second;
  auto tensor = cast<RankedTensorType>(type);
  TileInfo info;
  info.layout = toLinear(tensor);
  info.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  info.used = layout::usedRegisters(info.layout, info.shape);
  info.element = elementType(tensor.getElementType());
  if (isa<Float16Type, BFloat16Type>(info.element) && info.used.size() % 2 == 0)
    info.pack = 2;
  return infos[type] = std::move(info);
}

SmallVector<Type> Emitter::emittedTypes(Type type) {
  if (!isa<RankedTensorType>(type)) {
    if (isa<TokenType, ChannelType>(type))
      return {};
    return {elementType(type)};
  }
  const TileInfo &info = tileInfo(type);
  Type one = info.pack == 1 ? info.element : VectorType::get({info.pack}, info.element);
  return SmallVector<Type>(info.valueCount(), one);
}

Registers &Emitter::values(Value value) {
  auto found = map.find(value);
  assert(found != map.end() && "use before definition");
  return found->second;
}

Registers Emitter::unpackElements(const TileInfo &info, ArrayRef<Value> packed) {
  if (info.pack == 1)
    return Registers(packed);
  Registers result;
  for (Value value : packed)
    for (int i = 0; i < info.pack; ++i)
      result.push_back(LLVM::ExtractElementOp::create(b, loc, value, i32(i)));
  return result;
}

Registers Emitter::packElements(const TileInfo &info, ArrayRef<Value> single) {
  if (info.pack == 1)
    return Registers(single);
  Registers result;
  Type type = VectorType::get({info.pack}, info.element);
  for (size_t i = 0; i < single.size(); i += info.pack) {
    Value packed = LLVM::PoisonOp::create(b, loc, type);
    for (int j = 0; j < info.pack; ++j)
      packed = LLVM::InsertElementOp::create(b, loc, packed, single[i + j], i32(j));
    result.push_back(packed);
  }
  return result;
}

Registers Emitter::elements(Value tile) {
  if (!isa<RankedTensorType>(tile.getType()))
    return values(tile);
  Registers held = values(tile);
  return unpackElements(tileInfo(tile.getType()), held);
}

void Emitter::setElements(Value tile, ArrayRef<Value> single) {
  if (!isa<RankedTensorType>(tile.getType()))
    return setValues(tile, Registers(single));
  setValues(tile, packElements(tileInfo(tile.getType()), single));
}

Registers Emitter::asWords(ArrayRef<Value> values) {
  Registers words;
  for (size_t i = 0; i < values.size();) {
    Type type = values[i].getType();
    if (isa<VectorType>(type) || type.getIntOrFloatBitWidth() == 32) {
      words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), values[i++]));
      continue;
    }
    int perWord = 32 / static_cast<int>(type.getIntOrFloatBitWidth());
    Value parts = LLVM::PoisonOp::create(b, loc, VectorType::get({perWord}, type));
    for (int part = 0; part < perWord; ++part)
      parts = LLVM::InsertElementOp::create(b, loc, parts, values[i++], i32(part));
    words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), parts));
  }
  return words;
}

Value Emitter::i32(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value Emitter::i1(bool value) {
  return LLVM::ConstantOp::create(b, loc, b.getI1Type(), b.getBoolAttr(value));
}
Value Emitter::add(Value a, Value c) {
  return LLVM::AddOp::create(b, loc, a, c);
}
Value Emitter::addConstant(Value a, int64_t constant) {
  return constant == 0 ? a : add(a, i32(constant));
}
Value Emitter::bitXor(Value a, Value c) {
  return LLVM::XOrOp::create(b, loc, a, c);
}
Value Emitter::bitAnd(Value a, Value c) {
  return LLVM::AndOp::create(b, loc, a, c);
}
Value Emitter::equals(Value a, int64_t constant) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, a, i32(constant));
}
Value Emitter::less(Value a, int64_t constant) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, a, i32(constant));
}

Value Emitter::offsetPointer(Value base, Value offset) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
}
Value Emitter::offsetPointer(Value base, int64_t offset) {
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}
Value Emitter::sharedBase(int64_t offset) {
  return offsetPointer(shared, offset);
}

/// A run of bits [from, from+length) of the index that moves to bit `to`.
namespace {
struct BitRun {
  int from, length, to;
};
} // namespace

/// Neighbouring bits that move together become one run; false when a contribution is not a single bit.
static bool findRuns(ArrayRef<int64_t> contributions, SmallVectorImpl<BitRun> &runs) {
  for (auto [bit, contribution] : llvm::enumerate(contributions)) {
    if (contribution == 0)
      continue;
    if (!llvm::isPowerOf2_64(contribution))
      return false;
    int to = llvm::Log2_64(contribution), from = static_cast<int>(bit);
    if (!runs.empty() && runs.back().from + runs.back().length == from && runs.back().to + runs.back().length == to)
      ++runs.back().length;
    else
      runs.push_back({from, 1, to});
  }
  return true;
}

Value Emitter::linearCombination(Value index, ArrayRef<int64_t> contributions) {
  Value sum;
  auto accumulate = [&](Value term) { sum = sum ? bitXor(sum, term) : term; };
  SmallVector<BitRun> runs;
  if (findRuns(contributions, runs)) {
    for (BitRun run : runs) {
      Value bits = run.from ? LLVM::LShrOp::create(b, loc, index, i32(run.from)) : index;
      bits = bitAnd(bits, i32((1 << run.length) - 1));
      accumulate(run.to ? LLVM::ShlOp::create(b, loc, bits, i32(run.to)) : bits);
    }
  } else {
    for (auto [bit, contribution] : llvm::enumerate(contributions)) {
      if (contribution == 0)
        continue;
      Value isSet = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, bitAnd(index, i32(1 << bit)), i32(0));
      accumulate(LLVM::SelectOp::create(b, loc, isSet, i32(contribution), i32(0)));
    }
  }
  return sum ? sum : i32(0);
}

Value Emitter::threadPart(const layout::LinearLayout &layout, llvm::function_ref<int64_t(ArrayRef<int32_t>)> function) {
  auto contributions = [&](InDim dim) {
    SmallVector<int64_t> list;
    for (int bit = 0; bit < layout.inBits(dim); ++bit)
      list.push_back(function(layout.basis(dim, bit)));
    return list;
  };
  auto isZero = [](int64_t value) { return value == 0; };
  SmallVector<int64_t> lanes = contributions(InDim::Lane), warps = contributions(InDim::Warp);
  if (llvm::all_of(warps, isZero))
    return linearCombination(laneId, lanes);
  Value fromWarp = linearCombination(warpInTask(), warps);
  if (llvm::all_of(lanes, isZero))
    return fromWarp;
  return bitXor(linearCombination(laneId, lanes), fromWarp);
}

Value Emitter::warpInTask() {
  if (task.firstWarp == 0)
    return warpId;
  return LLVM::SubOp::create(b, loc, warpId, i32(task.firstWarp));
}

Value Emitter::isLeader(Value also) {
  if (task.singleThread)
    return also;
  Value leader = equals(threadId, machine->lanes() * task.firstWarp);
  return also ? bitAnd(leader, also) : leader;
}

Value Emitter::isGroupLeader(Value also) {
  constexpr int groupThreads = 128;
  Value leader = equals(bitAnd(threadInTask(), i32(groupThreads - 1)), 0);
  return also ? bitAnd(leader, also) : leader;
}

Value Emitter::holdsFirstCopy(const layout::LinearLayout &layout) {
  Value condition;
  auto require = [&](Value index, uint64_t mask) {
    if (mask == 0)
      return;
    Value first = equals(bitAnd(index, i32(mask)), 0);
    condition = condition ? bitAnd(condition, first) : first;
  };
  require(laneId, layout.freeMask(InDim::Lane));
  require(warpInTask(), layout.freeMask(InDim::Warp));
  return condition;
}

Value Emitter::threadInTask() {
  if (task.firstWarp == 0)
    return threadId;
  return LLVM::SubOp::create(b, loc, threadId, i32(machine->lanes() * task.firstWarp));
}

void Emitter::taskBarrier() {
  if (task.singleThread)
    return;
  if (task.barrierId < 0)
    machine->warpBarrier(b, loc);
  else if (task.barrierId == 0)
    machine->blockBarrier(b, loc);
  else
    thread::NamedBarrierOp::create(b, loc, task.barrierId, machine->lanes() * task.warps, /*arrive=*/false);
}
