// The machine of AMD: ROCDL, LLVM's own operations where the AMDGPU backend expands them, and thread.group_count.
#include "Machine.h"
#include "tlx/Arch/BufferResource.h"
#include "tlx/Dialect/AMD.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace tlx;

namespace {

class AMDMachine : public Machine {
public:
  explicit AMDMachine(const Arch &arch) : Machine(arch) {}

  void markKernel(LLVM::LLVMFuncOp function, int threads, int blocks) const override {
    Builder b(function.getContext());
    function->setAttr("rocdl.kernel", b.getUnitAttr());
    // Without it LLVM counts on 1024 threads and leaves each few registers.
    std::string size = std::to_string(threads);
    function->setAttr("rocdl.flat_work_group_size", b.getStringAttr(size + "," + size));
  }
  StringRef blockScope() const override { return "workgroup"; }
  StringRef deviceScope() const override { return "agent"; }

  Value threadId(OpBuilder &b, Location loc) const override {
    return ROCDL::ThreadIdXOp::create(b, loc, b.getI32Type());
  }
  Value programId(OpBuilder &b, Location loc, int axis) const override {
    Type type = b.getI32Type();
    switch (axis) {
    case 0:
      return ROCDL::BlockIdXOp::create(b, loc, type);
    case 1:
      return ROCDL::BlockIdYOp::create(b, loc, type);
    default:
      return ROCDL::BlockIdZOp::create(b, loc, type);
    }
  }
  Value programCount(OpBuilder &b, Location loc, int axis) const override {
    return thread::GroupCountOp::create(b, loc, b.getI32Type(), static_cast<uint32_t>(axis));
  }
  Value uniform(OpBuilder &b, Location loc, Value value) const override {
    return ROCDL::ReadfirstlaneOp::create(b, loc, b.getI32Type(), value);
  }
  Value clock(OpBuilder &b, Location loc) const override {
    auto read =
        LLVM::CallIntrinsicOp::create(b, loc, b.getI64Type(), b.getStringAttr("llvm.readcyclecounter"), ValueRange());
    return read.getResult(0);
  }

  void blockBarrier(OpBuilder &b, Location loc) const override {
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::release, blockScope());
    ROCDL::SBarrierOp::create(b, loc);
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acquire, blockScope());
  }
  /// The lanes of a wave run in step; only LLVM has to be kept from moving their accesses.
  void warpBarrier(OpBuilder &b, Location loc) const override {
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, "wavefront");
  }
  Value shuffleXor(OpBuilder &b, Location loc, Value word, Value lane, int mask) const override {
    // ds_bpermute counts lanes in bytes.
    Value source = LLVM::XOrOp::create(b, loc, lane, i32(b, loc, mask));
    source = LLVM::ShlOp::create(b, loc, source, i32(b, loc, 2));
    return ROCDL::DsBpermuteOp::create(b, loc, b.getI32Type(), source, word);
  }
  Value vote(OpBuilder &, Location, int32_t, Value) const override { return {}; }

  bool reports() const override { return false; }

  Value approximate(OpBuilder &b, Location loc, ApproxFunction function, Value x) const override;
  Value pack(OpBuilder &b, Location loc, VectorType type, Value low, Value high) const override {
    Type wide = VectorType::get({2}, b.getF32Type());
    return LLVM::FPTruncOp::create(b, loc, type, pairOf(b, loc, wide, low, high));
  }
  Value toFloat8(OpBuilder &b, Location loc, Type type, Value low, Value high) const override;
  Value fromFloat8(OpBuilder &b, Location loc, Type type, Value bytes) const override;

  bool checksRanges() const override { return true; }
  Value loadInRange(OpBuilder &b, Location loc, Type type, Value base, int64_t bytes, Value offset) const override {
    Value none = i32(b, loc, 0), range = rangeResource(b, loc, base, bytes);
    Type moved = movedType(b, type);
    Value data = ROCDL::RawPtrBufferLoadOp::create(b, loc, moved, range, offset, none, none, ArrayAttr(), ArrayAttr(),
                                                   ArrayAttr());
    return recast(b, loc, data, type);
  }
  void storeInRange(OpBuilder &b, Location loc, Value data, Value base, int64_t bytes, Value offset) const override {
    Value none = i32(b, loc, 0), range = rangeResource(b, loc, base, bytes);
    Value moved = recast(b, loc, data, movedType(b, data.getType()));
    ROCDL::RawPtrBufferStoreOp::create(b, loc, moved, range, offset, none, none, ArrayAttr(), ArrayAttr(), ArrayAttr());
  }

  /// There is no such instruction.
  void prefetch(OpBuilder &, Location, Value, StringRef) const override {}

private:
  /// CDNA3 ISA, buffer resource descriptor: no stride, `bytes` records, raw words.
  static Value rangeResource(OpBuilder &b, Location loc, Value base, int64_t bytes) {
    Value stride = LLVM::ConstantOp::create(b, loc, b.getI16Type(), b.getI16IntegerAttr(0));
    Value records = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(bytes));
    return ROCDL::MakeBufferRsrcOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 8), base, stride, records,
                                           i32(b, loc, lastWordOf(rawWords)));
  }
  /// Buffer instructions move bytes, halves, and one to four words.
  static Type movedType(OpBuilder &b, Type type) {
    auto vector = dyn_cast<VectorType>(type);
    unsigned bits = vector ? static_cast<unsigned>(vector.getNumElements()) * vector.getElementTypeBitWidth()
                           : type.getIntOrFloatBitWidth();
    return bits <= 32 ? Type(b.getIntegerType(bits)) : VectorType::get({bits / 32}, b.getI32Type());
  }
  static Value recast(OpBuilder &b, Location loc, Value value, Type type) {
    return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value);
  }
  static Value f32(OpBuilder &b, Location loc, double value) {
    return LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(static_cast<float>(value)));
  }
  static Value pairOf(OpBuilder &b, Location loc, Type type, Value low, Value high) {
    Value pair = LLVM::PoisonOp::create(b, loc, type);
    pair = LLVM::InsertElementOp::create(b, loc, pair, low, i32(b, loc, 0));
    return LLVM::InsertElementOp::create(b, loc, pair, high, i32(b, loc, 1));
  }
  static Value tanh(OpBuilder &b, Location loc, Value x);
};

} // namespace

/// `afn` makes LLVM use the hardware's function alone, without the steps that make it accurate everywhere.
static constexpr LLVM::FastmathFlags fast = LLVM::FastmathFlags::afn;

Value AMDMachine::approximate(OpBuilder &b, Location loc, ApproxFunction function, Value x) const {
  constexpr auto quotient = LLVM::FastmathFlags::afn | LLVM::FastmathFlags::arcp | LLVM::FastmathFlags::contract;
  switch (function) {
  case ApproxFunction::Exp2:
    return LLVM::Exp2Op::create(b, loc, x, fast);
  case ApproxFunction::Log2:
    return LLVM::Log2Op::create(b, loc, x, fast);
  case ApproxFunction::Rsqrt: {
    Value root = LLVM::SqrtOp::create(b, loc, x, quotient);
    return LLVM::FDivOp::create(b, loc, f32(b, loc, 1), root, quotient);
  }
  case ApproxFunction::Sin:
    return LLVM::SinOp::create(b, loc, x, fast);
  case ApproxFunction::Cos:
    return LLVM::CosOp::create(b, loc, x, fast);
  case ApproxFunction::Tanh:
    return tanh(b, loc, x);
  case ApproxFunction::Rcp:
    return LLVM::FDivOp::create(b, loc, f32(b, loc, 1), x, quotient);
  }
  llvm_unreachable("unknown approximate function");
}

/// With t = 2^(-2 log2(e) |x|) it is (1 - t) / (1 + t), and near 0, where that cancels, x - x³/3.
Value AMDMachine::tanh(OpBuilder &b, Location loc, Value x) {
  Value magnitude = LLVM::FAbsOp::create(b, loc, x);
  Value power = LLVM::FMulOp::create(b, loc, magnitude, f32(b, loc, -2.8853900817779268));
  Value t = LLVM::Exp2Op::create(b, loc, power, fast), one = f32(b, loc, 1);
  Value above = LLVM::FSubOp::create(b, loc, one, t), below = LLVM::FAddOp::create(b, loc, one, t);
  Value large = LLVM::FDivOp::create(b, loc, above, below, fast);
  Value cube = LLVM::FMulOp::create(b, loc, LLVM::FMulOp::create(b, loc, x, x), f32(b, loc, -1.0 / 3));
  Value small = LLVM::FMAOp::create(b, loc, cube, magnitude, magnitude);
  Value isSmall = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::olt, magnitude, f32(b, loc, 0.03));
  return LLVM::CopySignOp::create(b, loc, LLVM::SelectOp::create(b, loc, isSmall, small, large), x);
}

static bool hasShortMantissa(Type type) {
  return isa<Float8E5M2Type, Float8E5M2FNUZType>(type);
}

/// CDNA3 ISA, V_CVT_PK_FP8_F32: what lies beyond the range becomes NaN, so it is brought into it first.
Value AMDMachine::toFloat8(OpBuilder &b, Location loc, Type type, Value low, Value high) const {
  double largest = llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics()).convertToDouble();
  auto inRange = [&](Value x) -> Value {
    Value bounded = LLVM::MinNumOp::create(b, loc, x, f32(b, loc, largest));
    bounded = LLVM::MaxNumOp::create(b, loc, bounded, f32(b, loc, -largest));
    Value isNumber = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::ord, x, x);
    return LLVM::SelectOp::create(b, loc, isNumber, bounded, x);
  };
  Value first = inRange(low), second = inRange(high), nothing = i32(b, loc, 0), word;
  if (hasShortMantissa(type))
    word = ROCDL::CvtPkBf8F32Op::create(b, loc, b.getI32Type(), first, second, nothing, /*wordSel=*/false);
  else
    word = ROCDL::CvtPkFp8F32Op::create(b, loc, b.getI32Type(), first, second, nothing, /*wordSel=*/false);
  Value half = LLVM::TruncOp::create(b, loc, b.getIntegerType(16), word);
  return LLVM::BitcastOp::create(b, loc, VectorType::get({2}, b.getI8Type()), half);
}

Value AMDMachine::fromFloat8(OpBuilder &b, Location loc, Type type, Value bytes) const {
  Value word = LLVM::BitcastOp::create(b, loc, b.getIntegerType(16), bytes);
  word = LLVM::ZExtOp::create(b, loc, b.getI32Type(), word);
  Type pair = VectorType::get({2}, b.getF32Type());
  if (hasShortMantissa(type))
    return ROCDL::CvtPkF32Bf8Op::create(b, loc, pair, word, /*wordSel=*/false);
  return ROCDL::CvtPkF32Fp8Op::create(b, loc, pair, word, /*wordSel=*/false);
}

std::unique_ptr<Machine> tlx::makeAMDMachine(const Arch &arch) {
  return std::make_unique<AMDMachine>(arch);
}
